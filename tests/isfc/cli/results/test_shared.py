"""What commands show of a layout whose chpids disks use: `docs/io/shared.toml`."""

import json
import re
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.options.layout import open_collection, open_layout, open_with_disks
from isfc.io.shared import load_link_with_disks, load_with_disks, without_disks
from isfc.layout.catalogue import load_layout
from scenarios.simulation import simulate
from tools.pages.console import PROJECT

SHARED = PROJECT / "docs" / "io" / "shared.toml"
RUN = ["run", str(SHARED), "--workload", "HL", "--pairs", "20", "--seconds", "0.1"]


def test_an_opened_layout_has_its_disks() -> None:
    opened, disks = open_with_disks(open_collection(str(SHARED)), None)
    assert disks is not None
    assert opened == open_layout(str(SHARED)) != load_layout(SHARED)
    assert without_disks(opened) == load_layout(SHARED)
    assert opened.fibres[0].disks[0].processor == pytest.approx(10_000 * 38.7e-6)


def test_a_run_shows_the_link_beside_the_disks_and_what_each_costs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([*RUN, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    link = record["disks"]["link"]
    assert record["mb_per_s"] == link["mb_per_s_beside"] < 0.8 * link["mb_per_s_alone"]
    assert "disks at ATLANTA" in record["provenance"]["layout_toml"]
    assert run(RUN) == 0
    page = capsys.readouterr().out
    assert re.search(r"ATLANTA chpid 40, disks, response us +[0-9.]+ +[0-9.]+$", page, re.MULTILINE)
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.at_length
@pytest.mark.slow
def test_a_repeated_run_has_the_disks_too(capsys: pytest.CaptureFixture[str]) -> None:
    records = []
    for more in ([], ["--seeds", "1"]):
        assert run([*RUN, *more, "--json"]) == 0
        records.append(json.loads(capsys.readouterr().out))
    assert records[0]["mb_per_s"] == records[1]["mb_per_s"]
    assert "disks" not in records[1]


@pytest.mark.at_length
@pytest.mark.slow
def test_plan_and_show_tell_of_the_disks(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["show"], ["plan"], ["plan", "--rule"]):
        assert run([*command, str(SHARED)]) == 0
        page = capsys.readouterr().out
        assert ("disks" in page) == ("--rule" not in command)
        assert max(map(len, page.splitlines())) <= 80
    assert run(["plan", str(SHARED), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["disks"]["channels"]) == {"40"}


def test_a_bad_table_of_disks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "link.toml"
    path.write_text(SHARED.read_text().replace("rate = 10000", "rate = -1"))
    assert run(["show", str(path)]) == 2
    assert re.search(r"link.toml: \[\[io\]\] #1 rate", capsys.readouterr().err)


def test_sweeps_and_the_api_have_the_disks_too() -> None:
    opened = open_layout(str(SHARED))
    assert load_with_disks(SHARED).links == (opened,)
    assert load_link_with_disks(str(SHARED)) == opened
    assert load_link_with_disks("published-4") == load_layout("published-4")
    found = simulate(str(SHARED), "HL", pairs=20, seconds=0.05, warmup=0.02)
    alone = simulate(load_layout(SHARED), "HL", pairs=20, seconds=0.05, warmup=0.02)
    assert found.client.whole.result.mb_per_s < 0.9 * alone.client.whole.result.mb_per_s
