"""Certificates for live nodes, made by ``openssl``: a CA, and one for each name."""

import shutil
import ssl
import subprocess
from collections.abc import Iterable
from pathlib import Path


def openssl(folder: Path, *arguments: str) -> None:
    """Run ``openssl`` in a folder."""
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder: Path, names: Iterable[str]) -> None:
    """``ca.pem``, and ``NAME.pem`` and ``NAME.key`` for each name."""
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(folder, "req", "-x509", *new, "-subj", "/CN=CA", "-keyout", "ca.key", "-out", "ca.pem")
    for name in names:
        request = ("-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl(folder, "req", *new, "-subj", f"/CN={name}", *request)
        _sign(folder, f"{name}.csr", f"{name}.pem")


def make_expired(folder: Path, name: str) -> None:
    """``EXPIRED.pem`` and ``EXPIRED.key``: one for ``name`` until yesterday."""
    _sign(folder, f"{name}.csr", "EXPIRED.pem", "-days", "-1")
    shutil.copy(folder / f"{name}.key", folder / "EXPIRED.key")


def _sign(folder: Path, request: str, certificate: str, *more: str) -> None:
    ca = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    openssl(folder, "x509", "-req", "-in", request, *ca, *more, "-out", certificate)


def context(folder: Path, name: str, *, server: bool) -> ssl.SSLContext:
    """The context that a node makes; Python's default is stricter from 3.13 on."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_verify_locations(folder / "ca.pem")
    made.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return made
