"""A sweep: every cell of a grid run once, here or on a cluster, and its rows as they finish."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from isfc.layout.note import Note, NoteKind
from isfc.search.cluster import share_out_over
from isfc.search.grid import Cell
from isfc.search.store import Figures, RowStore, key_of
from isfc.search.workers import shared_out
from scenarios.figures.ranges import flat_range, run_figures
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import run_notes, unranged
from scenarios.runs.repeat import MEASURES
from scenarios.runs.run import INTERVAL_MIN, Recording, run
from scenarios.runs.trend import BATCHES, drifts

Row = dict[str, Any]
"""A cell's place on each axis, then every figure of the link as a whole, and notes."""


TREND: Final = Note(NoteKind.TREND, "MB/s had a trend until the end: a longer run may give others.")

NO_RANGE: Final = unranged("packages, collisions and TXPENDCT")


Execute = Callable[
    [Callable[[Experiment], Figures], Sequence[Experiment]], Iterable[tuple[int, Figures]]
]
"""Does work on every item and yields (index, result) as they finish."""


def execute(
    work: Callable[[Experiment], Figures],
    items: Sequence[Experiment],
    jobs: int | None,
    cluster: str | None,
) -> Iterator[tuple[int, Figures]]:
    """Work shared out over a cluster if there is an address of one, else over this machine."""
    if not items:
        return
    if cluster is None:
        yield from shared_out(work, items, jobs or os.cpu_count() or 1)
        return
    with closing(share_out_over(cluster, work, items)) as answers:
        yield from answers


def finish(
    cells: Sequence[Cell], store: RowStore, shared_out: Execute
) -> Iterator[tuple[Cell, Figures]]:
    """Each cell with its figures: those that the store has, then the others as they finish."""
    waiting: dict[str, list[Cell]] = {}
    for cell in cells:
        key = key_of(cell.run)
        if cell.is_cut:
            yield cell, NOTHING
        elif key in store.finished:
            yield cell, store.finished[key]
        else:
            waiting.setdefault(key, []).append(cell)
    experiments = [alike[0].run for alike in waiting.values()]
    groups = list(waiting.items())
    for index, figures in shared_out(measure, experiments):
        key, alike = groups[index]
        store.add(key, figures)
        for cell in alike:
            yield cell, figures


def measure(experiment: Experiment) -> Figures:
    """The figures of each link of a run as a whole, by its name, seen from the clients' system.

    ``trend`` is 1 if its MB/s had not come to rest, so that a longer run may give others.
    """
    interval = experiment.seconds / BATCHES
    links = run(experiment, interval if interval >= INTERVAL_MIN else None).links
    return {link.experiment.layout.name: _figures(link) for link in links}


def _figures(recording: Recording) -> dict[str, float]:
    seen = recording.client
    figures = {name: getattr(seen.whole.result, name) for name in MEASURES}
    return {**figures, "trend": int(drifts([part.result.mb_per_s for part in seen.parts]))}


NOTHING: Final[Figures] = {**dict.fromkeys(MEASURES, 0.0), "trend": 0}
"""The figures of a link of which no CTC is left."""


def figures_of(cell: Cell, figures: Figures) -> Mapping[str, float]:
    """Those of the link of a cell, from the figures of its run."""
    if cell.is_cut:
        return figures
    found: Mapping[str, float] = figures[cell.experiment.layout.name]
    return found


def row_of(cell: Cell, figures: Figures) -> Row:
    """The row of a cell: its place, its figures, their ranges, and the notes that belong to them.

    A range has four columns: ``mb_per_s_likely_low`` and ``_high`` in four of five cases,
    ``mb_per_s_sure_low`` and ``_high`` in nineteen of twenty.
    """
    own = figures_of(cell, figures)
    ranges = run_figures(cell.experiment, own).items()
    return {
        **cell.axes,
        **own,
        **{column: end for name, each in ranges for column, end in flat_range(name, each).items()},
        "notes": " ".join(note.text for note in cell_notes(cell, own)),
    }


def cell_notes(cell: Cell, figures: Mapping[str, Any]) -> tuple[Note, ...]:
    """The notes of the figures of a link, or of its row."""
    if cell.is_cut:
        return ()
    experiment = cell.experiment
    rate = float(figures["mb_per_s"])
    notes = run_notes(experiment.layout, experiment.workload, experiment.pairs, rate)
    return (*notes, *([TREND] if figures.get("trend") else []), NO_RANGE)
