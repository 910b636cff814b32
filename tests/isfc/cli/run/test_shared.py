"""What commands show of a layout whose chpids disks use: `docs/io/shared.toml`."""

import json
import re
from pathlib import Path

import pytest

from ctc.channel import NOTHING
from isfc.answers.given import open_links
from isfc.answers.simulation import simulate
from isfc.cli.main import run
from isfc.io.shared import given_link_with_disks, given_with_disks, parse_links, without_disks
from isfc.layout.catalogue import load_layout
from tools import PROJECT

pytestmark = pytest.mark.at_length


SHARED = PROJECT / "docs" / "io" / "shared.toml"
RUN = ["run", str(SHARED), "--workload", "HL", "--pairs", "20", "--seconds", "0.1"]


def test_an_opened_layout_has_its_disks() -> None:
    (opened,) = open_links(str(SHARED))
    assert opened.disks is not None
    assert opened.layout != load_layout(SHARED) == without_disks(opened.layout)
    assert opened.layout.fibres[0].disks[0].processor == pytest.approx(10_000 * 38.7e-6)


def test_a_run_shows_the_link_beside_the_disks_and_what_each_costs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([*RUN, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (link,) = record["disks"]["links"]
    assert record["mb_per_s"] == link["beside"]["value"] < 0.8 * link["alone"]["value"]
    assert "disks at ATLANTA" in record["provenance"]["layout_toml"]
    assert run(RUN) == 0
    page = capsys.readouterr().out
    assert re.search(r"^\w+ +ATLANTA +40( +[\d.]+){4}$", page, re.MULTILINE)
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.slow
def test_a_repeated_run_has_the_disks_too(capsys: pytest.CaptureFixture[str]) -> None:
    records = []
    for more in ([], ["--seeds", "1"]):
        assert run([*RUN, *more, "--json"]) == 0
        records.append(json.loads(capsys.readouterr().out))
    assert records[0]["mb_per_s"] == records[1]["mb_per_s"]
    assert "disks" not in records[1]


@pytest.mark.slow
def test_plan_and_show_tell_of_the_disks(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["show"], ["plan"], ["plan", "--rule"]):
        assert run([*command, str(SHARED)]) == 0
        page = capsys.readouterr().out
        assert ("disks" in page) == ("--rule" not in command)
        assert max(map(len, page.splitlines())) <= 80
    assert run(["plan", str(SHARED), "--json"]) == 0
    (chpid,) = json.loads(capsys.readouterr().out)["disks"]["chpids"]
    assert chpid["chpid"] == "40"


def test_sweeps_and_the_api_have_the_disks_too() -> None:
    opened = open_links(str(SHARED))[0].layout
    assert given_with_disks(SHARED).links == (opened,)
    assert given_link_with_disks(str(SHARED)) == opened
    assert given_link_with_disks("published-4") == load_layout("published-4")
    found = simulate(str(SHARED), "HL", pairs=20, seconds=0.05, warmup=0.02)
    alone = simulate(load_layout(SHARED), "HL", pairs=20, seconds=0.05, warmup=0.02)
    assert found.client.whole.result.mb_per_s < 0.9 * alone.client.whole.result.mb_per_s


STAR = """
[[link]]
nodes = ["HUB", "LEFT"]
[[link]]
nodes = ["HUB", "RIGHT"]
[fibre.L]
feature = "FICON Express2"
chpid = { HUB = "40", LEFT = "50" }
[fibre.R]
feature = "FICON Express2"
chpid = { HUB = "40", RIGHT = "60" }
[[ctc]]
fibre = "L"
rdevs = { HUB = "6000-6003", LEFT = "6000-6003" }
[[ctc]]
fibre = "R"
rdevs = { HUB = "6100-6103", RIGHT = "6100-6103" }
[[traffic]]
from = "HUB"
to = "LEFT"
workload = "HL"
pairs = 20
[[io]]
name = "disks"
system = "HUB"
channels = ["40"]
protocol = "zhpf"
block = 4096
read_percent = 70
rate = 8000
"""


def test_disks_are_in_the_tables_notes_and_busy_per_cent_of_several_links(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # they slowed the links, and nothing said so
    path = tmp_path / "star.toml"
    path.write_text(STAR)
    few = ["--seconds", "0.1", "--warmup", "0.1"]
    assert run(["run", str(path), *few, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (link,) = record["disks"]["links"]
    assert record["together"]["mb_per_s"] == link["beside"]["value"] < link["alone"]["value"]
    (channel,) = record["channels"]
    assert record["shared_channels"] == [channel["name"]] == ["chpid 40 at HUB"]
    assert "disks" in [note["kind"] for note in record["notes"]]
    for command, said in (
        (["run", str(path), *few], r"^disks HUB +40 +8000 +8000 "),
        (["plan", str(path)], r"^\w+ +HUB +40 +8000 +8000 "),
    ):
        assert run(command) == 0
        page = capsys.readouterr().out
        assert re.search(said, page, re.MULTILINE)
        assert "Disks use HUB 40 too" in page
        assert max(map(len, page.splitlines())) <= 80


def test_disks_of_one_partition_slow_the_links_of_another_on_their_channel() -> None:
    text = STAR.replace('system = "HUB"', 'system = "LEFT"').replace('["40"]', '["50"]')
    text = text.replace('RIGHT = "60"', 'RIGHT = "40"')
    shared = '[[shared_channel]]\nchpid = { LEFT = "50", RIGHT = "40" }\n'
    for more, disks in ((shared, True), ("", False)):
        left, right = parse_links(text + more).links
        assert (right.fibres[0].disks[1] != NOTHING) is disks
        assert left.fibres[0].disks[1] != NOTHING
