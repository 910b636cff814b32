"""Lines from a pipe, in pieces and without an end; nothing of a file that is neither."""

import asyncio
import os
from pathlib import Path

from isfc.cli.live.ctce_operator import typed_lines
from tests.waiting import wait_until


def test_each_line_of_a_pipe_is_heard_once_however_it_comes() -> None:
    """The last one has no end of line; a blank one says nothing."""
    reader, writer = os.pipe()
    heard: list[str] = []

    async def type_lines() -> None:
        with typed_lines(heard.append, reader):
            for data in (b"lose 40\n\nres", b"tore 40\nst"):
                os.write(writer, data)
                await asyncio.sleep(0)
            await wait_until(lambda: len(heard) == 2)
            os.write(writer, b"all" + b"x" * 5000)
            os.close(writer)
            await wait_until(lambda: len(heard) == 4)

    asyncio.run(type_lines())
    os.close(reader)
    assert heard[:2] == ["lose 40", "restore 40"]
    assert "".join(heard[2:]) == "stall" + "x" * 5000


def test_a_file_that_is_no_pipe_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("stall\n")

    async def wait() -> None:
        with path.open("rb") as file, typed_lines(heard.append, file.fileno()):
            await asyncio.sleep(0.01)

    heard: list[str] = []
    asyncio.run(wait())
    assert heard == []
