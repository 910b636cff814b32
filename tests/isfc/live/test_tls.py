"""TLS at the end that listens: nobody's handshake fails unheard."""

import asyncio
import ssl
import subprocess
from pathlib import Path

import pytest

from isfc.cli.live.node import mutual_tls
from isfc.live.accepting import certificate_names
from isfc.live.endpoint import TcpEndpoint, UnixEndpoint
from isfc.live.pending import UNGREETED_MAX
from isfc.testing.pair import Setup
from tests.installed import need
from tests.isfc.live.test_link_port import refusals
from tests.live.pair import LivePair, LiveSide, Run
from tests.waiting import wait_until


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
    made = mutual_tls(
        folder / f"{file}.pem",
        folder / f"{file}.key",
        folder / f"{ca}.pem",
        server=server,
        report=fail,
    )
    assert made is not None
    return made()


def fail(complaint: str) -> None:
    raise AssertionError(complaint)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("forged", "TLS: the certificate is not accepted: certificate signature failure"),
        ("expired", "TLS: the certificate is not accepted: certificate has expired"),
    ],
)
def test_a_certificate_that_does_not_hold_is_refused_with_the_reason(
    run_live: Run, tmp_path: Path, folder: Path, file: str, reason: str
) -> None:
    async def main() -> None:
        options = [
            {"tls": tls(folder, "atlanta", server=True)},
            {"tls": tls(folder, file, server=False)},
        ]
        endpoint = TcpEndpoint("127.0.0.1", 0)
        async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
            await wait_until(lambda: len(refusals(pair.first)) > 3)
            assert set(refusals(pair.first)) == {reason}
            assert pair.first.engine.counters.attached_count == 0

    run_live(main())


@pytest.mark.usefixtures("patient")
def test_a_listener_that_the_partner_does_not_trust_hears_of_it(
    run_live: Run, tmp_path: Path, folder: Path
) -> None:
    async def main() -> None:
        options = [
            {"tls": tls(folder, "atlanta", server=True)},
            {"tls": tls(folder, "boston", server=False, ca="other")},
        ]
        endpoint = TcpEndpoint("127.0.0.1", 0)
        async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
            await wait_until(lambda: len(refusals(pair.first)) > 3)
            assert all(reason.startswith("TLS: ") for reason in refusals(pair.first))
            assert pair.second.engine.counters.attached_count == 0

    run_live(main())


def test_a_greeting_that_comes_with_the_end_of_the_handshake_is_read(
    run_live: Run, tmp_path: Path, folder: Path
) -> None:
    async def main() -> None:
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
            await wait_until(lambda: "no greeting (at byte 2)" in refusals(pair.first))
            writer.close()
            await writer.wait_closed()
            await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)
            await asyncio.sleep(0.1)  # uvloop closes the other end of it a little later

    run_live(main())


def test_handshakes_of_tls_that_do_not_go_on_are_few_and_end(
    run_live: Run, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 2.0)

    async def main() -> None:
        side = LiveSide(Setup().definition(0), 1, tls=tls(folder, "atlanta", server=True))
        endpoint = await side.attachments.listen(UnixEndpoint(str(tmp_path / "link")))
        assert isinstance(endpoint, UnixEndpoint)
        crowd = [await asyncio.open_unix_connection(endpoint.path) for _ in range(UNGREETED_MAX)]
        await wait_until(lambda: len(side.attachments.node_port.ungreeted) == UNGREETED_MAX)
        _, one_more = await asyncio.open_unix_connection(endpoint.path)
        await wait_until(
            lambda: refusals(side) == ["too many connections are greeting at the same time"]
        )
        await wait_until(lambda: not side.attachments.node_port.ungreeted)
        assert set(refusals(side)[1:]) == {"no greeting within 2 s"}
        assert len(refusals(side)) == 1 + UNGREETED_MAX
        for _, writer in [*crowd, (None, one_more)]:
            writer.close()
        await side.close()

    run_live(main())


def test_a_node_that_ends_amid_handshakes_of_tls_leaves_nothing(
    run_live: Run, tmp_path: Path, folder: Path
) -> None:
    async def main() -> None:
        context = tls(folder, "atlanta", server=True)
        side = LiveSide(Setup().definition(0), 1, tls=context)
        path = str(tmp_path / "link")
        await side.attachments.listen(UnixEndpoint(path))
        reader, writer = await asyncio.open_unix_connection(path)
        await wait_until(lambda: len(side.attachments.node_port.ungreeted) == 1)
        await side.close()
        assert await reader.read() == b""
        writer.close()
        assert not refusals(side)

    run_live(main())


def test_a_certificate_is_for_its_common_name_and_its_dns_names() -> None:
    certificate = {
        "subject": ((("countryName", "US"),), (("commonName", "atlanta"),)),
        "subjectAltName": (("DNS", "Boston"), ("IP Address", "127.0.0.1")),
    }
    assert certificate_names(certificate) == {"ATLANTA", "BOSTON"}
    assert certificate_names({}) == set()
