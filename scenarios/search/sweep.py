"""A sweep: every cell of a grid run once, here or on a cluster, and its rows as they finish.

Rows that are finished are kept in a file, so that a sweep goes on where it was broken off. How sure
it is which row is ahead, the odds of the best one over each other say.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import grouped
from isfc.reports.figure import Note, NoteKind
from scenarios.figures.certainty import Differs, Odds, odds_ahead
from scenarios.figures.ranges import flat_range, is_told, link_ratio, run_figures
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import run_notes, unranged
from scenarios.runs.result import MEASURES, plain
from scenarios.runs.run import INTERVAL_MIN, Recording, run
from scenarios.runs.steady import BATCHES, drifts
from scenarios.search.grid import Cell
from scenarios.search.workers import share_out_over, shared_out

Figures = Mapping[str, Any]
"""Of each link of a run by its name: numbers by name."""


def key_of(experiment: Experiment) -> str:
    """What names a run: its layout, workload, every constant of the model, seed and version.

    And of which figures its row is: those of rows without ``trend`` are run again.
    """
    return hashlib.sha256(f"trend {version('isfc')} {plain(experiment)}".encode()).hexdigest()[:24]


class RowStore:
    """Figures of finished runs by `key_of`, one JSON line each, added to the end of a file.

    The last line counts if it is whole, also without its end; if a crash has left it half-written,
    it is run again. A file that a sweep has not written is refused. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.finished: dict[str, Figures] = {}
        self._valid_length = 0
        self._ended = True
        if path is not None and path.exists():
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
        for line in data.splitlines(keepends=True):
            try:
                record: dict[str, Any] = json.loads(line)
                self.finished[record["key"]] = record["figures"]
            except (ValueError, KeyError, TypeError):
                # what a crash left of a record
                if not line.endswith(b"\n") and line[: len(_BEGIN)] == _BEGIN[: len(line)]:
                    break
                raise ConfigurationError(
                    f"{path}: holds what no sweep has written; expected another {spelt('store')}"
                ) from None
            self._valid_length += len(line)
            self._ended = line.endswith(b"\n")

    def add(self, key: str, figures: Figures) -> None:
        """Keep the figures of a run that has just finished; an `OSError` names the file."""
        self.finished[key] = figures
        if self.path is None:
            return
        line = ("" if self._ended else "\n") + _line(key, figures)
        self._ended = True
        try:
            with self.path.open("r+b" if self.path.exists() else "w+b") as file:
                file.seek(self._valid_length)
                file.truncate()
                file.write(line.encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._valid_length += len(line)


def _line(key: str, figures: Figures) -> str:
    return json.dumps({"key": key, "figures": figures}) + "\n"


_BEGIN = _line("", {}).partition('""')[0].encode()
"""How every line begins, up to its key."""


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
    else:
        yield from share_out_over(cluster, work, items)


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
    groups = list(waiting.items())
    for index, figures in shared_out(measure, [alike[0].run for _, alike in groups]):
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


def row_of(cell: Cell, figures: Figures) -> Row:
    """The row of a cell: its place, its figures, their ranges, and the notes that belong to them.

    A range has four columns: ``mb_per_s_likely_low`` and ``_high`` in four of five cases,
    ``mb_per_s_sure_low`` and ``_high`` in nineteen of twenty.
    """
    own = figures if cell.is_cut else figures[cell.experiment.layout.name]
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


_LOAD: Final = ("link", "workload", "pairs")
"""The axes that say what is run; all others but the seed say over what."""
_SEED: Final = "seed"

BEST: Final = "best"

Place = tuple[Any, ...]


def groups(rows: Sequence[Row], axes: Sequence[str]) -> dict[Place, list[Row]]:
    """The rows by their place on some axes, in the order in which the places first come."""
    return grouped((tuple(row[axis] for axis in axes), row) for row in rows)


def varying_axes(rows: Sequence[Row], axes: Sequence[str]) -> list[str]:
    """The axes that vary, but for the seed; the first if none does."""
    varying = [axis for axis in axes if axis != _SEED and len({row[axis] for row in rows}) > 1]
    return varying or [axes[0]]


_COMPARED: Final = {"pairs": Differs.PAIRS, "workload": Differs.WORKLOAD}


def compared_in(varying: Sequence[str]) -> Differs | None:
    """What the rows differ in that are compared: layouts, else pairs, else workloads."""
    if any(axis not in (*_LOAD, _SEED) for axis in varying):
        return Differs.LAYOUT
    return next((differs for axis, differs in _COMPARED.items() if axis in varying), None)


def alike_in(varying: Sequence[str]) -> list[str]:
    """The axes on which rows that are compared are alike."""
    differs = compared_in(varying)
    return [axis for axis in _LOAD if axis in varying and (axis, differs) not in _COMPARED.items()]


def standings(
    groups: Mapping[Place, Sequence[Row]],
    cells: Sequence[Cell],
    rows: Sequence[Row],
    varying: Sequence[str],
) -> dict[Place, Odds | str]:
    """Of each place `BEST`, or the odds that the best one of the same load is ahead of it.

    It is empty where nothing is compared, and so is what is said of a place that is alone, or whose
    messages are too far from IBM's.
    """
    differs = compared_in(varying)
    if differs is None or len(groups) < 2:
        return {}
    runs = {id(row): cell.experiment for cell, row in zip(cells, rows, strict=True)}
    rates = {
        place: float(sum(row["mb_per_s"] for row in group) / len(group))
        for place, group in groups.items()
    }
    alike = [varying.index(axis) for axis in alike_in(varying)]
    said: dict[Place, Odds | str] = {}
    for place, group in groups.items():
        same = [other for other in groups if all(other[n] == place[n] for n in alike)]
        best = max(same, key=lambda other: rates[other])
        if best == place:
            said[place] = BEST if len(same) > 1 else ""
            continue
        here, there = (runs[id(first)] for first, *_ in (group, groups[best]))
        if not (rates[place] and is_told(here.workload) and is_told(there.workload)):
            said[place] = ""
        else:
            ratio = rates[best] / rates[place]
            both = here.layout, there.layout
            loads = (*here.loads, *there.loads)
            said[place] = odds_ahead(link_ratio(ratio, *both, differs, loads))
    return said
