"""Files that results are written to: named by an option, checked before any work is done.

A file is written whole or not at all: a full disk leaves what was there before. What is there stays
unless it is the same, or ``force``; what took work to make goes beside it then.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from isfc.cli.output.streams import csv_text, show_lines
from isfc.errors import ConfigurationError
from isfc.errors.in_words import naming

ForceOption = Annotated[
    bool, typer.Option("--force", help="Write over files that are there and have something else.")
]


def output_option(said: str, metavar: str = "FILE") -> Any:
    """The option itself; ``said`` is its help."""
    return typer.Option("--output", "-o", metavar=metavar, help=said)


def check_force(option: str, *paths: Path | None, force: bool) -> None:
    """Raise `ConfigurationError` for ``force`` where no option names a file."""
    if force and not any(paths):
        raise ConfigurationError(f"--force: of a file; expected {option} with it")


_STAYING: Final[set[Path]] = set()
"""Files that were checked, and that are written over only with the same."""

_OTHER: Final = "is there and has something else"


def _has(path: Path, other: bytes) -> bool:
    """Whether a file has something, and not the same as another."""
    return path.is_file() and path.read_bytes() not in (b"", other)


def check_kept(path: Path, text: str, *, force: bool) -> None:
    """Raise `ConfigurationError` if ``text`` is to be written where another one is.

    Unless ``force``: then what is there is lost.
    """
    _STAYING.discard(path)
    if not force and _has(path, text.encode()):
        raise ConfigurationError(
            f"{path}: {_OTHER}; expected another file, or --force to write over it"
        )


def check_file(option: str, path: Path | None, suffixes: tuple[str, ...], *, force: bool) -> None:
    """Find out before any work is done for it whether the file that an option names can be written.

    Raises `ConfigurationError` for another suffix, for a folder that does not exist, and for what
    cannot be written: that would be noticed only when there is a result, which is lost then. A file
    that has something is written over with the same alone, unless ``force``.
    """
    check_force(option, path, force=force)
    if path is None:
        return
    name = str(path)
    shown = name if len(name) <= 60 else f"...{name[-57:]}"
    if suffixes and path.suffix.lower() not in suffixes:
        raise ConfigurationError(
            f"{option} {shown}: expected a file that ends with {' or '.join(suffixes)}"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"{option} {shown}: there is no folder {path.parent}")
    if path.is_dir():
        raise ConfigurationError(f"{option} {shown}: is a folder; expected a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigurationError(f"{option} {shown}: may not be written")
    (_STAYING.discard if force else _STAYING.add)(path)


def write_file(path: Path, text: str) -> None:
    """Write ``text`` into a file, as UTF-8; raises as `whole_file` does.

    A byte of a file's name that is no UTF-8 is written with a backslash, as in messages.
    """
    with whole_file(path) as file:
        file.write_text(text, "utf-8", "backslashreplace", newline="\n")  # the same anywhere


def write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write at least one row, below a line of their keys; raises as `whole_file` does."""
    if path.suffix.lower() == ".csv":
        write_file(path, csv_text(rows))
        return
    import pyarrow  # here and below: few commands write a table
    from pyarrow import parquet

    with whole_file(path) as written:
        parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), written)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A new file beside ``path`` to write to, which takes its place when the block has ended.

    If the block fails, the new file is removed. What is no regular file, such as ``/dev/stdout``,
    and a file in a folder that takes no new one, is written where it is. Raises `OSError` that
    names ``path``, and `ConfigurationError` where a file that `check_file` found stays: what it
    names has the new one.
    """
    is_staying = path in _STAYING
    _STAYING.discard(path)
    there = path.resolve()  # the file that a link leads to, not the link
    if (there.exists() and not there.is_file()) or not os.access(there.parent, os.W_OK):
        if is_staying and _has(there, b""):
            raise ConfigurationError(f"{path}: {_OTHER}; expected --force to write over it")
        with naming(path):
            yield path
        return
    import secrets  # much to load for commands that write no file

    beside = there.with_name(f".isfc-{secrets.token_hex(8)}{there.suffix}")
    with naming(path):
        try:
            yield beside
            if is_staying and _has(there, beside.read_bytes()):
                others = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in count(1))
                new = next(each for each in others if not each.exists())
                beside.replace(new)
                raise ConfigurationError(
                    f"{path}: {_OTHER}; what was made is in {new}, and --force writes over {path}"
                )
            if there.exists():
                beside.chmod(there.stat().st_mode)
            beside.replace(there)
        finally:
            beside.unlink(missing_ok=True)


OutputOption = Annotated[
    Path | None,
    output_option("Write to a file, or files to a folder, instead of to standard output."),
]


def write_text(text: str, output: Path | None, *, force: bool) -> None:
    """Write to ``output``, or to standard output without it.

    Raises `ConfigurationError` for a file that has something else, which would be lost, unless that
    is to be (``force``).
    """
    check_force("--output", output, force=force)
    if output is None:
        show_lines(text.splitlines())
        return
    check_kept(output, text, force=force)
    write_file(output, text)
