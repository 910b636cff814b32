"""What tests need of certificates beyond those that `tools.benchmarks.tcp_services` makes."""

import shutil
import ssl
from pathlib import Path

from tools.benchmarks.tcp_services import make_certificates, sign


def make_unfit(folder: Path, name: str) -> None:
    """Certificates for ``name``: ``EXPIRED`` until yesterday, ``FORGED`` of another CA, ``other``.

    The CA is in ``folder``, as are the request and the key of ``name``.
    """
    sign(folder, f"{name}.csr", "EXPIRED.pem", "-days", "-1")
    shutil.copy(folder / f"{name}.key", folder / "EXPIRED.key")
    other = folder / "other"
    other.mkdir()
    make_certificates(other, [name])
    shutil.copy(other / "ca.pem", folder / "other.pem")
    for kind in ("pem", "key"):
        shutil.copy(other / f"{name}.{kind}", folder / f"FORGED.{kind}")


def context(folder: Path, name: str, *, server: bool, ca: str = "ca") -> ssl.SSLContext:
    """The context that a node makes; Python's default is stricter from 3.13 on."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_verify_locations(folder / f"{ca}.pem")
    made.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return made
