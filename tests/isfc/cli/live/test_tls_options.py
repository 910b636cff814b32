"""The files of mutual TLS, before anybody connects."""

import subprocess
from pathlib import Path

import pytest

from isfc.cli.live.node import mutual_tls
from isfc.errors import ConfigurationError
from tests.installed import need


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("openssl", "openssl")
    made = tmp_path_factory.mktemp("certificates")
    for key, more in (("key.pem", ["-nodes"]), ("locked.pem", ["-passout", "pass:secret"])):
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
                *("ec_paramgen_curve:P-256", *more, "-subj", "/CN=ATLANTA"),
                *("-keyout", key, "-out", f"{key}.cert"),
            ],
            cwd=made,
            check=True,
            capture_output=True,
            timeout=60,
        )
    (made / "junk.pem").write_text("junk")
    return made


def nobody(complaint: str) -> None:
    raise AssertionError(complaint)


def test_without_files_there_is_no_tls() -> None:
    assert mutual_tls(None, None, None, server=True, report=nobody) is None


@pytest.mark.parametrize("server", [True, False])
def test_both_ends_demand_a_certificate(folder: Path, *, server: bool) -> None:
    cert = folder / "key.pem.cert"
    files = mutual_tls(cert, folder / "key.pem", cert, server=server, report=nobody)
    assert files is not None
    context = files()
    assert context.verify_mode.name == "CERT_REQUIRED"
    assert context.minimum_version.name == "TLSv1_3"


def test_one_file_alone_is_not_enough(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="--key and --ca missing"):
        mutual_tls(folder / "key.pem.cert", None, None, server=True, report=nobody)


@pytest.mark.parametrize(
    ("cert", "key", "ca", "said"),
    [
        ("none.pem", "key.pem", "key.pem.cert", "--cert .*none.pem.*: No such file"),
        ("key.pem.cert", "key.pem", "none.pem", "--ca .*none.pem: No such file"),
        ("junk.pem", "key.pem", "key.pem.cert", "--cert .*junk.pem.*PEM"),
        ("key.pem.cert", "locked.pem", "key.pem.cert", "the key has a password"),
        ("locked.pem.cert", "key.pem", "key.pem.cert", "key values mismatch; expected PEM"),
    ],
)
def test_a_file_that_will_not_do_is_named(
    folder: Path, cert: str, key: str, ca: str, said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        mutual_tls(folder / cert, folder / key, folder / ca, server=True, report=nobody)
