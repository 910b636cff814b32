"""Lines that somebody types, or pipes in, while an event loop runs."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from isfc.cli.output.standard_files import STDIN

_LENGTH_MAX: Final = 4096
"""Bytes of a line; a longer one comes in pieces."""


@contextmanager
def typed_lines(hear: Callable[[str], None], number: int = STDIN) -> Iterator[None]:
    """Call ``hear`` for each line of an open file, if it is a terminal or a pipe."""
    mode = os.fstat(number).st_mode
    if not (os.isatty(number) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        yield
        return
    loop = asyncio.get_running_loop()
    rest = bytearray()

    def read() -> None:
        data = os.read(number, _LENGTH_MAX)
        if not data:
            loop.remove_reader(number)
        rest.extend(data)
        *lines, tail = bytes(rest).split(b"\n")
        if len(tail) >= _LENGTH_MAX or not data:
            lines, tail = [*lines, tail], b""
        rest[:] = tail
        for line in lines:
            if line.strip():
                hear(line.decode(errors="replace"))

    loop.add_reader(number, read)
    try:
        yield
    finally:
        loop.remove_reader(number)
