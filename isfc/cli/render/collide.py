"""What ``isfc collide`` shows: a table of all rules at full load, and a heat map of each."""

from collections.abc import Sequence
from itertools import islice

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.render.table import plain_table
from isfc.layout.layout import Layout
from scenarios.collide import CollisionOutcome, CollisionTrial

SHADES = " ·░▒▓█"
"""From no collision to the most that any rule has anywhere."""

LISTED = 3
"""How many figures that have a trend left are named; ``--json`` has all."""


def collide_page(
    layout: Layout, outcomes: Sequence[CollisionOutcome], trial: CollisionTrial, seeds: int
) -> RenderableType:
    """The whole page; ``trial`` is one of the runs. Each figure is the mean of ``seeds`` runs."""
    first, second = layout.nodes
    count = len(layout.ctcs)
    most_out = max(outcome.offered_out for outcome in outcomes)
    most_in = max(outcome.offered_in for outcome in outcomes)
    heading = Text(
        f"Logical link {first} - {second}, {count} CTC{'s' * (count > 1)}: "
        f"{first} offers up to {most_out:g} MB/s, {second} up to {most_in:g}, in messages of "
        f"{trial.message_length:,} bytes"
    )
    full = [o for o in outcomes if (o.offered_out, o.offered_in) == (most_out, most_in)]
    peak = max(outcome.collisions_per_s for outcome in outcomes)
    rules = list(dict.fromkeys(outcome.rule for outcome in outcomes))
    maps = [_heat_map([o for o in outcomes if o.rule == rule], peak) for rule in rules]
    parts: list[RenderableType] = [heading, "", "At full load", _table(full)]
    for rule, heat_map in zip(rules, maps, strict=True):
        parts += ["", f"Collisions/s, {rule}: MB/s out down, MB/s in across", heat_map]
    return Group(*parts, "", Text(_known(outcomes, trial, seeds) + _drifting(outcomes)))


def _known(outcomes: Sequence[CollisionOutcome], trial: CollisionTrial, seeds: int) -> str:
    """From how long a run each figure is, and how far it is known."""
    run = f"{trial.seconds:g} s of virtual time after {trial.warmup:g} s of warm-up"
    if seeds == 1:
        return f"Each figure is of one run: {run}. --seeds 3 shows how far runs differ."
    most = max(outcomes, key=lambda each: each.collisions_per_s_spread)
    differ = (
        f" In the small tables they differ most for {most.rule} at {most.offered_out:.4g} and "
        f"{most.offered_in:.4g} MB/s: by {most.collisions_per_s_spread:.0f}."
    )
    return (
        f"Each figure is the mean of {seeds} runs with different seeds, of {run} each. +- is how "
        "far these runs differ, the greatest less the least: a smaller difference between two "
        "rules says nothing." + differ * bool(most.collisions_per_s_spread)
    )


def _drifting(outcomes: Sequence[CollisionOutcome]) -> str:
    """Which figures had not come to rest, if any."""
    drifting = [each for each in outcomes if each.drifts]
    if not drifting:
        return ""
    places = (
        f"{each.rule} at {each.offered_out:.4g} and {each.offered_in:.4g}" for each in drifting
    )
    more = f" and {len(drifting) - LISTED} more" * (len(drifting) > LISTED)
    return (
        f" A trend is left in {len(drifting)} of {len(outcomes)} figures, so that longer --seconds "
        f"may show others: {', '.join(islice(places, LISTED))}{more}."
    )


def _table(outcomes: Sequence[CollisionOutcome]) -> Table:
    both = (">both", ">+-")
    figures = (">coll/s", ">+-", ">wasted", ">MB/s out", ">in", *both, ">packages/s")
    table = plain_table("rule", *figures)
    for outcome in outcomes:
        table.add_row(
            outcome.rule,
            f"{outcome.collisions_per_s:.1f}",
            f"{outcome.collisions_per_s_spread:.1f}",
            f"{outcome.wasted_percent:.2f} %",
            f"{outcome.mb_per_s_out:.1f}",
            f"{outcome.mb_per_s_in:.1f}",
            f"{outcome.mb_per_s:.1f}",
            f"{outcome.mb_per_s_spread:.1f}",
            f"{outcome.packages_per_s:.0f}",
        )
    return table


def _heat_map(outcomes: Sequence[CollisionOutcome], peak: float) -> Table:
    """A row for each load out and a column for each load in: the figure and its shade."""
    columns = sorted({outcome.offered_in for outcome in outcomes})
    figures = {(o.offered_out, o.offered_in): o.collisions_per_s for o in outcomes}
    table = plain_table(">", *(f">{load:.4g}" for load in columns), gap=1)
    for row in sorted({outcome.offered_out for outcome in outcomes}):
        cells = [f"{figures[row, load]:.0f} {_shade(figures[row, load], peak)}" for load in columns]
        table.add_row(f"{row:.4g}", *cells)
    return table


def _shade(figure: float, peak: float) -> str:
    """Two characters of the shade of a figure; any collision at all is seen."""
    if not figure:
        return 2 * SHADES[0]
    return 2 * SHADES[1 + round((len(SHADES) - 2) * figure / peak)]
