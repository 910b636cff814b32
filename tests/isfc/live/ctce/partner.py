"""A Hercules of our own: one CTCE device, in either form, that says and hears what a test wants."""

import asyncio
import socket
from ipaddress import IPv4Address

from ctc.order import Order
from isfc.live.ctce.join import CtcEnd
from isfc.live.ctce.wire import (
    CURRENT,
    GREETING_LENGTH,
    OLDER,
    SSID,
    Greeting,
    Speaker,
    WireForm,
    decode_greeting,
    encode_greeting,
    encode_order,
    read_order,
)
from tests.waiting import PATIENCE_S


class Partner:
    """It listens and connects as Hercules does; `say` and `hear` an order at a time."""

    def __init__(self, end: CtcEnd, form: WireForm) -> None:
        self._end = end
        self._form = form
        self._heard: asyncio.Queue[Order] = asyncio.Queue()
        self._out: asyncio.StreamWriter | None = None
        self._accepted = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._sequence = 0
        self.greeting: Greeting | None = None

    async def start(self) -> None:
        """Listen, connect, and wait until the box has connected too."""
        older = self._form is OLDER
        host, port = self._end.at
        self._server = await asyncio.start_server(self._serve, host, port + older)
        if older:  # as 3.13 does, which speaks at the guest's first I/O only
            await self._attached()
        self._out = await self.connect()
        if not older:
            await self._attached()

    async def connect(self, *, ssid: int = SSID, address: str = "") -> asyncio.StreamWriter:
        """A connection to the box; the current form says who it is."""
        older = self._form is OLDER
        host, port = self._end.ours
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setblocking(False)
        if older:
            made.bind(self._end.at)
        await asyncio.get_running_loop().sock_connect(made, (host, port + older))
        _, out = await asyncio.open_connection(sock=made)
        self._writers.add(out)
        if not older:
            out.write(
                encode_greeting(
                    Greeting(
                        self._end.at.port,
                        IPv4Address(address or host),
                        Speaker(self._end.rdev, ssid),
                    )
                )
            )
        return out

    def say(self, order: Order) -> None:
        """An order of its guest's."""
        assert self._out is not None
        self._sequence += 1
        self._out.write(encode_order(self._form, order, self._sequence, Speaker(self._end.rdev)))

    def say_bytes(self, data: bytes) -> None:
        """Something else."""
        assert self._out is not None
        self._out.write(data)

    async def hear(self) -> Order:
        """The next order of its partner's."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._heard.get()

    @property
    def unheard(self) -> int:
        """Orders that have come, and nobody has heard."""
        return self._heard.qsize()

    async def close(self) -> None:
        """Fail, as a Hercules that is killed."""
        if self._server is not None:
            self._server.close()
        for each in self._writers:
            each.transport.abort()
        await asyncio.sleep(0.01)  # for transports to close

    async def _attached(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await self._accepted.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            if self._form is CURRENT:
                self.greeting = decode_greeting(await reader.readexactly(GREETING_LENGTH))
            self._accepted.set()
            while True:
                data, found = b"", read_order(self._form, b"")
                while isinstance(found, int):
                    data += await reader.readexactly(found)
                    found = read_order(self._form, data)
                self._heard.put_nowait(found)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
