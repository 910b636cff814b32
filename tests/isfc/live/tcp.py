"""TCP services for tests, and a port that two open nodes forward to one of them."""

import asyncio
import os
import resource
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from isfc.link.name import NodeName
from isfc.live.endpoint import Forward
from isfc.live.forward import Forwarder, forwarding
from isfc.live.session import OpenNode
from tests.live.nodes import FIRST, SECOND, open_pair

NODES = (NodeName(FIRST), NodeName(SECOND))

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def tcp_server(serve: Serve) -> AsyncIterator[int]:
    """A TCP service on this machine; its port."""

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await serve(reader, writer)
        await end(writer)

    server = await asyncio.start_server(guarded, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def forwarded(
    first: OpenNode, second: OpenNode, port: int, complaints: list[str]
) -> AsyncIterator[tuple[int, Forwarder]]:
    """A port at the first system that the second connects to ``port``, and the listening end."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        listen_port = free.getsockname()[1]
    forwards = [to("127.0.0.1", port, listen_port)]
    async with (
        forwarding(second, forwards, complaints.append),
        forwarding(first, forwards, complaints.append) as listening,
    ):
        yield listen_port, listening


class Carried(NamedTuple):
    """Two open nodes that forward a port to a service, and what they complain of."""

    first: OpenNode
    second: OpenNode
    port: int
    """Where the first one listens."""
    forwarder: Forwarder
    complaints: list[str]


@asynccontextmanager
async def carried(folder: Path, serve: Serve, **options: Any) -> AsyncIterator[Carried]:
    """Both nodes, with ``options``, and a port that is forwarded to such a service."""
    complaints: list[str] = []
    async with (
        open_pair(folder, **options) as (first, second),
        tcp_server(serve) as port,
        forwarded(first, second, port, complaints) as (listen_port, forwarder),
    ):
        yield Carried(first, second, listen_port, forwarder, complaints)


async def end(writer: asyncio.StreamWriter) -> None:
    """Close a connection that may have been reset, of which a loop then tells nobody else."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


async def answer_at_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A service that answers only when its client has ended its half."""
    writer.write(str(len(await reader.read())).encode())
    await writer.drain()


async def greet(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to a service that has sent back what was said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"hello")
    assert await reader.readexactly(5) == b"hello"
    return reader, writer


async def answer_to(port: int, data: bytes) -> bytes:
    """All that a service answers to what is all that it gets."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


def to(host: str, port: int, listen_port: int, here: int = 0) -> Forward:
    """A forward from a port of one node, the first unless ``here`` is 1, to a service."""
    return Forward(NODES[here], "127.0.0.1", listen_port, NODES[1 - here], host, port)


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """Within the block the process can open no more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.dup(0)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
