"""How a command ends: the exit codes of ``isfc``, all of them."""

import os
import signal
from collections.abc import Mapping
from enum import IntEnum
from types import FrameType
from typing import Final


class ExitCode(IntEnum):
    """What the shell sees. The codes above 128 are those of a death by signal."""

    GOOD = 0
    FAILED = 1
    """A check left its tolerance, CP refused a command, or the output could not be written."""
    BAD_INPUT = 2
    """A layout, an argument or an option is wrong; the message says what was expected."""
    HUNG_UP = 129
    """SIGHUP, a closed terminal, before there was a result."""
    INTERRUPTED = 130
    """Ctrl-C before there was a result."""
    TERMINATED = 143
    """SIGTERM before there was a result."""
    BROKEN_PIPE = 141
    """The reader of the output went away, as ``| head`` does. Ends without a word."""


ENDING_SIGNALS: Final[Mapping[int, ExitCode]] = {
    getattr(signal, name): code
    for name, code in (
        ("SIGINT", ExitCode.INTERRUPTED),
        ("SIGTERM", ExitCode.TERMINATED),
        ("SIGHUP", ExitCode.HUNG_UP),
    )
    if hasattr(signal, name)  # Windows has no SIGHUP
}
"""Ctrl-C, kill and a closed terminal, and how a command ends that had no result yet."""


def interrupts_quit() -> None:
    """Let Ctrl-C end the process immediately; unless it was started without, as with ``nohup``."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL):
        signal.signal(signal.SIGINT, _quit)


def interrupts_raise() -> None:
    """Undo `interrupts_quit`."""
    if signal.getsignal(signal.SIGINT) is _quit:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupts_ignored() -> None:
    """All is printed, and the process ends anyhow: with the code of what it did.

    SIGTERM and SIGHUP are ignored as well: who ends a live command may do so twice.
    """
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _quit(_number: int, _frame: FrameType | None) -> None:
    os._exit(ExitCode.INTERRUPTED)  # nothing is buffered yet, and nothing is to be undone
