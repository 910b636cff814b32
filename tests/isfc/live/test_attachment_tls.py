"""Who is let in with mutual TLS."""

import ssl
import subprocess
from pathlib import Path

import pytest

from isfc.link.name import NodeName
from isfc.live.endpoint import TcpEndpoint
from isfc.live.events import Refused
from tests.live.pair import LivePair, LiveSide, Run, wait_until


def refusals(side: LiveSide, *, by_partner: bool = False) -> list[str]:
    """Why connections were refused, as this side was told."""
    refused = [event for event in side.told if isinstance(event, Refused)]
    return [event.reason for event in refused if event.by_partner is by_partner]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CA, and certificates of it for two nodes and a stranger."""
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *new, "-subj", "/CN=CA", "-keyout", "ca.key", "-out", "ca.pem")
    for name in ("ATLANTA", "BOSTON", "CHICAGO"):
        openssl(
            "req", *new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr"
        )
        openssl(
            *("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key"),
            *("-CAcreateserial", "-out", f"{name}.pem"),
        )
    return folder


def context(folder: Path, name: NodeName | str, *, server: bool) -> ssl.SSLContext:
    purpose = ssl.Purpose.CLIENT_AUTH if server else ssl.Purpose.SERVER_AUTH
    made = ssl.create_default_context(purpose, cafile=folder / "ca.pem")
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return made


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
