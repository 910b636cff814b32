"""What the tests, and all that they start, would inherit from where the suite is started.

What isfc does where a signal is ignored, a standard file closed or a terminal narrow has tests of
its own, which say so.
"""

import signal
from types import FrameType
from typing import Final

PYTHON_IGNORES: Final = {signal.SIGPIPE, signal.SIGXFSZ}
"""Always, for itself; `subprocess` restores them."""


def heed_signals() -> None:
    """Undo what a script does to its background jobs, and ``nohup``: ignored is inherited.

    With a handler, here nothing happens still, but for Ctrl-C, and what is started has the default.
    """
    for number in signal.valid_signals() - PYTHON_IGNORES:
        if signal.getsignal(number) is signal.SIG_IGN:
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else _nothing)


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Lets the signal be ignored, in this process alone."""


heed_signals()
