"""The keys of ``--json``, from its records: named in ``docs/json.md``, told in ``json.csv``.

A mark of the page that names a record, ``<!--=isfc.answers.collide.Collisions-->``, holds the
names of its keys. The file has a row for each: the text below it in the source, and a row for each
key of a record within it too, which may be a dataclass: ``model.workload``, or ``advice[].id`` of
a list or of names. Of a record that the page names itself it says where that is.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from textwrap import fill
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct

from tools.pages.spans import block
from tools.tables import csv_text

ELSEWHERE: Final = ("as of ", "the same", "the next table")
"""How a text begins after which the keys are not named: another row or table names them."""

_NAMED: Final = re.compile(r"<!--=((?:isfc|scenarios)\.[\w.]*[A-Z]\w*)-->")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
WIDTH: Final = 100
_LINK: Final = re.compile(r"\[([^]]+)\]\([^)]*\)")


class _Named(NamedTuple):
    """A record that the page names in a mark, and the heading above that."""

    name: str
    record: type
    heading: str


class _JsonField(NamedTuple):
    """A key of a record, what is said of it, and the record in it, if that is told with it."""

    key: str
    said: str
    several: str
    """``[]`` for each list, or mapping by name, in which the record is"""
    inner: type | None


_Headings = dict[type, str]
"""Of each record that the page names, and of what it extends, the heading as a text says it."""


def key_names(text: str) -> dict[str, str]:
    """The keys of each record that the page names in a mark."""
    listed = {one.name: ", ".join(f"`{key}`" for key in _names(one.record)) for one in _named(text)}
    return {name: block(fill(keys, WIDTH)) for name, keys in listed.items()}


def every_key(text: str) -> str:
    """As CSV: each key of those records with the heading that it stands below."""
    named = [*_named(text)]
    headings = {base: one.heading.lower() for one in named for base in one.record.__mro__}
    headings |= {one.record: one.heading.lower() for one in named}
    rows = [
        (one.heading.replace("`", ""), key, _LINK.sub(r"\1", said).replace("`", ""))
        for one in named
        for key, said in _keys(one.record, headings)
    ]
    return csv_text(("of", "key", "holds"), rows)


def _named(text: str) -> Iterator[_Named]:
    for mark in _NAMED.finditer(text):
        module, name = mark[1].rsplit(".", 1)
        *_, heading = _HEADING.findall(text, 0, mark.start())
        yield _Named(mark[1], getattr(import_module(module), name), heading)


def _keys(record: type, headings: _Headings) -> Iterator[tuple[str, str]]:
    """Each key of a record with what is said of it, then those of the record that it holds."""
    for field in _fields(record, headings):
        yield field.key, field.said
        if field.inner:
            for key, said in _keys(field.inner, headings):
                yield f"{field.key}{field.several}.{key}", said


def _fields(record: type, headings: _Headings) -> Iterator[_JsonField]:
    told, types = _told(record), get_type_hints(record, None, _typed_only(record))
    for key, name in _names(record).items():
        said = told.get(name, "")
        several, inner = next(_records(types[name]), ("", None))
        if inner in headings:
            yield _JsonField(key, ": ".join(filter(None, (said, headings[inner]))), "", None)
        else:
            yield _JsonField(key, said, several, None if said.startswith(ELSEWHERE) else inner)


def _names(record: Any) -> dict[str, str]:
    """Each key of a record, and the field that it is of."""
    if is_dataclass(record):
        return {field.name: field.name for field in fields(record) if field.repr}
    return dict(zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True))


def _records(kind: Any, several: str = "") -> Iterator[tuple[str, type]]:
    """The records in a type such as ``list[ChpidJson] | None``, each with ``[]`` for every list."""
    if isinstance(kind, type) and (issubclass(kind, Struct) or is_dataclass(kind)):
        yield several, kind
    more = "[]" if get_origin(kind) in (dict, list, tuple) else ""
    for part in get_args(kind):
        yield from _records(part, several + more)


def _typed_only(record: type) -> dict[str, Any]:
    """What the record's module imports for type checkers alone."""
    tree = ast.parse(inspect.getsource(sys.modules[record.__module__]))
    return {
        name.name: getattr(import_module(node.module or ""), name.name)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


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
