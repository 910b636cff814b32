"""The help of every command, as ``isfc COMMAND --help`` prints it in 80 columns and more.

``python -m tools.pages.written_help`` writes ``isfc/cli/help``, or the folder that is named. From
there `isfc.cli.written_help` prints it without loading the parser. `setup.py` runs it for a wheel.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import typer
from typer.main import get_command

from isfc.cli.main import app, load_command
from isfc.cli.written_help import COLUMNS, FOLDER, help_file

HELP: Final = Path(FOLDER)


@cache
def texts() -> dict[str, str]:
    """Every help, the groups' and that of ``isfc`` itself included, by the name of its file."""
    return {help_file(words): text for words, text in _told(get_command(app), None, ())}


def _told(
    command: Any, parent: typer.Context | None, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    settings = command.context_settings | {"terminal_width": COLUMNS - 2}
    context = typer.Context(
        command, parent=parent, info_name=words[-1] if words else "isfc", **settings
    )
    yield words, command.get_help(context) + "\n"
    for name, member in getattr(command, "commands", {}).items():
        found = member if words else load_command(name)
        yield from _told(found, context, (*words, name))


def write(folder: Path) -> None:
    """Write the files, and remove those of commands that are gone."""
    write_made(folder, "*.txt", texts())


def write_made(folder: Path, pattern: str, made: Mapping[str, str]) -> None:
    """Write the files by their names; remove what else in ``folder`` fits ``pattern``."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob(pattern):
        if stale.name not in made:
            stale.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(*sys.argv[1:]) if sys.argv[1:] else HELP)
