"""A report or a console log that mail, a web page or an editor changed is never read as another.

It gives the same figures, or is refused; what was cut off is missing, and nothing else.
"""

import difflib
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from isfc.deck.activation import parse_activations
from isfc.deck.active import choose_from
from isfc.deck.imported import NamedText
from isfc.deck.importing import import_islink
from isfc.errors import ConfigurationError
from isfc.io.rmf import parse_rmf
from isfc.layout.file import parse_collection
from isfc.site.figures import Reading, checked, without_repeats
from isfc.site.measurement import COLUMNS, LINK_COLUMNS, joined, table_rows
from isfc.site.page import read_text
from isfc.site.table import read_csv
from tests.decks import LOGS
from tests.isfc.site.test_read import DETAILS
from tests.properties.mutations import LEFT, mutated

DATA: Final = Path(__file__).parents[1] / "data"
PUBLISHED: Final = Path(__file__).parents[2] / "docs" / "measured"

Rows = frozenset[tuple[Any, ...]]

PAGES: Final = {
    "FCX108": (DATA / "measured" / "empty-cells.txt").read_text("utf-8"),
    "FCX108 on two pages": (DATA / "measured" / "two-pages.txt").read_text("utf-8"),
    "FCX108 interim and average": (DATA / "measured" / "interims-and-average.txt").read_text(
        "utf-8"
    ),
    "FCX108 published": (PUBLISHED / "H001709C-fcx108.txt").read_text("utf-8"),
    "FCX110": DETAILS
    + DETAILS.replace("6000", "6001").replace("61.8", "60.0").replace("98%", "95%"),
    "link activity": (PUBLISHED / "H001709C-link.txt").read_text("utf-8"),
    "emulated": (PUBLISHED / "site-1.txt").read_text("utf-8"),
}
REPORTS: Final = {
    path.stem: path.read_text("utf-8") for path in sorted((DATA / "rmf").glob("*.txt"))
}
CONSOLES: Final = {path.stem: path.read_text("utf-8") for path in sorted(LOGS.glob("*.txt"))}
CONSOLES.pop("boston")  # the chpids at one end are told by the other's log


def of_pages(text: str, *, every: bool = False) -> Rows:
    """The rows of pages; of ``every`` page, those too that others make needless."""
    reading = Reading()
    found = read_text(text, "page", reading)
    if every:
        return frozenset().union(*(_rows([page], reading) for page in found))
    return _rows(found, reading)


def of_table(text: str) -> Rows:
    """The rows of a neutral table as CSV."""
    reading = Reading()
    return _rows(read_csv(text, "table.csv", reading), reading)


def _rows(found: Any, reading: Reading) -> Rows:
    whole = without_repeats(joined(checked(found, reading)), reading)
    reading.end()
    heads = ("begin", "end", "system")
    return frozenset(
        (
            *(row[name] for name in heads),
            *(v for k, v in row.items() if k not in (*heads, "clients", "emulated")),
        )
        for row in table_rows(whole)
    )


def of_report(text: str) -> Rows:
    """The lines of an RMF report, each with its interval."""
    return frozenset(
        (each.date or None, each.time or None, each.system or None, *_figures(line))
        for each in parse_rmf(text, "report")
        for line in (*each.channels, *each.devices, *each.iops)
    )


def _figures(line: Any) -> tuple[Any, ...]:
    values = {name: getattr(line, name) for name in type(line).__annotations__}
    values |= {"volume": "", "link_gbps": str(getattr(line, "link_gbps", ""))}
    return tuple(values.values())


def of_console(text: str) -> Rows:
    """The connections that a console shows, with the chpids that are known or assumed."""
    found = import_islink([NamedText(text, "log", "" if "VMA" in text.upper() else "SSIMBR1")])
    assumed = {part.partition(" have")[0] for part in " ".join(found.remarks).split("chpids at ")}
    return frozenset(
        (
            *link.nodes,
            *("" if node in assumed else c for node, c in zip(link.nodes, ctc.chpids, strict=True)),
            *ctc.rdevs,
        )
        for link in found.links
        for ctc in link.ctcs
    )


def less_said(row: tuple[Any, ...], rows: Collection[tuple[Any, ...]]) -> bool:
    """Whether a row is one of some, but for times and names that it does not know."""
    return any(len(row) == len(other) and all(map(_same, row, other)) for other in rows)


def _same(here: Any, there: Any) -> bool:
    """Whether a value is that of the intact row; a name may be unknown, a date may be missing."""
    if here == "None" or isinstance(there, float | bool) or not isinstance(here, str | None):
        return here in ("None", there) or (here is None and there == 0.0)
    return not here or here in str(there) or str(there) in here


def check(data: st.DataObject, text: str, read: Callable[[str], Rows]) -> None:
    """What is read of a mutated text is of the intact one."""
    rows = read(text)
    intact = rows | (of_pages(text, every=True) if read is of_pages else frozenset())
    changed, what = data.draw(mutated(text))
    try:
        found = read(changed)
    except ConfigurationError:
        event(f"{what}: refused")
        return
    event(f"{what}: {'the same' if found == intact else 'less'}")
    others = [row for row in found if not less_said(row, intact)]
    lines = difflib.unified_diff(text.split("\n"), changed.split("\n"), lineterm="", n=0)
    assert not others, "\n".join((f"{what} gave {others[0]}", *list(lines)[:40]))
    if (
        LEFT.issuperset(what.split("+")) and read is not of_console
    ):  # what a console lacks is a remark
        lost = [row for row in rows if not any(less_said(each, [row]) for each in found)]
        assert not lost, "\n".join((f"{what} lost {lost[0]}", *list(lines)[:40]))


OF_ATLANTA: Final = "ATLANTA,2026-11-25T10:00:00,2026-11-25T10:01:00"
OF_LINK: Final = "6.0,0.0,660.0,5849.4,834.2,829631.1,7.0,46.3,5847.2,236.7,205140.3,24.7"
TABLE: Final = f"""\
{",".join(COLUMNS[:16])},{",".join(name for name in COLUMNS[16:] if name in LINK_COLUMNS)}
device,{OF_ATLANTA},,,,,6000,61.8,0.5,1.9,13.4,15.8,98,,,,,,,,,,,,,
device,{OF_ATLANTA},,,,,6001,171,0.4,2.0,3.1,5.5,94,,,,,,,,,,,,,
device,{OF_ATLANTA},,,,,6002,0.0,,,,,0,,,,,,,,,,,,,
link,{OF_ATLANTA},,,,,,,,,,,,BOSTON,{OF_LINK}
"""

READERS: Final[dict[str, tuple[str, Callable[[str], Rows]]]] = {
    **{name: (text, of_pages) for name, text in PAGES.items()},
    "CSV": (TABLE, of_table),
    **{f"RMF {name}": (text, of_report) for name, text in REPORTS.items()},
    **{f"console {name}": (text, of_console) for name, text in CONSOLES.items()},
}


CONFIG: Final = """\
/* LINKS OF THE CLUSTER */
System_Identifier 2097 012345 ATLANTA
EQUATE PAIR ATLANTA BOSTON
ATLANTA: BEGIN
  ACTIVATE ISLINK 6000 6001,
                  6020
  ACTIVATE ISLINK 6021 NODE BOSTON
ATLANTA: END
BOSTON: ACTIVATE ISLINK 7000-7001 7020 7021 /* ALL OF THEM */
PAIR: Features Enable Dynamic_I/O
"""
SITE: Final = parse_collection(
    """\
[fibre.1]
chpid = { ATLANTA = "40", BOSTON = "50" }
feature = "FICON Express8S"
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6020-6023", BOSTON = "7020-7023" }
""",
    "site",
)


def of_configuration(text: str) -> tuple[Rows, tuple[str, ...]]:
    """The CTCs that statements leave of a layout, and what is said of them."""
    kept, remarks = choose_from(SITE, parse_activations(text, "config"))
    said = tuple(sorted(re.sub(r"config:\d+:\d+", "", remark) for remark in remarks))
    return frozenset((*ctc.rdevs,) for link in kept.links for ctc in link.ctcs), said


def check_configuration(data: st.DataObject) -> None:
    """The same CTCs are kept of mutated statements, those that both ends lost, or it is said."""
    changed, what = data.draw(mutated(CONFIG))
    try:
        kept, said = of_configuration(changed)
    except ConfigurationError:
        event(f"{what}: refused")
        return
    intact = of_configuration(CONFIG)
    event(f"{what}: {'the same' if kept == intact[0] else 'said'}")
    lost = {f"{rdev:04X}" for ctc in intact[0] - kept for rdev in ctc}
    is_less = kept < intact[0] and not any(rdev in changed for rdev in lost)
    assert kept == intact[0] or is_less or said != intact[1], f"{what} left {kept}:\n{changed}"


@pytest.mark.parametrize("examples", [60, pytest.param(5_000, marks=pytest.mark.exhaustive)])
def test_mutated_statements_never_choose_others_silently(examples: int) -> None:
    settings(max_examples=examples)(given(st.data())(check_configuration))()


@pytest.mark.parametrize("examples", [20, pytest.param(1_500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", READERS)
def test_a_mutated_report_is_never_read_as_another(name: str, examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.data())
    def reads_the_same_or_less(data: st.DataObject) -> None:
        check(data, *READERS[name])

    reads_the_same_or_less()
