"""The tables of keys in ``docs/json.md``, made from the records that ``--json`` prints.

A table is what a mark holds that names a record, as ``<!--=isfc.cli.plan.json.PlanJson-->``. A row
is a field of the record: its name, the text below it in the source, and the keys of the records
that it holds.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, get_args, get_type_hints

from msgspec import Struct

ELSEWHERE: Final = ("as of ", "the same", "the next table")
"""How a text begins after which the keys are not named: another row or table names them."""

_NAMED: Final = re.compile(r"<!--=(isfc\.cli\.\w[\w.]*Json)-->")


def tables(text: str) -> dict[str, str]:
    """The table of each record that the page names in a mark."""
    return {name: f"\n\n{_table(*name.rsplit('.', 1))}\n" for name in _NAMED.findall(text)}


def _table(module: str, name: str) -> str:
    record = getattr(import_module(module), name)
    rows = (f"| `{key}` | {cell} |\n".replace("|  |", "| |") for key, cell in _cells(record))
    return "".join(("| key | holds |\n| --- | --- |\n", *rows))


def _cells(record: type[Struct]) -> Iterator[tuple[str, str]]:
    """Each key of a record, and what is said of it."""
    told, types = _told(record), get_type_hints(record)
    for key in record.__struct_fields__:
        said = told.get(key, "")
        inner = next(_records(types[key]), None)
        if inner is not None and not said.startswith(ELSEWHERE):
            cells = _cells(inner)
            keys = ", ".join(f"`{name}` ({cell})" if cell else f"`{name}`" for name, cell in cells)
            said = f"{said}: {keys}" if said else keys
        yield key, said


def _records(kind: Any) -> Iterator[type[Struct]]:
    """The records in a type such as ``dict[str, list[ChpidJson]] | None``."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield kind
    for part in get_args(kind):
        yield from _records(part)


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
