"""``isfc io chart``: a table, CSV, JSON and a picture of the same values."""

import csv
from pathlib import Path
from typing import get_args

import pytest

import isfc
from isfc.io.charts import CHARTS, ChartName
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, is_narrow


def test_json_and_csv_have_the_same_figures(printed: Printed, recorded: Recorded) -> None:
    expected, record = isfc.io_chart("zhyperlink"), recorded("io", "chart", "zhyperlink")
    assert {each["name"]: tuple(each["values"]) for each in record["curves"]} == {
        curve.name: curve.values for curve in expected.curves
    }
    assert [each["kind"] for each in record["notes"]] == ["no-range"]
    rows = csv.DictReader(printed("io", "chart", "zhyperlink", "--csv").splitlines())
    assert [{key: float(cell) for key, cell in row.items()} for row in rows] == expected.rows()


@pytest.mark.parametrize("name", CHARTS)
def test_the_table_fits_eighty_columns(name: ChartName, printed: Printed) -> None:
    page, chart = printed("io", "chart", name), isfc.io_chart(name)
    assert is_narrow(page)
    table = page.partition(f"{chart.y_name}\n")[2].partition("\n\n")[0]
    assert len(table.splitlines()) == len(chart.xs) + 1


def test_a_picture_is_drawn_and_the_same_each_time(tmp_path: Path, printed: Printed) -> None:
    files = [tmp_path / name for name in ("a.svg", "b.svg")]
    for file in files:
        printed("io", "chart", "response", "--plot", file)
    first, second = (file.read_text("utf-8") for file in files)
    assert first == second
    assert "zHPF" in first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("speed", "'NAME': 'speed' is not one of 'response', 'block'"),
        ("block --csv --json", "--json and --csv: "),
        ("block --plot x.pdf", "--plot x.pdf: "),
    ],
)
def test_bad_input_is_named(arguments: str, message: str, refusal: Refusal) -> None:
    assert message in refusal("io", "chart", *arguments.split())


def test_every_chart_has_a_name_that_type_checkers_know() -> None:
    assert get_args(ChartName) == (*CHARTS,)
    with pytest.raises(isfc.ConfigurationError, match="expected one of 'response', 'block'"):
        isfc.io_chart("speed")  # type: ignore[arg-type]
