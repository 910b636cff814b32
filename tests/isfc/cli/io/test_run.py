"""``isfc io run``: JSON, reports, CSV, and what is refused."""

import csv
import json
from pathlib import Path

import pytest

from isfc.cli.main import run

pytestmark = pytest.mark.at_length


CONFIG = """
[channel.42]
feature = "FICON Express16SA"
[channel.E0]
feature = "zHyperLink Express"
[channel.N0]
feature = "OSA-Express7S 25 GbE"
[system.ATLANTA]
saps = 4
[[io]]
name = "oltp"
channels = ["42"]
rate = 20000
[[io]]
name = "old"
channels = ["42"]
protocol = "ficon"
outstanding = 2
[[io]]
name = "index"
protocol = "synchronous"
channels = ["E0"]
rate = 50000
[[io]]
name = "backup"
workload = "streams-out"
channels = ["N0"]
rate = 50
"""
QUICK = ("--seconds", "0.05")


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "io.toml"
    path.write_text(CONFIG)
    return str(path)


def test_json_has_channels_workloads_and_the_rest(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["io", "run", config, *QUICK, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    channel = record["channels"]["42"]
    assert channel["processor_percent"] > channel["bus_percent"] > 0
    assert channel["zhpf"]["rate"] == pytest.approx(20_000, rel=0.1)
    assert channel["ficon"]["active"] == pytest.approx(2, rel=0.05)
    assert record["workloads"]["oltp"]["response_us"]["p99"] > 76
    assert record["synchronous"]["index"]["success_percent"] > 90
    assert record["saps"]["ATLANTA"]["starts_per_s"] > 20_000
    osa = record["osa"]["N0"]  # 50 times 20 MB, all of it out
    assert osa["mb_per_s_out"] == pytest.approx(1_000)
    assert osa["mb_per_s_in"] == 0
    assert osa["packets_per_s"] == pytest.approx(1_000 * 2**20 / (8_992 - 52))


@pytest.mark.parametrize(
    ("report", "title"),
    [
        ("channel", "CHANNEL PATH ACTIVITY"),
        ("device", "DIRECT ACCESS DEVICE ACTIVITY"),
        ("iop", "I/O QUEUING ACTIVITY"),
        ("sync", "SYNCHRONOUS I/O DEVICE ACTIVITY"),
    ],
)
def test_reports_are_shown_in_80_columns_and_as_csv(
    config: str, report: str, title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["io", "run", config, *QUICK, "--report", report]) == 0
    page = capsys.readouterr().out.splitlines()
    assert page[0].startswith(title)
    assert max(map(len, page)) <= 80
    assert run(["io", "run", config, *QUICK, "--report", report, "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == page.index("", 2) - 3


def test_summary_has_every_view(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "run", config, *QUICK]) == 0
    page = capsys.readouterr().out
    assert all(title in page for title in ("CHANNEL PATH", "DIRECT ACCESS", "QUEUING", "SYNCHRON"))
    assert "N0 OSA-Express7S 25 GbE 8992         1,000.0     0.0" in page
    assert max(map(len, page.splitlines())) <= 80
    assert "…" not in page


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--pairs", "5"], "--pairs: expected --ctcs too, which says what CTCs carry"),
        (["--link", "A-B"], "--link: expected --ctcs too, which says what CTCs carry"),
        (["--json", "--report", "iop"], "--json and --report: expected one of them"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    config: str, options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["io", "run", config, *options]) == 2
    assert complaint in capsys.readouterr().err


def test_a_view_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "io.toml"
    path.write_text(CONFIG[: CONFIG.index("[channel.E0]")] + CONFIG[CONFIG.index("[[io]]") :][:52])
    assert run(["io", "run", str(path), "--report", "iop"]) == 2
    assert "--report iop: the configuration has nothing of it" in capsys.readouterr().err


LAYOUT = """
[fibre.1]
feature = "FICON Express8S"
chpid = { ATLANTA = "40", BOSTON = "50" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }
[[io]]
name = "disks"
channels = ["40"]
protocol = "ficon"
rate = 12000
"""


def test_ctcs_and_disks_are_shown_alone_and_beside_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "link.toml"
    path.write_text(LAYOUT)
    arguments = ["io", "run", str(path), "--ctcs", "HL", "--seconds", "0.2"]
    assert run([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["link"]["mb_per_s_beside"] < 0.8 * record["link"]["mb_per_s_alone"]
    disks = record["channels"]["40"]["workloads"]["disks"]
    assert disks["io_per_s_beside"] == disks["io_per_s_alone"] == 12_000
    assert disks["response_us_beside"] > 2 * disks["response_us_alone"]
    assert run(arguments) == 0
    page = capsys.readouterr().out
    assert "ATLANTA chpid 40, disks, response us" in page
    assert max(map(len, page.splitlines())) <= 80
    assert run([*arguments, "--report", "channel"]) == 2
    assert "--ctcs: expected no --report" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["plan", "run"])
def test_figures_of_disks_alone_say_which_ctcs_they_lack(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # a response of 139 us was shown of disks that have 420 us beside the CTCs of their chpid
    arguments = [
        "io",
        command,
        "docs/io/shared.toml",
        *(["--seconds", "0.05"] * (command == "run")),
    ]
    assert run(arguments) == 0
    said = "chpid 40 at ATLANTA carries CTCs of ATLANTA-BOSTON too."
    assert said in " ".join(capsys.readouterr().out.split())
    assert run([*arguments, "--json"]) == 0
    alone, unranged = json.loads(capsys.readouterr().out)["notes"]
    assert (alone["kind"], unranged["kind"]) == ("alone", "no-range")
    assert said in alone["text"]
