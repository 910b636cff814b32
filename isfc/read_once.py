"""What can be read only once: standard input, and a pipe as the shell makes of ``<(command)``.

``expected`` says in messages what should come, such as "a layout".
"""

import os
import sys
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError

STANDARD_INPUT: Final = Path("-")
"""The path with which a user means standard input."""


def read_standard_input(expected: str, length: int) -> bytes:
    """At most ``length`` bytes; `ConfigurationError` where there are none."""
    data = sys.stdin.buffer.read(length)
    if not data:
        raise ConfigurationError(f"is empty, or was read for another argument; expected {expected}")
    return data


def read_pipe(path: Path, expected: str, length: int) -> bytes:
    """At most ``length`` bytes of a pipe; `ConfigurationError` where nobody writes."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        first = pipe.read(1)  # None if it is still to come
        if first == b"":
            raise ConfigurationError(f"is a pipe that nobody writes to; expected {expected}")
        os.set_blocking(pipe.fileno(), True)
        with os.fdopen(os.dup(pipe.fileno()), "rb") as rest:
            return (first or b"") + rest.read(length - len(first or b""))
