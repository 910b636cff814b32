"""Connections to an echo service, all of which carry as much as they can, both ways.

``python -m tools.benchmarks.live_flood PORT COUNT`` goes on until it is ended.
"""

import asyncio
import sys
from typing import Final, cast

import uvloop

from tools.benchmarks.live_peer import BUFFER_LENGTH

_PIECE: Final = bytes(BUFFER_LENGTH)


class Flood(asyncio.Protocol):
    """Sends whenever it can, and reads everything."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)
        self._taken = True
        self._send()

    def pause_writing(self) -> None:
        """The connection takes no more for now."""
        self._taken = False

    def resume_writing(self) -> None:
        """It takes some again."""
        self._taken = True
        self._send()

    def _send(self) -> None:
        while self._taken and not self._transport.is_closing():
            self._transport.write(_PIECE)


async def flood(port: int, count: int) -> None:
    """Open the connections, and let them work."""
    loop = asyncio.get_running_loop()
    for _ in range(count):
        await loop.create_connection(Flood, "127.0.0.1", port)
    await loop.create_future()


if __name__ == "__main__":
    uvloop.run(flood(int(sys.argv[1]), int(sys.argv[2])))
