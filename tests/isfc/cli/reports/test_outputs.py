"""Each figure, read back from every output, is the record's value as its unit shows it."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import pytest

from isfc.cli.judgement.losses import losses_report
from isfc.cli.output.streams import only_tables, show
from isfc.cli.output.units import FORMATS, range_of, shown
from isfc.cli.reports.html import section
from isfc.cli.reports.report import Report, Table
from isfc.cli.reports.terminal import page
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.loss import losses
from scenarios.figures.figure import Figure, Unit, rounded
from scenarios.figures.losses import AfterLoss
from scenarios.figures.rates import Carried, EndRate
from scenarios.runs.load import STATED
from scenarios.runs.steady import Rate

Capsys = pytest.CaptureFixture[str]
Cells = Iterator[dict[str, str]]
"""Of each row, what stands in a column, by its field, and by ``field range`` between what."""


def lost() -> Report:
    """Of twelve CTCs, with rates that no other row has."""
    layout = load_layout("published-12")
    whole = Collection.of(layout)
    found = [*losses(whole)][:4]
    kept, *lefts = (
        Carried(links, STATED, {layout.name: (EndRate(Rate(number)), EndRate(Rate(1234.5)))})
        for links, number in zip(
            (whole, *(loss.rest for loss in found)), (654.25, 390.6, 0.0, 87.4, 9.96), strict=True
        )
    )
    after = (AfterLoss(loss, left, kept) for loss, left in zip(found, lefts, strict=True))
    return losses_report([AfterLoss(None, kept, kept), *after])


REPORTS: Final[Mapping[str, Callable[[], Report]]] = MappingProxyType({"losses": lost})
"""A sample of every answer that is shown as a report."""


def on_terminal(report: Report, capsys: Capsys) -> Cells:
    """Of the line that begins with the name of a row, one word for each figure and range."""
    show(page(report, notes=False))
    lines = capsys.readouterr().out.splitlines()
    (table,) = report.tables
    first, *others = table.columns
    for row in table.rows:
        cells = {first.field: str(first.of(row))}
        (line,) = (each for each in lines if each.startswith(cells[first.field]))
        words = iter(line.removeprefix(cells[first.field]).split())
        for column in others:
            value = column.of(row)
            cells[column.field] = "" if value is None else next(words)
            if column.ranged and isinstance(value, Figure) and value.range:
                cells[f"{column.field} range"] = next(words)
        assert not [*words]
        yield cells


def in_html(report: Report, _: Capsys) -> Cells:
    (table,) = report.tables
    body = section(report).partition("<tbody>")[2]
    for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        cells = {}
        for column, cell in zip(table.columns, re.findall(r"<td>(.*?)</td>", row), strict=True):
            cells[column.field] = re.sub(r"<.*", "", cell).strip()
            if within := re.search(r"<small>(.*?)</small>", cell):
                cells[f"{column.field} range"] = within[1]
        yield cells


def in_csv(report: Report, capsys: Capsys) -> Cells:
    """A program has all digits: they are shown here as people read them."""
    (table,) = report.tables
    ranged = {column.field for column in table.columns if column.ranged}
    with only_tables():
        show(page(report, notes=False))
    for line in csv.DictReader(io.StringIO(capsys.readouterr().out)):
        cells = {}
        for heading, text in line.items():
            field, _, rest = heading.partition(" (")
            unit, _, end = rest.partition(")")
            if not rest:
                cells[field] = text
            elif not end:
                cells[field] = shown(float(text), Unit(unit))
            elif text and field in ranged:
                key, digits = f"{field} range", f"{rounded(float(text)):.10g}"
                cells[key] = f"{cells[key]}-{digits}" if key in cells else digits
        yield cells


OUTPUTS: Final = (on_terminal, in_html, in_csv)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", REPORTS)
def test_every_output_has_the_figures_of_the_record(
    name: str, output: Callable[[Report, Capsys], Cells], capsys: Capsys
) -> None:
    report = REPORTS[name]()
    (table,) = report.tables
    found = [*output(report, capsys)]
    assert len(found) == len(table.rows) > 3
    for cells, row in zip(found, table.rows, strict=True):
        assert {key: cell for key, cell in cells.items() if cell} == expected(table, row)


def expected(table: Table, row: object) -> dict[str, str]:
    """What is to be read of a row."""
    cells = {}
    for column in table.columns:
        value = column.of(row)
        if isinstance(value, Figure):
            cells[column.field] = shown(value.value, value.unit)
            if column.ranged and value.range:
                cells[f"{column.field} range"] = range_of(value)
        elif isinstance(value, float | int) and column.unit:
            cells[column.field] = shown(value, column.unit)
        elif value is not None:
            cells[column.field] = str(value)
    return cells


def test_every_unit_has_a_format() -> None:
    assert FORMATS.keys() == {*Unit}


@pytest.mark.parametrize("name", REPORTS)
def test_a_page_answers_in_five_lines_and_has_its_notes_where_somebody_asks(
    name: str, capsys: Capsys
) -> None:
    report = REPORTS[name]()
    assert 1 <= len(report.answer) <= 5
    assert len(report.remarks) <= 2
    show(page(report, notes=False))
    short = capsys.readouterr().out
    show(page(report, notes=True))
    full = capsys.readouterr().out
    assert short.endswith("--notes.\n")
    for note in report.notes:
        assert " ".join(note.split()) in " ".join(full.split())
        assert " ".join(note.split()) not in " ".join(short.split())
