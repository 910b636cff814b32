"""``isfc journal``: what a node was given, shown, and fed to a fresh node."""

import json
from pathlib import Path
from typing import Annotated

import typer

from isfc.answers import journal as answers
from isfc.cli.options.option import JsonOption, flag
from isfc.cli.output.streams import ExitCode, show_error, show_json, show_lines
from isfc.cli.output.streams import show as show_page
from isfc.engine.journal_record import JournalReader
from isfc.reports.text import encoded

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="What --journal has written.")]

app = typer.Typer(
    help="Look into a journal, or replay it.", add_completion=False, rich_markup_mode=None
)


@app.command()
def show(
    file: FileArgument,
    *,
    json: Annotated[
        bool, flag("--json", "Print one JSON document for each record, a line each.")
    ] = False,
) -> None:
    """Show every input of a node, and what came of it.

    A line has the time, what was done to which RDEV or chpid, how many frames and events came
    of it, and when the node wanted to be called next.
    """
    with answers.opened(file) as read:
        reader = JournalReader(read)
        inputs = map(answers.input_of, reader)
        if json:
            show_lines(map(json_line, inputs))
        else:
            show_lines(answers.journal_lines(inputs))
        if reader.framed.truncated_length:
            show_error(f"{file}: {answers.remainder(reader.framed.truncated_length)}")


@app.command()
def replay(file: FileArgument, *, json: JsonOption = False) -> None:
    """Feed a journal to a fresh node; every output must be as it was.

    Ends with 0 when all are identical; with 1 at the first difference, and when the file is
    damaged. A journal whose end is missing is replayed up to its last whole record.
    """
    done: answers.JournalReplay = answers.journal_replay(file)
    if json:
        show_json(done)
    else:
        from isfc.reports.terminal import page  # lines and JSON do without

        show_page(page(answers.replay_report(done), notes=False))
    if not done.identical:
        raise typer.Exit(ExitCode.FAILED)


def json_line(record: object) -> str:
    """One JSON document on one line."""
    return json.dumps(encoded(record), allow_nan=False)
