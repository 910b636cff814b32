"""What ``isfc optimise`` shows: the best layouts, beside the one given, and why they differ."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table

from ctc.address import format_chpid, format_rdev
from isfc.cli.render.picture import write_picture
from isfc.deck.export import activation_text
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.layout.rules.book import find_all
from isfc.search.objective import Objective
from isfc.search.optimise import Contender, SearchResult, Task
from scenarios.measured import beyond_measured_run
from scenarios.notes import run_notes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def found_page(found: SearchResult, task: Task) -> RenderableType:
    """The best, beside the layout given; how much was looked at; what activates the best."""
    several = len(task.objectives) > 1
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", no_wrap=True)
    for objective in task.objectives:
        table.add_column(objective.value, justify="right", no_wrap=True)
        table.add_column("+-%", justify="right", no_wrap=True)
    table.add_column("ahead", justify="right", no_wrap=True)
    table.add_column("CTCs by fibre, down the device list")
    front = found.front
    for number, one in enumerate(found.best, start=1):
        mark = "*" if several and one in front else ""
        table.add_row(
            f"{number}{mark}", *_figures(one), _ahead(one, found.given), _order(one.layout)
        )
    table.add_row("given", *_figures(found.given), "", _order(found.given.layout))
    best = found.best[0]
    load = task.load
    title = f"{load.workload.name}, {load.pairs} pairs, {task.ctcs} CTCs"
    parts: list[RenderableType] = [
        f"{title}; MB/s, mean of {task.seeds} seeds",
        table,
        _looked_at(found),
    ]
    if several:
        parts.append("* no other layout is better at all of the objectives.")
    if changes := rule_changes(best, found.given):
        parts.append("The best differs from the layout given in the rules: " + " ".join(changes))
    parts += [note.text for note in found_notes(found, task)]
    if not best.gains(found.given):
        parts.append(
            "There is nothing to gain: the best is ahead of the layout given by no more than "
            "seeds differ."
        )
    else:
        parts.extend(_activation(best.layout))
        if changes := definition_changes(found.given.layout, best.layout):
            parts.append(
                "These commands need other definitions first, in the IODF and in the cabling: "
                f"{'; '.join(changes)}."
            )
    return Group(parts[0], *(line for part in parts[1:] for line in ("", part)))


def found_notes(found: SearchResult, task: Task) -> tuple[Note, ...]:
    """The notes of the figures of the best layout, which are those of its runs."""
    best, load = found.best[0].layout, task.load
    own = replace(best, site=task.layout.site, notes=task.layout.notes)
    return run_notes(own, load.workload, load.pairs)


def beyond_found(found: SearchResult, task: Task) -> list[str]:
    """What of the best layout and its load no published figure identifies."""
    return beyond_measured_run(found.best[0].layout, task.load.workload, task.load.pairs)


def definition_changes(given: Layout, proposed: Layout) -> list[str]:
    """The device numbers of a proposal that are defined nowhere in the layout given, or elsewhere.

    As ``5002 at DALLAS is new``; ``5001 at DALLAS goes from chpid 40 to 41``.
    """
    changes = []
    for end, node in enumerate(given.nodes):
        defined = {ctc.rdevs[end]: ctc.fibre.chpids[end] for ctc in given.ctcs}
        for ctc in proposed.device_list():
            rdev, chpid = ctc.rdevs[end], ctc.fibre.chpids[end]
            if rdev not in defined:
                changes.append(f"{format_rdev(rdev)} at {node} is new")
            elif defined[rdev] != chpid:
                changes.append(
                    f"{format_rdev(rdev)} at {node} goes from chpid "
                    f"{format_chpid(defined[rdev])} to {format_chpid(chpid)}"
                )
    return changes


def _activation(layout: Layout) -> Iterator[str]:
    """The commands that activate a layout, for each system."""
    for node in layout.nodes:
        yield f"To activate the best, on {node}:\n{activation_text(layout, node)}".rstrip()


def _figures(one: Contender) -> list[str]:
    """Score and spread of each objective."""
    return [
        text
        for score, spread in zip(one.scores, one.spreads, strict=True)
        for text in (f"{score:.1f}", f"{spread:.1f}")
    ]


def _ahead(one: Contender, given: Contender) -> str:
    """By how much it is ahead of the layout given, at the first objective."""
    return f"{(one.scores[0] / given.scores[0] - 1) * 100:+.1f}%" if given.scores[0] else "-"


def _order(layout: Layout) -> str:
    """``1x4 2x4 1x1``: the fibres down the device list, and how many CTCs of each follow."""
    names = [ctc.fibre.name for ctc in layout.device_list()]
    return " ".join(f"{name}x{len([*run])}" for name, run in groupby(names))


def _looked_at(found: SearchResult) -> str:
    of_all = "more than can be counted" if found.candidate_count is None else found.candidate_count
    return (
        f"Candidates: {of_all}; left out by the rule of thumb: {found.screened_count}; "
        f"simulated: {found.simulated_count}."
    )


def rule_changes(one: Contender, given: Contender) -> list[str]:
    """The rules of ``isfc check`` that fire no more (-) or newly (+), against the layout given."""
    here, there = ({f.rule.id for f in find_all(c.layout)} for c in (one, given))
    gone = [f"-{name}" for name in sorted(there - here)]
    return [*gone, *(f"+{name}" for name in sorted(here - there))]


def write_front(path: Path, found: SearchResult, objectives: Sequence[Objective]) -> None:
    """Draw what was found by its first two objectives; the front is joined."""
    front = sorted(found.front, key=lambda one: one.scores)

    def draw(axes: "Axes") -> None:
        axes.plot(*zip(*(one.scores[:2] for one in found.best), strict=True), "o", label="found")
        axes.plot(*zip(*(one.scores[:2] for one in front), strict=True), "-", label="front")
        axes.plot(*([score] for score in found.given.scores[:2]), "x", label="given")
        axes.set_xlabel(f"{objectives[0]}, MB/s")
        axes.set_ylabel(f"{objectives[1]}, MB/s")
        axes.legend()

    write_picture(path, draw)
