"""A program for type checkers that names everything public, and what stubtest says of it.

`program` is made of ``isfc.__all__`` and of what ``isfc.testing`` defines, so a new name is in
it as well. What the names are good for is in ``tests/user_program.py``.
"""

import ast
import re
from collections.abc import Iterator
from operator import attrgetter
from types import ModuleType
from typing import Final

import isfc
from tools import PROJECT

TESTING: Final = PROJECT / "isfc" / "testing"

_ERROR: Final = "error: "
_STRUCT: Final = "You may need to write stubs for __new__ instead of __init__"
"""msgspec makes its records by ``__new__``; checkers are told of ``__init__``."""


def program() -> str:
    """Imports of every public name, each used once by name and once as an attribute."""
    lines = ["import isfc", "from isfc import (", *(f"    {name}," for name in isfc.__all__), ")"]
    testing = dict(_testing_names())
    lines += [f"import {module}" for module in testing]
    used = [*isfc.__all__, *(f"isfc.{name}" for name in isfc.__all__), *_inner_names()]
    used += [f"{module}.{name}" for module, names in testing.items() for name in names]
    lines += ["", "names: tuple[object, ...] = (", *(f"    {each}," for each in used), ")"]
    return "\n".join([*lines, "print(len(names))", ""])


def _inner_names() -> list[str]:
    """The public names of modules that are public names themselves, such as `isfc.measured`."""
    found = {name: getattr(isfc, name) for name in isfc.__all__}
    modules = {name: each for name, each in found.items() if isinstance(each, ModuleType)}
    return [f"isfc.{name}.{inner}" for name, each in modules.items() for inner in each.__all__]


def _testing_names() -> Iterator[tuple[str, list[str]]]:
    """The modules of `isfc.testing`, and the functions and classes that each defines."""
    for path in sorted(TESTING.glob("[!_]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        names = [each.name for each in tree.body if isinstance(each, kinds)]
        yield f"isfc.testing.{path.stem}", [name for name in names if not name.startswith("_")]


def doubts(said: str) -> list[str]:
    """What ``stubtest`` says against a public name, where it stands or where it is defined.

    Raises `ValueError` if stubtest did not get as far as to compare.
    """
    if not re.search(r"\(checked \d+ modules\)|no issues found in \d+ modules", said):
        raise ValueError(f"stubtest compared nothing:\n{said}")
    names = [*(f"isfc.{name}" for name in isfc.__all__), *_inner_names()]
    homes = {"isfc.__all__", *names}
    for name in names:
        found = attrgetter(name.partition(".")[2])(isfc)
        if not isinstance(found, ModuleType):
            own = getattr(found, "__qualname__", name.rpartition(".")[2])
            homes.add(f"{found.__module__}.{own}")
    errors = [line[len(_ERROR) :] for line in said.splitlines() if line.startswith(_ERROR)]
    return [error for error in errors if _STRUCT not in error and _is_of(error, homes)]


def _is_of(error: str, homes: set[str]) -> bool:
    named = error.partition(" ")[0]
    return any(named == home or named.startswith(f"{home}.") for home in homes)
