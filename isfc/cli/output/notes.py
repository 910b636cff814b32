"""The notes of a figure, as pages, ``--json`` and standard error show them."""

from collections.abc import Sequence

from isfc.cli.output.streams import show_log
from isfc.layout.note import Note


def note_lines(notes: Sequence[Note]) -> list[str]:
    """What a page ends with: each note below a blank line."""
    return [line for note in notes for line in ("", note.text)]


def show_notes(notes: Sequence[Note]) -> None:
    """Say them on stderr, where stdout has no place for them, as in CSV."""
    for note in notes:
        show_log(f"isfc: note: {note.text}")
