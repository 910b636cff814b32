"""Collisions under ISFC's rule and under others."""

from random import Random

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.parameters import LinkParameters
from scenarios.collide import (
    RULES,
    CollisionOutcome,
    CollisionTrial,
    Scan,
    Source,
    Waste,
    WriteRule,
    collide,
    link_rules,
    trials,
)
from scenarios.run import MIB, NS_PER_S

LAYOUT = load_layout("published-4")


def outcome(scan: Scan, stop_short: int = 0, load: float = 40.0) -> CollisionOutcome:
    return collide(CollisionTrial(LAYOUT, WriteRule(scan, stop_short), load, load, seconds=0.1))


def test_isfcs_rule_does_not_collide_at_half_load_and_a_naive_scan_does() -> None:
    assert outcome(Scan.OPPOSITE, 1).collisions_per_s == 0
    upward = outcome(Scan.UPWARD)
    assert upward.collisions_per_s > 20
    assert 0 < upward.wasted_percent < 100


def test_ends_that_share_no_ctc_never_collide_however_much_is_offered() -> None:
    full = outcome(Scan.OPPOSITE, 2, load=300)
    assert full.collisions_per_s == full.wasted_percent == 0


def test_rule_stops_working_when_a_direction_needs_all_its_ctcs() -> None:
    assert outcome(Scan.OPPOSITE, 0, load=160).collisions_per_s > 20


def test_what_is_offered_is_carried_as_long_as_there_is_room() -> None:
    result = collide(CollisionTrial(LAYOUT, WriteRule(Scan.OPPOSITE, 1), 20, 40, seconds=0.5))
    assert result.mb_per_s_out == pytest.approx(20, rel=0.15)
    assert result.mb_per_s_in == pytest.approx(40, rel=0.15)


def test_same_trial_has_the_same_outcome() -> None:
    trial = CollisionTrial(LAYOUT, WriteRule(Scan.RANDOM), 100, 100, seconds=0.05)
    assert collide(trial) == collide(trial)


def test_random_scan_takes_every_ctc_that_is_free() -> None:
    devices = LAYOUT.devices(LAYOUT.nodes[0])
    taken = set()
    for seed in range(40):
        rules = link_rules(WriteRule(Scan.RANDOM), Random(seed))
        chosen = rules.scheduler(devices, True, LinkParameters())
        for device in devices:
            chosen.release(device.rdev)
        taken.add(chosen.acquire())
    assert taken == {device.rdev for device in devices}


def test_every_rule_that_leaves_a_ctc_is_tried_at_every_load() -> None:
    assert len(trials(LAYOUT, [1, 2], [3], 1, 1, 1)) == 2 * len(RULES)
    assert len(trials(load_layout("published-1"), [1], [3], 1, 1, 1)) == 3


def test_source_sends_at_its_rate_until_the_end() -> None:
    offers = list(Source(10, 1_000, NS_PER_S, Random(1)).start(0))
    sent = sum(message.length for _, messages in offers for message in messages)
    assert sent == pytest.approx(10 * MIB, rel=0.05)
    assert all(0 < at_ns < NS_PER_S for at_ns, _ in offers)
    assert not list(Source(0, 1_000, NS_PER_S, Random(1)).start(0))


def test_waste_is_the_time_from_a_colliding_write_to_the_next() -> None:
    waste = Waste("A", since_ns=100)
    for record in [
        (50, "A", 1, "WRITE", 1),
        (150, "A", 1, "Collided", 0),
        (160, "B", 1, "WRITE", 1),  # another system's
        (300, "A", 1, "WRITE", 1),  # again
        (400, "A", 1, "Ended", 0),
        (500, "A", 1, "WRITE", 1),
    ]:
        waste(record)
    assert waste.wasted_ns == 200


@pytest.mark.parametrize("load", [-1.0, 1e9, float("nan")])
def test_absurd_loads_are_refused(load: float) -> None:
    with pytest.raises(ConfigurationError, match="--offer-out"):
        CollisionTrial(LAYOUT, RULES[0], load, 1)
