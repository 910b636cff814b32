"""The constants of the code, and the page that says where each of them comes from.

``python -m tools.pages.sources`` puts the values of the code into ``docs/sources.md``. What a
constant means, how it is known and from where is written there by hand.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sized
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from struct import Struct
from typing import Any, Final

from ctc.profiles import FEATURES, ChpidProfile
from isfc.link.parameters import LinkParameters
from scenarios.guests import GuestCosts

PROJECT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = PROJECT / "docs" / "sources.md"
STATUSES: Final = ("published", "derived", "calibrated", "assumed", "chosen")

_ROW: Final = re.compile(r"^\| `(?P<name>[^`]+)` \|(?P<cells>.*)\|$", re.MULTILINE)
_RECORDS: Final = (LinkParameters, GuestCosts)


def constants() -> dict[str, tuple[str, ...]]:
    """Every constant's name as the page has it, and the cells that follow it there.

    These are the public ``Final`` names of what is installed, but for the words and looks of
    `isfc.cli`; the defaults of the records of parameters, the fields of a chpid's profile, and
    the features, a line of values each.
    """
    rows: dict[str, tuple[str, ...]] = {name: (_shown(value),) for name, value in _finals()}
    for record in _RECORDS:
        for field in fields(record):
            rows[f"{record.__module__}.{record.__name__}.{field.name}"] = (_shown(field.default),)
    measured = [field.name for field in fields(ChpidProfile) if field.name != "feature"]
    for name in measured:
        rows[f"{ChpidProfile.__module__}.{ChpidProfile.__name__}.{name}"] = ()
    for feature, profile in FEATURES.items():
        rows[feature] = tuple(_shown(getattr(profile, name)) for name in measured)
    return rows


def rows(text: str) -> list[tuple[str, list[str]]]:
    """The rows of the page: the name, and the cells after it."""
    return [(row["name"], _cells(row)) for row in _ROW.finditer(text)]


def renewed(text: str, values: Mapping[str, tuple[str, ...]]) -> str:
    """The page with the values as they are in the code."""

    def renew(row: re.Match[str]) -> str:
        cells = _cells(row)
        known = values.get(row["name"], ())
        cells[: len(known)] = known
        return f"| `{row['name']}` | {' | '.join(cells)} |"

    return _ROW.sub(renew, text)


def _cells(row: re.Match[str]) -> list[str]:
    return [cell.strip() for cell in row["cells"].split("|")]


_ELSEWHERE: Final = (
    "isfc.cli.",  # what people read
    "isfc.cp.",  # the words of commands
    "isfc.io.rmf_",  # how reports write numbers and names
    "isfc.layout.rules.",  # docs/check.md lists them
    "isfc.link.state",  # a table that has a picture
    "isfc.testing.",  # docs/testing.md
)
"""Modules whose constants another page tells of, or nobody needs to be told of."""


def _finals() -> Iterator[tuple[str, Any]]:
    """The public constants of the installed modules, in the order in which they stand."""
    for ring in ("ctc", "isfc", "scenarios"):
        for path in sorted((PROJECT / ring).rglob("*.py")):
            name = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
            if name.startswith(_ELSEWHERE):
                continue
            for node in ast.parse(path.read_text("utf-8")).body:
                match node:
                    case ast.AnnAssign(target=ast.Name(id=constant), annotation=annotation) if (
                        "Final" in ast.unparse(annotation) and not constant.startswith("_")
                    ):
                        yield f"{name}.{constant}", getattr(import_module(name), constant)


def _shown(value: Any) -> str:
    """A value as the page shows it: a number, the numbers of a record, or how many entries."""
    match value:
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}"
        case str():
            return f"`{value}`"
        case ChpidProfile():
            return f"`{value.feature}`"
        case Struct():
            return f"{value.size} bytes"
        case _ if is_dataclass(value):
            return "; ".join(f"{f.name} {_shown(getattr(value, f.name))}" for f in fields(value))
        case Sized():
            return f"{len(value)} entries"
    raise TypeError(f"docs/sources.md cannot show a {type(value).__name__}")


def main() -> int:
    """Renew the page; return the exit status."""
    PAGE.write_text(renewed(PAGE.read_text("utf-8"), constants()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
