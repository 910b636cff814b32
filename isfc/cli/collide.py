"""``isfc collide``: how often writes collide, by the rule that chooses CTCs and by the load."""

from collections.abc import Sequence
from itertools import islice
from typing import Annotated

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.number import SEED_MAX, bounded
from isfc.cli.output.notes import NoteJson, note_lines, notes_json
from isfc.cli.output.progress import run_all
from isfc.cli.output.streams import show, show_json
from isfc.cli.output.table import plain_table
from isfc.errors import ConfigurationError
from isfc.layout.capacity import directions_of
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from scenarios.figures.collide import (
    LOAD_MAX,
    MESSAGE_LENGTH,
    SECONDS_MAX,
    SEEDS,
    STEPS_MAX,
    CollisionOutcome,
    CollisionTrial,
    collide,
    loads_up_to,
    mean_outcomes,
    trials,
)
from scenarios.runs.notes import layout_notes, unranged
from scenarios.runs.repeat import SEEDS_MAX
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import MESSAGE_LENGTH_MAX

SHADES = " ·░▒▓█"
"""From no collision to the most that any rule has anywhere."""

UNRANGED = unranged("other rules, and of loads that are offered; take the figures to compare rules")
LISTED = 3
"""How many figures that have a trend left are named; ``--json`` has all."""


def collide_layout(
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    offer_out: Annotated[
        float | None, bounded("MB/s", 0, LOAD_MAX, "The most that the first system offers.")
    ] = None,
    offer_in: Annotated[
        float | None, bounded("MB/s", 0, LOAD_MAX, "The most that the second system offers.")
    ] = None,
    steps: Annotated[
        int, bounded("N", 1, STEPS_MAX, "Loads between nothing and the most, each way.")
    ] = 4,
    message: Annotated[
        int, bounded("BYTES", 1, MESSAGE_LENGTH_MAX, "Length of every message.")
    ] = MESSAGE_LENGTH,
    seconds: Annotated[
        float,
        bounded(
            "S",
            INTERVAL_MIN,
            SECONDS_MAX,
            f"Virtual time that each run is measured, after {WARMUP:g} s of warm-up.",
        ),
    ] = 0.5,
    seed: Annotated[int, bounded("N", 0, SEED_MAX, "Seed of when messages are sent.")] = 1,
    seeds: Annotated[
        int,
        bounded(
            "N",
            1,
            SEEDS_MAX,
            "Runs of each figure, with N seeds from --seed on; the mean and how far they differ.",
        ),
    ] = SEEDS,
    json: JsonOption = False,
) -> None:
    """Show how often writes collide, by rule and by offered load.

    Both systems send messages at rates of their own, up to the loads given. ISFC's rule scans the
    CTCs from opposite sides and stops short of the last ones; beside it are rules that stop short
    of 0 to 3, that scan upward at both ends, and that take any CTC that is free.
    """
    link = open_layout(layout, link_name)
    if offer_out is None or offer_in is None:
        raise ConfigurationError(_what_to_offer(layout, link))
    loads = loads_up_to(offer_out, steps), loads_up_to(offer_in, steps)
    planned = trials(link, *loads, seconds, message, range(seed, seed + seeds))
    outcomes = mean_outcomes(run_all(collide, planned, None), seeds)
    if json:
        show_json(collide_json(link, outcomes, planned[0], seeds))
    else:
        show(collide_page(link, outcomes, planned[0], seeds), *note_lines(_notes(link)))


def _notes(layout: Layout) -> tuple[Note, ...]:
    """Those of the link, and that nothing tells how far any figure is off."""
    return (*layout_notes(layout), UNRANGED)


def _what_to_offer(argument: str, layout: Layout) -> str:
    """What a load is, and one to begin with: what either end can write by the rule of thumb."""
    out, back = directions_of(layout)
    loads = f"--offer-out {out.estimated_mb_per_s} --offer-in {back.estimated_mb_per_s}"
    return (
        "no load: expected --offer-out and --offer-in, such as\n"
        f"isfc collide {argument} {loads}\n\n"
        f"What {out.sender} and {back.sender} offer at most, in MB/s (2^20), in messages of "
        f"{MESSAGE_LENGTH} bytes\nunless --message says otherwise. Above is what each can write "
        "by IBM's rule of\nthumb; 'isfc plan' says what the model carries."
    )


class CollideJson(Struct, frozen=True):
    """``isfc collide --json``. Names and meanings of the keys stay between releases."""

    nodes: dict[str, str]
    """the `first` and the `second`, in the order of their names"""
    ctcs: int
    """how many CTCs the link has"""
    message: int
    """bytes of every message"""
    seconds: float
    """virtual time that each run is measured"""
    warmup: float
    """and that goes before"""
    seed: int
    """the first seed of the times at which messages are sent"""
    seeds: int
    """with how many seeds each run was made, from the first on"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""
    outcomes: Sequence[CollisionOutcome]
    """means over the seeds"""


def collide_json(
    layout: Layout, outcomes: Sequence[CollisionOutcome], trial: CollisionTrial, seeds: int
) -> CollideJson:
    """The record of all trials, of which ``trial`` is one."""
    return CollideJson(
        dict(zip(("first", "second"), layout.nodes, strict=True)),
        *(len(layout.ctcs), trial.message_length, trial.seconds, trial.warmup, trial.seed, seeds),
        notes_json(_notes(layout)),
        outcomes,
    )


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
        parts += ["", f"Collisions/s, {rule}: MB/s out by row, in by column", heat_map]
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
