"""The tables of keys in ``docs/json.md``, made from the records that ``--json`` prints.

A table is what a mark holds that names a record, as ``<!--=isfc.cli.plan.json.PlanJson-->``. A row
is a field of the record: its name and the text below it in the source. The keys of a record within
it are in the same row, each with its text in brackets; one that holds records too has a row of its
own, ``advice[].trials``. A record is told once: where it is met again, that place is named.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct

ELSEWHERE: Final = ("as of ", "the same", "the next table")
"""How a text begins after which the keys are not named: another row or table names them."""

_NAMED: Final = re.compile(r"<!--=(isfc\.cli\.\w[\w.]*Json)-->")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)

_Links = dict[type[Struct], str]
"""Where each record is told: the link to its table, or the row that has it."""


class _Field(NamedTuple):
    """A key of a record, what is said of it, and the record that it holds."""

    key: str
    said: str
    several: str
    """``[]`` for each list, or mapping by name, in which the record is"""
    inner: type[Struct] | None


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
    rows = (f"| `{key}` | {cell} |\n".replace("|  |", "| |") for key, cell in _rows(record, links))
    return "".join(("| key | holds |\n| --- | --- |\n", *rows))


def _rows(record: type[Struct], links: _Links) -> Iterator[tuple[str, str]]:
    """Each key of a record with what is said of it, then those below it that need a row."""
    links = {record: "", **links}
    for field in _fields(record):
        yield from _row(field.key, field, _claimed(field.key, field, links), links)


def _row(path: str, field: _Field, is_told_here: bool, links: _Links) -> Iterator[tuple[str, str]]:
    if field.inner is None or not is_told_here:
        yield path, _said(field, links)
        return
    keys: list[str] = []
    below: list[tuple[str, _Field]] = []
    for each in _fields(field.inner):
        place = f"{path}{field.several}.{each.key}"
        if _claimed(place, each, links):
            below.append((place, each))
            keys.append(f"`{each.key}`")
        else:
            said = _said(each, links)
            keys.append(f"`{each.key}` ({said})" if said else f"`{each.key}`")
    yield path, ": ".join(filter(None, (field.said, ", ".join(keys))))
    for place, each in below:
        yield from _row(place, each, True, links)


def _claimed(path: str, field: _Field, links: _Links) -> bool:
    """Whether the record of a field is told there, as it is told nowhere yet."""
    if field.inner is None or field.inner in links:
        return False
    links[field.inner] = f"as `{path}`"
    return True


def _said(field: _Field, links: _Links) -> str:
    """What is said of a key in a few words, with where its record is told."""
    place = links[field.inner] if field.inner else ""
    return ": ".join(filter(None, (field.said, place)))


def _fields(record: type[Struct]) -> Iterator[_Field]:
    told, types = _told(record), get_type_hints(record)
    for key in record.__struct_fields__:
        said = told.get(key, "")
        several, inner = next(_records(types[key]), ("", None))
        yield _Field(key, said, several, None if said.startswith(ELSEWHERE) else inner)


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
