"""``isfc journal show``: what a node was given, a line each, as it is read."""

import json as encoder
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Annotated, Any

from isfc.answers.journal import HEADING, JournalInput, input_lines, journal_show
from isfc.cli.capability import command_of
from isfc.cli.options.formats import Printing
from isfc.cli.options.option import flag
from isfc.cli.output.streams import show_error, show_lines
from isfc.reports.text import encoded


class InputsPrinted(Printing, frozen=True):
    """Lines, however many there are."""

    json: Annotated[
        bool, flag("--json", "Print one JSON document for each record, a line each.")
    ] = False

    def show(self, found: Iterator[JournalInput], _: Callable[[Any], Any]) -> None:
        """Print each when it is there."""
        show_lines(map(json_line, found) if self.json else journal_lines(found))


def journal_lines(inputs: Iterator[JournalInput]) -> Iterator[str]:
    """All inputs below a heading."""
    first = next(inputs, None)  # what is no journal fails here, before any heading
    yield HEADING
    for each in inputs if first is None else chain((first,), inputs):
        yield from input_lines(each)


def json_line(record: object) -> str:
    """One JSON document on one line."""
    return encoder.dumps(encoded(record), allow_nan=False)


show = command_of(journal_show, printed=InputsPrinted, beside={"tell": show_error})
