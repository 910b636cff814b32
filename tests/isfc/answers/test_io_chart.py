"""``isfc io chart``: a table, CSV, JSON and a picture of the same values."""

import csv
import io
import json
from pathlib import Path
from typing import get_args

import pytest

import isfc
from isfc.cli.main import run
from isfc.io.charts import CHARTS, ChartName
from tests.isfc.cli.conftest import Refusal


def test_json_and_csv_have_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    expected = isfc.io_chart("zhyperlink")
    assert run(["io", "chart", "zhyperlink", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {each["name"]: tuple(each["values"]) for each in record["curves"]} == {
        curve.name: curve.values for curve in expected.curves
    }
    assert [each["kind"] for each in record["notes"]] == ["no-range"]
    assert run(["io", "chart", "zhyperlink", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = [{key: float(value) for key, value in row.items()} for row in rows]
    assert found == expected.rows()


@pytest.mark.parametrize("name", CHARTS)
def test_the_table_fits_eighty_columns(name: ChartName, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "chart", name]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 80
    chart = isfc.io_chart(name)
    table = page.partition(f"{chart.y_name}\n")[2].partition("\n\n")[0]
    assert len(table.splitlines()) == len(chart.xs) + 1


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
        (["speed"], "'NAME': 'speed' is not one of 'response', 'block'"),
        (["block", "--csv", "--json"], "--json and --csv: "),
        (["block", "--plot", "x.pdf"], "--plot x.pdf: "),
    ],
)
def test_bad_input_is_named(arguments: list[str], message: str, refusal: Refusal) -> None:
    assert message in refusal("io", "chart", *arguments)


def test_every_chart_has_a_name_that_type_checkers_know() -> None:
    assert get_args(ChartName) == (*CHARTS,)
    with pytest.raises(isfc.ConfigurationError, match="expected one of 'response', 'block'"):
        isfc.io_chart("speed")  # type: ignore[arg-type]
