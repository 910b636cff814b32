"""``isfc io chart``: a table, CSV, JSON and a picture of the same values."""

import csv
import io
import json
from pathlib import Path

import pytest

from isfc.cli.io.chart import complete_chart
from isfc.cli.main import run
from isfc.io.charts import CHARTS
from tests.isfc.cli.conftest import Refusal


def test_json_and_csv_have_the_same_rows(capsys: pytest.CaptureFixture[str]) -> None:
    expected = CHARTS["zhyperlink"]().rows()
    assert run(["io", "chart", "zhyperlink", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == expected
    assert run(["io", "chart", "zhyperlink", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [{key: float(value) for key, value in row.items()} for row in rows] == expected


@pytest.mark.parametrize("name", CHARTS)
def test_the_table_fits_eighty_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "chart", name]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 80
    assert page.splitlines().index("", 2) == 3 + len(CHARTS[name]().xs)


def test_a_picture_is_drawn_and_the_same_each_time(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.svg", "b.svg")]
    for file in files:
        assert run(["io", "chart", "response", "--plot", str(file)]) == 0
    first, second = (file.read_text("utf-8") for file in files)
    assert first == second
    assert "zHPF" in first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["speed"], "'speed': no such chart; expected response, block"),
        (["block", "--csv", "--json"], "--csv and --json: "),
        (["block", "--plot", "x.pdf"], "--plot x.pdf: "),
    ],
)
def test_bad_input_is_named(arguments: list[str], message: str, refusal: Refusal) -> None:
    assert message in refusal("io", "chart", *arguments)


def test_names_are_completed() -> None:
    assert complete_chart("m") == ["mtu"]
