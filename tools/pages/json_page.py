"""The tables of keys in ``docs/json.md``, made from the records that ``--json`` prints.

A table is what a mark holds that names a record, as ``<!--=isfc.cli.plan.json.PlanJson-->``. A row
is a field of the record: its name and the text below it in the source. A record within it follows
with rows of its own, ``model.workload``, or ``advice[].id`` of a list or of names; one that has a
table on the page is linked instead.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, get_args, get_origin, get_type_hints

from msgspec import Struct

ELSEWHERE: Final = ("as of ", "the same", "the next table")
"""How a text begins after which the keys are not named: another row or table names them."""

_NAMED: Final = re.compile(r"<!--=(isfc\.cli\.\w[\w.]*Json)-->")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)

_Links = dict[type[Struct], str]
"""The link to each record that has a table of its own."""


def tables(text: str) -> dict[str, str]:
    """The table of each record that the page names in a mark."""
    links: _Links = {}
    records: dict[str, type[Struct]] = {}
    for mark in _NAMED.finditer(text):
        module, name = mark[1].rsplit(".", 1)
        records[mark[1]] = record = getattr(import_module(module), name)
        *_, heading = _HEADING.findall(text, 0, mark.start())
        links[record] = f"[{heading.lower()}](#{_anchor(heading)})"
    return {name: f"\n\n{_table(record, links)}\n" for name, record in records.items()}


def _anchor(heading: str) -> str:
    """The name under which a page of Markdown has a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _table(record: type[Struct], links: _Links) -> str:
    rows = (f"| `{key}` | {cell} |\n".replace("|  |", "| |") for key, cell in _cells(record, links))
    return "".join(("| key | holds |\n| --- | --- |\n", *rows))


def _cells(record: type[Struct], links: _Links) -> Iterator[tuple[str, str]]:
    """Each key of a record with what is said of it, then those of the record that it holds."""
    told, types = _told(record), get_type_hints(record)
    for key in record.__struct_fields__:
        said = told.get(key, "")
        several, inner = next(_records(types[key]), ("", None))
        if inner is None or said.startswith(ELSEWHERE):
            yield key, said
        elif inner in links:
            yield key, f"{said}: {links[inner]}" if said else links[inner]
        else:
            yield key, said
            for name, cell in _cells(inner, links):
                yield f"{key}{several}.{name}", cell


def _records(kind: Any, several: str = "") -> Iterator[tuple[str, type[Struct]]]:
    """The records in a type such as ``list[ChpidJson] | None``, each with ``[]`` for every list."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield several, kind
    more = "[]" if get_origin(kind) in (dict, list, tuple) else ""
    for part in get_args(kind):
        yield from _records(part, several + more)


@cache
def _told(record: type) -> dict[str, str]:
    """The text below each field of a class, and of those that it extends."""
    if record in (object, Struct):
        return {}
    told = {key: said for base in record.__bases__ for key, said in _told(base).items()}
    (tree,) = ast.parse(inspect.getsource(record)).body
    assert isinstance(tree, ast.ClassDef)
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(ast.Constant(str(said))):
                told[key] = " ".join(said.split())
    return told
