"""Standard files that whoever started us has closed: input is at its end, output cannot be written.

Python has None in their place, which nothing can be asked or told; and the next file that is opened
would take their descriptors. What is open may be unable to hold every character.
"""

import io
import os
import sys
from typing import Final

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
