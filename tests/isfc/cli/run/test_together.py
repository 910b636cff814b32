"""``isfc run`` of several links together: options, what is printed, what is refused.

What else is refused in a file of several links is in `tests.isfc.layout`.
"""

import csv
import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from tests.layouts import mesh

TRAFFIC = '[[traffic]]\nfrom = "S2"\nto = "S1"\nworkload = "HL"\npairs = 2\n'
SHORT = ["--seconds", "0.05", "--warmup", "0.02"]


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "mesh.toml"
    file.write_text(mesh(3, shared=True) + TRAFFIC)
    return str(file)


def text(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["run", *arguments, *SHORT]) == code
    return capsys.readouterr().out


def test_the_traffic_of_the_file_is_run(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = text(capsys, path)
    assert page.startswith("1 logical link of S1, S2, S3, together\n")
    assert "S1-S2" in page
    assert "<- HL:2" in page
    assert "chpid 40 at S1" in page
    assert "nothing is published of fibres that share channels" in " ".join(page.split())


def test_options_say_what_runs_in_place_of_the_file(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--traffic", "s1-s2:HL:3", "--traffic", "S3-S2:CDU:1000:2", "--json"]
    record = json.loads(text(capsys, path, *options))
    assert [link["traffic"] for link in record["links"]] == ["S1-S2:HL:3", "S3-S2:CDU:1000:2"]
    assert [system["name"] for system in record["systems"]] == ["S1", "S2", "S3"]
    assert [channel["name"] for channel in record["channels"]] == [
        f"chpid 40 at S{n}" for n in (1, 2, 3)
    ]
    first = record["channels"][0]
    assert sum(link["mb_per_s_out"] for link in first["links"]) == first["mb_per_s_out"]
    assert record["together"]["mb_per_s"] > 0
    assert record["extrapolated"] == ["fibres that share channels"]


NARROW = """
[path.far]
km = 10
isl = { gbps = 1, credits = 90 }
"""


def far_mesh() -> str:
    """Three links through the same inter-switch links, which are narrower than any channel."""
    return mesh(3, shared=True).replace('feature = "', 'path = "far"\nfeature = "') + NARROW


def test_inter_switch_links_that_hold_all_back_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # every channel was half idle, and nothing said what the links waited for
    file = tmp_path / "far.toml"
    file.write_text(far_mesh())
    options = ["--traffic", "S1-S2:HL:20", "--traffic", "S2-S3:HL:20"]
    assert run(["run", str(file), *options, "--seconds", "0.2", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (path,) = record["paths"]
    assert path["name"] == "path far out of the first node"
    assert path["busy_percent"] > 97
    assert all(channel["busy_percent"] < 60 for channel in record["channels"])
    moved = {link["name"]: link["mb_per_s_out"] for link in record["links"]}
    shares = {link["name"]: link["mb_per_s_out"] for link in path["links"]}
    for name, rate in moved.items():
        assert shares[name] == pytest.approx(rate, rel=0.05)
    assert run(["run", str(file), *options, "--seconds", "0.05"]) == 0
    assert "path far out of the first node" in capsys.readouterr().out


SPANNED = """
[[link]]
nodes = ["S1", "S3"]
[[link]]
nodes = ["S2", "S3"]
[cec.A]
systems = ["S1", "S2"]
[[shared_channel]]
chpid = { S1 = "40", S2 = "40" }
[fibre.1]
path = "far"
feature = "FICON Express4"
chpid = { S1 = "40", S3 = "50" }
[fibre.2]
path = "far"
feature = "FICON Express4"
chpid = { S2 = "40", S3 = "50" }
[[ctc]]
fibre = "1"
rdevs = { S1 = "6000-6003", S3 = "7000-7003" }
[[ctc]]
fibre = "2"
rdevs = { S2 = "6100-6103", S3 = "7100-7103" }
"""


def test_what_a_link_shares_counts_channels_and_names_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # it said that 3 of its channels carried the other link, and it has two
    file = tmp_path / "far.toml"
    file.write_text(SPANNED + NARROW)
    page = text(capsys, str(file), "--link", "S1-S3", "--workload", "HL", "--pairs", "2")
    assert "2 of its channels and path far carry S2-S3 too." in " ".join(page.split())


def test_rows_are_printed_as_csv(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(text(capsys, path, "--csv").splitlines()))
    assert [row["kind"] for row in rows].count("share") == 6
    assert rows[-1]["name"] == "all links"


@pytest.mark.at_length
@pytest.mark.slow
def test_seeds_show_the_spread(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = text(capsys, path, "--seeds", "2")
    assert "the mean of 2, which differ by " in page
    assert "spread" in page


def test_reports_are_of_every_link(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--traffic", "S1-S2:HL:3", "--traffic", "S3-S2:HL:2", "--report", "link", "--csv"]
    rows = list(csv.DictReader(text(capsys, path, *both).splitlines()))
    assert [(row["run"], row["link"]) for row in rows] == [("HL/4/3", "S2"), ("HL/4/2", "S2")]


def test_one_link_is_run_alone_and_what_it_shares_is_said(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", path, "--link", "S2-S1", *SHORT]) == 0
    captured = capsys.readouterr()
    assert "<- HL:2" in captured.out
    assert "S1-S2 as if it were alone: chpid 40 at S1 carries S1-S3 too" in " ".join(
        captured.out.split()
    )


def test_cp_commands_reach_any_system(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script"
    script.write_text("at 10ms S3: QUERY ISLINK\nat 11ms DEACTIVE ISLINK 9999\n")
    page = text(capsys, path, "--cp", str(script), code=1)
    assert "Node S1" in page
    assert "Node S2" in page


FAULTS = """
[[fault]]
at = "30ms"
kind = "{kind}"
node = "S2"
for = "10ms"
"""


@pytest.mark.at_length
@pytest.mark.slow
def test_faults_tell_what_they_do_to_each_link(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = tmp_path / "faults.toml"
    faults.write_text(FAULTS.format(kind="partition"))
    both = ["--traffic", "S1-S2:HL:3", "--traffic", "S3-S1:HL:3", "--faults", str(faults)]
    page = text(capsys, path, *both)
    assert "30.00 S2     * partition for 10 ms" in page
    assert "30.00 S1     the link to S2 went down" in page
    assert "30.00 S2     the link to S3 went down" in page
    record = json.loads(text(capsys, path, *both, "--json"))
    assert record["traffic"] == ["S1-S2:HL:3", "S3-S1:HL:3"]
    cut, other = record["faults"]
    assert (cut["link"], cut["during_mb_per_s"]) == ("S1-S2", 0)
    assert (other["link"], cut["recovered_ms"] is not None) == ("S1-S3", True)
    assert other["during_mb_per_s"] > other["before_mb_per_s"]  # it has the chpid alone
    drawn = ["--traffic", "S1-S2:HL:3", "--fault-seed", "3"]
    assert text(capsys, path, *drawn) == text(capsys, path, *drawn)


@pytest.mark.at_length
@pytest.mark.slow
def test_trace_names_both_ends_of_every_link(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["--traffic", "S1-S2:HL:3", "--traffic", "S3-S2:HL:3"]
    file = tmp_path / "trace.json"
    with_trace = text(capsys, path, *both, "--trace", str(file))
    assert with_trace == text(capsys, path, *both)  # to look changes nothing
    events = json.loads(file.read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if _names_a_process(event)}
    assert set(names.values()) == {
        f"S{here} to S{there}" for here in (1, 2, 3) for there in (1, 2, 3) if here != there
    }
    writes = {names[e["pid"]] for e in events if e["ph"] == "B" and e["name"] == "WRITE"}
    assert writes == {"S1 to S2", "S2 to S1", "S2 to S3", "S3 to S2"}


def _names_a_process(event: dict[str, object]) -> bool:
    return event["name"] == "process_name"


@pytest.mark.at_length
@pytest.mark.slow
def test_two_runs_of_several_links_are_compared(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / name) for name in ("a.json", "b.json", "one.json")]
    loads = (["--traffic", "S1-S2:HL:3"], ["--traffic", "S1-S2:HL:3", "--traffic", "S3-S2:HL:3"])
    for name, load in zip(names, loads, strict=False):
        Path(name).write_text(text(capsys, path, *load, "--json"))
    assert run(["compare", *names[:2]]) == 0
    page = capsys.readouterr().out
    assert "S1-S2" in page
    assert "S2-S3" in page
    assert "chpid 40 at S2" in page
    one = ["--link", "S1-S2", "--workload", "HL", "--pairs", "3", "--json"]
    Path(names[2]).write_text(text(capsys, path, *one))
    assert run(["compare", names[0], names[2]]) == 2
    assert "one is of one link, the other of several together" in capsys.readouterr().err
