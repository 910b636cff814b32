"""What a command or function answers, as people see it; renderers know neither of both.

A `Report` has the answer first, then tables, each over rows of the answer, charts, and notes.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from isfc.reports.figure import Note, NoteKind
from isfc.reports.table import Table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from isfc.reports.chart import Chart, Grid


_CAVEATS: Final = (
    NoteKind.ELSEWHERE,
    NoteKind.MEMORY,
    NoteKind.ONE_CHANNEL,
    NoteKind.ALONE,
    NoteKind.OTHERS,
    NoteKind.JOINED,
    NoteKind.RULE,
    NoteKind.EXTRAPOLATED,
    NoteKind.PROFILE,
    NoteKind.IN_STEP,
    NoteKind.DISKS,
    NoteKind.ASSUMED,
)
"""What may make a figure another one, the worst first. The others say what is not known."""

_CAVEATS_MAX: Final = 2
"""So many are on a page that nobody asked for notes on."""


def caveats(notes: Iterable[Note]) -> tuple[list[str], list[str]]:
    """What somebody has to know at first reading, and the rest."""
    every = [*notes]
    told = sorted(
        (each for each in every if each.kind in _CAVEATS),
        key=lambda note: _CAVEATS.index(note.kind),
    )[:_CAVEATS_MAX]
    return [each.text for each in told], [each.text for each in every if each not in told]


class Report(Struct, frozen=True):
    """An answer: lines of a label and what is said, then tables, a drawing and charts.

    ``remarks`` are `caveats`; ``notes`` say how figures were made and how far they are known, for
    whoever asks for them, and ``asked`` is what a page without them says that they have.
    ``sections`` are reports of parts, each below the whole.
    """

    title: str
    answer: Sequence[tuple[str, str]]
    tables: Sequence[Table] = ()
    drawing: "RenderableType | None" = None
    remarks: Sequence[str] = ()
    notes: Sequence[str] = ()
    charts: "Sequence[Chart]" = ()
    asked: str = "How figures were made"
    sections: "Sequence[Report]" = ()

    @property
    def grids(self) -> "list[Grid]":
        """The charts that text can shade."""
        from isfc.reports.chart import Grid  # which most pages do without

        return [each for each in self.charts if isinstance(each, Grid)]

    @property
    def drawn(self) -> "list[Chart]":
        """Its charts, or bars of the first table that has figures; then those of its sections."""
        from isfc.reports.chart import bars_of

        bars = (found for each in self.shown if (found := bars_of(each)))
        own = self.charts or [*islice(bars, 1)]
        return [*own, *(chart for each in self.sections for chart in each.drawn)]

    @property
    def shown(self) -> list[Table]:
        """The tables that people read."""
        return [each for each in self.tables if not each.is_data]

    @property
    def every_table(self) -> list[Table]:
        """Those of its sections too."""
        return [*self.tables, *(table for each in self.sections for table in each.every_table)]
