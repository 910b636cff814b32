"""The constants of the code, and where each of them comes from: ``docs/sources.csv``.

The values are those of the code. What a constant means, how it is known and from where is written
there by hand, and of each feature, how its profile is known.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from struct import Struct
from typing import Any, Final

import msgspec

from ctc.features import FEATURES, ChpidProfile
from ctc.order import Order, name_of
from isfc.layout.machines import machines
from isfc.link.parameters import LinkParameters
from isfc.live.ctce.wire import WireForm
from scenarios.runs.experiment import Load
from scenarios.runs.guests import GuestCosts
from tools import DOCS, PROJECT
from tools.pages.spans import block
from tools.tables import csv_text, markdown_table, read_csv

TABLE: Final = DOCS / "sources.csv"
COLUMNS: Final = ("part", "constant", "value", "unit", "status", "source")
STATUSES: Final = ("published", "derived", "calibrated", "assumed", "chosen")
PROFILE: Final = tuple(name for name in ChpidProfile.__struct_fields__ if name != "feature")

_RECORDS: Final = (LinkParameters, GuestCosts)


@cache
def constants() -> Mapping[str, str]:
    """Every constant by its name, as its value is shown.

    These are the public ``Final`` names of what is installed, but for the words and looks of
    `isfc.cli`; the defaults of the records of parameters; the fields of a chpid's profile and the
    features, without a value: `features` shows those; and machines, by name: low, mid and high.
    """
    found = {name: _shown(value) for name, value in _finals()}
    for record in _RECORDS:
        for field in fields(record):
            found[f"{record.__module__}.{record.__name__}.{field.name}"] = _shown(field.default)
    for each in machines().values():
        found[each.name] = f"{each.low:g} {each.mid:g} {each.high:g}"
    profile = f"{ChpidProfile.__module__}.{ChpidProfile.__name__}"
    return found | dict.fromkeys([*(f"{profile}.{name}" for name in PROFILE), *FEATURES], "")


def rows() -> list[dict[str, str]]:
    """The lines of the table, by `COLUMNS`."""
    return read_csv(TABLE)


def files() -> dict[Path, str]:
    """The table with the values as they are in the code."""
    values = constants()
    lines = [row | {"value": values.get(row["constant"], row["value"])} for row in rows()]
    return {TABLE: csv_text(COLUMNS, lines)}


def features() -> str:
    """What each feature's profile has, as Markdown: what differs in a table, then the rest."""
    known = {row["constant"]: row["status"] for row in rows()}
    shown = {
        name: [_shown(getattr(profile, name)) for profile in FEATURES.values()] for name in PROFILE
    }
    differ = [name for name, values in shown.items() if len({*values}) > 1]
    heading = ["feature", *(name.replace("_", " ") for name in differ), "status"]
    columns = (FEATURES, *(shown[name] for name in differ), (known[each] for each in FEATURES))
    alike = ", ".join(
        f"{name.replace('_', ' ')} {values[0]}"
        for name, values in shown.items()
        if name not in differ
    )
    table = markdown_table(heading, zip(*columns, strict=True))
    return block(f"{table}\nAll have {alike}.")


_ELSEWHERE: Final = (
    "isfc.cli.",  # what people read
    "isfc.reports.",
    "isfc.answers.drawing",
    "isfc.answers.page.",
    "isfc.system.cp.",  # the words of commands
    *(f"isfc.link.name.{word}" for word in ("ALL", "BUFFERS", "CHPID", "ISLINK", "NODE")),
    "isfc.deck.importing",  # an option
    "isfc.io.rmf_",  # how reports write numbers and names
    "isfc.layout.rules.",  # docs/check.md lists them
    "isfc.layout.plan.LAYOUT_RULES",
    "isfc.link.state",  # tables of states
    "isfc.testing.",  # docs/testing.md
)
"""How the names of constants begin that another page tells of, or nobody needs to be told of."""


def _finals() -> Iterator[tuple[str, Any]]:
    """The public constants of the installed modules, in the order in which they stand."""
    for ring in ("ctc", "isfc", "scenarios"):
        for path in sorted((PROJECT / ring).rglob("*.py")):
            name = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
            for node in ast.parse(path.read_text("utf-8")).body:
                match node:
                    case ast.AnnAssign(target=ast.Name(id=constant), annotation=annotation) if (
                        "Final" in ast.unparse(annotation)
                        and not constant.startswith("_")
                        and not f"{name}.{constant}".startswith(_ELSEWHERE)
                    ):
                        yield f"{name}.{constant}", getattr(import_module(name), constant)


def _shown(value: Any) -> str:
    """A value as the page shows it: a number, the numbers of a record, or how many entries."""
    match value:
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}"
        case str() | Path():
            return str(value)
        case ChpidProfile():
            return value.feature
        case Struct():
            return f"{value.size} bytes"
        case Load():
            return value.words
        case WireForm():
            return f"{_shown(value.prefix)} before data of at most {_shown(value.data_length_max)}"
        case Order():
            return f"{name_of(value.code)}, {value.state.name}"
        case msgspec.Struct():
            return _record_shown(value, value.__struct_fields__)
        case _ if is_dataclass(value):
            return _record_shown(value, [field.name for field in fields(value)])
        case Sized():
            return f"{len(value)} entries"
    raise TypeError(f"docs/sources.csv cannot show a {type(value).__name__}")


def _record_shown(record: object, names: Sequence[str]) -> str:
    return "; ".join(f"{name} {_shown(getattr(record, name))}" for name in names)
