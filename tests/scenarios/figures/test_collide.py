"""Collisions under ISFC's rule and under others."""

from random import Random

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.parameters import LinkParameters
from scenarios.figures.collide import (
    SCANS,
    SEEDS,
    CollisionOutcome,
    CollisionTrial,
    Scan,
    WriteRule,
    collide,
    link_rules,
    mean_outcome,
    trials,
)

LAYOUT = load_layout("published-4")


def outcome(scan: Scan, stop_short: int = 0, load: float = 40.0) -> CollisionOutcome:
    return collide(
        CollisionTrial(LAYOUT, WriteRule(scan, stop_short), load, load, seconds=0.1, warmup=0.1)
    )


@pytest.mark.at_length
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


@pytest.mark.at_length
def test_what_is_offered_is_carried_as_long_as_there_is_room() -> None:
    result = collide(
        CollisionTrial(LAYOUT, WriteRule(Scan.OPPOSITE, 1), 20, 40, seconds=0.5, warmup=0.5)
    )
    assert result.mb_per_s_out == pytest.approx(20, rel=0.15)
    assert result.mb_per_s_in == pytest.approx(40, rel=0.15)


def test_same_trial_has_the_same_outcome() -> None:
    trial = CollisionTrial(LAYOUT, WriteRule(Scan.RANDOM), 100, 100, seconds=0.05, warmup=0.05)
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
    assert len(trials(LAYOUT, [1, 2], [3], 1, 1, [1])) == 2 * len(SCANS)
    assert len(trials(load_layout("published-1"), [1], [3], 1, 1, [1])) == 3


def test_seeds_of_a_load_follow_each_other() -> None:
    found = trials(LAYOUT, [1, 2], [3], 1, 1, [7, 8])
    assert [(each.offered_out, each.seed) for each in found[:4]] == [(1, 7), (1, 8), (2, 7), (2, 8)]


def test_mean_of_seeds_and_how_far_they_differ() -> None:
    found = mean_outcome(
        [
            CollisionOutcome("upward", 1, 2, 100.0, 0.5, 30.0, 40.0, 300.0),
            CollisionOutcome("upward", 1, 2, 40.0, 0.1, 20.0, 44.0, 200.0),
        ]
    )
    assert found == CollisionOutcome("upward", 1, 2, 70, 0.3, 25, 42, 250, 60, 6)


def known(stop_short: int, load: float) -> tuple[CollisionOutcome, CollisionOutcome]:
    """What is shown if nothing is said of lengths and seeds, and what six times as long shows."""
    rule = WriteRule(Scan.OPPOSITE, stop_short)
    short, long = (
        mean_outcome([collide(CollisionTrial(LAYOUT, rule, load, load, s, seed=n)) for n in seeds])
        for s, seeds in ((0.5, range(1, 1 + SEEDS)), (3.0, range(11, 13)))
    )
    return short, long


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("stop_short", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_longer_runs_and_other_seeds_show_the_same_at_full_load(stop_short: int) -> None:
    # without a warm-up, seeds 1 to 3 had 143 collisions a second, and long runs 119
    short, long = known(stop_short, 160)
    assert short.collisions_per_s == pytest.approx(long.collisions_per_s, rel=0.08)
    assert short.mb_per_s == pytest.approx(long.mb_per_s, rel=0.02)


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("stop_short", [0, 1])
def test_longer_runs_and_other_seeds_show_the_same_at_half_load(stop_short: int) -> None:
    short, long = known(stop_short, 80)
    chance = 3 * (long.collisions_per_s / (0.5 * SEEDS)) ** 0.5
    assert short.collisions_per_s == pytest.approx(long.collisions_per_s, abs=chance)
    assert short.mb_per_s == pytest.approx(long.mb_per_s, rel=0.02)


@pytest.mark.parametrize("load", [-1.0, 1e9, float("nan")])
def test_absurd_loads_are_refused(load: float) -> None:
    with pytest.raises(ConfigurationError, match="--offer-out"):
        CollisionTrial(LAYOUT, SCANS[0], load, 1)
