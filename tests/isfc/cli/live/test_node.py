"""``isfc node``: two processes make one link."""

import signal
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from isfc.cli.live.loops import LOOP_VARIABLE, LOOPS
from isfc.cli.live.node import PartnerOptions
from isfc.cli.main import run
from isfc.errors import ConfigurationError
from scenarios.runs.result import Result
from tests.installed import need
from tests.isfc.cli.conftest import Refusal
from tests.live.processes import isfc
from tests.waiting import wait_for

TRAFFIC = "--workload HS --pairs 10 --seconds 0.3 --warmup 0.1".split()


@pytest.mark.slow
@pytest.mark.parametrize("loop", LOOPS)
def test_two_nodes_measure_the_same_link_from_both_sides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setenv(LOOP_VARIABLE, loop)
    link = f"unix:{tmp_path / 'link'}"
    with (
        isfc(tmp_path, "node", "CLIENT", "published-4", "--listen", link, *TRAFFIC, "--json") as a,
        isfc(tmp_path, "node", "SERVER", "published-4", "--connect", link, *TRAFFIC, "--json") as b,
    ):
        assert (a.exit_code(), b.exit_code()) == (0, 0), a.err + b.err
        records = [a.record(), b.record()]
    assert not (tmp_path / "link").exists()
    (here,), (there,) = (record["results"] for record in records)
    assert (here["node"], there["node"]) == ("CLIENT", "SERVER")
    assert {part.name for part in fields(Result)} <= set(here)
    for result in (here, there):
        assert result["messages_per_s"] > 0
        assert result["cpu_percent_per_msg"] > 0
    assert here["messages_per_s_out"] == pytest.approx(there["messages_per_s_in"], rel=0.5)


@pytest.mark.slow
def test_nodes_with_different_workloads_refuse_each_other(tmp_path: Path) -> None:
    link = f"unix:{tmp_path / 'link'}"
    more = "--workload HL --pairs 3".split()
    with (
        isfc(tmp_path, "node", "CLIENT", "published-4", "--listen", link, *more) as a,
        isfc(tmp_path, "node", "SERVER", "published-4", "--connect", link) as b,
    ):
        wait_for(lambda: "have different workloads" in a.err, "a refusal")
        wait_for(lambda: "have different workloads" in b.err, "a refusal")
        assert "link-up" not in a.err + b.err
        assert (a.end(), b.end()) == (0, 0)


@pytest.mark.slow
def test_verified_traffic_is_said_to_be_intact(tmp_path: Path) -> None:
    link = f"unix:{tmp_path / 'link'}"
    options = [*TRAFFIC, "--verify"]
    with (
        isfc(tmp_path, "node", "CLIENT", "published-4", "--listen", link, *options) as a,
        isfc(tmp_path, "node", "SERVER", "published-4", "--connect", link, *options) as b,
    ):
        assert (a.exit_code(), b.exit_code()) == (0, 0), a.err + b.err
        assert "messages, all as they were sent" in a.err
        assert "seen from CLIENT" in a.out
        assert "s of real time" in a.out


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_node_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    socket = tmp_path / "link"
    with isfc(tmp_path, "node", "CLIENT", "published-4", "--listen", f"unix:{socket}") as node:
        wait_for(socket.exists, "the socket")
        node.signal(number)
        assert node.exit_code() == 0
        assert not socket.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_node_that_was_to_measure_and_was_stopped_ends_with_the_signals_code(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    socket = tmp_path / "link"
    words = ("node", "CLIENT", "published-4", "--listen", f"unix:{socket}", *TRAFFIC)
    with isfc(tmp_path, *words) as node:
        wait_for(socket.exists, "the socket")
        node.signal(number)
        assert node.exit_code() == code


@pytest.mark.slow
def test_a_node_ends_with_the_process_that_holds_its_lifeline(tmp_path: Path) -> None:
    socket = tmp_path / "link"
    words = ("node", "CLIENT", "published-4", "--listen", f"unix:{socket}", "--lifeline")
    with isfc(tmp_path, *words, stdin=subprocess.PIPE) as node:
        wait_for(socket.exists, "the socket")
        assert node.process.stdin is not None
        node.process.stdin.close()
        assert node.exit_code() == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected either --listen ADDR or --connect ADDR"),
        (["--listen", "unix:/a", "--connect", "unix:/a"], "expected either --listen"),
        (["--listen", "nowhere"], "'nowhere' is no address"),
        (["--listen", "0.0.0.0:7000"], "0.0.0.0:7000 can be reached from other machines"),
        (["--listen", "unix:/a", "--dilation", "5"], "expected --pace modelled"),
        (["--listen", "unix:/a", "--strict"], "expected --pace modelled"),
        (["--listen", "unix:/a", "--workload", "HS"], "--workload and --pairs together"),
        (["--listen", "unix:/a", "--seconds", "5"], "expected a --workload"),
        (["--listen", "unix:/a", "--cert", "c.pem"], "--key and --ca missing"),
        (["--listen", "unix:/a", "--from", "SERVER"], "--from: expected a --workload"),
        (["--listen", "unix:/a", "--json"], "--json: expected --seconds"),
        (["--connect", "unix:/a", "--workload", "XX", "--pairs", "1"], "'XX' is unknown"),
    ],
)
def test_bad_options_are_named(words: list[str], said: str, refusal: Refusal) -> None:
    assert said in refusal("node", "CLIENT", "published-4", *words)


def test_a_node_of_another_layout_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["node", "BOSTON", "published-4", "--listen", "unix:/a"]) == 2
    assert "expected CLIENT or SERVER" in capsys.readouterr().err


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


def test_without_files_there_is_no_tls() -> None:
    assert PartnerOptions().tls(server=True) is None


@pytest.mark.parametrize("server", [True, False])
def test_both_ends_demand_a_certificate(folder: Path, *, server: bool) -> None:
    cert = folder / "key.pem.cert"
    files = PartnerOptions(cert=cert, key=folder / "key.pem", ca=cert).tls(server=server)
    assert files is not None
    context = files()
    assert context.verify_mode.name == "CERT_REQUIRED"
    assert context.minimum_version.name == "TLSv1_3"


def test_one_file_alone_is_not_enough(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="--key and --ca missing"):
        PartnerOptions(cert=folder / "key.pem.cert").tls(server=True)


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
        PartnerOptions(cert=folder / cert, key=folder / key, ca=folder / ca).tls(server=True)
