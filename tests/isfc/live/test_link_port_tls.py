"""Who is let in with mutual TLS."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from isfc.cli.live.node import mutual_tls
from isfc.link.state import LinkState
from isfc.live.endpoint import TcpEndpoint
from isfc.live.events import ConnectionRefused
from isfc.live.pending import UNGREETED_MAX
from isfc.testing.pair import Setup
from tests.installed import need
from tests.live.certificates import context, make_expired
from tests.live.pair import LivePair, LiveSide, Run
from tests.waiting import wait_until
from tools.benchmarks.tcp_services import make_certificates

CLIENT_HELLO_BEGINS = bytes.fromhex("1603010200010001fc0303")
"""The first bytes of a TLS handshake, of which no more come."""


def refusals(side: LiveSide, *, by_partner: bool = False) -> list[str]:
    """Why connections were refused, as this side was told."""
    refused = [event for event in side.told if isinstance(event, ConnectionRefused)]
    return [event.reason for event in refused if event.by_partner is by_partner]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CA, and certificates of it for two nodes, for a stranger, and for BOSTON till yesterday."""
    need("openssl", "openssl")
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder, ("ATLANTA", "BOSTON", "CHICAGO"))
    make_expired(folder, "BOSTON")
    return folder


@pytest.mark.usefixtures("patient")
def test_mutual_tls_carries_messages(run_live: Run, tmp_path: Path, certificates: Path) -> None:
    async def main() -> None:
        options = [
            {"tls": context(certificates, "ATLANTA", server=True)},
            {"tls": context(certificates, "BOSTON", server=False)},
        ]
        endpoint = TcpEndpoint("127.0.0.1", 0)
        async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
            await pair.come_up()
            pair.second.send(bytes(2_000_000), b"x")
            await wait_until(lambda: pair.first.received() == [bytes(2_000_000), b"x"])

    run_live(main())


@pytest.mark.usefixtures("patient")
def test_a_certificate_of_somebody_else_is_refused(
    run_live: Run, tmp_path: Path, certificates: Path
) -> None:
    async def main() -> None:
        options = [
            {"tls": context(certificates, "ATLANTA", server=True)},
            {"tls": context(certificates, "CHICAGO", server=False)},
        ]
        endpoint = TcpEndpoint("127.0.0.1", 0)
        async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
            await wait_until(lambda: len(refusals(pair.first)) > 3)
            assert set(refusals(pair.first)) == {"the certificate is of CHICAGO, not of BOSTON"}
            assert not pair.first.up

    run_live(main())


@pytest.mark.usefixtures("patient")
def test_a_certificate_that_was_renewed_is_shown_on_the_next_connection(
    run_live: Run, tmp_path: Path, certificates: Path
) -> None:
    for kind in ("pem", "key"):
        shutil.copy(certificates / f"EXPIRED.{kind}", tmp_path / f"mine.{kind}")
    complaints: list[str] = []
    files = [tmp_path / "mine.pem", tmp_path / "mine.key", certificates / "ca.pem"]
    mine = mutual_tls(*files, server=False, report=complaints.append)

    async def main() -> None:
        theirs = context(certificates, "ATLANTA", server=True)
        options: list[dict[str, Any]] = [{"tls": theirs}, {"tls": mine}]
        endpoint = TcpEndpoint("127.0.0.1", 0)
        async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
            await wait_until(lambda: bool(refusals(pair.first)))
            (tmp_path / "mine.pem").write_text("half of it")
            await wait_until(lambda: bool(complaints))
            assert not pair.first.up
            shutil.copy(certificates / "BOSTON.pem", tmp_path / "mine.pem")
            await pair.come_up()
        (complaint,) = complaints
        assert complaint.endswith("; the certificate that was read before stays in use")

    run_live(main())


def test_who_does_not_begin_tls_in_time_is_sent_away(
    run_live: Run, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 0.05)

    async def main() -> None:
        tls = context(certificates, "ATLANTA", server=True)
        side = LiveSide(Setup().definition(0), 1, tls=tls)
        place = await side.attachments.listen(TcpEndpoint("127.0.0.1", 0))
        assert isinstance(place, TcpEndpoint)
        reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        assert refusals(side) == ["no greeting within 0.05 s"]
        writer.close()
        await side.close()

    run_live(main())


@pytest.mark.parametrize("says", [b"", CLIENT_HELLO_BEGINS], ids=["silent", "handshaking"])
def test_a_flood_of_strangers_keeps_no_partner_out_and_is_bounded(
    run_live: Run, certificates: Path, monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 60.0)

    async def main() -> None:
        crowd: list[asyncio.StreamWriter] = []
        most = 0

        async def keep_coming(port: int) -> None:
            nonlocal most
            while True:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(says)
                crowd.append(writer)
                most = max(
                    most, len(first.attachments.node_port.ungreeted), len(asyncio.all_tasks())
                )
                await asyncio.sleep(0.002)

        setup = Setup()
        contexts = (
            context(certificates, "ATLANTA", server=True),
            context(certificates, "BOSTON", server=False),
        )
        first, second = (
            LiveSide(setup.definition(here), here + 1, tls=tls) for here, tls in enumerate(contexts)
        )
        place = await first.attachments.listen(TcpEndpoint("127.0.0.1", 0))
        assert isinstance(place, TcpEndpoint)
        coming = asyncio.create_task(keep_coming(place.port))
        await wait_until(lambda: first.engine.counters.refused_count > UNGREETED_MAX)
        second.attachments.connect(place)
        await wait_until(
            lambda: all(s.engine.end.link.state is LinkState.UP for s in (first, second))
        )
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        assert most < 2 * UNGREETED_MAX  # they, and the handful of tasks of this test and the nodes
        for writer in crowd:
            writer.close()
        await wait_until(lambda: not first.attachments.node_port.ungreeted)
        for side in (first, second):
            await side.close()

    run_live(main())


def test_a_partner_without_tls_is_kept_out(
    run_live: Run, tmp_path: Path, certificates: Path
) -> None:
    async def main() -> None:
        options = [{"tls": context(certificates, "ATLANTA", server=True)}, {}]
        endpoint = TcpEndpoint("127.0.0.1", 0)
        async with LivePair(tmp_path, endpoint=endpoint, options=options) as pair:
            await wait_until(lambda: len(refusals(pair.first)) > 3)
            assert set(refusals(pair.first)) == {"TLS: wrong version number"}
            assert pair.first.engine.counters.attached_count == 0

    run_live(main())
