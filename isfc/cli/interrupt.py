"""Ctrl-C before a command has begun, and after its end: no word, and the code of its signal.

The installed command (``isfc/cli/script/isfc``) ends by the signal until it has got here. While
modules are loaded, a ``KeyboardInterrupt`` would come out of the middle of any of them. From
`interrupts_raise` on it is raised, and a command says how far it has got.
"""

import os
import signal
from types import FrameType

from isfc.cli.exits import ExitCode


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
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _quit(_number: int, _frame: FrameType | None) -> None:
    os._exit(ExitCode.INTERRUPTED)  # nothing is buffered yet, and nothing is to be undone
