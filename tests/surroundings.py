"""What the tests, and all that they start, would inherit from where the suite is started.

What isfc does where a signal is ignored, a standard file closed or a terminal narrow has tests of
its own, which say so. Standard files are pytest's, whatever is closed.
"""

import locale
import os
import re
import signal
import tempfile
from collections.abc import MutableMapping
from contextlib import suppress
from types import FrameType
from typing import Final

import pytest

PYTHON_IGNORES: Final = {getattr(signal, name, None) for name in ("SIGPIPE", "SIGXFSZ")}
"""Always, for itself; `subprocess` restores them."""
DECIDING: Final = re.compile(
    r"COLUMNS|LINES|TERM|TZ|LANG(UAGE)?|LC_.*|SOURCE_DATE_EPOCH|(MAKE|MFLAGS|GIT_|ISFC_).*"
    r"|(NO|FORCE|CLI)_?COLOR.*|TTY_.*"
    r"|PYTHON(?!PATH|SAFEPATH|HOME|HASHSEED|DONTWRITEBYTECODE|PYCACHEPREFIX).*"
)
"""Variables by which programs print, decode or find something else."""
HERE: Final = "127.0.0.1,localhost,::1"
"""What no proxy leads to."""
LOCALE: Final = "C.UTF-8"
"""That which Python takes where none is said, and which a forked process would not be told of."""
FOLDER_LENGTH_MAX: Final = len("/private/tmp")
"""Of the folder for temporary files: the path of a Unix socket takes 107 bytes, with all below."""


@pytest.hookimpl(trylast=True)  # pytest's own output has been decided
def pytest_configure() -> None:
    """Let no test fail for its surroundings."""
    heed_signals()
    settle(os.environ)
    os.environ["LC_CTYPE"] = LOCALE
    with suppress(locale.Error):
        locale.setlocale(locale.LC_CTYPE, LOCALE)
    if os.name == "posix":
        choose_folder()
    os.umask(0o022)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Let none fail for what ran before it: a command or a loop may leave Ctrl-C without effect."""
    heed_signals()
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


def settle(environment: MutableMapping[str, str]) -> None:
    """Leave variables out that decide what a program does, and ask no proxy for this machine."""
    for name in filter(DECIDING.fullmatch, [*environment]):
        del environment[name]
    for name in ("no_proxy", "NO_PROXY"):
        environment[name] = ",".join(filter(None, (environment.get(name), HERE)))


def choose_folder() -> None:
    """Let temporary files be where paths are short and have no blanks."""
    usual = tempfile.gettempdir()
    if (len(os.fsencode(usual)) > FOLDER_LENGTH_MAX or " " in usual) and os.access("/tmp", os.W_OK):
        os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"
