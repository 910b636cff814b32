"""Accepting connections: nobody is lost, and no file descriptor is needed to go on."""

import asyncio
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from isfc.link.state import LinkState
from isfc.live.accepting import PAUSE_S, accept
from isfc.live.control import ControlServer
from isfc.live.endpoint import TcpEndpoint
from isfc.live.metrics_server import MetricsServer
from tests.live.nodes import open_pair
from tests.live.pair import Run
from tests.waiting import wait_until


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


@pytest.mark.usefixtures("patient")
def test_who_comes_when_no_descriptor_is_left_waits_and_is_served_later(
    run_live: Run, tmp_path: Path
) -> None:
    """At the link, at the control and at the metrics; `run_live` hears if the loop complains."""

    async def main() -> None:
        control = ControlServer(tmp_path / "A.control", lambda kind, _operand: {"kind": kind})
        metrics = MetricsServer(list)
        await control.start()
        async with open_pair(tmp_path) as (first, _):
            engine = first.engine
            assert engine is not None
            await wait_until(lambda: engine.end.link.state is LinkState.UP)
            place = await metrics.listen(TcpEndpoint("127.0.0.1", 0))
            asking = [socket.socket(socket.AF_UNIX) for _ in range(3)]
            scraping = [socket.socket() for _ in range(3)]
            strangers = [socket.socket(socket.AF_UNIX) for _ in range(3)]
            with no_descriptor_left():
                for client in asking:
                    client.connect(str(control.path))
                    client.sendall(b'{"say": true}\n')
                for client in scraping:
                    client.connect((place.host, place.port))
                    client.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
                for client in strangers:
                    client.connect(str(tmp_path / "link"))
                    client.sendall(b"garbage" * 10)
                await asyncio.sleep(3 * PAUSE_S)
            for client in asking:
                assert await received(client) == b'{"reply": {"kind": "say"}}\n'
            for client in scraping:
                assert (await received(client)).startswith(b"HTTP/1.1 200 OK")
            for client in strangers:
                assert await received(client) == b""
            assert engine.counters.refused_count == len(strangers)
            await metrics.close()
        await control.close()

    run_live(main())


async def received(client: socket.socket) -> bytes:
    """What comes first."""
    client.setblocking(False)
    with client:
        return await asyncio.get_running_loop().sock_recv(client, 65_536)


@pytest.mark.parametrize("passes", range(6))
def test_who_comes_as_nobody_waits_any_more_is_not_left_open(run_live: Run, passes: int) -> None:
    """A socket that is lost open is a warning, and so an error, when it is collected."""

    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
            listener.setblocking(False)
            waiting = asyncio.create_task(accept(listener))
            await asyncio.sleep(0.01)
            client.connect(listener.getsockname())
            for _ in range(passes):
                await asyncio.sleep(0)
            waiting.cancel()
            (found,) = await asyncio.gather(waiting, return_exceptions=True)
            if isinstance(found, tuple):
                found[0].close()

    run_live(main())
