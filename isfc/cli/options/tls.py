"""Mutual TLS from ``--cert``, ``--key`` and ``--ca``: both ends show a certificate."""

import ssl
from collections.abc import Callable
from pathlib import Path

from isfc.errors import ConfigurationError


def mutual_tls(
    cert: Path | None, key: Path | None, ca: Path | None, *, server: bool
) -> ssl.SSLContext | None:
    """A context for one end; None if none of the three files is given.

    Whose certificate the partner shows is checked once it is there: it must bear the partner's
    node name. Raises `ConfigurationError` for files that are missing or not what they should be.
    """
    given = {"--cert": cert, "--key": key, "--ca": ca}
    missing = [option for option, path in given.items() if path is None]
    if len(missing) == len(given):
        return None
    if cert is None or key is None or ca is None:
        raise ConfigurationError(f"{' and '.join(missing)} missing: TLS needs all three files")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # a system's name is not that of its host
    context.verify_mode = ssl.CERT_REQUIRED
    _load(f"--ca {ca}", lambda: context.load_verify_locations(ca))
    _load(f"--cert {cert}, --key {key}", lambda: context.load_cert_chain(cert, key, _no_password))
    return context


def _load(files: str, load: Callable[[], None]) -> None:
    try:
        load()
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        reason = str(error)
        if isinstance(error, ssl.SSLError):
            what = (error.reason or reason).lower().replace("_", " ")
            reason = f"{what}; expected PEM: a certificate, its own key, and the CA's certificate"
        elif isinstance(error, OSError):
            reason = error.strerror or reason
        raise ConfigurationError(f"{files}: {reason}") from None


def _no_password() -> str:
    """A key with a password would stop a node at its start, with nobody to ask."""
    raise ValueError("the key has a password; expected one without")
