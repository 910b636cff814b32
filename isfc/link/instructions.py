"""What software asks of the hardware, until an engine hands it over."""

from typing import cast, final

from ctc.address import Rdev
from ctc.fifo import Fifo
from ctc.subchannel import Instruction, Ssch
from isfc.link.package import Package


@final
class InstructionQueue:
    """Instructions in their order; never more than a few for each CTC."""

    def __init__(self) -> None:
        self._waiting: Fifo[Instruction] = Fifo()

    def add(self, instruction: Instruction) -> None:
        """Ask for something, after all that was asked for before."""
        self._waiting.add(instruction)

    def poll(self) -> Instruction | None:
        """The next instruction; None when there is none."""
        return self._waiting.pop() if self._waiting else None

    def withdraw(self, rdev: Rdev) -> Package | None:
        """Drop what is queued for a device; return the package whose write has not been begun."""
        package = None
        waiting, self._waiting = self._waiting, Fifo()
        for instruction in waiting:
            if instruction.rdev != rdev:
                self._waiting.add(instruction)
            elif isinstance(instruction, Ssch) and instruction.load is not None:
                package = cast(Package, instruction.load)
        return package
