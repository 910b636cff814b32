"""The partner's attention: until its turn comes with the receive lock, its CTC counts as free."""

import pytest

from ctc.subchannel import Command, UnitStatus
from isfc.link.package import Package
from isfc.link.state import DeviceState
from tests.isfc.link.link_harness import PARAMETERS, A, B, C, Door, theirs

BUILD_NS = PARAMETERS.build_package_ns
DISPATCH_NS = PARAMETERS.dispatch_ns
RELEASE_NS = DISPATCH_NS


def attended_just_before_our_write() -> tuple[Door, Package]:
    """Our write on the first CTC is started while the partner's attention there has its turn."""
    door = Door()
    door.send(100)
    door.now_ns = BUILD_NS - 1
    door.attend(A)
    door.step()
    assert door.now_ns == BUILD_NS
    return door, door.written_on(A)


def test_ctc_whose_attention_waits_for_its_turn_is_still_given_out() -> None:
    door = Door()
    door.attend(B, A)  # one after the other
    door.send(100)
    assert door.state(A) is DeviceState.BUILDING


def test_write_that_is_built_when_the_attentions_turn_comes_goes_to_another_ctc() -> None:
    door = Door()
    door.send(100)
    door.attend(A)
    states = [door.state(A)]
    assert door.story() == [(DISPATCH_NS, "SENSE_COMMAND_BYTE", A), (BUILD_NS + 1, "WRITE", B)]
    states.append(door.state(A))
    assert states == [DeviceState.BUILDING, DeviceState.ATTENTION]
    door.sense(A)


def test_attention_whose_turn_comes_as_the_package_is_built_goes_first() -> None:
    door = Door()
    door.send(100)
    door.now_ns = BUILD_NS - DISPATCH_NS
    door.attend(A)
    assert door.story() == [(BUILD_NS, "SENSE_COMMAND_BYTE", A), (BUILD_NS + 1, "WRITE", B)]


def test_partner_that_is_read_before_ours_is_built_leaves_us_the_ctc() -> None:
    door = Door()
    door.send(100)
    door.attend(A)
    door.step()
    door.ended(A, Command.SENSE_COMMAND_BYTE)
    door.step()
    assert door.asked() == [("SENSE_COMMAND_BYTE", A), ("READ", A)]
    door.ended(A, Command.READ, theirs(0, 0))
    assert door.state(A) is DeviceState.IDLE
    assert door.asks() == [("WRITE", A)]
    assert door.now_ns == BUILD_NS + 1  # it was no longer the CTC that it was built for


@pytest.mark.parametrize("had_turn", [True, False])
def test_write_that_is_started_before_the_attentions_turn_collides(had_turn: bool) -> None:
    door, package = attended_just_before_our_write()
    if had_turn:
        assert door.asks() == []  # its turn came, and found our write
        assert door.link.rx_lock.free
    door.collide(A, package)
    assert door.state(A) is DeviceState.RECOVERING
    written_ns = door.now_ns + 1
    assert door.story() == [(written_ns, "WRITE", B)]  # nothing is left to be answered
    assert door.state(A) is DeviceState.IDLE  # once it has recovered


def test_attention_after_the_collision_takes_the_turn_of_the_one_before_it() -> None:
    door, package = attended_just_before_our_write()
    door.attend(C)
    door.collide(A, package)
    door.attend(A)
    assert door.story() == [
        (BUILD_NS + 1, "WRITE", B),
        (BUILD_NS - 1 + DISPATCH_NS, "SENSE_COMMAND_BYTE", A),
        (BUILD_NS - 1 + 2 * DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
    ]


@pytest.mark.parametrize("had_turn", [True, False])
def test_write_that_finds_the_partners_there_goes_to_another_ctc(had_turn: bool) -> None:
    door, package = attended_just_before_our_write()
    if had_turn:
        door.work()
    start_ns = door.now_ns
    sensed_ns = start_ns + DISPATCH_NS if had_turn else BUILD_NS - 1 + DISPATCH_NS
    door.ended(A, Command.WRITE, package, UnitStatus.BUSY_ATTENTION)
    assert door.state(A) is DeviceState.YIELDING
    assert door.story() == [
        (start_ns + 1, "WRITE", B),
        (sensed_ns, "SENSE_COMMAND_BYTE", A),
    ]
    assert door.state(A) is DeviceState.ATTENTION


def test_attention_that_had_its_turn_while_our_write_ran_waits_again_once_that_is_over() -> None:
    door, package = attended_just_before_our_write()
    assert door.asks() == []
    ended_ns = door.now_ns
    door.attend(C)  # is before it now
    door.ended(A, Command.WRITE, package)
    assert door.story() == [
        (ended_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (ended_ns + 2 * DISPATCH_NS + RELEASE_NS, "SENSE_COMMAND_BYTE", A),
    ]
    door.sense(A)
    door.ended(A, Command.READ, theirs(0, 0))
    assert door.state(A) is DeviceState.IDLE


def test_attention_whose_turn_comes_before_our_write_is_released_waits_for_that() -> None:
    door, package = attended_just_before_our_write()
    door.attend(C)
    door.ended(A, Command.WRITE, package)
    assert door.story() == [
        (BUILD_NS - 1 + 2 * DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (BUILD_NS - 1 + 3 * DISPATCH_NS + RELEASE_NS, "SENSE_COMMAND_BYTE", A),
    ]


def test_ctc_that_waits_for_an_attentions_turn_after_our_write_is_not_given_out() -> None:
    door, package = attended_just_before_our_write()
    door.ended(A, Command.WRITE, package)
    door.send(100_000)
    assert door.story() == [
        (BUILD_NS - 1 + 2 * DISPATCH_NS + RELEASE_NS, "SENSE_COMMAND_BYTE", A),
        (2 * BUILD_NS, "WRITE", B),
    ]


@pytest.mark.parametrize("sensed", [True, False])
def test_device_that_is_lost_before_its_turn_is_not_answered(sensed: bool) -> None:
    door = Door()
    door.attend(C)
    if sensed:
        assert door.asks() == [("SENSE_COMMAND_BYTE", C)]
        door.ended(C, Command.SENSE_COMMAND_BYTE)
    door.lose(C)
    door.ready(C)
    assert door.asks() == []
    assert door.state(C) is DeviceState.IDLE


def test_sense_that_is_over_after_its_device_was_given_up_starts_no_read() -> None:
    door = Door()
    door.attend(C)
    assert door.asks() == [("SENSE_COMMAND_BYTE", C)]
    door.link.deactivate(C)
    door.ended(C, Command.SENSE_COMMAND_BYTE)
    assert door.asks() == []
    assert door.state(C) is DeviceState.INACTIVE


def test_missing_interrupts_are_watched_from_the_attentions_turn_on() -> None:
    door = Door()
    door.attend(C)
    assert door.link.due_ns == DISPATCH_NS
    door.work()
    door.asked()
    sensed_ns = door.now_ns
    assert door.link.due_ns == sensed_ns + PARAMETERS.mih_ns
    door.now_ns = sensed_ns + PARAMETERS.mih_ns - 1
    door.ended(C, Command.SENSE_COMMAND_BYTE)
    door.step()
    assert (door.asked(), door.now_ns) == ([("HALT", C)], sensed_ns + PARAMETERS.mih_ns)
    assert door.asks() == []  # nothing is read on a device that is being reset
