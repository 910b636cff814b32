"""What is loaded when it is used: public names of a package, what a ring above makes, libraries."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from isfc.errors import ConfigurationError


def named(path: str) -> Any:
    """What stands at a dotted path: so a ring has a thing made by one above, which it may not name.

    A record has its report, a layout its drawing, and decks are read where a layout is given.
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def public_face(
    package: str, public: Mapping[str, str]
) -> tuple[Mapping[str, str], Callable[[str], Any], Callable[[], list[str]]]:
    """The modules of names, ``__getattr__`` and ``__dir__`` of ``package``.

    ``public`` has the modules that define its names, each with these; a module may be public
    itself.
    """
    homes = {name: home for home, names in public.items() for name in names.split()}

    def find(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home)
        if home == f"{package}.{name}":
            return module
        found = getattr(module, name)
        if isinstance(found, type) and found.__doc__ in (None, "", "mypyc filler docstring"):
            _document(found)
        return found

    return homes, find, lambda: [*homes]


def _document(kind: type) -> None:
    """Give a compiled class the docstring that the compiler left out, if its source is beside."""
    import ast
    from pathlib import Path

    compiled = Path(sys.modules[kind.__module__].__file__ or "")
    source = compiled.with_name(f"{compiled.name.partition('.')[0]}.py")
    if not source.is_file():
        return
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            kind.__doc__ = ast.get_docstring(node)
            return


EXTRAS = {
    # what is imported: the extra of ``setup.cfg`` that brings it, and its name for pip
    "jinja2": ("plot", "jinja2"),
    "vl_convert": ("plot", "vl-convert-python"),
    "pyarrow": ("parquet", "pyarrow"),
    "distributed": ("cluster", "distributed"),
    "scipy": ("measured", "scipy"),
    "optuna": ("optimise", "optuna"),
    "starlette": ("studio", "starlette"),
    "uvicorn": ("studio", "uvicorn"),
    "hypothesis": ("testing", "hypothesis"),
}


def check_library(module: str, what: str) -> None:
    """Raise `ConfigurationError`, with the command that installs it, if a library is missing.

    ``what`` needs it: an option, or a command.
    """
    if not _is_there(module):
        raise ConfigurationError(missing_library(module, what))


def check_posix(what: str) -> None:
    """Raise `ConfigurationError` where ``what`` is live and the system is neither Linux nor macOS.

    Live nodes use Unix sockets, locked files and POSIX signals. All that runs in virtual time does
    without them.
    """
    if not _is_there("fcntl"):
        raise ConfigurationError(
            f"{what} needs Linux or macOS; plans, runs, replays, decks, reports and sweeps do not"
        )


def missing_library(module: str, what: str) -> str:
    """What ``what`` lacks, and the command that installs it."""
    extra, library = EXTRAS[module]
    every = "" if extra == "testing" else " (or all that commands need, 'isfc[all]')"
    return (
        f"{what} needs {library}, which is not installed; install it{every} with\n"
        f"{sys.executable} -m pip install 'isfc[{extra}]'"
    )


def _is_there(module: str) -> bool:
    from importlib.util import find_spec  # slow to load

    return find_spec(module) is not None
