"""Relocations: what passes move, when a guest is stopped, and what other traffic does to it."""

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.events import Delivered
from isfc.link.message import Message
from scenarios.relocation import (
    MESSAGE_LENGTH,
    PASSES_MAX,
    STATE_LENGTH,
    Destination,
    Relocation,
    Source,
    relocate,
)
from scenarios.run import MIB, Experiment, run
from scenarios.workload import find_workload

LAYOUT = load_layout("published-4")
MEMORY = 64 * MIB


def relocation(**changed: object) -> Relocation:
    settings: dict[str, object] = {"memory": MEMORY, "change_rate": 50 * MIB, **changed}
    return Relocation(LAYOUT, **settings)  # type: ignore[arg-type]


def test_each_pass_moves_what_changed_during_the_one_before() -> None:
    (guest,) = relocate(relocation(quiesce_goal=0.01)).guests
    assert guest.moved
    assert guest.passes[0].length == MEMORY
    assert guest.passes[-1].length == STATE_LENGTH
    for before, after in zip(guest.passes[:-2], guest.passes[1:-1], strict=True):
        assert after.length == before.changed_length
        assert after.begin_ns == before.end_ns
        taken_ns = before.end_ns - before.begin_ns
        assert before.changed_length == 50 * MIB * taken_ns // 10**9
    assert len(guest.passes) > 3
    assert guest.length == sum(each.length for each in guest.passes)


def test_guest_is_stopped_for_the_last_two_passes() -> None:
    (guest,) = relocate(relocation()).guests
    assert [each.quiesced for each in guest.passes] == [False, True, True]
    last_two = guest.passes[-2:]
    assert guest.quiesced_seconds == sum(each.seconds for each in last_two)
    assert guest.quiesced_seconds < 0.5


def test_idle_guest_moves_once() -> None:
    (guest,) = relocate(relocation(change_rate=0)).guests
    assert [each.length for each in guest.passes] == [MEMORY, 1, STATE_LENGTH]


def test_rate_is_what_the_link_carries() -> None:
    (guest,) = relocate(relocation()).guests
    experiment = Experiment(LAYOUT, find_workload("HL"), pairs=50, seconds=0.3, warmup=0.1)
    first = guest.passes[0]
    # HL's replies need a little of the channel's data processor, and a relocation has none
    assert first.length / first.seconds / MIB == pytest.approx(
        run(experiment).mb_per_s_out, rel=0.08
    )


def test_pass_counts_memory_and_not_messages() -> None:
    (guest,) = relocate(relocation(memory=MESSAGE_LENGTH * 100 + 1, change_rate=0)).guests
    assert guest.passes[0].length == MESSAGE_LENGTH * 100 + 1


def test_guest_that_changes_too_fast_is_not_moved() -> None:
    (guest,) = relocate(relocation(change_rate=1_000 * MIB, quiesce_max=0.1, quiesce_goal=0)).guests
    assert not guest.moved
    assert guest.quiesced_seconds == 0
    assert guest.passes[-1].changed_length == MEMORY  # no more can change than there is


def test_pre_copy_ends_where_it_leads_nowhere() -> None:
    (guest,) = relocate(relocation(change_rate=1_000 * MIB, quiesce_goal=0.01)).guests
    assert guest.moved
    assert [each.quiesced for each in guest.passes] == [False, True, True]
    slow = relocate(relocation(memory=2**20, change_rate=160 * MIB, quiesce_goal=0))
    assert len(slow.guests[0].passes) <= PASSES_MAX + 2


def test_guests_go_one_after_the_other_or_at_once() -> None:
    serial, parallel = (relocate(relocation(guests=2, at_once=at_once)) for at_once in (0, 1))
    first, second = serial.guests
    assert second.passes[0].begin_ns == first.passes[-1].end_ns
    ours, theirs = parallel.guests
    assert ours.passes[0].begin_ns == theirs.passes[0].begin_ns == 0
    assert ours.seconds > 1.5 * first.seconds
    assert parallel.seconds == pytest.approx(max(ours.seconds, theirs.seconds))
    assert serial.seconds == pytest.approx(first.seconds + second.seconds)


def test_other_traffic_slows_it_and_is_slowed() -> None:
    background = find_workload("HS"), 20
    alone = run(Experiment(LAYOUT, *background, seconds=0.3, warmup=0.1)).messages_per_s_in
    busy = relocate(relocation(background=background))
    assert busy.background_per_s is not None
    assert 0 < busy.background_per_s < 0.9 * alone
    assert busy.guests[0].seconds > relocate(relocation()).guests[0].seconds
    assert busy.guests[0].length >= MEMORY + STATE_LENGTH


@pytest.mark.parametrize("name", ["HY", "CDU:1000"])
def test_any_workload_can_be_the_other_traffic(name: str) -> None:
    outcome = relocate(relocation(background=(find_workload(name), 3)))
    assert outcome.guests[0].moved
    assert outcome.background_per_s


def test_either_node_can_be_left() -> None:
    here, there = (relocate(relocation(source=node)) for node in LAYOUT.nodes)
    assert here.seconds == pytest.approx(there.seconds, rel=0.05)


def test_same_relocation_takes_the_same_time() -> None:
    twice = [relocate(relocation(background=(find_workload("HS"), 5))) for _ in range(2)]
    assert twice[0] == twice[1]


def test_window_is_never_exceeded() -> None:
    source, destination = Source(relocation(window=3)), Destination()
    ((_, messages),) = source.start(0)
    outstanding = list(messages)
    for step in range(50):
        assert len(outstanding) <= 3
        assert len({message.conversation for message in outstanding}) == len(outstanding)
        message = outstanding.pop(step % len(outstanding))
        ((_, replies),) = destination.receive(Delivered([message]), step)
        for _, more in source.receive(Delivered(list(replies)), step):
            outstanding += more


@pytest.mark.parametrize(
    "changed",
    [
        {"memory": 0},
        {"change_rate": -1},
        {"guests": 17},
        {"window": 0},
        {"quiesce_goal": 11},
        {"source": "NOWHERE"},
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        relocation(**changed)


def test_messages_of_a_guest_are_its_own() -> None:
    source = Source(relocation(guests=2, at_once=True, window=2))
    begun: list[list[Message]] = [list(messages) for _, messages in source.start(0)]
    assert [[m.conversation % 2 for m in messages] for messages in begun] == [[0, 0], [1, 1]]
