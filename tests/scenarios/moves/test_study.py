"""What would change a relocation's stop: what is tried, and what counts as a difference."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.link.scan import CTCS_MAX
from isfc.testing.cluster import mesh
from scenarios.moves.by_rate import CHANNELS_MAX, with_channels
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.moving import move
from scenarios.moves.study import Varied, advise, changes_of, sweep
from scenarios.moves.vmrelocate import Limits
from scenarios.runs.result import MIB
from scenarios.runs.workload import find_workload
from tests.shipped import ONE_LINK

pytestmark = pytest.mark.at_length

LAYOUT = load_layout("published-4")
DEFAULTS = Limits()


def relocation(
    count: int = 1, change_mib: int = 60, limits: Limits = DEFAULTS, **changed: Any
) -> Evacuation:
    memory = GuestMemory(size=32 * MIB, touched=32 * MIB, change_rate=change_mib * MIB)
    plans = tuple(GuestPlan(f"GUEST{number}", memory, limits) for number in range(count))
    return Evacuation.over(LAYOUT, plans, **changed)


def run(
    work: Callable[[Evacuation], EvacuationOutcome], items: Sequence[Evacuation]
) -> list[EvacuationOutcome]:
    return [work(item) for item in items]


def test_sweeps_are_over_channels_and_over_guests_together() -> None:
    channels = sweep(relocation(), Varied.CHANNELS, run)
    assert [each.what for each in channels] == ["1", "2", "3", "4"]
    seconds = [each.outcome.seconds for each in channels]
    assert seconds == sorted(seconds, reverse=True)
    guests = sweep(relocation(3), Varied.GUESTS, run)
    assert [each.outcome.evacuation.together for each in guests] == [1, 2, 3]
    stops = [each.outcome.longest_stop_s for each in guests]
    assert stops == sorted(stops)


def test_what_makes_the_stop_shorter_comes_first_and_the_rest_is_alike() -> None:
    plan = relocation(2, together=2)
    advice = advise(move(plan), run)
    assert {each.what for each in advice.shorter} == {
        "another chpid, FICON Express2",
        "one guest after the other",
    }
    stops = [each.outcome.longest_stop_s for each in advice.shorter]
    assert stops == sorted(stops)
    assert advice.alike == ()


def test_difference_within_the_noise_is_none() -> None:
    idle = relocation(change_mib=0)  # its stop is its state's: some packages over any link
    outcome = move(idle)

    def all_alike(_: object, items: Sequence[Evacuation]) -> list[EvacuationOutcome]:
        return [outcome for _ in items]

    again = advise(outcome, all_alike)
    assert again.shorter == ()
    assert [each.what for each in again.alike] == ["another chpid, FICON Express2"]


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (Limits(max_quiesce=0.05), "MAXQUIESCE NOLIMIT"),
        (Limits(max_total=0.3), "MAXTOTAL NOLIMIT"),
    ],
)
def test_limit_that_ended_it_is_to_be_raised(limits: Limits, what: str) -> None:
    plan = relocation(change_mib=2_000, limits=limits)
    outcome = move(plan)
    assert not outcome.all_moved
    advice = advise(outcome, run)
    (raised,) = (each for each in advice.shorter if each.what == what)
    assert raised.outcome.all_moved


def test_everything_that_can_be_tried_is() -> None:
    limits = Limits(max_quiesce=inf, immediate=True)
    background = find_workload("HS"), 3
    plan = relocation(4, limits=limits, together=4, background=background)
    whats = [what for what, _ in changes_of(move(plan))]
    assert whats == [
        "another chpid, FICON Express2",
        "2 at the same time",
        "one guest after the other",
        "no other traffic meanwhile",
        "without IMMEDIATE",
    ]


def test_a_layout_has_its_own_channels() -> None:
    layout = load_layout("published-12")
    assert with_channels(layout, 3).ctcs == layout.device_list()
    fewer = with_channels(layout, 2)
    assert fewer.fibres == layout.fibres[:2]
    assert fewer.ctcs == layout.device_list()[:8]


@pytest.mark.parametrize("name", ONE_LINK)
def test_channels_and_devices_are_each_there_once(name: str) -> None:
    for count in range(1, CHANNELS_MAX + 1):
        found = with_channels(load_layout(name), count)
        assert len(found.fibres) == count
        assert {ctc.fibre for ctc in found.ctcs} == {*found.fibres}
        assert len(found.ctcs) <= CTCS_MAX
        for end in (0, 1):
            assert len({ctc.rdevs[end] for ctc in found.ctcs}) == len(found.ctcs)
            assert len({fibre.chpids[end] for fibre in found.fibres}) == count


def test_new_channel_shares_nothing() -> None:
    layout = parse_collection(mesh(3, shared=True)).links[0]
    assert layout.fibres[-1].channels
    assert with_channels(layout, len(layout.fibres) + 1).fibres[-1].channels == ()
