"""What software asks of the hardware waits in its order, and can be withdrawn."""

from ctc.address import Rdev
from ctc.subchannel import Command, Hsch, Instruction, Ssch
from isfc.link.link_ctc import InstructionQueue
from isfc.link.message import Message
from isfc.link.package import Package

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
