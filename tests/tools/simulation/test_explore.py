"""What an exploration visits; `test_planted_bugs.py` says what it finds."""

import pytest

from ctc.agenda import NEVER_NS
from isfc.link.link_ctc import LinkCtc
from isfc.link.lock import BuildPackage
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Traffic
from isfc.link.package import Package
from isfc.system.system import System
from tools.simulation.exploration import Counterexample, Explored, explore
from tools.simulation.small_world import OneFault, SmallWorld


def test_one_message_on_one_ctc() -> None:
    assert explore(SmallWorld(1, (1, 0)), timed=True) == Explored(
        state_count=24,
        transition_count=30,
        node_state_count=22,
        end_count=1,
        collision_count=0,
        depth=16,
    )


def test_compiled_isfc_is_not_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(System, "apply", len)  # a built-in function, as compiled ones are
    with pytest.raises(RuntimeError, match="ISFC_COMPILE=0"):
        explore(SmallWorld())


def test_two_ends_of_one_ctc_collide_in_some_interleavings() -> None:
    found = explore(SmallWorld(1, (1, 1)))
    assert found.state_count > 200
    assert found.collision_count > 0


def test_two_ends_of_several_ctcs_with_one_message_each_never_collide() -> None:
    assert explore(SmallWorld(2, (1, 1), at_once=True)).collision_count == 0


def test_counterexample_says_what_led_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    collide = LogicalLink.__dict__["_collide"]

    def forget(link: LogicalLink, ctc: LinkCtc, package: Package, now_ns: int) -> None:
        collide(link, ctc, package, now_ns)
        ctc.package, ctc.due_ns = None, NEVER_NS

    monkeypatch.setattr(LogicalLink, "_collide", forget)
    with pytest.raises(Counterexample, match=r"deadlock|nothing was held") as caught:
        explore(SmallWorld(1, (1, 1), at_once=True))
    assert any("WRITE" in said for said in caught.value.path)


def test_world_that_is_too_large_is_given_up() -> None:
    with pytest.raises(Counterexample, match="more than 10 states"):
        explore(SmallWorld(1, (1, 0)), states_max=10)


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize(
    "world",
    [
        SmallWorld(1, (1, 1), at_once=True),
        pytest.param(SmallWorld(1, (2, 1), at_once=True), marks=pytest.mark.slow),
        pytest.param(SmallWorld(1, (2, 2), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(1, (1, 1), traffic=Traffic.LEGACY), marks=pytest.mark.slow),
        pytest.param(SmallWorld(2, (1, 1)), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(3, (1, 1), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(1, (1, 0), OneFault.RESTARTED), marks=pytest.mark.slow),
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
        pytest.param(SmallWorld(2, (1, 1), OneFault.FRAME_DOUBLED), marks=pytest.mark.slow),
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
