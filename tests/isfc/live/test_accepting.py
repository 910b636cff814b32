"""Accepting connections: nobody is lost, and no file descriptor is needed to go on."""

import asyncio
import os
import resource
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from isfc.cli.live.node import PartnerOptions
from isfc.link.state import LinkState
from isfc.live.accepting import PAUSE_S, accept
from isfc.live.admission import certificate_names
from isfc.live.control import ControlServer
from isfc.live.endpoint import TcpEndpoint, UnixEndpoint
from isfc.live.metrics import MetricsServer
from isfc.live.pending import UNGREETED_MAX
from isfc.testing.pair import Setup
from tests.installed import need
from tests.isfc.live.opened import engine_of
from tests.live.nodes import open_pair
from tests.live.pair import LivePair, LiveSide, Run
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
            engine = engine_of(first)
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
                    client.connect(str(tmp_path / "isfc"))
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
async def test_who_comes_as_nobody_waits_any_more_is_not_left_open(passes: int) -> None:
    """A socket that is lost open is a warning, and so an error, when it is collected."""
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two CAs of one name: ATLANTA and BOSTON of one, a BOSTON of the other, and an old one."""
    need("openssl", "openssl")
    made = tmp_path_factory.mktemp("tls")

    def openssl(*arguments: str) -> None:
        subprocess.run(
            ["openssl", *arguments], cwd=made, check=True, capture_output=True, timeout=60
        )

    new = ("-newkey", "ed25519", "-nodes")
    for ca in ("ca", "other"):
        openssl(
            "req", "-x509", *new, "-subj", "/CN=CA", "-keyout", f"{ca}.key", "-out", f"{ca}.pem"
        )
    for file, name, ca, days in (
        ("atlanta", "ATLANTA", "ca", "30"),
        ("boston", "BOSTON", "ca", "30"),
        ("forged", "BOSTON", "other", "30"),
        ("expired", "BOSTON", "ca", "-1"),
    ):
        openssl(
            "req", *new, "-subj", f"/CN={name}", "-keyout", f"{file}.key", "-out", f"{file}.csr"
        )
        openssl(
            *("x509", "-req", "-in", f"{file}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key"),
            *("-CAcreateserial", "-days", days, "-out", f"{file}.pem"),
        )
    return made


def tls(folder: Path, file: str, *, server: bool, ca: str = "ca") -> ssl.SSLContext:
    cert, key = folder / f"{file}.pem", folder / f"{file}.key"
    made = PartnerOptions(cert=cert, key=key, ca=folder / f"{ca}.pem").tls(server=server)
    assert made is not None
    return made()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("forged", "TLS: the certificate is not accepted: certificate signature failure"),
        ("expired", "TLS: the certificate is not accepted: certificate has expired"),
    ],
)
async def test_a_certificate_that_does_not_hold_is_refused_with_the_reason(
    tmp_path: Path, folder: Path, file: str, reason: str
) -> None:
    options = [
        {"tls": tls(folder, "atlanta", server=True)},
        {"tls": tls(folder, file, server=False)},
    ]
    endpoint = TcpEndpoint("127.0.0.1", 0)
    async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
        await wait_until(lambda: len(pair.first.refusals()) > 3)
        assert set(pair.first.refusals()) == {reason}
        assert pair.first.engine.counters.attached_count == 0


@pytest.mark.usefixtures("patient")
async def test_a_listener_that_the_partner_does_not_trust_hears_of_it(
    tmp_path: Path, folder: Path
) -> None:
    options = [
        {"tls": tls(folder, "atlanta", server=True)},
        {"tls": tls(folder, "boston", server=False, ca="other")},
    ]
    endpoint = TcpEndpoint("127.0.0.1", 0)
    async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
        await wait_until(lambda: len(pair.first.refusals()) > 3)
        assert all(reason.startswith("TLS: ") for reason in pair.first.refusals())
        assert pair.second.engine.counters.attached_count == 0


async def test_a_greeting_that_comes_with_the_end_of_the_handshake_is_read(
    tmp_path: Path, folder: Path
) -> None:
    endpoint = TcpEndpoint("127.0.0.1", 0)
    options = [{"tls": tls(folder, "atlanta", server=True)}, {}]
    async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
        assert isinstance(pair.endpoint, TcpEndpoint)
        context = tls(folder, "boston", server=False)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = context.wrap_bio(incoming, outgoing)
        reader, writer = await asyncio.open_connection("127.0.0.1", pair.endpoint.port)
        while True:
            try:
                session.do_handshake()
                break
            except ssl.SSLWantReadError:
                writer.write(outgoing.read())
                incoming.write(await reader.read(65_536))
        session.write(b"\0\6GARBAGE")
        writer.write(outgoing.read())  # our last words of the handshake, and these
        await wait_until(lambda: "no greeting (at byte 2)" in pair.first.refusals())
        writer.close()
        await writer.wait_closed()
        await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)
        await asyncio.sleep(0.1)  # uvloop closes the other end of it a little later


async def test_handshakes_of_tls_that_do_not_go_on_are_few_and_end(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 2.0)

    side = LiveSide(Setup().definition(0), 1, tls=tls(folder, "atlanta", server=True))
    endpoint = await side.attachments.listen(UnixEndpoint(str(tmp_path / "link")))
    assert isinstance(endpoint, UnixEndpoint)
    crowd = [await asyncio.open_unix_connection(endpoint.path) for _ in range(UNGREETED_MAX)]
    await wait_until(lambda: len(side.attachments.node_port.ungreeted) == UNGREETED_MAX)
    _, one_more = await asyncio.open_unix_connection(endpoint.path)
    await wait_until(
        lambda: side.refusals() == ["too many connections are greeting at the same time"]
    )
    await wait_until(lambda: not side.attachments.node_port.ungreeted)
    assert set(side.refusals()[1:]) == {"no greeting within 2 s"}
    assert len(side.refusals()) == 1 + UNGREETED_MAX
    for _, writer in [*crowd, (None, one_more)]:
        writer.close()
    await side.close()


async def test_a_node_that_ends_amid_handshakes_of_tls_leaves_nothing(
    tmp_path: Path, folder: Path
) -> None:
    context = tls(folder, "atlanta", server=True)
    side = LiveSide(Setup().definition(0), 1, tls=context)
    path = str(tmp_path / "link")
    await side.attachments.listen(UnixEndpoint(path))
    reader, writer = await asyncio.open_unix_connection(path)
    await wait_until(lambda: len(side.attachments.node_port.ungreeted) == 1)
    await side.close()
    assert await reader.read() == b""
    writer.close()
    assert not side.refusals()


def test_a_certificate_is_for_its_common_name_and_its_dns_names() -> None:
    certificate = {
        "subject": ((("countryName", "US"),), (("commonName", "atlanta"),)),
        "subjectAltName": (("DNS", "Boston"), ("IP Address", "127.0.0.1")),
    }
    assert certificate_names(certificate) == {"ATLANTA", "BOSTON"}
    assert certificate_names({}) == set()
