"""What the channels of two real systems say to each other through a CTC, a record each.

A system that drives its own end of a CTC by SA22-7203 (as Hercules does) tells the other end each
command that it has begun or ended, and in which state that leaves it.
"""

from typing import Final

from ctc.state import State
from ctc.subchannel import Command

RESET: Final = 0x00
"""The code of a reset (HSCH, CSCH, system reset), which is no channel command."""

_LOW_TWO: Final = 0x03
_LOW_THREE: Final = 0x07
_HIGH: Final = 0x80
_WRITES: Final = 0x01
_READS: Final = 0x02
_EXACT: Final = {
    int(command): command
    for command in Command
    if command not in (Command.WRITE, Command.WRITE_EOF, Command.READ, Command.CONTROL)
}
"""Commands with one code; the others leave bits of theirs to the program (SA22-7203, 2.13)."""


class Order:
    """One command as its end tells it: its code, the state after it, the count of its CCW.

    ``data`` are those of a WRITE, perhaps where they were read. An order is not changed once it is
    made.
    """

    __slots__ = ("code", "count", "data", "eof", "state")

    def __init__(
        self,
        code: int,
        state: State,
        count: int = 0,
        data: bytes | memoryview = b"",
        eof: bool = False,
    ) -> None:
        self.code = code
        self.state = state
        self.count = count
        """Of the CCW: bytes that a READ asks for, or a WRITE has."""
        self.data = data
        self.eof = eof
        """Whether its end says besides that it has had a WRITE EOF."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Order) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, State, int, bytes, bool]:
        return self.code, self.state, self.count, bytes(self.data), self.eof

    def __repr__(self) -> str:
        return f"Order({name_of(self.code)} {self.state.name} {self.count} {self.data[:8].hex()})"


COLLISION: Final = Order(Command.CONTROL, State.AVAILABLE)
"""What tells an end that its WRITE has failed and that the mate has nothing outstanding.

No WRITE passes a CONTROL, so it ends with BUSY and ATTENTION. This one waits for nothing. Seen of
Hercules 3.13, which does as the table says."""


def command_of(code: int) -> Command | None:
    """The command that a CCW's code means; None for one that a CTC does not have."""
    exact = _EXACT.get(code)
    if exact is not None:
        return exact
    if code & _LOW_TWO == _WRITES:
        return Command.WRITE_EOF if code & _HIGH else Command.WRITE
    if code & _LOW_TWO == _READS:
        return Command.READ
    if code & _LOW_THREE == Command.CONTROL:
        return Command.CONTROL
    return None


def name_of(code: int) -> str:
    """The command's name in capitals; the code where there is none."""
    if code == RESET:
        return "RESET"
    command = command_of(code)
    return f"X'{code:02X}'" if command is None else command.name.replace("_", " ")
