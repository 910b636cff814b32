"""Where a Hercules meets one end of a CTC: two connections, in the form that it speaks.

Bytes come and go here; what becomes of a command is the affair of an
`isfc.live.ctce.exchange.Exchange`.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address
from typing import Final, cast

from ctc.order import Order
from isfc.errors import WireError
from isfc.live.accepting import Service
from isfc.live.connection import reason_of
from isfc.live.ctce import wire
from isfc.live.ctce.exchange import CtcPlace, EndAttached, EndDetached, ExchangeInput, Noted, Said
from isfc.live.ctce.join import CtcEnd

RETRY_S: Final = 0.2
"""Between two attempts to connect to a Hercules that is not there, in seconds."""
GREETING_S: Final = 5.0
"""How long a connection of the current form may take to say who it is, in seconds."""
EARLY_MAX: Final = 16
"""Orders of an end that cannot be told anything yet."""
UNREAD_MAX: Final = 16 * wire.DATA_LENGTH_MAX
"""Bytes that an end may leave unread; a CTC has one command outstanding, so it reads no more."""


@dataclass(eq=False, slots=True)
class EndPort:
    """Where one Hercules meets one end of a CTC: two connections, one for each way."""

    apply: Callable[[ExchangeInput], None]
    """Takes what happens here."""
    at: CtcPlace
    end: CtcEnd
    """The device."""
    ssid: int = wire.SSID
    """That of its Hercules, as its greeting says."""
    attached_count: int = 0
    refused_count: int = 0
    inward: "Inward | None" = None
    outward: "Outward | None" = None
    _attached: bool = False
    _servers: list[asyncio.Server] = field(default_factory=list)
    _seeking: "asyncio.Task[None] | None" = None
    _sequence: int = 0
    _sender: wire.Speaker = field(init=False)
    _early: list[Order] = field(default_factory=list)
    """What its Hercules has said before it could be told anything."""
    address: str = ""
    """That of its Hercules, as numbers."""
    greeting_s: float = GREETING_S
    """As `GREETING_S`."""
    unread_max: int = UNREAD_MAX
    """As `UNREAD_MAX`."""

    def __post_init__(self) -> None:
        self._sender = wire.Speaker(self.end.named)

    async def start(self) -> None:
        """Listen in both forms, and begin to look for the Hercules."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(
            self.end.at.host, None, family=socket.AF_INET, type=socket.SOCK_STREAM
        )
        self.address = str(found[0][4][0])
        for form in wire.FORMS.values():
            if self.end.wire not in ("", form.name):
                continue
            host, port = self.end.ours.host, self.end.ours.port + (form is wire.OLDER)
            try:  # others may be opened from this port too
                listener = socket.create_server((host, port), reuse_port=True)
            except OSError as error:
                raise OSError(error.errno, reason_of(error), f"{host}:{port}") from None
            server = await loop.create_server(partial(Inward, self, form), sock=listener)
            self._servers.append(server)
        self._seeking = loop.create_task(self._seek())

    async def close(self) -> None:
        """Listen no more and end the connections."""
        if self._seeking is not None:
            self._seeking.cancel()
            await asyncio.gather(self._seeking, return_exceptions=True)
        for server in self._servers:
            server.close()
        self.drop(None)

    def admit(self, inward: "Inward") -> None:
        """A connection of its Hercules is there: it will speak on it. An older one has gone."""
        earlier, self.inward = self.inward, inward
        if earlier is not None:
            self.drop("its Hercules has connected again", keep=inward)
        if self._attached:
            self.say(f"connected, {inward.form.name} form")
        self._look()

    def refuse(self, peer: str, reason: str) -> None:
        """Somebody was not let in."""
        self.refused_count += 1
        self.say(f"refused {peer}: {reason}")

    def say(self, text: str) -> None:
        """Something has happened here, in words."""
        self.apply(Noted(self.at, text))

    def lost(self, connection: "Inward | Outward") -> None:
        """A connection has ended by itself."""
        if connection is self.inward or connection is self.outward:
            self.drop("connection lost")

    def drop(self, reason: str | None, keep: "Inward | None" = None) -> None:
        """End both connections; what the guest of the other end has outstanding ends too."""
        ended = (self.inward, self.outward)
        self.inward, self.outward = keep, None
        self._early = []
        for each in ended:
            if each is not None and each is not keep:
                each.abort()
        if self._attached:
            self._attached = False
            if reason is not None:
                self.say(f"gone: {reason}")
            self.apply(EndDetached(self.at))

    def receive(self, order: Order) -> None:
        """Its Hercules has said something."""
        if self._attached:
            self.apply(Said(self.at, order))
            return
        self._early.append(order)
        if len(self._early) > EARLY_MAX:
            self.drop(None)

    def send(self, order: Order) -> None:
        """Tell its Hercules."""
        outward = self.outward
        if outward is None:  # dropped just now
            return
        self._sequence += 1
        form, sequence, sender = outward.form, self._sequence, self._sender
        if len(order.data) < wire.LONG_DATA_LENGTH:
            outward.transport.write(wire.encode_order(form, order, sequence, sender))
        else:
            prefix = wire.encode_prefix(form, order, sequence, sender)
            outward.transport.writelines([prefix, order.data])
        unread = outward.transport.get_write_buffer_size()
        if unread > self.unread_max:
            text = f"leaves {unread} bytes unread; at most {self.unread_max} may be"
            asyncio.get_running_loop().call_soon(self._drop_unread, outward, text)

    def _drop_unread(self, outward: "Outward", text: str) -> None:
        if outward is self.outward:
            self.drop(text)

    def _look(self) -> None:
        """Attach the end once there are connections enough.

        The older form connects to its partner at the guest's first I/O only, and is to have heard
        by then what waits for it.
        """
        inward, outward = self.inward, self.outward
        if self._attached or outward is None or (inward is None and outward.form is wire.CURRENT):
            return
        self._attached = True
        self.attached_count += 1
        found = "connected" if inward else "found, and connects with its guest's next command"
        form = outward.form
        self.say(f"{found}, {form.name} form")
        self.apply(
            EndAttached(self.at, self._wins(outward), form is wire.OLDER, form.data_length_max)
        )
        early, self._early = self._early, []
        for order in early:
            self.receive(order)

    def _wins(self, outward: "Outward") -> bool:
        """Whether its Hercules keeps a command of its own that crosses one of ours.

        Hercules 4 compares addresses as its processor has them, then SSIDs, then device numbers:
        of these the lower one wins. 3.13 always gives way.
        """
        if outward.form is wire.OLDER:
            return False
        theirs, ours = (
            int.from_bytes(socket.inet_aton(outward.transport.get_extra_info(name)[0]), "little")
            for name in ("peername", "sockname")
        )
        named = (wire.SSID, self.end.named)
        return theirs > ours or (theirs == ours and (self.ssid, self.end.rdev) < named)

    async def _seek(self) -> None:
        """Connect to the Hercules whenever it is not connected."""
        while True:
            if self.outward is None:
                with suppress(OSError):
                    await self._connect(self._form())
            await asyncio.sleep(RETRY_S)

    def _form(self) -> wire.WireForm:
        """That in which its Hercules has connected; 3.13 does so at its guest's first I/O only."""
        if self.end.wire:
            return wire.FORMS[self.end.wire]
        return wire.OLDER if self.inward is None else self.inward.form

    async def _connect(self, form: wire.WireForm) -> None:
        port = self.end.at.port + (form is wire.OLDER)

        def prepare(made: socket.socket) -> None:
            made.setblocking(False)
            if form is wire.OLDER:  # it knows its partner by the port that it comes from
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            made.bind((self.end.ours.host, self.end.ours.port if form is wire.OLDER else 0))

        made = await Service(self.address, port).connect(prepare)
        loop = asyncio.get_running_loop()
        _, outward = await loop.create_connection(lambda: Outward(self, form), sock=made)
        if outward.transport.is_closing():
            return
        self.outward = outward
        if form is wire.CURRENT:
            address = wire.Greeting(
                self.end.ours.port,
                IPv4Address(self.address),
                wire.Speaker(self.end.named),
                accepted=True,
            )
            outward.transport.write(wire.encode_greeting(address))
        self._look()


class Inward(asyncio.Protocol):
    """A connection on which a Hercules speaks."""

    transport: asyncio.Transport

    def __init__(self, port: EndPort, form: wire.WireForm) -> None:
        self.form = form
        self._port = port
        self._timer: asyncio.TimerHandle | None = None
        self._greets = True
        """Whether it has to say first who it is; the older form does so in its first record."""
        self._ended = False
        self._begun = b""
        """Of a record that is not whole yet."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let it in if it comes from where it should; the current form says first who it is."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is none
        port = self._port
        host, source = transport.get_extra_info("peername")[:2]
        wanted, at = port.address, port.end.at.port
        if host != wanted:
            self._refuse(f"expected {port.end}, which is at {wanted}")
        elif self.form is wire.OLDER and source != at:
            self._refuse(f"expected {port.end}, which comes from port {at}")
        elif self.form is wire.OLDER:
            port.admit(self)
        else:
            loop = asyncio.get_running_loop()
            silent = "it does not say who it is"
            self._timer = loop.call_later(port.greeting_s, self._refuse, silent)

    def data_received(self, data: bytes) -> None:
        """Asyncio's protocol: so much has come, mostly one record."""
        data = self._begun + data if self._begun else data
        try:
            if self._greets:
                data = self._greet(data)
            self._begun = data if self._greets else self._hear(data)
        except WireError as error:
            self._refuse(str(error))

    def connection_lost(self, _error: Exception | None) -> None:
        """Asyncio's protocol: it has ended."""
        if self._timer is not None:
            self._timer.cancel()
        self._port.lost(self)

    def abort(self) -> None:
        """End it now; nothing that has come is heard any more."""
        self._ended = True
        self.transport.abort()

    def _hear(self, data: bytes) -> bytes:
        """Take every record that is whole; return what there is of the next one."""
        begin = 0
        while begin < len(data) and not self._ended:
            found = wire.read_order(self.form, data, begin)
            if isinstance(found, int):
                return data[begin:]
            begin += self.form.prefix_length + len(found.data)
            self._port.receive(found)
        return b""

    def _greet(self, data: bytes) -> bytes:
        """Hear who it is, once all is there that says so; return what comes after that."""
        length = wire.GREETING_LENGTH if self.form is wire.CURRENT else self.form.prefix_length
        if len(data) < length:
            return data
        if self.form is wire.OLDER:
            address = IPv4Address(self.transport.get_extra_info("sockname")[0])
            sender = wire.read_sender(wire.OLDER, data)
            self._greets = not self._check(wire.Greeting(self._port.end.at.port, address, sender))
            return data
        if self._timer is not None:
            self._timer.cancel()
        if self._check(wire.decode_greeting(data[: wire.GREETING_LENGTH])):
            self._greets = False
            self._port.admit(self)
        return data[wire.GREETING_LENGTH :]

    def _check(self, greeting: wire.Greeting) -> bool:
        end = self._port.end
        if (greeting.port, greeting.sender.rdev) != (end.at.port, end.rdev):
            self._refuse(f"it has {_said(greeting, end)}; expected '{end.statement}'")
            return False
        reached = self.transport.get_extra_info("sockname")[0]
        if str(greeting.address) != reached:
            text = f"it has {_said(greeting, end)}, and has reached {reached}: expected one address"
            self._port.say(text)
        self._port.ssid = greeting.sender.ssid
        return True

    def _refuse(self, reason: str) -> None:
        peer = ":".join(map(str, self.transport.get_extra_info("peername")[:2]))
        self._port.refuse(peer, reason)
        self.abort()


def _said(greeting: wire.Greeting, end: CtcEnd) -> str:
    """The statement of a Hercules' configuration, as far as a greeting tells it."""
    port, address, (rdev, ssid), _ = greeting
    text = f"'{rdev:04X} CTCE {port} {address} {end.ours.port}'"
    return text if ssid == wire.SSID else f"{text} in SSID {ssid}"


class Outward(asyncio.Protocol):
    """A connection on which a Hercules is told; it says nothing there."""

    transport: asyncio.Transport

    def __init__(self, port: EndPort, form: wire.WireForm) -> None:
        self.form = form
        self._port = port

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio's protocol: it is there."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is none
        self.transport.set_write_buffer_limits(0)  # uvloop then sends it now, before books are kept

    def connection_lost(self, _error: Exception | None) -> None:
        """Asyncio's protocol: it has ended."""
        self._port.lost(self)

    def abort(self) -> None:
        """End it now."""
        self.transport.abort()
