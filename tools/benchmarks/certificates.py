"""Certificates for live nodes, made by ``openssl``: a CA, and one for each name."""

import subprocess
from collections.abc import Iterable
from pathlib import Path


def openssl(folder: Path, *arguments: str) -> None:
    """Run ``openssl`` in a folder. Raises `CalledProcessError` if it fails."""
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder: Path, names: Iterable[str]) -> None:
    """``ca.pem``, and ``NAME.pem`` and ``NAME.key`` for each name."""
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(folder, "req", "-x509", *new, "-subj", "/CN=CA", "-keyout", "ca.key", "-out", "ca.pem")
    for name in names:
        request = ("-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl(folder, "req", *new, "-subj", f"/CN={name}", *request)
        sign(folder, f"{name}.csr", f"{name}.pem")


def sign(folder: Path, request: str, certificate: str, *more: str) -> None:
    """Make a certificate of a request, by the CA in ``folder``; ``more`` are options."""
    ca = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    openssl(folder, "x509", "-req", "-in", request, *ca, *more, "-out", certificate)
