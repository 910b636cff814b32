"""What tests need of certificates beyond those that `tools.benchmarks.tcp_services` makes."""

import shutil
import ssl
from pathlib import Path

from tools.benchmarks.tcp_services import sign


def make_expired(folder: Path, name: str) -> None:
    """``EXPIRED.pem`` and ``EXPIRED.key``: one for ``name`` until yesterday."""
    sign(folder, f"{name}.csr", "EXPIRED.pem", "-days", "-1")
    shutil.copy(folder / f"{name}.key", folder / "EXPIRED.key")


def context(folder: Path, name: str, *, server: bool) -> ssl.SSLContext:
    """The context that a node makes; Python's default is stricter from 3.13 on."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_verify_locations(folder / "ca.pem")
    made.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return made
