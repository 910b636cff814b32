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
    """What both ends share: one buffer, filled from its beginning."""

    def __init__(self, part: PeerPart, meter: Stopwatch, done: "asyncio.Future[None]") -> None:
        self._buffer = memoryview(bytearray(65_536))
        self._ping = bytes(PING_LENGTH)
        self._filled = 0
        self._part = part
        self._meter = meter
        self._done = done
        self._left = part.warmup + part.count
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        self._transport = cast(asyncio.Transport, transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Room for what comes."""
        return self._buffer[self._filled :]

    def connection_lost(self, exc: Exception | None) -> None:
        """The other end is done."""
        if not self._done.done():
            self._done.set_result(None)


class Pong(Echo):
    """The far end: sends back what has come."""

    def buffer_updated(self, nbytes: int) -> None:
        """Answer a whole ping."""
        self._filled += nbytes
        if self._filled == PING_LENGTH:
            self._filled = 0
            if self._left == self._part.count:
                self._meter.start()
            self._transport.write(self._ping)
            self._left -= 1
            if not self._left:
                self._meter.stop()


class Ping(Echo):
    """The near end: times every round trip."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first ping."""
        super().connection_made(transport)
        self._sent_ns = time.perf_counter_ns()
        self._transport.write(self._ping)

    def buffer_updated(self, nbytes: int) -> None:
        """A round trip is over: send the next ping."""
        self._filled += nbytes
        if self._filled < PING_LENGTH:
            return
        self._filled = 0
        now_ns = time.perf_counter_ns()
        self._meter.trips_ns.append(now_ns - self._sent_ns)
        self._left -= 1
        if not self._left:
            self._meter.stop()
            self._transport.close()
            return
        if self._left == self._part.count:
            self._meter.start()
        self._sent_ns = time.perf_counter_ns()
        self._transport.write(self._ping)


async def play(part: PeerPart, meter: Stopwatch) -> None:
    """One end, until all is counted."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    path = part.folder / "socket"
    if part.far:
        server = await loop.create_unix_server(lambda: Pong(part, meter, done), sock=listen(path))
        async with server:
            await done
    else:
        await_path(path)
        await loop.create_unix_connection(lambda: Ping(part, meter, done), str(path))
        await done


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_echo"), Stopwatch()
    uvloop.run(play(part, meter))
    meter.report()


if __name__ == "__main__":
    main()
