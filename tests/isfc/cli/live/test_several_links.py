"""``isfc up`` and ``isfc node`` where systems have several links: figures, journals and TLS."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from isfc.cli.live.processes import BEGIN
from isfc.cli.main import run
from tests.installed import need
from tests.live.cluster_member import LAYOUT, NAMES
from tests.live.forwarded import free_port
from tests.live.processes import Isfc, TwoNodes, isfc
from tests.waiting import PATIENCE_S, wait_for
from tools.benchmarks.tcp_services import make_certificates

TRAFFIC = "--workload HS --pairs 3 --seconds 0.3 --warmup 0.1".split()
ENDS = [(name, other) for name in NAMES for other in NAMES if other != name]


@pytest.mark.exhaustive
def test_each_link_is_measured_from_both_sides(tmp_path: Path) -> None:
    with isfc(tmp_path, "up", LAYOUT, *TRAFFIC, "--json") as up:
        assert up.exit_code() == 0, up.err
        record = up.record()
    assert [(each["node"], each["partner"]) for each in record["results"]] == ENDS
    assert [*record["lag_percent"]] == [f"{name}-{partner}" for name, partner in ENDS]
    assert all(each["mb_per_s"] > 0 for each in record["results"])


QUICK = "--workload HS --pairs 3 --seconds 0.05 --warmup 0 --json --log-format json".split()


def begin_late(pair: TwoNodes) -> None:
    """Tell the first to measure, once it has lost the second."""
    told = pair.nodes["CLIENT"]
    wait_for(lambda: '"partner-ended"' in told.err, "the end of the link")
    assert told.process.stdin is not None
    told.process.stdin.write(BEGIN)
    told.process.stdin.flush()


@pytest.mark.slow
@pytest.mark.parametrize("comes_back", [False, True])
def test_system_that_is_started_with_others_measures_when_it_is_told_to(
    tmp_path: Path, comes_back: bool
) -> None:
    """Else it may have gone when the last link comes up, which then carries nothing.

    A link that is down then is measured when it is back.
    """
    with ExitStack() as stack:
        pair = TwoNodes(stack, tmp_path, QUICK)
        more = [] if comes_back else ["--reconnect", "0.2"]
        told = pair.start("CLIENT", "--lifeline", *more, stdin=subprocess.PIPE)
        alone = pair.start("SERVER")
        assert alone.exit_code() == 0, alone.err
        assert told.process.poll() is None
        begin_late(pair)
        if comes_back:
            assert pair.start("SERVER").exit_code() == 0
            assert told.exit_code() == 0, told.err
            assert [each["node"] for each in told.record()["results"]] == ["CLIENT"]
        else:
            assert told.exit_code() != 0
            assert "the link to SERVER went down before it was measured" in told.err
            assert told.out == ""


@pytest.mark.exhaustive
@pytest.mark.slow
def test_models_pace_is_kept_and_sharing_is_said(tmp_path: Path) -> None:
    pace = "--pace modelled --dilation 100 --seconds 0.01 --warmup 0.005 --plain".split()
    with isfc(tmp_path, "up", LAYOUT, "--workload", "HS", "--pairs", "3", *pace) as up:
        assert up.exit_code() == 0, up.err
        assert "each end of a link goes as if it had its channels for itself" in up.err
    lines = [line.split() for line in up.out.splitlines()]
    said = "0.01 s of model time, each taking 100 s after 0.005 s of warm-up"
    assert said in " ".join(up.out.split())
    assert ["link", "MB/s", "out", "MB/s", "in", "msg/s", "coll/s", "lag", "%"] in lines
    shown = [line for line in lines if ">" in line]
    assert [(line[0], line[2]) for line in shown] == ENDS
    assert all(float(line[3]) > 0 for line in shown)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_journal_of_each_link_names_its_partner_and_is_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "journals"
    with isfc(tmp_path, "up", LAYOUT, *TRAFFIC, "--journal", str(folder)) as up:
        assert up.exit_code() == 0, up.err
    files = {f"{name}-{partner}.journal": (name, partner) for name, partner in ENDS}
    assert {path.name for path in folder.iterdir()} == {*files}
    for file, (name, partner) in files.items():
        assert run(["journal", "show", str(folder / file)]) == 0
        shown = capsys.readouterr().out.splitlines()
        assert shown[1] == f"node {name}, partner {partner}, 8 CTCs, both fail"
        assert any(" send " in line for line in shown)
        assert run(["journal", "replay", str(folder / file)]) == 0
        assert capsys.readouterr().out.startswith(f"Journal of {name} (partner {partner}): ")


@pytest.mark.slow
def test_nodes_with_two_partners_each_meet_over_mutual_tls(tmp_path: Path) -> None:
    need("openssl", "openssl")
    make_certificates(tmp_path, NAMES)
    a, b = (f"127.0.0.1:{free_port()}" for _ in range(2))
    meetings = {
        "ALPHA": ["--listen", a],
        "BETA": ["--listen", b, "--connect", f"alpha={a}"],
        "GAMMA": ["--connect", f"ALPHA={a}", "--connect", f"BETA={b}"],
    }

    def node(name: str) -> Isfc:
        words = ["--cert", str(tmp_path / f"{name}.pem"), "--key", str(tmp_path / f"{name}.key")]
        words += ["--ca", str(tmp_path / "ca.pem"), *meetings[name], *TRAFFIC, "--verify", "--json"]
        return Isfc(tmp_path, "node", name, LAYOUT, *words)

    nodes = [node(name) for name in NAMES]
    try:
        for each in nodes:
            assert each.exit_code() == 0, each.err
        results = [result for each in nodes for result in each.record()["results"]]
    finally:
        for each in nodes:
            each.process.kill()
            each.process.wait(PATIENCE_S)
    assert [(each["node"], each["partner"]) for each in results] == ENDS
    assert all(each["mb_per_s"] > 0 for each in results)
    for name, each in zip(NAMES, nodes, strict=True):
        assert f"--verify: {name}: " in each.err
        assert "refused" not in each.err
