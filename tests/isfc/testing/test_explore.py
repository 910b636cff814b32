"""What an exploration visits, and that it finds what is broken."""

import pytest

from isfc.link.link_ctc import LinkCtc
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Traffic
from isfc.link.package import Package
from isfc.link.sequence import Resequencer
from isfc.testing.explore import Counterexample, Explored, explore
from isfc.testing.small_world import Fault, SmallWorld


def test_one_message_on_one_ctc() -> None:
    assert explore(SmallWorld(1, (1, 0))) == Explored(
        state_count=23,
        transition_count=29,
        node_state_count=21,
        end_count=1,
        collision_count=0,
        depth=15,
    )


def test_two_ends_of_one_ctc_collide_in_some_interleavings() -> None:
    found = explore(SmallWorld(1, (1, 1)))
    assert found.state_count > 800
    assert found.collision_count > 0


def test_two_ends_of_several_ctcs_with_one_message_each_never_collide() -> None:
    assert explore(SmallWorld(2, (1, 1), at_once=True)).collision_count == 0


def test_package_forgotten_after_a_collision_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    collide = LogicalLink.__dict__["_collide"]

    def forget(link: LogicalLink, ctc: LinkCtc, package: Package, now_ns: int) -> None:
        collide(link, ctc, package, now_ns)
        ctc.forget()

    monkeypatch.setattr(LogicalLink, "_collide", forget)
    with pytest.raises(Counterexample, match=r"deadlock|nothing was held") as caught:
        explore(SmallWorld(1, (1, 1), at_once=True))
    assert any("WRITE" in said for said in caught.value.path)


def test_package_taken_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(_: Resequencer, package: Package) -> list[object]:
        return list(package.messages)

    monkeypatch.setattr(Resequencer, "accept", accept)
    with pytest.raises(Counterexample, match="message 1 arrives at 1, not 2"):
        explore(SmallWorld(1, (1, 0), Fault.CTC_LOST))


def test_messages_out_of_turn_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(_: Resequencer, package: Package) -> list[object]:
        return list(package.messages)

    monkeypatch.setattr(Resequencer, "accept", accept)
    with pytest.raises(Counterexample, match="message 2 arrives at 1, not 1"):
        explore(SmallWorld(3, (2, 0), at_once=True))


def test_link_that_never_asks_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LogicalLink, "_look_after", lambda *_: None)
    with pytest.raises(Counterexample, match=r"livelock|deadlock|states"):
        explore(SmallWorld(1, (1, 0), Fault.FRAME_LOST), states_max=5_000)


def test_world_that_is_too_large_is_given_up() -> None:
    with pytest.raises(Counterexample, match="more than 10 states"):
        explore(SmallWorld(1, (1, 0)), states_max=10)


@pytest.mark.parametrize(
    "world",
    [
        SmallWorld(1, (2, 1), at_once=True),
        SmallWorld(1, (1, 1), traffic=Traffic.LEGACY),
        SmallWorld(2, (1, 1)),
        SmallWorld(3, (1, 1), at_once=True),
        SmallWorld(1, (1, 0), Fault.RESTARTED),
        pytest.param(SmallWorld(1, (1, 1), Fault.FRAME_LOST, at_once=True), marks=pytest.mark.slow),
    ],
)
def test_orders_that_are_left_out_lead_to_no_other_end(world: SmallWorld) -> None:
    every, reduced = explore(world), explore(world, reduced=True)
    assert reduced.end_count == every.end_count
    assert reduced.node_state_count == every.node_state_count
    assert reduced.state_count < every.state_count


def test_what_goes_wrong_is_found_without_the_orders_that_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    undisturbed = LogicalLink.__dict__["_collide"]

    def forget(link: LogicalLink, ctc: LinkCtc, package: Package, now_ns: int) -> None:
        undisturbed(link, ctc, package, now_ns)
        ctc.forget()

    monkeypatch.setattr(LogicalLink, "_collide", forget)
    with pytest.raises(Counterexample, match=r"deadlock|nothing was held"):
        explore(SmallWorld(1, (1, 1), at_once=True), reduced=True)
    monkeypatch.undo()
    monkeypatch.setattr(Resequencer, "accept", lambda _, package: list(package.messages))
    with pytest.raises(Counterexample, match="message 2 arrives at 1, not 1"):
        explore(SmallWorld(3, (2, 0), at_once=True), reduced=True)
