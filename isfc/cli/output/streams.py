"""The one place that speaks to people: what goes to stdout and to stderr, and how a command ends.

The other modules of `isfc.cli` make what a command shows; only this one prints it. rich
leaves out the colours when the output is no terminal (`isfc.reports.terminal`).

A standard file that whoever started us has closed is opened: input is at its end, output cannot be
written. Python has None in its place, which nothing can be asked or told; and the next file that is
opened would take its descriptor. What is open may be unable to hold every character.
"""

import errno
import io
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from types import FrameType
from typing import TYPE_CHECKING, Final


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


if TYPE_CHECKING:
    from rich.console import RenderableType


ERROR_PREFIX = "isfc: "
"""How every message on stderr begins that is not of a log."""

RUNNING: Final = "Running "
"""How a line on stderr begins that says what is run next."""

COMPLETING: Final = "_ISFC_COMPLETE"
"""Set in the environment by a shell that asks how a command line may go on: that is no help."""

_JSON_ESCAPES: Final = (
    r"\\ud[89ab]..\\ud[c-f]..|(?P<half>\\ud[89a-f]..)|\\."  # a pair, half of one, any other
)


def show(*parts: "RenderableType") -> None:
    """Print ``parts`` to stdout, one below the other; without trailing blanks when piped."""
    from isfc.reports.terminal import open_console  # JSON, CSV and lines do without

    console = open_console()
    with pipe_may_break():
        if console.is_terminal:
            for part in parts:
                console.print(part)
        else:
            with console.capture() as capture:
                for part in parts:
                    console.print(part)
            print(*map(str.rstrip, capture.get().splitlines()), sep="\n", flush=True)


def show_json(record: object) -> None:
    """Print ``record`` to stdout as JSON, in ASCII, the keys in their order.

    It may hold records, of which each field is a key (`isfc.reports.text`).
    A byte of a file's name that is no UTF-8 is written with a backslash, as in messages: half a
    surrogate pair is no character, and many readers of JSON refuse it.
    """
    import json  # here and below: text alone needs neither

    from isfc.reports.text import encoded

    text = json.dumps(encoded(record), indent=2, allow_nan=False)
    if "\\ud" in text:
        import re

        text = re.sub(_JSON_ESCAPES, lambda found: "\\" * bool(found["half"]) + found[0], text)
    with pipe_may_break():
        print(text, flush=True)


def escaped(text: str) -> str:
    """The text with what does not print, such as a terminal's controls, as Python writes it.

    Partners, servers and files say what they like; a terminal obeys. Lines stay lines.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


def show_lines(lines: Iterable[str]) -> None:
    """Print ``lines`` to stdout as they come, however many there are, escaped."""
    with pipe_may_break():
        for line in lines:
            print(escaped(line))
        sys.stdout.flush()


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as CSV, below a line of their keys; None is empty."""
    import csv

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*rows[:1], *(row.values() for row in rows)])
    return text.getvalue()


def show_csv(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows to stdout as CSV."""
    with pipe_may_break():
        print(csv_text(rows), end="", flush=True)


def show_error(message: str) -> None:
    """Print what went wrong to stderr."""
    show_log(f"{ERROR_PREFIX}{message}")


def show_log(line: str) -> None:
    """Print a line of a log to stderr, escaped, if that takes it: nobody else can be told."""
    with suppress(OSError):
        print(escaped(line), file=sys.stderr, flush=True)


def show_remark(text: str) -> None:
    """Print a remark to stderr, in lines of `_WIDTH`: words that are longer stay whole."""
    from textwrap import TextWrapper  # few commands have any

    lines = TextWrapper(_WIDTH, "", "    ", break_long_words=False, break_on_hyphens=False)
    for line in lines.wrap(text):
        show_log(line)


_WIDTH: Final = 80


def ask_user(question: str) -> str:
    """The line with which somebody at the terminal answers; empty when there are no more.

    The question goes to stderr, so that stdout can go to a file.
    """
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def discard_output() -> None:
    """Let nothing more reach stdout: what is buffered would fail again as the process ends."""
    with suppress(OSError, ValueError):  # there is no stdout, or it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def pipe_may_break() -> Iterator[None]:
    """End the command quietly when the reader of stdout has gone away; name stdout if it fails.

    An error that names a file is of that file and stays as it is.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError) or _is_broken_pipe_of_windows(error):
            discard_output()
            raise SystemExit(ExitCode.BROKEN_PIPE) from None
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, "standard output") from None


def _is_broken_pipe_of_windows(error: OSError) -> bool:
    """Whether it is what Windows says where others say EPIPE."""
    return sys.platform == "win32" and error.filename is None and error.errno == errno.EINVAL


STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2


def open_closed_files() -> None:
    """Open each that is closed. A write to standard output then fails, as it should."""
    for number in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number == STDOUT else os.O_RDWR)  # the lowest free
            os.set_inheritable(number, True)
    if sys.stdin is None:
        sys.stdin = os.fdopen(STDIN, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(STDOUT, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(STDERR, "w", encoding="utf-8", closefd=False)


def escape_what_cannot_be_encoded() -> None:
    """Let standard output take every text, as standard error does.

    What its encoding does not have is written with a backslash: a byte of a file's name that is no
    UTF-8, and in an ASCII locale what is no ASCII. Else it would fail, or depend on the locale.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
