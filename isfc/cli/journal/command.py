"""``isfc journal``: what a node was given, shown, and fed to a fresh node."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from isfc.arguments import STANDARD_INPUT
from isfc.cli.journal.document import open_journal, record_json, replay_json
from isfc.cli.journal.page import HEADING, json_line, record_lines, replay_page
from isfc.cli.options.layout import JsonOption
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show as show_page
from isfc.cli.output.streams import show_error, show_json, show_lines
from isfc.errors import JournalError
from isfc.journal.framed import Read
from isfc.journal.journal import replay as replay_journal
from isfc.journal.record import JournalReader

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="What --journal has written.")]

app = typer.Typer(
    help="Look into a journal, or replay it.", add_completion=False, rich_markup_mode=None
)


@app.command()
def show(
    file: FileArgument,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document for each record, a line each.")
    ] = False,
) -> None:
    """Show every input of a node, and what came of it.

    A line has the time, what was done to which RDEV or chpid, how many frames and events came
    of it, and when the node wanted to be called next.
    """
    with _opened(file) as read:
        reader = JournalReader(read)
        if json:
            show_lines(json_line(record_json(record)) for record in reader)
        else:
            records = iter(reader)
            first = next(records, None)  # what is no journal fails here, before any heading
            show_lines([HEADING])
            if first is not None:
                show_lines(
                    line for record in chain((first,), records) for line in record_lines(record)
                )
        if reader.truncated_length:
            show_error(f"{file}: {_remainder(reader.truncated_length)}")


@app.command()
def replay(file: FileArgument, *, json: JsonOption = False) -> None:
    """Feed a journal to a fresh node; every output must be as it was.

    Ends with 0 when all are identical; with 1 at the first difference, and when the file is
    damaged. A journal whose end is missing is replayed up to its last whole record.
    """
    with _opened(file) as read:
        done = replay_journal(read)
    if json:
        show_json(replay_json(done))
    else:
        show_page(replay_page(done, _remainder(done.truncated_length)))
    if done.difference is not None:
        raise typer.Exit(ExitCode.FAILED)


def _remainder(length: int) -> str:
    """What to say of the end of a journal; nothing if it is whole."""
    if not length:
        return ""
    return (
        f"its last {length:,} bytes are no whole record: whoever wrote it was killed, "
        "or is still writing"
    )


@contextmanager
def _opened(file: Path) -> Iterator[Read]:
    """The file's ``read``; a damaged journal ends the command with 1."""
    with sys.stdin.buffer if file == STANDARD_INPUT else open_journal(file) as stream:
        try:
            yield stream.read
        except JournalError as error:
            show_error(f"{file}: {error}")
            raise typer.Exit(ExitCode.FAILED) from None
