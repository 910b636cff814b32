"""A bare uvloop ``BufferedProtocol``: 64 bytes there, the same 64 bytes back."""

import asyncio
import time
from typing import cast

import uvloop

from tools.benchmarks.live_peer import (
    PING_LENGTH,
    PeerPart,
    Stopwatch,
    await_path,
    listen,
    read_part,
)


class Echo(asyncio.BufferedProtocol):
    """Either end: it answers a whole ping by the next; one buffer, filled from its beginning."""

    def __init__(self, part: PeerPart, meter: Stopwatch, done: "asyncio.Future[None]") -> None:
        self._buffer = memoryview(bytearray(65_536))
        self._ping = bytes(PING_LENGTH)
        self._filled = 0
        self._drives = not part.far
        self._meter = meter
        self._left = meter.counted(part)
        self._done = done
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where pings go; the near end begins."""
        self._transport = cast(asyncio.Transport, transport)
        if self._drives:
            self._send()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Room for what comes."""
        return self._buffer[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        """A ping may be whole: the near end times its round trip."""
        self._filled += nbytes
        if self._filled == PING_LENGTH:
            self._filled = 0
            if self._drives:
                self._meter.trips_ns.append(time.perf_counter_ns() - self._sent_ns)
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other end is done."""
        next(self._left, None)
        if not self._done.done():
            self._done.set_result(None)

    def _send(self) -> None:
        """Send the next ping, or end when all are counted."""
        if next(self._left, None) is None:
            self._transport.close()
            return
        self._sent_ns = time.perf_counter_ns()
        self._transport.write(self._ping)


async def play(part: PeerPart, meter: Stopwatch) -> None:
    """One end, until all is counted."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    path = part.folder / "socket"
    if part.far:
        server = await loop.create_unix_server(lambda: Echo(part, meter, done), sock=listen(path))
        async with server:
            await done
    else:
        await_path(path)
        await loop.create_unix_connection(lambda: Echo(part, meter, done), str(path))
        await done


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_echo"), Stopwatch()
    uvloop.run(play(part, meter))
    meter.report()


if __name__ == "__main__":
    main()
