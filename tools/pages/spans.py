"""Figures in the prose of pages, each in a mark that names it.

``It waits <!--=wait_s-->15<!--/--> s.`` shows *It waits 15 s.*, as Markdown hides comments. A name
is that of a figure of the page (`tools.pages.renew.FIGURES`), or of a constant of the code, with
the unit that it is shown in: ``<!--=isfc.live.memory.KEPT_LENGTH MiB-->``. A mark may hold lines
too, such as a table; then it stands in lines of its own.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import signature
from textwrap import fill
from typing import Any, Final

from isfc.reports.figure import Unit
from isfc.reports.report import Column, Table
from isfc.reports.text import markdown_table

MARK: Final = re.compile(
    r"<!--=(?P<name>[\w.-]+)(?: (?P<unit>\w+))?-->(?P<shown>.*?)<!--/-->", re.DOTALL
)
LINES: Final = re.compile(r"^[\s>*-]*<!--=[^>]*-->(?!\n)", re.MULTILINE)
"""A mark that begins a line and is no line: Markdown would take the line for HTML."""

CODE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

WORDS: Final = "none one two three four five six seven eight nine ten eleven twelve".split()
UNITS: Final = {
    "thousand": 10**3,
    # of bytes
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    # of ns
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    # of a ratio
    "percent": 0.01,
}


def filled(text: str, figures: Mapping[str, str]) -> str:
    """The text with every figure as it is now.

    Raises `ValueError` for a mark that Markdown would show, for a name that nothing has, and for a
    figure that no mark shows.
    """
    if wrong := LINES.search(text):
        raise ValueError(f"a line begins with {wrong[0].strip()}: put a word before it")
    for code in CODE.findall(text):
        if wrong := MARK.search(code):
            raise ValueError(f"{wrong[0]} is shown as it is, in a block of code")
    shown: set[str] = set()

    def fill(mark: re.Match[str]) -> str:
        name, unit = mark["name"], mark["unit"]
        shown.add(name)
        value = figures[name] if name in figures else in_unit(constant(name), unit)
        return f"<!--={name}{f' {unit}' if unit else ''}-->{value}<!--/-->"

    text = MARK.sub(fill, text)
    if unused := figures.keys() - shown:
        raise ValueError(f"shown nowhere: {', '.join(sorted(unused))}")
    return text


def in_unit(value: Any, unit: str | None) -> str:
    """A constant as it is shown: in words, in one of `UNITS`, or in its own."""
    if unit in ("word", "Word"):
        word = WORDS[value if isinstance(value, int) else len(value)]
        return word if unit == "word" else word.capitalize()
    return number(value / UNITS[unit] if unit else value)


def number(value: float) -> str:
    """A number without digits that it does not have, and with commas from a thousand on."""
    return f"{round(value, 9):,}".removesuffix(".0")


def constant(name: str) -> Any:
    """The constant of that name; of a record, the default of a field. Raises `ValueError`."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        with suppress(ModuleNotFoundError, AttributeError, KeyError):
            found: Any = import_module(".".join(parts[:count]))
            for part in parts[count:]:
                if isinstance(found, type):
                    found = signature(found).parameters[part].default
                else:
                    found = found[part] if isinstance(found, Mapping) else getattr(found, part)
            return found
    raise ValueError(f"{name}: neither a figure of the page nor a constant")


def block(lines: str) -> str:
    """Lines between marks that stand in lines of their own."""
    return f"\n\n{lines.strip(chr(10))}\n\n"


def table_block(rows: Sequence[Mapping[str, object]]) -> str:
    """A table of rows whose keys are its headings."""
    columns = [Column(name, name, Unit.ANY) for name in rows[0]]
    return block(markdown_table(Table("", columns, rows)))


def paragraph(text: str) -> str:
    """A paragraph in lines of ordinary length."""
    return fill(" ".join(text.split()), 96, break_long_words=False, break_on_hyphens=False) + "\n"
