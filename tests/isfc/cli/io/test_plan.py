"""``isfc io plan``: estimates and advice, as a page and as JSON."""

import json
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


def test_json_has_the_promised_keys(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "plan", file, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == [
        *("channels", "synchronous", "osa", "saps", "trunks", "first", "advice", "notes"),
    ]
    channel = record["channels"]["42"]
    assert channel["feature"] == "FICON Express16SA"
    assert list(channel["workloads"]) == ["oltp", "lookup (async)"]
    rates = {name: each["io_per_s"] for name, each in channel["workloads"].items()}
    assert rates["oltp"] == pytest.approx(20_000)
    assert channel["io_per_s"] == pytest.approx(sum(rates.values()))
    reads = 0.75 * 20_000 + rates["lookup (async)"]
    assert channel["mb_per_s_read"] == pytest.approx(reads * 4096 / 1e6)
    assert channel["mb_per_s_write"] == pytest.approx(0.25 * 20_000 * 4096 / 1e6)
    assert 0 < channel["processor_percent"] < 10
    workload = channel["workloads"]["oltp"]
    assert workload["active"] == pytest.approx(20_000 * workload["response_us"] / 1e6)
    assert record["synchronous"]["lookup"]["success_percent"] > 90
    assert record["synchronous"]["spin"] == {"links": 1}
    assert record["osa"]["O1"]["mb_per_s_out"] > 2000
    assert 0 < record["saps"]["ATLANTA"]["busy_percent"] < 70
    assert {one["id"] for one in record["advice"]} == {
        *("link-below-feature", "single-channel", "zhyperlink-single"),
    }


def test_the_page_fits_eighty_columns(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "plan", file]) == 0
    page, errors = capsys.readouterr()
    assert errors == ""
    assert max(map(len, page.splitlines())) <= 80
    assert "spin: 1 zHyperLink; without a rate nothing is said of it." in page
    assert "Channel 42: its link runs at 8 Gb/s" in page


def test_bad_input_is_named(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(file).write_text(CONFIGURATION.replace('["42"]', '["43"]'))
    assert run(["io", "plan", file]) == 2
    assert f"{file}: [[io]] #1 channels: there is no [channel.43]" in capsys.readouterr().err
