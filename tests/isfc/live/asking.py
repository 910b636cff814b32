"""One request to a node, from the loop that it runs in."""

import asyncio
import json
from pathlib import Path

from isfc.errors import RemoteProtocolError
from isfc.live.control import ANSWER_LENGTH_MAX, decode_answer, read_reply


async def ask(path: Path, kind: str, operand: object = True) -> dict[str, object]:
    """The reply of the node whose control is at ``path`` to one request.

    Raises `OSError` when there is no node, or it ends, and `RemoteProtocolError` when it
    refuses, or answers with what is no reply.
    """
    reader, writer = await asyncio.open_unix_connection(str(path), limit=ANSWER_LENGTH_MAX)
    try:
        writer.write(json.dumps({kind: operand}).encode() + b"\n")
        line = await reader.readline()
    except ValueError:
        raise RemoteProtocolError(f"a line is longer than {ANSWER_LENGTH_MAX} bytes") from None
    finally:
        writer.close()
    if not line:
        raise ConnectionResetError("the node has closed the connection")
    return read_reply(decode_answer(line))
