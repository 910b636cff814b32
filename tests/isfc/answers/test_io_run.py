"""``isfc io plan`` and ``isfc io run``: estimates and advice, runs and RMF's views."""

import csv
import re
from pathlib import Path

import pytest

from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, is_narrow, on_one_line

CHANNELS = """
[channel.42]
feature = "FICON Express16SA"
link_gbps = 8
[channel.Z1]
feature = "zHyperLink Express"
[channel.O1]
feature = "OSA-Express7S 25 GbE"
[system.ATLANTA]
saps = 4
[[io]]
name = "oltp"
channels = ["42"]
rate = 20000
"""
PLAN = f"""{CHANNELS}read_percent = 75
[[io]]
name = "lookup"
channels = ["Z1", "42"]
protocol = "synchronous"
rate = 50000
[[io]]
name = "spin"
channels = ["Z1", "42"]
protocol = "synchronous"
[[io]]
name = "copy"
workload = "streams-out"
channels = ["O1"]
"""
RUN = f"""{CHANNELS}
[[io]]
name = "old"
channels = ["42"]
protocol = "ficon"
outstanding = 2
[[io]]
name = "index"
protocol = "synchronous"
channels = ["Z1"]
rate = 50000
[[io]]
name = "backup"
workload = "streams-out"
channels = ["O1"]
rate = 50
"""
QUICK = ("--seconds", "0.05")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(RUN)
    return path


def test_a_plan_as_json_is_the_answer(plan: Path, recorded: Recorded) -> None:
    record = recorded("io", "plan", plan)
    (channel,) = record["channels"]
    assert (channel["chpid"], channel["feature"]) == ("42", "FICON Express16SA")
    loads = {each["name"]: each for each in record["workloads"]}
    assert list(loads) == ["oltp", "lookup (async)"]
    oltp, lookup = loads.values()
    assert oltp["io_per_s"] == pytest.approx(20_000)
    assert channel["io_per_s"] == pytest.approx(oltp["io_per_s"] + lookup["io_per_s"])
    reads = 0.75 * 20_000 + lookup["io_per_s"]
    assert channel["mb_per_s_read"] == pytest.approx(reads * 4096 / 1e6)
    assert channel["mb_per_s_write"] == pytest.approx(0.25 * 20_000 * 4096 / 1e6)
    assert 0 < channel["processor_percent"] < 10
    assert oltp["active"] == pytest.approx(20_000 * oltp["response_us"] / 1e6)
    seen, spin = record["synchronous"]
    assert seen["success_percent"] > 90
    assert spin == {"name": "spin", "devices": 8, "links": 1, **dict.fromkeys([*seen][3:])}
    assert record["osas"][0]["mb_per_s_out"] > 2000
    assert 0 < record["saps"][0]["busy_percent"] < 70
    assert {one["id"] for one in record["advice"]} == {
        *("link-below-feature", "single-channel", "zhyperlink-single")
    }


def test_the_page_of_a_plan_answers_first(plan: Path, printed: Printed) -> None:
    page = printed("io", "plan", plan)
    assert is_narrow(page)
    assert len(lines := page.splitlines()) <= 45  # one table of each kind that there is
    answer = on_one_line(page.partition("Channels\n")[0])
    assert re.search(r"Full first \S.*: \d+ % used", answer)
    assert "To change warning: " in answer
    assert "Channel 42: its link runs at 8 Gb/s" in answer
    assert [line.split() for line in lines if line.startswith("spin")] == [["spin", "1"]]


@pytest.mark.at_length
def test_what_is_carried_counts_synchronous_io_and_names_what_has_no_rate(
    plan: Path, config: Path, printed: Printed
) -> None:
    # of 70,000 I/Os a second the page began with the 20,000 that go over channels
    for command, label, path, rest in (
        (("plan",), "Carries", plan, "; of spin no rate is given Full"),
        (("run", *QUICK), "Carried", plan, "; of spin no rate is given Response"),
        (("run", *QUICK), "Carried", config, " Response"),
    ):
        answer = on_one_line(printed("io", *command, path))
        said = rf"{label} (\d+) I/Os/s, .* written; (\d+) of the I/Os synchronous, over zHyperLinks"
        found = re.search(said + rest, answer)
        assert found, answer
        assert int(found[1]) > 65_000
        assert 40_000 < int(found[2]) <= 50_000


def test_bad_input_is_named(plan: Path, refusal: Refusal) -> None:
    plan.write_text(PLAN.replace('["42"]', '["43"]'))
    said = refusal("io", "plan", str(plan))
    assert f"{plan}: [[io]] #1 channels: there is no [channel.43]" in said


@pytest.mark.at_length
def test_a_run_as_json_has_channels_workloads_and_the_rest(
    config: Path, recorded: Recorded
) -> None:
    record = recorded("io", "run", config, *QUICK)
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


VIEWS = {
    # of RMF: the table, its title, and how many rows it has
    "channel": ("CHANNEL PATH ACTIVITY", 1),
    "device": ("DIRECT ACCESS DEVICE ACTIVITY", 2),
    "iop": ("SAPS, AS IN I/O QUEUING ACTIVITY", 1),
    "sync": ("SYNCHRONOUS I/O DEVICE ACTIVITY", 1),
    "osas": ("OSA-EXPRESS", 1),
}


@pytest.mark.at_length
def test_views_of_rmf_are_on_the_page_and_are_csv(config: Path, printed: Printed) -> None:
    page = printed("io", "run", config, *QUICK, "--notes")
    assert is_narrow(page)
    assert "\N{HORIZONTAL ELLIPSIS}" not in page
    for table, (title, rows) in VIEWS.items():
        assert title in page
        lines = printed("io", "run", config, *QUICK, "--csv", "--table", table).splitlines()
        assert len([*csv.DictReader(lines)]) == rows


@pytest.mark.at_length
def test_the_page_of_a_run_says_what_limits(config: Path, printed: Printed) -> None:
    page = on_one_line(printed("io", "run", config, *QUICK).partition("RESPONSE TIMES")[0])
    assert re.search(r"Carried \d+ I/Os/s, \d+ MB/s read and 0 written", page)
    assert re.search(r"Response [\d.]+ us on average, 99 of 100 within [\d.]+ us, of old", page)
    assert "Limited by " in page


@pytest.mark.at_length
@pytest.mark.parametrize("command", ["plan", "run"])
def test_figures_of_disks_alone_say_which_ctcs_they_lack(
    command: str, printed: Printed, recorded: Recorded
) -> None:
    # a response of 139 us was shown of disks that have 420 us beside the CTCs of their chpid
    words = ("io", command, "docs/io/shared.toml", *(QUICK if command == "run" else ()))
    said = "chpid 40 at ATLANTA carries CTCs of ATLANTA-BOSTON too."
    assert said in on_one_line(printed(*words))
    alone, unranged = recorded(*words)["notes"]
    assert (alone["kind"], unranged["kind"]) == ("alone", "no-range")
    assert said in alone["text"]
