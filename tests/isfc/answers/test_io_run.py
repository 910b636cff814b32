"""``isfc io run``: JSON, reports, CSV, and what is refused."""

import csv
import json
import re
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
    (channel,) = record["channels"]
    assert channel["processor_percent"] > channel["bus_percent"] > 0
    assert channel["zhpf_per_s"] == pytest.approx(20_000, rel=0.1)
    assert channel["ficon_active"] == pytest.approx(2, rel=0.05)
    oltp = record["workloads"][0]
    assert oltp["response_p99_us"] > 76
    assert oltp["response_us"] == pytest.approx(oltp["pend_us"] + oltp["disc_us"] + oltp["conn_us"])
    assert record["synchronous"][0]["success_percent"] > 90
    assert record["saps"][0]["io_per_s"] > 20_000
    osa = record["osas"][0]  # 50 times 20 MB, all of it out
    assert osa["mb_per_s_out"] == pytest.approx(1_000)
    assert osa["mb_per_s_in"] == 0
    assert osa["packets_per_s"] == pytest.approx(1_000 * 2**20 / (8_992 - 52))


@pytest.mark.parametrize(
    ("table", "title", "rows"),
    [
        ("channel", "CHANNEL PATH ACTIVITY", 1),
        ("device", "DIRECT ACCESS DEVICE ACTIVITY", 2),
        ("iop", "SAPS, AS IN I/O QUEUING ACTIVITY", 1),
        ("sync", "SYNCHRONOUS I/O DEVICE ACTIVITY", 1),
        ("osas", "OSA-EXPRESS", 1),
    ],
)
def test_views_of_rmf_are_on_the_page_and_are_csv(
    config: str, table: str, title: str, rows: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["io", "run", config, *QUICK, "--notes"]) == 0
    page = capsys.readouterr().out
    assert title in page
    assert max(map(len, page.splitlines())) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in page
    assert run(["io", "run", config, *QUICK, "--csv", "--table", table]) == 0
    assert len([*csv.DictReader(capsys.readouterr().out.splitlines())]) == rows


def test_the_page_says_what_limits(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "run", config, *QUICK]) == 0
    page = " ".join(capsys.readouterr().out.partition("RESPONSE TIMES")[0].split())
    assert re.search(r"Carried \d+ I/Os/s, \d+ MB/s read and 0 written", page)
    assert re.search(r"Response [\d.]+ us on average, 99 of 100 within [\d.]+ us, of old", page)
    assert "Limited by " in page


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
