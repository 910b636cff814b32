"""Standard files that whoever started us has closed: input is at its end, output cannot be written.

Python has None in their place, which nothing can be asked or told; and the next file that is opened
would take their descriptors.
"""

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
