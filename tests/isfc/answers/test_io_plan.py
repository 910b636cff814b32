"""``isfc io plan``: estimates and advice, as a page and as JSON."""

import json
import re
from pathlib import Path

import pytest

from isfc.cli.main import run

CONFIGURATION = """
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
read_percent = 75
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


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "io.toml"
    path.write_text(CONFIGURATION)
    return str(path)


def test_json_is_the_answer(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "plan", file, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
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
    assert spin == {"name": "spin", "links": 1, **dict.fromkeys([*seen][2:])}
    assert record["osas"][0]["mb_per_s_out"] > 2000
    assert 0 < record["saps"][0]["busy_percent"] < 70
    assert {one["id"] for one in record["advice"]} == {
        *("link-below-feature", "single-channel", "zhyperlink-single"),
    }


def test_the_page_answers_first_and_fits_eighty_columns(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["io", "plan", file]) == 0
    page, errors = capsys.readouterr()
    assert errors == ""
    lines = page.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 45  # one table of each kind that there is
    answer = " ".join(page.partition("Channels\n")[0].split())
    assert re.search(r"Full first \S.*: \d+ % used", answer)
    assert "To change warning: " in answer
    assert "Channel 42: its link runs at 8 Gb/s" in answer
    (spin,) = (line.split() for line in lines if line.startswith("spin"))
    assert spin == ["spin", "1"]


def test_bad_input_is_named(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(file).write_text(CONFIGURATION.replace('["42"]', '["43"]'))
    assert run(["io", "plan", file]) == 2
    assert f"{file}: [[io]] #1 channels: there is no [channel.43]" in capsys.readouterr().err
