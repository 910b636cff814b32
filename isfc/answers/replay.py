"""IBM's published measurements, replayed: ours beside each figure, judged by bounds and goals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Annotated

from msgspec.structs import asdict

from isfc.answers.replay_checks import best_links_of, checks_of, choices_of, errors_of, outcome_of
from isfc.answers.replay_report import Replayed, ReplayedFigure
from isfc.answers.replay_report import replay_failure as replay_failure
from isfc.answers.views import (
    Interval,
    Shown,
    View,
    ViewedRuns,
    check_view,
    find_view,
    sample_seconds,
)
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, Jobs, checked, spelt
from isfc.errors.loading import named
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX
from isfc.reports.measures import seed_words
from scenarios.published.catalogue import ALL_TABLES, load_table
from scenarios.published.replay import SECONDS, Part, choose, compare_all, figures_by_cell, runs_of
from scenarios.published.table import Value
from scenarios.published.verdict import TableVerdict, judge
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, Experiment, RunEach
from scenarios.runs.guests import GuestCosts
from scenarios.runs.own_workload import MESSAGE_LENGTH_MAX
from scenarios.runs.report import MeasuredRun, measured, sampled_run, whole_run
from scenarios.runs.result import SEEDS_MAX, constants_digest, mean, repetitions, spread_percent
from scenarios.runs.run import INTERVAL_MIN, Recording, run
from scenarios.search.workers import each_by

Recordings = Mapping[Experiment, Sequence[Recording]]


def complete_table(incomplete: str) -> list[str]:
    """The published tables that begin so."""
    return [name for name in ALL_TABLES if name.startswith(incomplete)]


Table = Annotated[
    str | None,
    Argument("[TABLE]", "The published table; all if not given.", complete=complete_table),
]
Suites = Annotated[Sequence[str], Argument("NAME", "Only this suite. May be repeated.")]
Releases = Annotated[Sequence[str], Argument("R", "Only z/VM R: 6.1 or 6.2. May be repeated.")]
Replies = Annotated[
    Sequence[int],
    Argument("BYTES", "Only replies of so many bytes. May be repeated.", 1, MESSAGE_LENGTH_MAX),
]
Rdevs = Annotated[
    Sequence[int], Argument("N", "Only links of N CTCs. May be repeated.", 1, CTCS_MAX)
]
Pairs = Annotated[Sequence[int], Argument("N", "Only N pairs. May be repeated.", 1, PAIRS_MAX)]
Seconds = Annotated[
    float, Argument("S", "Virtual time measured of each run.", INTERVAL_MIN, SECONDS_MAX)
]
Seeds = Annotated[
    int | None,
    Argument("N", "Runs of each figure, with seeds from 1 on: mean and spread.", 1, SEEDS_MAX),
]
Full = Annotated[bool, Argument("", "Show every figure beside IBM's, not only what they come to.")]


@checked
def replay(
    published: Table = None,
    *,
    suite: Suites = (),
    release: Releases = (),
    reply: Replies = (),
    rdevs: Rdevs = (),
    pairs: Pairs = (),
    seconds: Seconds = SECONDS,
    seeds: Seeds = None,
    full: Full = False,
    report: Shown = None,
    interval: Interval = None,
    jobs: Jobs = 1,
) -> Replayed:
    """Replay IBM's published measurements and show ours beside them.

    TABLE is transport, appc_regression, appc_scaling, device_reports, link_activity,
    capacity_estimates, chpid_estimates or stop_short, relocation or relocation_rules, or one of
    channels, which docs/channel-fidelity.md lists. Each run is made with the parameters of its
    release. What the figures come to is shown on a screen; --full, or an option that chooses rows,
    shows every one. Options that choose rows leave out the tables that have no such column. Ends
    with 1 when a figure leaves the tolerance that is declared for it. With --report, ours alone is
    shown, and nothing is judged.

    Raises `ConfigurationError` for what was not published. ``jobs`` processes share the runs.
    """
    view = find_view(report)
    sample_s = sample_seconds(view, interval, seeds)
    wanted = _wanted(suite, release, reply_bytes=reply, rdevs=rdevs, pairs=pairs)
    parts = choose([*map(load_table, [published] if published else ALL_TABLES)], wanted, seconds)
    if not parts:
        raise ConfigurationError("no published run has all of that: ask for less at a time")
    if view is not None and not published:
        parts = [part for part in parts if _has_view(part, view)] or parts
    experiments = runs_of(parts)
    if view is not None:
        if not experiments:
            chosen = "expected runs, and what was chosen is none"
            raise ConfigurationError(f"{spelt('report')}: {chosen}")
        check_view(view, experiments)
    recordings = _record(experiments, seeds or 1, each_by(jobs), sample_s)
    if view is not None:
        viewed = _viewed(parts, recordings, view, seeds, sample_s)
        return Replayed(*_made(seconds, seeds or 1), True, report=viewed)
    verdicts = judge(parts, recordings)
    figures = _figures(verdicts, recordings, seeds or 1)
    shows_all = full or any(wanted.values())
    return judged(verdicts, figures, seconds, seeds or 1, shows_all=shows_all)


def judged(
    verdicts: Sequence[TableVerdict],
    figures: Iterable[ReplayedFigure],
    seconds: float,
    seeds: int,
    *,
    shows_all: bool = False,
) -> Replayed:
    """What replayed tables come to."""
    return Replayed(
        *_made(seconds, seeds),
        all(each.within for each in verdicts),
        tuple(map(outcome_of, verdicts)),
        tuple(figures),
        tuple(chain.from_iterable(map(errors_of, verdicts))),
        tuple(chain.from_iterable(map(checks_of, verdicts))),
        tuple(chain.from_iterable(map(choices_of, verdicts))),
        tuple(chain.from_iterable(map(best_links_of, verdicts))),
        shows_all,
    )


def _made(seconds: float, seeds: int) -> tuple[str, str, float, int]:
    constants = constants_digest(LinkParameters(), GuestCosts())
    return named("isfc.__version__"), constants, seconds, seeds


def _wanted(
    suite: Sequence[str], release: Sequence[str], **numbers: Sequence[int]
) -> dict[str, Sequence[Value]]:
    """The values wanted of each column; none where any will do."""
    releases = [f"z/VM {name.removeprefix('z/VM ')}" for name in release]
    return {"suite": [name.upper() for name in suite], "release": releases, **numbers}


def _record(
    experiments: Sequence[Experiment], seeds: int, run_each: RunEach, interval: float | None
) -> Recordings:
    """Every run, once for each seed."""
    repeated = [once for experiment in experiments for once in repetitions(experiment, seeds)]
    found = [each.link() for each in run_each(partial(run, interval=interval), repeated)]
    return {
        experiment: found[seeds * index : seeds * (index + 1)]
        for index, experiment in enumerate(experiments)
    }


def _figures(
    verdicts: Sequence[TableVerdict], recordings: Recordings, seeds: int
) -> Iterator[ReplayedFigure]:
    """Every figure beside ours, which of measured tables is apart for each seed as well."""
    for verdict in verdicts:
        by_seed = {}
        if seeds > 1 and verdict.table.is_measured:
            by_seed = figures_by_cell(
                each
                for number in range(seeds)
                for each in compare_all(
                    [verdict.part], {of: found[number:][:1] for of, found in recordings.items()}
                )
            )
        for each in verdict.comparisons:
            ours = by_seed.get((each.table, each.key, each.measure), [each.emulated])
            spread = spread_percent(ours) if seeds > 1 else None
            yield ReplayedFigure(**asdict(each), by_seed=tuple(ours), spread_percent=spread)


def _has_view(part: Part, view: View) -> bool:
    """Whether a view is of a table's runs: those of suites and of APPC/VM are of their own."""
    own = view.traffic is not None
    return part.table.is_measured and (not own or part.table.view.value == view)


def _viewed(
    parts: Sequence[Part],
    recordings: Recordings,
    view: View,
    seeds: int | None,
    sample_s: float | None,
) -> ViewedRuns:
    """The view of every run once."""
    first = next(iter(recordings))
    title = parts[0].table.title if len(parts) == 1 else "Published runs"
    how = f", {seed_words(first.seed, seeds)}" if seeds else ""
    return ViewedRuns.of(
        view,
        f"{title}, emulated: {first.seconds:g} s of virtual time after {first.warmup:g} s of "
        f"warm-up{how}",
        [*_seen_runs(parts, recordings, sample_s)],
    )


def _seen_runs(
    parts: Sequence[Part], recordings: Recordings, sample_s: float | None
) -> Iterator[MeasuredRun]:
    """Every run once, under its name and from its side; in samples, or the mean over its seeds."""
    named = (
        (str(row.columns["run"]), str(row.columns["side"]), experiment)
        for part in parts
        for row, experiment in zip(part.rows, part.experiments(), strict=True)
    )
    for name, side, experiment in dict.fromkeys(named):
        found = recordings[experiment]
        if sample_s is not None:
            yield sampled_run(name, found[0], side)
        else:
            results = [whole_run(name, one, side).result for one in found]
            yield measured(name, experiment, mean(results))
