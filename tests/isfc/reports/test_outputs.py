"""Each figure, read back from every output, is the record's value as its unit shows it."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from importlib import import_module
from itertools import combinations, islice
from pkgutil import iter_modules
from textwrap import wrap
from types import MappingProxyType
from typing import Final

import pytest
from markupsafe import escape

from isfc import answers
from isfc.answers.collide import UNRANGED, Collisions
from isfc.answers.compare import ComparedLayout, Comparison, PairOdds
from isfc.answers.evacuate import RollingMaintenance, TurnOfSystem
from isfc.answers.io_chart import io_chart
from isfc.answers.limit import LimitedBy
from isfc.answers.link_run import link_run
from isfc.answers.links_run import links_run
from isfc.answers.measured_compare import ComparedInterval, MeasuredComparison
from isfc.answers.moves import MovedGuest, Moves, OthersMeanwhile
from isfc.answers.optimise import search_result
from isfc.answers.plan_link import WorstLoss
from isfc.answers.results import ComparedResults, ResultFigure
from isfc.answers.size import LinkSizing
from isfc.answers.sweep import Sweep, SweptPlace
from isfc.cli.options.formats import FORMATS as FORMATS_OF_ANSWERS
from isfc.cli.output.streams import show, show_csv
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.link.name import NodeName
from isfc.reports.figure import KNOWN, Figure, Interval, NoRange, Range, Reported, Unit, rounded
from isfc.reports.html import section
from isfc.reports.report import UNRANGED as MARK
from isfc.reports.report import Table, report_of
from isfc.reports.terminal import PIPED_WIDTH, page
from isfc.reports.text import plain, records
from isfc.reports.units import FORMATS, range_of, shown
from scenarios.figures.collide import CollisionOutcome
from scenarios.figures.ranges import link_rate
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.moves.guest import GuestMemory, moves_notes
from scenarios.moves.guest import Limits as RelocationLimits
from scenarios.moves.relocation import Pass
from scenarios.runs.experiment import STATED, Experiment, Load
from scenarios.runs.report import ClusterRow
from scenarios.runs.result import MEASURES
from scenarios.runs.steady import Rate
from scenarios.runs.workload import SUITES, load_of
from scenarios.search.scoring import Contender, Found, Objective, Scoring, Task
from scenarios.search.sizing import LostPiece, SizedLink
from scenarios.search.sweep import NO_RANGE
from tests.isfc.answers.test_link_run import EXPERIMENT, RESULT
from tests.isfc.reports import io_samples, measured_samples, plan_samples

Capsys = pytest.CaptureFixture[str]
Cells = Iterator[dict[str, str]]
"""Of each row, what stands in a column, by its field, and by ``field range`` between what."""


def collided() -> Reported:
    """Of three rules, with figures that no other row has."""
    rules = ("stop-short 0", "stop-short 1", "upward", "random")
    outcomes = tuple(
        CollisionOutcome(
            rule,
            *(out, back),
            *(1000 * place + out, 10 * place + out / 1e3, 300 + place, 200 - place, 400),
            *(40 + place, 2 + place),
        )
        for place, rule in enumerate(rules, start=1)
        for out in (20.0, 40.0)
        for back in (40.0, 80.0)
    )
    nodes = load_layout("published-12").nodes
    how = 8, 32_768, 0.5, 1.0, 1, 3
    return Collisions(nodes, *how, (UNRANGED,), outcomes)


def ranged(value: float, unit: Unit) -> Figure:
    """A figure with ends that no other has."""
    ends = Interval(0.87 * value, 1.13 * value)
    return Figure(value, unit, Range(ends, ends, "what is made up"))


def compared() -> Reported:
    """Of four layouts."""
    limits = LimitedBy([], [], ranged(900.0, Unit.MB_PER_S), {}, [], "", "", "lines", "")
    rates = {"a": 321.0, "b": 432.0, "c": 210.0, "d": 87.6}
    layouts = tuple(
        ComparedLayout(
            name,
            ranged(rate, Unit.MB_PER_S),
            limits,
            WorstLoss("41", ranged(rate / 2, Unit.MB_PER_S), ranged(0.5 + rate / 1e4, Unit.SHARE)),
            *(place + 4, place + 2, place, 1),
        )
        for place, (name, rate) in enumerate(rates.items())
    )
    odds = tuple(
        PairOdds(one.layout, other.layout, ranged(1.5, Unit.TIMES), 0.8 + len(one.layout) / 100)
        for one, other in combinations(layouts, 2)
    )
    return Comparison("HL", 50, layouts, odds, ())


def compared_results() -> Reported:
    """Of two runs."""
    figures = tuple(
        ResultFigure("run", "link", measure, None, 100.0 + place, 120.5 + place * place)
        for place, measure in enumerate(MEASURES)
    )
    return ComparedResults("run", "a.json", "b.json", (), figures)


def measured_beside() -> Reported:
    """Of four devices that were busy."""
    figures = tuple(
        MeasuredFigure(
            "ATLANTA", f"600{place}", measure, 10.0 + place, 12.3 + place + at, judged=True
        )
        for place in range(4)
        for at, measure in enumerate(("io_per_s", "conn_ms", "busy_percent"))
    )
    ends = (NodeName("ATLANTA"),)
    one = ComparedInterval(
        *("x.txt:1", ("x.txt:1: ATLANTA",), ends),
        *(None, None, None),
        *("HL, 50 pairs", "HL", 50),
        *(ends[0], None),
        assumed=(),
        doubts=(),
        notes=(),
        figures=figures,
        median_errors={"I/O/s": 2.0},
        beyond_tolerance=None,
        reasons=(),
        rate_range=None,
    )
    return MeasuredComparison((one,), (), (), (), None, None, ())


def swept() -> Reported:
    """Four layouts at one load, with figures that no other row has."""
    link = load_layout("published-12")
    load = Load(SUITES["HL"], 9)
    places = [
        SweptPlace(
            {"layout": f"made-{place}"},
            link_rate(600.0 + 30 * place, link, load),
            Figure(7000.0 + place, Unit.PER_S, no_range=NoRange.NO_RATE),
            Figure(300.0 + place, Unit.PERCENT, no_range=NoRange.NO_RATE),
            collisions_per_s=40.0 + place,
            spread_percent=2.0 + place,
            best_is_ahead_odds=place / 8,
            is_best=place == 4,
        )
        for place in range(1, 5)
    ]
    runs = ({"layout": "made-1", "mb_per_s": 1.0},)
    return Sweep(
        0.5,
        0.1,
        3,
        ("layout",),
        (),
        tuple(places),
        runs,
        (UNRANGED, NO_RANGE),
        "layout",
        "mb_per_s",
    )


def ran() -> Reported:
    """One link, with a range of what both ways carry together."""
    return link_run(EXPERIMENT, [RESULT])


def ran_together() -> Reported:
    """Six links, with figures that no other row has."""
    links = given_collection("two-cecs")
    experiment = Experiment(links, tuple(map(load_of, links.traffic)))
    figures = [(150.0 + 2 * place, 100.0 + place, 50.0 + place) for place in range(6)]
    rows = [
        ClusterRow(
            *(link.name, *each, 1000.0 + each[1], 20.0 + each[1]),
            kind="link",
            traffic=f"{link.name}:HL:20",
        )
        for link, each in zip(links.links, figures, strict=True)
    ]
    rows += [ClusterRow(name, 500, 300, 200, 9000, 7, kind="system") for name in links.systems]
    return links_run(
        experiment, [*rows, ClusterRow("all links", 900, 900, 900, 9999, 9, kind="all")]
    )


A, B = NodeName("ALPHA"), NodeName("BETA")


def seconds(value: float) -> Figure:
    """A time with a range."""
    likely = Interval(0.8 * value, 1.3 * value)
    return Figure(value, Unit.SECONDS, Range(likely, likely, "the errors of runs"))


def guest(place: int) -> MovedGuest:
    """One that was moved, or of the last place not."""
    moved, length = place < 4, 12_345_678 * place
    return MovedGuest(
        f"LINUX{place}",
        *(A, B, B),
        *(GuestMemory(size=2**30 * place, change_rate=2**20), RelocationLimits()),
        moved=moved,
        end="moved" if moved else "max-quiesce",
        reason="00" if moved else "05",
        begin_s=1.25 * place,
        seconds=seconds(3.21 * place),
        stopped=seconds(0.31 * place),
        other_end=place == 2,
        length=length,
        would_move=None,
        passes=(Pass(0, 10**9 * place, length, 10 * place, quiesced=False),),
    )


def moved() -> Reported:
    """Four guests, of which one stays, beside other traffic."""
    rate = Figure(100.5, Unit.MB_PER_S, no_range="none")
    return Moves(
        sources=(A,),
        destinations=(B,),
        together=1,
        all_moved=False,
        seconds=seconds(40.5),
        longest_stop=seconds(1.24),
        longest_stopped="LINUX4",
        tried=(),
        guests=tuple(map(guest, range(1, 5))),
        traffic=(OthersMeanwhile("ALPHA-BETA", ("HL:2",), rate, rate, 1.0, 20.0, 20.0),),
        devices=(),
        responses=(),
        limits=LimitedBy([], [], rate, {}, [], "limited by: the lines", "the lines", "lines", ""),
        notes=moves_notes(Collection.of(load_layout("published-12")), ()),
    )


def rolled() -> Reported:
    """Four turns."""
    turns = tuple(
        TurnOfSystem(
            NodeName(f"SYS{place}"),
            "away" if place % 2 else "back",
            place,
            2**30 * place,
            *(seconds(4.32 * place), seconds(0.41 * place)),
            *(("LINUX1",) if place == 3 else (), {"LINUX1": A, "LINUX2": B}),
        )
        for place in range(1, 5)
    )
    notes = moves_notes(Collection.of(load_layout("published-12")), ())
    return RollingMaintenance(
        systems=(A, B),
        together=1,
        all_moved=False,
        seconds=seconds(43.2),
        longest_stop=seconds(1.64),
        longest_stopped="LINUX2",
        turns=turns,
        responses=(),
        notes=notes,
    )


def sized() -> Reported:
    """Of four features, with figures as long as there are."""

    def rate(number: float) -> Figure:
        ends = Interval(0.83 * number, 1.24 * number), Interval(0.8 * number, 1.3 * number)
        return Figure(number, Unit.MB_PER_S, Range(*ends, "rows"))

    links = tuple(
        SizedLink(
            f"FICON {name}",
            *(8, 16, 16, rate(1100.4 + place), rate(1030.2 - place), 97 - place),
            *(True, "[fibre.1]"),
        )
        for place, name in enumerate(("Express8S", "Express16SA", "Express32-4P", "Express4"))
    )
    how = 1027.5, LostPiece.CHPID, 0.0, "HL", 500
    return LinkSizing(*how, links[0], links, None, (UNRANGED,))


def optimised() -> Reported:
    """Of four placings, of which the first gains."""
    layout = load_layout("published-4")
    links = Collection.of(layout)

    def one(mb_per_s: float) -> Contender:
        return Contender(links, (Rate(mb_per_s, 0.01 * mb_per_s),), {}, STATED)

    found = Found((one(912.4), one(873.2), one(654.6), one(600.1)), one(601.3), one(601.3), 4, 9)
    task = Task(links, Scoring((Objective.FORWARD,), STATED, 0.5), 4)
    return search_result(found, task, lambda _: "")


ANSWERS: Final[Mapping[str, Callable[[], Reported]]] = MappingProxyType(
    {
        "plan": plan_samples.planned,
        "losses": plan_samples.lost,
        "collide": collided,
        "replay": measured_samples.replayed,
        "loads": measured_samples.loaded,
        "compare": compared,
        "compare, results": compared_results,
        "measured compare": measured_beside,
        "sweep": swept,
        "run": ran,
        "run together": ran_together,
        "moves": moved,
        "rolling": rolled,
        "size": sized,
        "optimise": optimised,
        "io chart": lambda: io_chart("mtu"),
        "io plan": io_samples.planned,
        "io run": io_samples.ran,
        "io beside": io_samples.beside,
        "io size": io_samples.sized,
    }
)
"""A sample of every answer that is shown as a report."""


def on_terminal(record: Reported, table: Table, capsys: Capsys) -> Cells:
    """Of the line that begins with the name of a row, one word for each figure and range."""
    show(page(report_of(record), notes=False))
    begins = " ".join(table.caption.split()[:3])
    rest = capsys.readouterr().out.partition(begins)[2].partition("\n\n")[0]
    below = len(wrap(table.caption, PIPED_WIDTH))
    lines = [*map(str.strip, rest.splitlines()[below:])]
    first, *others = table.columns
    for row in table.rows:
        cells = {first.field: first.words(row)}
        (line,) = (each for each in lines if f"{each} ".startswith(f"{cells[first.field]} "))
        words = iter(line.removeprefix(cells[first.field]).split())
        for column in others:
            value = column.of(row)
            count = len(str(value).split()) if isinstance(value, str) else 1
            cells[column.field] = "" if value is None else " ".join(islice(words, count))
            if column.ranged and isinstance(value, Figure) and value.range:
                cells[f"{column.field} range"] = next(words)
        assert not [*words]
        yield cells


def in_html(record: Reported, table: Table, _: Capsys) -> Cells:
    yield from of_page(section(report_of(record)), table)


def in_notebook(record: Reported, table: Table, _: Capsys) -> Cells:
    yield from of_page(record._repr_html_(), table)


def of_page(text: str, table: Table) -> Cells:
    """Of the table below its caption."""
    rest = text.partition(f"<caption>{escape(table.caption)}</caption>")[2]
    body = rest.partition("<tbody>")[2].partition("</tbody>")[0]
    for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        cells = {}
        for column, cell in zip(table.columns, re.findall(r"<td>(.*?)</td>", row), strict=True):
            cells[column.field] = unescape(re.sub(r"<.*", "", cell).strip())
            if within := re.search(r"<small>(.*?)</small>", cell):
                cells[f"{column.field} range"] = within[1]
        yield cells


def in_markdown(record: Reported, table: Table, _capsys: Capsys) -> Cells:
    text = record._repr_markdown_()
    rest = text.partition(f"**{plain(table.caption)}**\n\n")[2]
    _, _, *lines = rest.partition("\n\n")[0].splitlines()
    for line in lines:
        texts = re.split(r" (?<!\\)\| ", line[1:-1].join("  "))
        words = iter(re.sub(r"\\(.)", r"\1", each).strip() for each in texts)
        cells = {}
        for column in table.columns:
            cells[column.field] = next(words)
            if column.has_ranges(table.rows):
                cells[f"{column.field} range"] = next(words)
        yield cells


def in_csv(_record: Reported, table: Table, capsys: Capsys) -> Cells:
    """A program has all digits: they are shown here as people read them."""
    ranged = {column.field for column in table.columns if column.ranged}
    units = {column.field: column.unit for column in table.columns}
    show_csv(records(table))
    for line in csv.DictReader(io.StringIO(capsys.readouterr().out)):
        cells = {}
        for heading, text in line.items():
            field, _, rest = heading.partition(" (")
            unit, _, end = rest.partition(")")
            if not rest:
                number = units[field]
                cells[field] = shown(float(text), number) if text and number else text
            elif not end:
                cells[field] = shown(float(text), Unit(unit)) if text else ""
            elif text and field in ranged:
                by_digits = FORMATS[Unit(unit)].by_digits
                whole = f"{rounded(float(text)):.10g}"
                digits = whole if by_digits else shown(float(text), Unit(unit))
                key = f"{field} range"
                cells[key] = f"{cells[key]}-{digits}" if key in cells else digits
        yield cells


BY_FORMAT: Final = {"html": in_html, "markdown": in_markdown, "csv": in_csv}
ELSEWHERE: Final = {"json": "test_results", "plot": "test_picture"}


def test_every_format_is_read_back_here_or_elsewhere() -> None:
    assert {each.name for each in FORMATS_OF_ANSWERS} == {*BY_FORMAT, *ELSEWHERE}


@pytest.mark.parametrize("output", [on_terminal, in_notebook, *BY_FORMAT.values()])
@pytest.mark.parametrize("name", ANSWERS)
def test_every_output_has_the_figures_of_the_record(
    name: str,
    output: Callable[[Reported, Table, Capsys], Cells],
    capsys: Capsys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("isfc.reports.html.chart_of", lambda *_: "")  # test_picture has them
    record = ANSWERS[name]()
    first, *others = report_of(record).shown
    assert len(first.rows) > 1
    for table in [first] if output is on_terminal else [first, *others]:
        found = [*output(record, table, capsys)]
        for cells, row in zip(found, table.rows, strict=True):
            said = expected(table, row, "" if output is in_csv else MARK)
            assert {key: cell for key, cell in cells.items() if cell} == said


def expected(table: Table, row: object, mark: str) -> dict[str, str]:
    """What is to be read of a row; a figure without a range has a mark."""
    cells = {}
    for column in table.columns:
        value = column.of(row)
        if isinstance(value, Figure):
            marked = mark * (value.no_range not in KNOWN)
            cells[column.field] = marked + shown(value.value, value.unit)
            if column.ranged and value.range:
                cells[f"{column.field} range"] = range_of(value)
        elif isinstance(value, float | int) and column.unit:
            cells[column.field] = shown(value, column.unit)
        elif value is not None:
            cells[column.field] = str(value)
    return cells


def test_every_answer_names_the_function_that_makes_its_report() -> None:
    for each in iter_modules(answers.__path__):
        import_module(f"isfc.answers.{each.name}")
    kinds = Reported.__subclasses__()
    named = [each.reported_by for each in kinds]
    assert len(named) > len(ANSWERS)
    for said in named:
        module, _, name = said.rpartition(".")
        assert callable(getattr(import_module(module), name))


def test_every_unit_has_a_format() -> None:
    assert FORMATS.keys() == {*Unit}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_page_answers_in_five_lines_and_has_its_notes_where_somebody_asks(
    name: str, capsys: Capsys
) -> None:
    report = report_of(ANSWERS[name]())
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
