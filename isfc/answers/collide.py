"""How often writes collide, by the rule that chooses CTCs and by the load that is offered."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import SEED_MAX, Argument, checked, spelt
from isfc.errors.in_words import exact
from isfc.layout.capacity import directions_of
from isfc.layout.catalogue import AnyLayout
from isfc.layout.layout import Layout
from isfc.link.name import Nodes
from isfc.link.scan import stop_short
from isfc.reports.figure import Note, Reported, Unit
from isfc.reports.report import Column, Grid, Report, Table, headed
from isfc.reports.units import shown
from scenarios.figures import collide as figures
from scenarios.runs.at_site import named_link
from scenarios.runs.experiment import WARMUP
from scenarios.runs.notes import beyond_measured, modelled, unranged
from scenarios.runs.own_workload import MESSAGE_LENGTH_MAX
from scenarios.runs.result import SEEDS_MAX
from scenarios.runs.run import INTERVAL_MIN
from scenarios.search.workers import each_by

UNRANGED: Final = unranged(
    "other rules, and of loads that are offered; take the figures to compare rules"
)
STEPS: Final = 4
RUNS: Final = len(figures.SCANS) * STEPS**2 * figures.SEEDS
"""Of a link with CTCs enough for every rule, if nothing else is said."""

LISTED: Final = 3
"""How many figures that have a trend left are named; ``--json`` has all."""


class Collisions(Reported, Struct, frozen=True):
    """How often writes collided, by rule and by offered load.

    "out" is sent by the first of ``nodes``.
    """

    reported_by = "isfc.answers.collide.collide_report"

    nodes: Nodes
    """in the order of their names"""
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
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""
    outcomes: tuple[figures.CollisionOutcome, ...]
    """means over the seeds"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each rule and load, as a data frame takes them."""
        return [each.to_dict() for each in self.outcomes]

    @property
    def at_full_load(self) -> list[figures.CollisionOutcome]:
        """Those of each rule with the most that both offer."""
        most = max((each.offered_out, each.offered_in) for each in self.outcomes)
        return [each for each in self.outcomes if (each.offered_out, each.offered_in) == most]


_STEPS_SAID: Final = f"Loads between nothing and the most, each way; {STEPS} make {RUNS} runs."
Steps = Annotated[int, Argument("N", _STEPS_SAID, 1, figures.STEPS_MAX)]


@checked
def collide(
    layout: AnyLayout,
    *,
    link: str | None = None,
    offer_out: Annotated[
        float | None,
        Argument("MB/s", "The most that the first system offers.", 0, figures.LOAD_MAX),
    ] = None,
    offer_in: Annotated[
        float | None,
        Argument("MB/s", "The most that the second system offers.", 0, figures.LOAD_MAX),
    ] = None,
    steps: Steps = STEPS,
    message: Annotated[
        int, Argument("BYTES", "Length of every message.", 1, MESSAGE_LENGTH_MAX)
    ] = figures.MESSAGE_LENGTH,
    seconds: Annotated[
        float,
        Argument(
            "S",
            f"Virtual time that each run is measured, after {WARMUP:g} s of warm-up.",
            INTERVAL_MIN,
            figures.SECONDS_MAX,
        ),
    ] = 0.5,
    seed: Annotated[int, Argument("N", "Seed of when messages are sent.", 0, SEED_MAX)] = 1,
    seeds: Annotated[
        int,
        Argument(
            "N",
            "Runs of each figure, with N seeds from --seed on; the mean and how far they differ.",
            1,
            SEEDS_MAX,
        ),
    ] = figures.SEEDS,
    jobs: int = 1,
) -> Collisions:
    """Show how often writes collide, by rule and by offered load.

    Both systems send messages at rates of their own, up to the loads given. ISFC's rule scans the
    CTCs from opposite sides and stops short of the last ones; beside it are rules that stop short
    of 0 to 3, that scan upward at both ends, and that take any CTC that is free.

    Raises `ConfigurationError` without loads, and for what cannot be run. ``jobs`` runs are made at
    a time.
    """
    ends = named_link(layout, link)
    if offer_out is None or offer_in is None:
        raise ConfigurationError(_what_to_offer(ends))
    loads = figures.loads_up_to(offer_out, steps), figures.loads_up_to(offer_in, steps)
    planned = figures.trials(ends, *loads, seconds, message, range(seed, seed + seeds))
    outcomes = figures.mean_outcomes(each_by(jobs)(figures.collide, planned), seeds)
    notes = (*modelled(ends, beyond_measured(ends)), UNRANGED)
    how = message, seconds, planned[0].warmup, seed, seeds
    return Collisions(ends.nodes, len(ends.ctcs), *how, notes, tuple(outcomes))


def _what_to_offer(layout: Layout) -> str:
    """What a load is, and one to begin with: what either end can write by the rule of thumb."""
    out, back = directions_of(layout)
    first, second = spelt("offer_out"), spelt("offer_in")
    return (
        f"no load: expected {first} and {second}, such as "
        f"{first} {out.estimated_mb_per_s} {second} {back.estimated_mb_per_s}\n\n"
        f"What {out.sender} and {back.sender} offer at most, in MB/s (2^20), in messages of "
        f"{figures.MESSAGE_LENGTH} bytes\nunless {spelt('message')} says otherwise. Above is what "
        "each can write by IBM's rule of\nthumb; 'isfc plan' says what the model carries."
    )


def collide_report(found: Collisions) -> Report:
    """Which rule carries most and which wastes least, then each rule, then every load."""
    full = found.at_full_load
    out, back = full[0].offered_out, full[0].offered_in
    first, second = found.nodes
    return Report(
        f"{first} - {second}, {found.ctcs} CTC{'s' * (found.ctcs > 1)}: up to {out:g} and "
        f"{back:g} MB/s offered, in messages of {exact(found.message)} bytes",
        [*_answer(found, full)],
        [
            _rules_table(found, full),
            Table("Every load", _LOAD_COLUMNS, found.outcomes, "loads", is_data=True),
        ],
        notes=[_known(found), *_drifting(found)],
        known=found.notes,
        charts=[*_maps(found)],
    )


_COLLISIONS: Final = (
    *headed(Unit.PER_S, collisions_per_s="coll/s", collisions_per_s_spread="spread"),
    Column("time\nlost %", "wasted_percent", Unit.PERCENT),
)


def _rules_table(found: Collisions, full: Sequence[figures.CollisionOutcome]) -> Table:
    """Each rule with both systems at full load, and how much may be offered without a collision."""
    own = _own(found)
    columns = (
        Column("rule", "rule", value=lambda each: f"{each.rule}{' +' * (each.rule == own)}"),
        *_COLLISIONS,
        *headed(Unit.MB_PER_S, mb_per_s="MB/s\nsum", mb_per_s_spread="spread", mb_per_s_out="out"),
        Column("in", "mb_per_s_in", Unit.MB_PER_S),
        Column(
            "no collisions\nup to", "free_below", value=lambda each: _free_below(found, each.rule)
        ),
    )
    out, back = (shown(each, Unit.ANY) for each in (full[0].offered_out, full[0].offered_in))
    caption = (
        f"With {out} and {back} MB/s offered; + marks ISFC's own rule here, which is no setting. "
        "stop-short n: each end leaves out the last n CTCs of its order; upward: both ends scan "
        "upward; random: any CTC that is free."
    )
    return Table(caption, columns, full, "rules")


_LOAD_COLUMNS: Final = (
    Column("rule", "rule"),
    *headed(Unit.MB_PER_S, offered_out="offered\nout", offered_in="in"),
    *_COLLISIONS,
    *headed(Unit.MB_PER_S, mb_per_s_out="MB/s\nout", mb_per_s_in="in"),
    Column("packages/s", "packages_per_s", Unit.PER_S),
)


def _own(found: Collisions) -> str:
    """The rule that ISFC has for so many CTCs."""
    return figures.WriteRule(figures.Scan.OPPOSITE, stop_short(found.ctcs)).name


def _answer(
    found: Collisions, full: Sequence[figures.CollisionOutcome]
) -> Iterator[tuple[str, str]]:
    """What ISFC's rule does, and which rules do better by more than their runs differ."""
    own = next(each for each in full if each.rule == _own(found))
    each_way = (
        f"{node} {shown(rate, Unit.MB_PER_S)}"
        for node, rate in zip(found.nodes, (own.mb_per_s_out, own.mb_per_s_in), strict=True)
    )
    yield "ISFC's rule", f"{own.rule}: {_carries(own)}, {', '.join(each_way)}; {_wastes(own)}"
    most = max(full, key=lambda each: each.mb_per_s)
    more = most.mb_per_s - own.mb_per_s > max(most.mb_per_s_spread, own.mb_per_s_spread)
    least = min(full, key=lambda each: each.collisions_per_s)
    spread = max(least.collisions_per_s_spread, own.collisions_per_s_spread)
    if found.seeds == 1:
        yield "Carries most", f"{most.rule}: {_carries(most)}; one run tells no spread"
    else:
        no_more = "no rule clearly more than ISFC's: runs differ by as much"
        yield "Carries most", f"{most.rule}: {_carries(most)}" if more else no_more
    if own.collisions_per_s - least.collisions_per_s > spread:
        yield "Collides least", f"{least.rule}: {_wastes(least)}; {_carries(least)}"


def _carries(outcome: figures.CollisionOutcome) -> str:
    spread = outcome.mb_per_s_spread
    within = f" (spread {shown(spread, Unit.MB_PER_S)})" if spread else ""
    return f"{shown(outcome.mb_per_s, Unit.MB_PER_S)} MB/s together{within}"


def _wastes(outcome: figures.CollisionOutcome) -> str:
    return (
        f"{shown(outcome.collisions_per_s, Unit.PER_S)} collisions/s waste "
        f"{shown(outcome.wasted_percent, Unit.PERCENT)} % of the CTCs' time"
    )


def _free_below(found: Collisions, rule: str) -> str:
    """The greatest of equal shares of both full loads up to which nothing collided."""
    by_load = _by_load(found, rule)
    free = ""
    for load in zip(*_offered(by_load), strict=False):
        said = " and ".join(shown(each, Unit.MB_PER_S) for each in load)
        if by_load[load]:
            return free or f"not even {said}"
        free = said
    return free


def _by_load(found: Collisions, rule: str) -> dict[tuple[float, float], float]:
    """The collisions of a rule, by what both ends offer."""
    same = (each for each in found.outcomes if each.rule == rule)
    return {(each.offered_out, each.offered_in): each.collisions_per_s for each in same}


def _offered(loads: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """What either end offers in some loads."""
    outs, ins = zip(*loads, strict=True)
    return sorted({*outs}), sorted({*ins})


def _maps(found: Collisions) -> Iterator[Grid]:
    """Of each rule its collisions: a row for each load out and a column for each load in."""
    peak = max(each.collisions_per_s for each in found.outcomes)
    for rule in dict.fromkeys(each.rule for each in found.outcomes):
        by_load = _by_load(found, rule)
        down, across = _offered(by_load)
        yield Grid(
            f"Collisions/s, {rule}: MB/s out by row, in by column; darker is more",
            [shown(load, Unit.ANY) for load in down],
            [shown(load, Unit.ANY) for load in across],
            [[by_load[out, back] for back in across] for out in down],
            peak,
            Unit.PER_S,
        )


def _known(found: Collisions) -> str:
    """From how long a run each figure is, and how far it is known."""
    run = f"{found.seconds:g} s of virtual time after {found.warmup:g} s of warm-up"
    run += f", {len(found.outcomes) * found.seeds} runs in all"
    if found.seeds == 1:
        return f"Each figure is of one run: {run}. --seeds 3 shows how far runs differ."
    most = max(found.outcomes, key=lambda each: each.collisions_per_s_spread)
    differ = (
        f" Of all loads they differ most for {_place(most)} MB/s: "
        f"by {shown(most.collisions_per_s_spread, Unit.PER_S)}."
    )
    return (
        f"Each figure is the mean of {found.seeds} runs with different seeds, each of {run}. "
        "Their spread is how far they differ, the greatest less the least: a smaller difference "
        "between two rules says nothing." + differ * bool(most.collisions_per_s_spread)
    )


def _drifting(found: Collisions) -> Iterator[str]:
    """Which figures had not come to rest, if any."""
    drifting = [each for each in found.outcomes if each.drifts]
    if drifting:
        places = map(_place, drifting)
        more = f" and {len(drifting) - LISTED} more" * (len(drifting) > LISTED)
        yield (
            f"A trend is left in {len(drifting)} of {len(found.outcomes)} figures, so that longer "
            f"{spelt('seconds')} may show others: {', '.join(islice(places, LISTED))}{more}."
        )


def _place(outcome: figures.CollisionOutcome) -> str:
    """The rule and the loads of a figure."""
    loads = (shown(each, Unit.ANY) for each in (outcome.offered_out, outcome.offered_in))
    return f"{outcome.rule} at {' and '.join(loads)}"
