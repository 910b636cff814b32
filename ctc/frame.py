"""What crosses the fibre between the two ends of one CTC.

A frame names neither system nor RDEV: a CTC has exactly two ends, and they may have
different numbers. Serials belong to the end that issued the command, so that an answer names
the write it answers and a stale one is recognised.
"""

from enum import IntEnum
from typing import final

from mypy_extensions import i64, mypyc_attr

from ctc.address import Rdev
from ctc.subchannel import Command, Payload


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class CommandFrame(Payload):
    """The sender has issued ``command`` as its I/O number ``serial``.

    A write also says how many bytes in how many pieces are to come, so that the reader's end
    of the fibre knows how busy it is.
    """

    __slots__ = ("command", "serial")

    def __init__(self, command: Command, serial: i64, length: int = 0, count: int = 0) -> None:
        super().__init__(length, count)
        self.command = command
        self.serial = serial

    def __repr__(self) -> str:
        coming = f", {self.length} B in {self.count}" if self.length else ""
        return f"CommandFrame({self.command.name} #{self.serial}{coming})"


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class DataFrame:
    """The data of the sender's write ``serial``, all of it."""

    __slots__ = ("load", "serial")

    def __init__(self, load: Payload, serial: i64) -> None:
        self.load = load
        self.serial = serial

    def __repr__(self) -> str:
        return f"DataFrame(#{self.serial} {self.load!r})"


class Signal(IntEnum):
    """What a `StatusFrame` can say."""

    RECEIVED = 1
    """The mate's write ``serial`` was read: it may end with CE+DE."""
    READY = 2
    """This end is initialised and may be written to."""
    RESET = 3
    """This end gave up whatever was outstanding: do the same and say READY."""
    NOT_READY = 4
    """This end is leaving: nothing can be written to it until it says READY."""


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class StatusFrame:
    """A signal without data.

    RECEIVED names the mate's write; the others name the sender's last command, which is void.
    """

    __slots__ = ("serial", "signal")

    def __init__(self, signal: Signal, serial: i64) -> None:
        self.signal = signal
        self.serial = serial

    def __repr__(self) -> str:
        return f"StatusFrame({self.signal.name} #{self.serial})"


Frame = CommandFrame | DataFrame | StatusFrame


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Departure:
    """A frame that leaves: when (ns), and from which RDEV."""

    __slots__ = ("at_ns", "frame", "rdev")

    def __init__(self, at_ns: i64, rdev: Rdev, frame: Frame) -> None:
        self.at_ns = at_ns
        self.rdev = rdev
        self.frame = frame

    def __repr__(self) -> str:
        return f"Departure({self.at_ns}, {self.rdev:04X}, {self.frame!r})"
