"""One request to a node, from the loop that it runs in."""

import asyncio
import json
from pathlib import Path

from isfc.live.control import ANSWER_LENGTH_MAX, decode_answer, read_reply


async def ask(path: Path, kind: str, operand: object = True) -> dict[str, object]:
    """The reply of the node whose control is at ``path``, as `isfc.live.control.ControlClient`."""
    reader, writer = await asyncio.open_unix_connection(str(path), limit=ANSWER_LENGTH_MAX)
    writer.write(json.dumps({kind: operand}).encode() + b"\n")
    line = await reader.readline()
    writer.close()
    return read_reply(decode_answer(line))
