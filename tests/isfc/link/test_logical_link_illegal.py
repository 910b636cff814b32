"""Interrupts that no good partner brings about, and packages that it does not send."""

import pytest

from ctc.subchannel import Attention, Command, DeviceLost, DeviceReady, IoTimes, UnitStatus
from isfc.errors import RemoteProtocolError
from isfc.link.events import Delivered, DeviceChanged
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from tests.isfc.link.link_harness import A, B, Door, theirs

NO_TIMES = IoTimes(0, 0, 0)


def attend(door: Door, *rdevs: int) -> None:
    for rdev in rdevs:
        door.link.receive_interrupt(Attention(A if rdev == A else B), door.now_ns)


def test_attention_of_a_device_that_is_being_reset_is_none() -> None:
    door = Door()
    attend(door, A)
    door.work()
    door.asked()
    door.ended(A, Command.SENSE_COMMAND_BYTE)
    door.ended(A, Command.READ, status=UnitStatus.BUSY_ATTENTION)
    attend(door, A)
    assert door.state(A) is DeviceState.RESETTING
    door.link.receive_interrupt(DeviceLost(A, None, NO_TIMES), door.now_ns)
    changes = [event.usable for event in door.events() if isinstance(event, DeviceChanged)]
    assert changes == [False]
    states = [door.link.state]
    door.link.receive_interrupt(DeviceReady(A), door.now_ns)
    states.append(door.link.state)
    assert states == [LinkState.DEGRADED, LinkState.UP]


def test_attention_while_one_is_being_answered_is_not_answered_again() -> None:
    door = Door()
    attend(door, A)
    door.work()
    assert door.asked() == [("SENSE_COMMAND_BYTE", A)]
    attend(door, A)
    door.work()
    assert door.asked() == []
    door.ended(A, Command.SENSE_COMMAND_BYTE)
    assert door.asked() == [("READ", A)]


def test_attentions_of_one_device_wait_for_the_lock_once() -> None:
    door = Door()
    attend(door, B)  # has the lock
    for _ in range(1_000):
        attend(door, A)
        door.link.receive_interrupt(DeviceLost(A, None, NO_TIMES), door.now_ns)
        door.link.receive_interrupt(DeviceReady(A), door.now_ns)
    attend(door, A)
    start_ns = door.now_ns
    door.work()
    assert door.asked() == [("SENSE_COMMAND_BYTE", B), ("SENSE_COMMAND_BYTE", A)]
    assert door.now_ns - start_ns == 20_000  # two answers of 10 us, not a thousand


def test_read_that_brought_nothing_resets_the_device() -> None:
    door = Door()
    attend(door, A)
    door.work()
    door.ended(A, Command.SENSE_COMMAND_BYTE)
    door.asked()
    door.ended(A, Command.READ, None)
    assert door.asked() == [("HALT", A)]
    assert door.state(A) is DeviceState.RESETTING


def test_package_that_cannot_be_taken_in_is_refused_and_the_link_goes_on() -> None:
    door = Door()
    door.send(100)
    door.work()
    door.asked()
    many = Package(0, [Message(n, 0) for n in range(70_000)], 0)
    attend(door, B)
    door.work()
    door.asked()
    door.ended(B, Command.SENSE_COMMAND_BYTE)
    door.ended(B, Command.READ, many)
    attend(door, B)
    with pytest.raises(RemoteProtocolError, match="more than 65,536 conversations"):
        door.work()
    door.work()
    assert door.asked()[-1] == ("SENSE_COMMAND_BYTE", B)
    door.ended(B, Command.SENSE_COMMAND_BYTE)
    door.ended(B, Command.READ, theirs(1, 1))
    door.work()
    delivered = [event for event in door.events() if isinstance(event, Delivered)]
    assert [message.serial for message in delivered[-1].messages] == [1]
