"""A layout beside the one that was opened: what each node can send, and whether that is better."""

from collections.abc import Sequence
from dataclasses import replace

from isfc.answers.simulation import Simulation
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.reports.figure import Figure, Unit
from isfc.reports.units import shown
from scenarios.figures.certainty import FigureKind
from scenarios.figures.changed import AdviceVerdict, ComparedLoad
from scenarios.figures.ranges import figure_of
from scenarios.figures.rates import ModelledRate, find_saturated, slower_rates, with_others_busy
from scenarios.runs.experiment import SATURATED, Load, in_turn


def run_cells(run: Simulation) -> list[Figure]:
    """MB/s out and in, messages a second and RDEV util."""
    experiment, result = run.experiment, run.result
    load = Load(experiment.workload, experiment.pairs)
    of = experiment.layout, load, result.collisions_per_s
    figures = (
        (FigureKind.RATE, result.mb_per_s_out),
        (FigureKind.RATE, result.mb_per_s_in),
        (FigureKind.RATE, result.messages_per_s),
        (FigureKind.RDEV_UTIL, result.rdev_util_percent),
    )
    return [figure_of(kind, value, *of) for kind, value in figures]


def explained(rate: ModelledRate, collection: Collection) -> ModelledRate:
    """What a node can send, with what limits it; of a link's first, what others make of the link.

    That is of the link, and takes a run of all of them.
    """
    limit = find_saturated((rate.layout, rate.sender, rate.saturated.value))
    if rate.sender != rate.layout.nodes[0]:
        return replace(rate, limit=limit)
    return replace(rate, limit=limit, layout=with_others_busy(collection, rate.layout, in_turn))


def compared(
    before: Sequence[ModelledRate],
    now: Sequence[ModelledRate],
    layouts: tuple[Layout, Layout],
    pairs: int,
) -> list[tuple[str, str]]:
    """How the slower direction changes, saturated and with so many pairs."""
    both = (before, now)
    (was, then), (comes, today) = map(slower_rates, both)
    return [
        _compared(ComparedLoad(was, comes, layouts, SATURATED)),
        _compared(ComparedLoad(then, today, layouts, Load(pairs=pairs))),
    ]


def _compared(load: ComparedLoad) -> tuple[str, str]:
    """How it changes at one load: better, worse or alike, and in words.

    A difference within the spread of both runs is none, nor is one of which the odds leave open who
    is ahead.
    """
    was, comes = load.before, load.changed
    figures = f"{shown(was.mb_per_s, Unit.MB_PER_S)} to {shown(comes.mb_per_s, Unit.MB_PER_S)} MB/s"
    if not comes.differs(was):
        return "alike", f"as much within the spread ({figures})"
    odds = f"({figures}; odds that it is ahead: {load.odds})"
    if load.verdict is AdviceVerdict.ALIKE:
        return "alike", f"as much as far as the odds tell {odds}"
    gained = load.ratio.value - 1
    kind, word = ("better", "more") if gained > 0 else ("worse", "less")
    return kind, f"{shown(abs(gained), Unit.SHARE)} % {word} {odds}"
