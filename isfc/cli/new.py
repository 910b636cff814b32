"""``isfc new``: a commented layout of a few options, or of the answers to a few questions."""

import json
import sys
from collections.abc import Callable
from typing import Any

import typer

from isfc.cli.capability import Instead, command_of
from isfc.cli.options.formats import Printing
from isfc.cli.output.file import ForceOption, OutputOption, write_text
from isfc.cli.output.streams import ExitCode, ask_user
from isfc.layout import build
from isfc.layout.layout import Layout
from isfc.layout.schema import schema
from isfc.layout.write import format_layout


class LayoutWritten(Printing, frozen=True):
    """Where the layout, or the schema, is written."""

    output: OutputOption = None
    force: ForceOption = False

    def show(self, found: Layout | dict[str, Any], _: Callable[[Any], Any]) -> None:
        """Write a layout with comments, a schema as it is."""
        if isinstance(found, Layout):
            heading = [
                f"A logical link between {found.nodes[0]} and {found.nodes[1]}.",
                "'isfc plan FILE' judges it, 'isfc check FILE' holds it against IBM's advice.",
            ]
            text = format_layout(found, heading=heading, explained=True)
        else:
            text = json.dumps(found, indent=2) + "\n"
        write_text(text, self.output, force=self.force)


def _ask(question: str) -> str | None:
    """What somebody at the terminal answers; Ctrl-D, not even the end of a line, ends it."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    answer = ask_user(question)
    if not answer:
        raise typer.Exit(ExitCode.INTERRUPTED)
    return answer.strip()


new = command_of(
    build.new,
    printed=LayoutWritten,
    instead=[Instead("schema", "The JSON schema of layout files instead, for an editor.", schema)],
    beside={"ask": _ask},
)
