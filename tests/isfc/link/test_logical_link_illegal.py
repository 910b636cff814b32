"""Interrupts that no good partner brings about, and packages that it does not send."""

import pytest

from ctc.subchannel import Command, DeviceLost, DeviceReady, IoTimes, UnitStatus
from isfc.errors import RemoteProtocolError
from isfc.link.events import Delivered, DeviceChanged
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from tests.isfc.link.link_harness import A, B, Door, theirs

NO_TIMES = IoTimes(0, 0, 0)


def test_attention_of_a_device_that_is_being_reset_is_none() -> None:
    door = Door()
    door.begin_read(A)
    door.ended(A, Command.READ, status=UnitStatus.BUSY_ATTENTION)
    door.attend(A)
    door.work()
    assert door.asked() == [("HALT", A)]
    assert door.state(A) is DeviceState.RESETTING
    door.link.receive_interrupt(DeviceLost(A, None, NO_TIMES), door.now_ns)
    changes = [event.usable for event in door.events() if isinstance(event, DeviceChanged)]
    assert changes == [False]
    states = [door.link.state]
    door.link.receive_interrupt(DeviceReady(A), door.now_ns)
    states.append(door.link.state)
    assert states == [LinkState.DEGRADED, LinkState.UP]


@pytest.mark.parametrize("deactivated", [False, True])
def test_attention_of_a_device_that_is_not_there_is_none(deactivated: bool) -> None:
    door = Door()
    if deactivated:
        door.link.deactivate(A)
    door.link.receive_interrupt(DeviceLost(A, None, NO_TIMES), 0)
    door.attend(A)
    door.work()
    assert door.asked() == []
    assert door.state(A) is (DeviceState.INACTIVE if deactivated else DeviceState.DOWN)


def test_attention_while_one_is_being_answered_says_nothing_new() -> None:
    door = Door()
    door.attend(A, A)  # it waits for its turn already
    door.work()
    assert door.asked() == [("SENSE_COMMAND_BYTE", A)]
    door.attend(A)  # it is being sensed
    door.work()
    assert door.asked() == []
    door.ended(A, Command.SENSE_COMMAND_BYTE)
    door.attend(A)  # READ is to be started
    door.work()
    assert door.asked() == [("READ", A)]
    door.attend(A)  # it is being read
    door.ended(A, Command.READ, theirs(0, 0))
    door.work()
    assert door.asked() == []
    assert door.state(A) is DeviceState.IDLE
    door.attend(A)  # it is over: this one is another
    door.work()
    assert door.asked() == [("SENSE_COMMAND_BYTE", A)]


def test_attentions_of_one_device_wait_for_the_lock_once() -> None:
    door = Door()
    door.attend(B)  # has the lock
    for _ in range(1_000):
        door.attend(A)
        door.link.receive_interrupt(DeviceLost(A, None, NO_TIMES), door.now_ns)
        door.link.receive_interrupt(DeviceReady(A), door.now_ns)
    door.attend(A)
    # two turns of the lock, not a thousand
    assert door.story() == [(5_000, "SENSE_COMMAND_BYTE", B), (10_000, "SENSE_COMMAND_BYTE", A)]
    assert (door.now_ns, door.link.rx_lock.free) == (10_000, True)


def test_read_that_brought_nothing_resets_the_device() -> None:
    door = Door()
    door.begin_read(A)
    door.ended(A, Command.READ, None)
    assert door.asked() == [("HALT", A)]
    assert door.state(A) is DeviceState.RESETTING


def test_package_that_cannot_be_taken_in_is_refused_and_the_link_goes_on() -> None:
    door = Door()
    door.send(100)
    door.work()
    door.asked()
    many = Package(0, [Message(n, 0) for n in range(70_000)], 0)
    door.begin_read(B)
    door.ended(B, Command.READ, many)
    door.attend(B)
    with pytest.raises(RemoteProtocolError, match="more than 65,536 conversations"):
        door.work()
    door.work()
    assert door.asked() == [("SENSE_COMMAND_BYTE", B)]
    door.ended(B, Command.SENSE_COMMAND_BYTE)
    door.work()
    assert door.asked() == [("READ", B)]
    door.ended(B, Command.READ, theirs(1, 1))
    door.work()
    delivered = [event for event in door.events() if isinstance(event, Delivered)]
    assert [message.serial for message in delivered[-1].messages] == [1]
