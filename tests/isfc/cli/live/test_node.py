"""``isfc node``: two processes make one link."""

import asyncio
import signal
import subprocess
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path

import pytest
from msgspec.structs import replace

from isfc.cli.live.loops import LOOP_VARIABLE, LOOPS
from isfc.cli.live.measured import Measured
from isfc.cli.live.node import DroppingProgram, LiveNode, PartnerOptions
from isfc.cli.live.options import LiveOptions, Pace
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.events import LinkUp
from isfc.live.endpoint import UnixEndpoint
from isfc.live.session import Opening
from isfc.programs.verification import VerificationError, Verifying
from scenarios.runs.result import Result
from tests.installed import need
from tests.live.processes import TwoNodes, two_nodes
from tests.waiting import wait_for

TRAFFIC = "--workload HS --pairs 10 --seconds 0.3 --warmup 0.1".split()


@pytest.mark.slow
@pytest.mark.parametrize("loop", LOOPS)
def test_two_nodes_measure_the_same_link_from_both_sides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setenv(LOOP_VARIABLE, loop)
    with two_nodes(tmp_path, *TRAFFIC, "--json") as pair:
        assert [node.exit_code() for node in pair.both] == [0, 0], [node.err for node in pair.both]
        records = [node.record() for node in pair.both]
    assert not pair.socket.exists()
    (here,), (there,) = (record["results"] for record in records)
    assert (here["node"], there["node"]) == ("CLIENT", "SERVER")
    assert {part.name for part in fields(Result)} <= set(here)
    for result in (here, there):
        assert result["messages_per_s"] > 0
        assert result["cpu_percent_per_msg"] > 0
    assert here["messages_per_s_out"] == pytest.approx(there["messages_per_s_in"], rel=0.5)


@pytest.mark.slow
def test_nodes_with_different_workloads_refuse_each_other(tmp_path: Path) -> None:
    with ExitStack() as stack:
        pair = TwoNodes(stack, tmp_path, ())
        pair.start("CLIENT", *"--workload HL --pairs 3".split())
        pair.start("SERVER")
        refused = "have different workloads"
        wait_for(lambda: all(refused in node.err for node in pair.both), "two refusals")
        assert not any("link-up" in node.err for node in pair.both)
        pair.end()


@pytest.mark.slow
def test_verified_traffic_is_said_to_be_intact(tmp_path: Path) -> None:
    with two_nodes(tmp_path, *TRAFFIC, "--verify") as pair:
        assert [node.exit_code() for node in pair.both] == [0, 0], [node.err for node in pair.both]
        first, _ = pair.both
    assert "messages, all as they were sent" in first.err
    assert "seen from CLIENT" in first.out
    assert "s of real time" in first.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "more", "code"),
    [
        (signal.SIGINT, [], 0),
        (signal.SIGTERM, [], 0),
        (signal.SIGHUP, [], 0),
        (signal.SIGINT, TRAFFIC, 130),
        (signal.SIGTERM, TRAFFIC, 143),
        (signal.SIGHUP, TRAFFIC, 129),
        ("its lifeline ends", ["--lifeline"], 0),
    ],
)
def test_a_node_ends_in_good_order_or_with_the_code_of_what_kept_it_from_measuring(
    tmp_path: Path, how: signal.Signals | str, more: list[str], code: int
) -> None:
    with ExitStack() as stack:
        pair = TwoNodes(stack, tmp_path, more)
        node = pair.start("CLIENT", stdin=subprocess.PIPE)
        wait_for(pair.socket.exists, "the socket")
        if isinstance(how, signal.Signals):
            node.signal(how)
        else:
            assert node.process.stdin is not None
            node.process.stdin.close()
        assert node.exit_code() == code
    assert not pair.socket.exists()


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


PACED = LiveOptions(Pace.MODELLED, 1, True, "HL", 20, seconds=0.3, warmup=0.05)


def nodes(folder: Path, options: LiveOptions) -> list[LiveNode]:
    layout = load_layout("published-4")
    endpoint = UnixEndpoint(str(folder / "link"))
    opening = Opening(dilation=options.factor, verify=options.verify)
    first, second = layout.nodes
    ways = {first: replace(opening, listen=endpoint)}
    ways[second] = replace(opening, connect={first: endpoint})
    return [LiveNode((layout,), name, options, way, run_dir=folder) for name, way in ways.items()]


async def test_a_machine_too_slow_for_the_models_pace_fails_where_it_is_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[Measured] = []
    codes = await asyncio.gather(
        *(node.serve(asyncio.Event(), measured) for node in nodes(tmp_path, PACED))
    )
    assert codes == [1, 1]  # dilation 1: no Python keeps up with microseconds
    assert all(each.lag_percent > 1 for each in measured)
    said = capsys.readouterr().err
    assert said.count("isfc: --strict: ") == said.count("; expected a larger --dilation, or ") == 2


async def test_what_does_not_verify_is_raised_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Verifying) -> None:
        raise VerificationError(f"changed after {self.verified_count}")

    monkeypatch.setattr(Verifying, "expect_intact", fail)

    (node, _) = nodes(tmp_path, LiveOptions(workload="HS", pairs=1, verify=True))
    stop = asyncio.Event()
    stop.set()
    with pytest.raises(VerificationError, match="changed after 0"):
        await node.serve(stop, [])


def test_a_node_without_a_workload_drops_what_arrives() -> None:
    assert list(DroppingProgram().start(0)) == list(DroppingProgram().receive(LinkUp(), 0)) == []
