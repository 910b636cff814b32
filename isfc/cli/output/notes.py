"""The notes of a figure, as pages, ``--json`` and standard error show them."""

from collections.abc import Sequence

from msgspec import Struct

from isfc.cli.output.streams import show_log
from isfc.layout.note import Note


def note_lines(notes: Sequence[Note]) -> list[str]:
    """What a page ends with: each note below a blank line."""
    return [line for note in notes for line in ("", note.text)]


class NoteJson(Struct, frozen=True):
    """A note in ``--json``."""

    kind: str
    """[one of these](extrapolation.md#notes)"""
    text: str
    """the same in words"""


def notes_json(notes: Sequence[Note]) -> list[NoteJson]:
    """What ``--json`` has of what has notes: empty if there are none."""
    return [NoteJson(note.kind.value, note.text) for note in notes]


def show_notes(notes: Sequence[Note]) -> None:
    """Say them on stderr, where stdout has no place for them, as in CSV."""
    for note in notes:
        show_log(f"isfc: note: {note.text}")
