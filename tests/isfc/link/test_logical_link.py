"""One end of a logical link, driven through the door: interrupts in, instructions out."""

from dataclasses import replace

import pytest

from ctc.address import Rdev
from ctc.queues import NEVER_NS
from ctc.subchannel import Command, DeviceReady, UnitStatus
from isfc.errors import Backpressure, LocalProtocolError, RemoteProtocolError
from isfc.link.conversations import AppcFlow
from isfc.link.events import Delivered, DeviceChanged, LinkUp, Sent
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Message, Traffic
from isfc.link.package import BACKLOG_LENGTH_MAX, Package
from isfc.link.parameters import LinkCosts
from isfc.link.scan import LinkDevice
from isfc.link.state import DeviceState, LinkState
from tests.isfc.link.link_harness import NO_TIMES, PARAMETERS, A, B, C, Door, theirs

COSTS = LinkCosts(PARAMETERS)


def test_link_comes_up_with_its_first_ctc() -> None:
    link = LogicalLink([LinkDevice(A, B), LinkDevice(B, A)], lesser=True, parameters=PARAMETERS)
    states = [link.state]
    link.receive_interrupt(DeviceReady(B), 0)
    assert [*states, link.state] == [LinkState.DOWN, LinkState.DEGRADED]
    assert isinstance(link.poll_event(), DeviceChanged)
    assert isinstance(link.poll_event(), LinkUp)
    assert link.poll_event() is None
    link.receive_interrupt(DeviceReady(B), 0)  # twice counts once
    assert link.state is LinkState.DEGRADED


def test_message_is_built_into_a_package_and_written_and_its_sender_told() -> None:
    door = Door()
    door.send(100)
    assert door.state(A) is DeviceState.BUILDING
    assert door.asked() == []
    assert door.link.due_ns == COSTS.build_ns(theirs(0, 0))
    door.work()
    rdev, package = door.written()
    assert (rdev, door.state(A), door.asked()) == (A, DeviceState.WRITING, [])
    door.ended(rdev, Command.WRITE, package)
    assert door.told(Sent).messages == package.messages
    door.work()
    assert door.state(rdev) is DeviceState.IDLE
    assert door.write(100)[0] == rdev


def test_single_ctc_is_free_once_what_was_written_has_been_released_byte_by_byte() -> None:
    door = Door(ctc_count=1, parameters=replace(PARAMETERS, single_ctc_release_ns_per_byte=2.0))
    rdev, package = door.write(40_000)
    ended_ns = door.now_ns
    door.ended(rdev, Command.WRITE, package)
    assert door.link.due_ns == ended_ns + 2 * package.length
    door.link.handle_deadline(ended_ns + 2 * package.length - 1)
    states = [door.state(rdev)]
    door.link.handle_deadline(ended_ns + 2 * package.length)
    assert [*states, door.state(rdev)] == [DeviceState.WRITING, DeviceState.IDLE]


def test_partners_write_on_a_single_ctc_before_ours_is_released_is_answered_and_read() -> None:
    door = Door(ctc_count=1, parameters=replace(PARAMETERS, single_ctc_release_ns_per_byte=2.0))
    rdev, package = door.write(40_000)
    released_ns = door.now_ns + 2 * package.length
    door.ended(rdev, Command.WRITE, package)
    door.send(100)  # the CTC is not free for it
    door.attend(rdev)
    sensed_ns = released_ns + PARAMETERS.dispatch_ns
    assert door.story() == [(sensed_ns, "SENSE_COMMAND_BYTE", rdev)]
    door.sense(rdev)
    assert door.state(rdev) is DeviceState.READING
    door.ended(rdev, Command.READ, theirs(0, 0))
    assert door.asks() == [("WRITE", rdev)]


def test_what_comes_while_a_package_is_built_waits_for_the_next_one() -> None:
    door = Door()
    rdev, package = door.write(10, 20, 30)  # the lock is taken for the first immediately
    assert package.count == 1
    door.ended(rdev, Command.WRITE, package)
    door.work()
    _, package = door.written()
    assert [message.length for message in package.messages] == [20, 30]


def test_partners_write_is_sensed_read_and_delivered() -> None:
    door = Door()
    door.attend(C)
    states = [door.state(C)]
    assert door.asked() == []  # it is not its turn yet
    door.work()
    states.append(door.state(C))
    assert door.asked() == [("SENSE_COMMAND_BYTE", C)]
    door.ended(C, Command.SENSE_COMMAND_BYTE)
    states.append(door.state(C))
    assert door.asked() == []
    door.work()
    states.append(door.state(C))
    assert door.asked() == [("READ", C)]
    door.ended(C, Command.READ, theirs(0, 0, 1))
    states.append(door.state(C))
    assert states == [
        DeviceState.IDLE,
        DeviceState.ATTENTION,
        DeviceState.ATTENTION,
        DeviceState.READING,
        DeviceState.IDLE,
    ]
    assert door.events() == []  # the package has yet to be received
    door.work()
    delivered = door.told(Delivered)
    assert [message.serial for message in delivered.messages] == [0, 1]


def test_package_that_was_read_is_received_byte_by_byte() -> None:
    door = Door(parameters=replace(PARAMETERS, receive_ns_per_byte=2.0))
    package = theirs(0, 0, length=50_000)
    door.begin_read(C)
    read_ns = door.now_ns
    door.ended(C, Command.READ, package)
    assert door.link.due_ns == read_ns + 2 * package.length
    door.link.handle_deadline(read_ns + 2 * package.length - 1)
    assert door.events() == []
    door.link.handle_deadline(read_ns + 2 * package.length)
    assert [type(event) for event in door.events()] == [Delivered]
    assert door.link.rx_lock.free


def test_device_that_both_ends_may_write_on_is_not_written_on_while_the_partner_does() -> None:
    door = Door()
    door.attend(A)
    assert door.asks() == [("SENSE_COMMAND_BYTE", A)]
    door.send(100)  # while it is sensed
    assert door.asks() == [("WRITE", B)]
    door.sense(A)
    door.send(100_000)  # while it is read: no further CTC is ours
    assert door.asks() == []
    door.ended(A, Command.READ, theirs(0, 0))
    assert door.asks() == [("WRITE", A)]


def test_deactivated_device_is_not_used_until_it_is_activated() -> None:
    door = Door()
    door.link.deactivate(A)
    door.ready(A)
    assert door.state(A) is DeviceState.INACTIVE
    assert door.write(100)[0] == B
    door.link.activate(A)
    assert door.state(A) is DeviceState.DOWN
    door.ready(A)
    assert door.write(100_000)[0] == A


def test_commands_for_the_wrong_device_are_refused() -> None:
    door = Door()
    with pytest.raises(LocalProtocolError, match="6000 is active already"):
        door.link.activate(A)
    for command in (door.link.activate, door.link.deactivate):
        with pytest.raises(LocalProtocolError, match="7000 is not a CTC of this link"):
            command(Rdev(0x7000))


@pytest.mark.parametrize("traffic", list(Traffic))
def test_full_backlog_is_refused_before_anything_is_added(traffic: Traffic) -> None:
    door = Door()
    for rdev in (A, B, C):
        door.lose(rdev)
    third = BACKLOG_LENGTH_MAX // 3
    door.send(third, third, traffic=traffic)
    assert door.link.room == BACKLOG_LENGTH_MAX - 2 * third
    count = door.link.packager.backlog_count
    with pytest.raises(Backpressure):
        door.link.send([Message(0, third, traffic)] * 2, 0)
    assert door.link.packager.backlog_count == count
    door.work()
    appc = door.link.conversations.appc
    assert door.link.packager.backlog_length + appc.waiting_length == 2 * third
    door.send(third, traffic=traffic)


def test_appc_segment_waits_until_the_one_before_is_acknowledged() -> None:
    door = Door()
    door.send(40_000, traffic=Traffic.LEGACY)
    packager, appc = door.link.packager, door.link.conversations.appc
    assert door.asks() == [("WRITE", A)]
    assert (packager.backlog_count, appc.waiting_length) == (0, 7_232)
    door.read(C, Package(0, [AppcFlow().receive(0)], 0))
    assert (packager.backlog_length, appc.waiting_length) == (7_232, 0)
    assert door.events() == []


def test_segment_is_acknowledged_and_a_whole_message_delivered() -> None:
    door = Door()
    segment, rest = Message(1, 32_768, Traffic.LEGACY), Message(1, 10, Traffic.LEGACY)
    segment.more, rest.serial = True, 1
    door.read(C, Package(0, [Message(0, 100), segment], 32_868))
    delivered = door.told(Delivered)
    assert [message.conversation for message in delivered.messages] == [0]
    _, package = door.written()
    assert [message.acknowledges for message in package.messages] == [True]
    assert door.link.conversations.appc.owed_count == 1
    door.ended(A, Command.WRITE, package)
    assert door.link.conversations.appc.owed_count == 0
    assert door.events() == []  # no message was sent
    door.read(C, Package(1, [rest], 10))
    delivered = door.told(Delivered)
    assert [(m.conversation, m.length) for m in delivered.messages] == [(1, 32_778)]
    assert door.asked() == []  # nothing more is asked for


def test_who_finds_the_only_ctc_free_writes_before_it_receives() -> None:
    door = Door(ctc_count=1)
    door.begin_read(A)
    door.send(100, traffic=Traffic.LEGACY)  # the CTC is not free for it
    read_ns = door.now_ns
    door.ended(A, Command.READ, theirs(0, 0, traffic=Traffic.LEGACY))
    assert door.state(A) is DeviceState.BUILDING
    written_ns = read_ns + COSTS.build_ns(theirs(0, 0, traffic=Traffic.LEGACY))
    received_ns = written_ns + COSTS.receive_ns(theirs(0, 0, traffic=Traffic.LEGACY))
    assert door.story() == [(written_ns, "WRITE", A), (received_ns, "Delivered", None)]


@pytest.mark.parametrize("deactivated", [False, True])
def test_device_that_waits_for_its_partner_is_reset_unless_deactivated(deactivated: bool) -> None:
    door = Door()
    door.lose(A)
    door.link.start_up(A, 0)
    if deactivated:
        door.link.deactivate(A)
        door.lose(A)
    door.link.handle_deadline(PARAMETERS.mih_ns)
    assert door.asked() == ([] if deactivated else [("HALT", A)])


def test_ctc_comes_up_while_the_only_one_is_being_released() -> None:
    door = Door(ctc_count=2, parameters=replace(PARAMETERS, single_ctc_release_ns_per_byte=2.0))
    door.lose(B)
    rdev, package = door.write(40_000)
    door.link.start_up(B, door.now_ns)
    door.ended(rdev, Command.WRITE, package)
    released_ns = door.now_ns + 2 * package.length
    door.ready(B)
    assert door.state(B) is DeviceState.IDLE
    assert door.link.due_ns == released_ns
    door.work()
    assert door.state(A) is DeviceState.IDLE
    assert door.link.due_ns == NEVER_NS


def test_acknowledgement_and_message_share_a_package_and_one_is_owed_no_more() -> None:
    door = Door()
    segment = Message(1, 32_768, Traffic.LEGACY)
    segment.more = True
    door.begin_read(C)
    door.ended(C, Command.READ, Package(0, [segment], 32_768))
    door.send(50)  # nothing is built while APPC/VM is received
    door.work()
    rdev, package = door.written()
    assert [message.acknowledges for message in package.messages] == [False, True]
    door.ended(rdev, Command.WRITE, package)
    assert door.link.conversations.appc.owed_count == 0
    sent = door.told(Sent)
    assert [message.length for message in sent.messages] == [50]


def test_processor_time_counts_appc_messages_that_were_written_or_read() -> None:
    parameters = replace(PARAMETERS, cpu_appc_message_ns=300, cpu_ns_per_byte=0.0)
    door, costs = Door(parameters=parameters), LinkCosts(parameters)
    door.send(100, traffic=Traffic.LEGACY)
    door.work()
    _, package = door.written()
    appc_ns = [door.link.cpu_ns() - costs.cpu_ns(door.link.counters)]
    door.ended(A, Command.WRITE, package)
    appc_ns.append(door.link.cpu_ns() - costs.cpu_ns(door.link.counters))
    door.read(C, theirs(0, 0, 1, traffic=Traffic.LEGACY))
    appc_ns.append(door.link.cpu_ns() - costs.cpu_ns(door.link.counters))
    assert appc_ns == [0, 300, 900]


def test_attention_of_a_device_that_is_being_reset_is_none() -> None:
    door = Door()
    door.begin_read(A)
    door.ended(A, Command.READ, status=UnitStatus.BUSY_ATTENTION)
    door.attend(A)
    assert door.asks() == [("HALT", A)]
    assert door.state(A) is DeviceState.RESETTING
    door.lose(A, times=NO_TIMES)
    changes = [event.usable for event in door.events() if isinstance(event, DeviceChanged)]
    assert changes == [False]
    states = [door.link.state]
    door.ready(A)
    states.append(door.link.state)
    assert states == [LinkState.DEGRADED, LinkState.UP]


@pytest.mark.parametrize("deactivated", [False, True])
def test_attention_of_a_device_that_is_not_there_is_none(deactivated: bool) -> None:
    door = Door()
    if deactivated:
        door.link.deactivate(A)
    door.lose(A, times=NO_TIMES)
    door.attend(A)
    assert door.asks() == []
    assert door.state(A) is (DeviceState.INACTIVE if deactivated else DeviceState.DOWN)


def test_attention_while_one_is_being_answered_says_nothing_new() -> None:
    door = Door()
    door.attend(A, A)  # it waits for its turn already
    assert door.asks() == [("SENSE_COMMAND_BYTE", A)]
    door.attend(A)  # it is being sensed
    assert door.asks() == []
    door.ended(A, Command.SENSE_COMMAND_BYTE)
    door.attend(A)  # READ is to be started
    assert door.asks() == [("READ", A)]
    door.attend(A)  # it is being read
    door.ended(A, Command.READ, theirs(0, 0))
    assert door.asks() == []
    assert door.state(A) is DeviceState.IDLE
    door.attend(A)  # it is over: this one is another
    assert door.asks() == [("SENSE_COMMAND_BYTE", A)]


def test_attentions_of_one_device_wait_for_the_lock_once() -> None:
    door = Door()
    door.attend(B)  # has the lock
    for _ in range(1_000):
        door.attend(A)
        door.lose(A, times=NO_TIMES)
        door.ready(A)
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
    assert door.asks() == [("SENSE_COMMAND_BYTE", B)]
    door.sense(B)
    door.ended(B, Command.READ, theirs(1, 1))
    door.work()
    delivered = [event for event in door.events() if isinstance(event, Delivered)]
    assert [message.serial for message in delivered[-1].messages] == [1]
