"""What an exploration of a pair and of clusters visits, and that all of it arrives."""

import pytest
from msgspec.structs import replace

from isfc.link.lock import BuildPackage
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Traffic
from isfc.system.system import System
from tools.simulation.exploration import Counterexample, explore
from tools.simulation.small_world import FAULTS, OneFault, SmallWorld, quick_worlds

CHAIN = ((0, 1), (1, 2))
"""The middle one of three systems has two links."""


@pytest.mark.parametrize(
    "world",
    [
        *(SmallWorld(1, (1, 0), fault, at_once=True) for fault in FAULTS),
        *(
            pytest.param(
                world,
                marks=pytest.mark.slow if world.fault is OneFault.NONE else pytest.mark.exhaustive,
            )
            for world in quick_worlds()
        ),
    ],
    ids=repr,
)
def test_every_interleaving_of_a_small_pair_delivers_everything(world: SmallWorld) -> None:
    found = explore(world)
    assert found.end_count > 0
    assert found.state_count > 50


def test_ends_of_one_ctc_collide_in_some_interleavings_and_those_of_several_never() -> None:
    assert explore(SmallWorld(1, (1, 1))).collision_count > 0
    assert explore(SmallWorld(2, (1, 1), at_once=True)).collision_count == 0


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize(
    "world",
    [
        SmallWorld(1, (1, 1), at_once=True),
        pytest.param(SmallWorld(1, (2, 1), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(1, (2, 2), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(1, (1, 1), traffic=Traffic.LEGACY), marks=pytest.mark.slow),
        pytest.param(SmallWorld(2, (1, 1)), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(3, (1, 1), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(1, (1, 0), OneFault.RESTARTED), marks=pytest.mark.exhaustive),
        pytest.param(
            SmallWorld(1, (1, 1), OneFault.FRAME_LOST, at_once=True), marks=pytest.mark.exhaustive
        ),
    ],
)
def test_orders_that_are_left_out_lead_to_no_other_end(world: SmallWorld, timed: bool) -> None:
    every, reduced = explore(world, timed=timed), explore(world, reduced=True, timed=timed)
    assert reduced.end_count == every.end_count
    assert reduced.node_state_count == every.node_state_count
    assert reduced.state_count < every.state_count


@pytest.mark.parametrize("reduced", [False, True], ids=["every order", "reduced"])
@pytest.mark.parametrize(
    "world",
    [
        SmallWorld(1, (1, 1)),
        SmallWorld(2, (1, 1)),
        SmallWorld(1, (1, 0), OneFault.FRAME_LOST),
        SmallWorld(1, (1, 0), OneFault.CTC_LOST),
        pytest.param(SmallWorld(1, (1, 0), OneFault.RESTARTED), marks=pytest.mark.slow),
        pytest.param(SmallWorld(1, (1, 1), OneFault.FRAME_LOST), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(2, (1, 1), OneFault.FRAME_DOUBLED), marks=pytest.mark.exhaustive),
    ],
)
def test_every_schedule_comes_to_an_end(world: SmallWorld, reduced: bool) -> None:
    assert explore(world, reduced=reduced).endless_count == 0


@pytest.mark.parametrize("reduced", [False, True], ids=["every order", "reduced"])
def test_schedule_that_never_ends_is_counted_though_a_fair_one_does(
    monkeypatch: pytest.MonkeyPatch, reduced: bool
) -> None:
    finish = BuildPackage.__dict__["finish"]

    def wait(send: BuildPackage, link: LogicalLink, now_ns: int) -> None:
        """The first package is built again and again until the second message is there."""
        if send.package.number or link.packager:
            finish(send, link, now_ns)
        else:
            link.tx_lock.hold(send, 1, now_ns)

    monkeypatch.setattr(BuildPackage, "finish", wait)
    assert explore(SmallWorld(1, (2, 0)), reduced=reduced).endless_count > 0


PAIR = SmallWorld(1, (1, 0), at_once=True)


@pytest.mark.parametrize(
    ("cluster", "pair"),
    [
        (replace(PAIR, system_count=3, links=CHAIN), PAIR),
        pytest.param(replace(PAIR, system_count=3), PAIR, marks=pytest.mark.slow),
        pytest.param(
            SmallWorld(1, (1, 0), system_count=3),
            SmallWorld(1, (1, 0)),
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["two links", "three links", "three links, sent at any time"],
)
def test_links_of_one_system_leave_each_other_alone(cluster: SmallWorld, pair: SmallWorld) -> None:
    """What can become of all links is what can become of each, in all combinations, and no more."""
    alone, found = explore(pair), explore(cluster)
    count = len(cluster.joined)
    assert found.state_count == alone.state_count**count
    assert found.end_count == alone.end_count**count
    steps = count * alone.transition_count * alone.state_count ** (count - 1)
    assert found.transition_count == steps
    assert found.endless_count == 0


def test_links_of_one_system_copy_one_at_a_time_and_all_arrives() -> None:
    pair = replace(PAIR, traffic=Traffic.LEGACY)
    alone, found = explore(pair), explore(replace(pair, system_count=3, links=CHAIN))
    assert found.state_count < alone.state_count**2
    assert found.end_count == 1
    assert found.endless_count == 0


def test_link_that_is_kept_waiting_by_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_end_only(system: System, now_ns: int) -> None:
        """A mistake: what is due at the other link ends of a system is never done."""
        system.channels.handle_deadline(now_ns)
        system.ends[0].handle_deadline(now_ns)

    monkeypatch.setattr(System, "handle_deadline", first_end_only)
    with pytest.raises(Counterexample, match="no schedule delivers everything"):
        explore(replace(PAIR, system_count=3, links=CHAIN))
