"""What a logical link knows of one of its CTCs, asks of the hardware, and waits for."""

import pytest

from ctc.address import Rdev
from ctc.queues import NEVER_NS
from ctc.subchannel import Command, Hsch, Instruction, Ssch
from isfc.link.link_ctc import InstructionQueue, LinkCtc
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.scan import LinkDevice
from isfc.link.state import (
    LOST,
    QUEUED,
    READ_SIDE,
    SHOWN,
    WRITE_SIDE,
    DeviceState,
    ReadState,
    StateInput,
    WriteState,
)
from tests.isfc.link.link_harness import is_full


@pytest.fixture
def ctc() -> LinkCtc:
    return LinkCtc(LinkDevice(Rdev(0x6000), Rdev(0x7000)))


def test_ctc_begins_down_and_with_nothing_under_way(ctc: LinkCtc) -> None:
    assert (ctc.rdev, ctc.state, ctc.usable) == (0x6000, DeviceState.DOWN, False)
    assert (ctc.package, ctc.due_ns, ctc.starting) == (None, NEVER_NS, False)
    assert (ctc.read_side, ctc.attended) == (ReadState.NONE, False)


@pytest.mark.parametrize("before", ReadState)
def test_what_is_lost_is_what_was_under_way(ctc: LinkCtc, before: ReadState) -> None:
    ctc.package, ctc.due_ns, ctc.read_side = Package(0, [], 0), 5, before
    ctc.write_side, full = WriteState.SECOND_ATTENTION, is_full(ctc)
    ctc.lose(LOST)
    assert [ctc.package, ctc.due_ns, ctc.state] == [None, NEVER_NS, DeviceState.DOWN]
    assert not ctc.attended
    # its turn with the lock is still to come, and what was read is still to be handed over
    assert (ctc.read_side >= QUEUED, is_full(ctc)) == (before >= QUEUED, full)


@pytest.mark.parametrize("given", WRITE_SIDE, ids=lambda given: given.cause)
def test_write_side_does_what_its_table_has_alone(ctc: LinkCtc, given: StateInput) -> None:
    for before in WriteState:
        ctc.write_side = before
        if before in given.changes:
            ctc.write(given)
            after = given.changes[before]
            assert (ctc.write_side, ctc.state) == (after, SHOWN[after])
        else:
            with pytest.raises(AssertionError, match=f"cannot happen in state {before:d}$"):
                ctc.write(given)
            assert ctc.write_side == before


@pytest.mark.parametrize("given", READ_SIDE, ids=lambda given: given.cause)
def test_read_side_asks_for_the_lock_when_it_begins_to_wait_for_it(
    ctc: LinkCtc, given: StateInput
) -> None:
    for before in ReadState:
        ctc.read_side = before
        if before in given.changes:
            after = given.changes[before]
            assert ctc.read(given) == (before < QUEUED <= after)
            assert ctc.read_side == after
        else:
            with pytest.raises(AssertionError, match=f"cannot happen in state {before:d}$"):
                ctc.read(given)
            assert ctc.read_side == before


A, B = Rdev(0x6000), Rdev(0x6001)


def test_instructions_keep_their_order() -> None:
    queue = InstructionQueue()
    asked: list[Instruction] = [Ssch(A, Command.SENSE_COMMAND_BYTE), Hsch(B), Ssch(A, Command.READ)]
    for instruction in asked:
        queue.add(instruction)
    assert [queue.poll() for _ in range(4)] == [*asked, None]


def test_withdrawing_gives_back_the_package_of_a_write_and_leaves_other_devices_alone() -> None:
    queue, package = InstructionQueue(), Package(0, [Message(1, 1)], 1)
    before, after = Ssch(B, Command.READ), Hsch(B)
    for instruction in (before, Ssch(A, Command.WRITE, package), after):
        queue.add(instruction)
    assert queue.withdraw(A) is package
    assert queue.withdraw(A) is None
    assert [queue.poll() for _ in range(3)] == [before, after, None]


def test_nothing_is_given_back_for_an_instruction_without_a_load() -> None:
    queue = InstructionQueue()
    queue.add(Ssch(A, Command.READ))
    assert queue.withdraw(A) is None
    assert queue.poll() is None
