"""``isfc replay``: published tables again, in virtual time, ours beside IBM's."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, cast

import typer
from msgspec import UNSET, Struct, UnsetType

from isfc import __version__
from isfc.cli.options.experiment import SeedsOption
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.options.option import flag, valued
from isfc.cli.output.csv_option import CsvOption
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.progress import run_all
from isfc.cli.output.streams import show, show_error, show_json
from isfc.cli.replay.page import replay_page, verdict_page
from isfc.cli.replay.plot import check_plot, write_plot
from isfc.cli.replay.verdict import describe_failures, replay_spreads
from isfc.cli.results.view_options import Output, ViewOptions, check_view, show_report
from isfc.cli.results.views import View
from isfc.errors import ConfigurationError
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX
from isfc.reports.measures import seed_words
from isfc.search.replay import Recordings, record_parts, wanted_rows
from scenarios.published.companion import ALL_TABLES, load_table
from scenarios.published.replay import (
    SECONDS,
    Comparison,
    Part,
    choose,
    compare_all,
    runs_of,
    spreads_by_cell,
)
from scenarios.published.verdict import TableVerdict, judge
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX
from scenarios.runs.guests import GuestCosts
from scenarios.runs.provenance import constants_digest
from scenarios.runs.repeat import mean
from scenarios.runs.report import MeasuredRun, measured, sampled_run, whole_run
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.saturation import RunEach
from scenarios.runs.workload import MESSAGE_LENGTH_MAX

FAILURES_SHOWN = 10
"""Lines on stderr; the output marks all that is out of tolerance."""


def complete_table(incomplete: str) -> list[str]:
    """The published tables that begin so."""
    return [name for name in ALL_TABLES if name.startswith(incomplete)]


class RowOptions(Struct, frozen=True):
    """Which rows of the tables are wanted: all, if none of these says which."""

    suite: Annotated[list[str] | None, valued("NAME", "Only this suite. May be repeated.")] = None
    release: Annotated[
        list[str] | None, valued("R", "Only z/VM R: 6.1 or 6.2. May be repeated.")
    ] = None
    reply: Annotated[
        list[int] | None,
        bounded("BYTES", 1, MESSAGE_LENGTH_MAX, "Only replies of so many bytes. May be repeated."),
    ] = None
    rdevs: Annotated[
        list[int] | None, bounded("N", 1, CTCS_MAX, "Only links of N CTCs. May be repeated.")
    ] = None
    pairs: Annotated[
        list[int] | None, bounded("N", 1, PAIRS_MAX, "Only N pairs. May be repeated.")
    ] = None

    def wanted(self) -> dict[str, Sequence[str | int]]:
        """The values wanted of each column; none where any will do."""
        return wanted_rows(
            self.suite or (),
            self.release or (),
            self.reply or (),
            self.rdevs or (),
            self.pairs or (),
        )


@flattened
def replay(
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="The published table; all of them if not given.",
            autocompletion=complete_table,
        ),
    ] = None,
    *,
    rows: RowOptions,
    seconds: Annotated[
        float | None,
        bounded(
            "S", INTERVAL_MIN, SECONDS_MAX, "Virtual time measured of each run; 5 if not given."
        ),
    ] = None,
    jobs: JobsOption = None,
    seeds: SeedsOption = None,
    full: Annotated[
        bool, flag("--full", "Show every figure beside IBM's, not only what they come to.")
    ] = False,
    plot: Annotated[
        Path | None,
        valued("FILE", "Draw published beside emulated; FILE ends with .svg, .png or .html."),
    ] = None,
    force: ForceOption = False,
    viewed: ViewOptions,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Replay IBM's published measurements and show ours beside them.

    TABLE is transport, appc_regression, appc_scaling, device_reports, link_activity,
    capacity_estimates, chpid_estimates or stop_short, relocation or relocation_rules, or one of
    channels, which docs/channel-fidelity.md lists. Each run is made with the parameters of its
    release. What the figures come to is shown on a screen; --full, or an option that chooses rows,
    shows every one. Options that choose rows leave out the tables that have no such column. Ends
    with 1 when a figure leaves the tolerance that is declared for it. With --report, ours alone is
    shown, and nothing is judged.
    """
    output = Output(viewed.report, viewed.interval, csv, json, seeds)
    wanted = rows.wanted()
    tables = [load_table(name) for name in ([table] if table else ALL_TABLES)]
    parts = choose(tables, wanted, SECONDS if seconds is None else seconds)
    if not parts:
        raise ConfigurationError("no published run has all of that: ask for less at a time")
    check_plot(plot, parts, force=force)
    if output.view is None:
        _show_verdicts(parts, jobs, output, plot, full=full or any(wanted.values()))
    elif plot:
        raise ConfigurationError("--plot and --report: expected one of them")
    else:
        of_view = [part for part in parts if _has_view(part, output)]
        _show_view(of_view if of_view and not table else parts, output, output.view, jobs)


def _show_verdicts(
    parts: Sequence[Part], jobs: int | None, output: Output, plot: Path | None, *, full: bool
) -> None:
    """Show each row, the mean over its seeds, beside what was published, and judge it."""
    recordings = _record(parts, output.seeds, jobs)
    verdicts = judge(parts, recordings)
    every = [*_by_seed(parts, recordings)] if output.seeds or plot else []
    spreads = spreads_by_cell(every) if output.seeds else {}
    if plot:
        write_plot(plot, parts, every)
    if output.json:
        show_json(
            [
                comparison_json(c, output.seeds, spreads.get((c.table, c.key, c.measure)))
                for verdict in verdicts
                for c in verdict.comparisons
            ]
        )
    else:
        show(replay_page(verdicts) if full else verdict_page(verdicts))
        if output.seeds:
            show("", replay_spreads([part.table for part in parts], spreads))
    _end(verdicts)


def _has_view(part: Part, output: Output) -> bool:
    """Whether a view is of a table's runs: those of suites and of APPC/VM are of their own."""
    own = output.traffic is not None
    return part.table.is_measured and (not own or part.table.view.value == output.view)


def _show_view(parts: Sequence[Part], output: Output, view: View, jobs: int | None) -> None:
    """Run the experiments, and print the view of the report that is wanted."""
    experiments = runs_of(parts)
    if not experiments:
        raise ConfigurationError("--report: expected runs, and what was chosen is none")
    check_view(output, experiments)
    recordings = _record(parts, output.seeds, jobs, output.sample_s)
    first = experiments[0]
    title = parts[0].table.title if len(parts) == 1 else "Published runs"
    heading = (
        f"{title}, emulated: {first.seconds:g} s of virtual time after "
        f"{first.warmup:g} s of warm-up"
        + (f", {seed_words(first.seed, output.seeds)}" if output.seeds else "")
    )
    show_report(output, view, heading, [*_seen_runs(parts, recordings, output)])


def _seen_runs(
    parts: Sequence[Part], recordings: Recordings, output: Output
) -> Iterator[MeasuredRun]:
    """Every run once, under its name and from its side; in samples, or the mean over its seeds."""
    named = (
        (str(row.columns["run"]), str(row.columns["side"]), experiment)
        for part in parts
        for row, experiment in zip(part.rows, part.experiments(), strict=True)
    )
    for name, side, experiment in dict.fromkeys(named):
        found = recordings[experiment]
        if output.sample_s is not None:
            yield sampled_run(name, found[0], side)
        else:
            results = [whole_run(name, one, side).result for one in found]
            yield measured(name, experiment, mean(results))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayJson(Comparison):
    """One figure of ``isfc replay --json``. Names and meanings of the keys stay."""

    version: str
    """that of isfc"""
    constants: str
    """a digest of the model's constants: the same if and only if all of them are"""
    seeds: int | UnsetType = UNSET
    """with `--seeds`: how many; the figures are means"""
    spread_percent: float | UnsetType | None = UNSET
    """with `--seeds`: (greatest - least) / mean x 100, or null where the mean is 0"""


def comparison_json(
    comparison: Comparison, seeds: int | None, spread_percent: float | None
) -> ReplayJson:
    """The record of one figure, or with ``seeds`` of their mean."""
    return ReplayJson(
        **asdict(comparison),
        version=__version__,
        constants=constants_digest(LinkParameters(), GuestCosts()),
        seeds=UNSET if seeds is None else seeds,
        spread_percent=UNSET if seeds is None else spread_percent,
    )


def _record(
    parts: Sequence[Part], seeds: int | None, jobs: int | None, interval: float | None = None
) -> Recordings:
    """Every run that some rows need, once for each seed."""
    by_jobs = cast("RunEach", partial(run_all, jobs=jobs, is_said=True))
    return record_parts(parts, 1 if seeds is None else seeds, by_jobs, interval)


def _by_seed(parts: Sequence[Part], recordings: Recordings) -> Iterator[Comparison]:
    """Every figure beside ours, for each seed apart."""
    for number in range(max(map(len, recordings.values()), default=1)):
        of_seed = {run: found[number : number + 1] for run, found in recordings.items()}
        yield from compare_all(parts, of_seed)


def _end(verdicts: Sequence[TableVerdict]) -> None:
    """End with a failure if a tolerance or a bound is left, and say which."""
    failures = [failure for verdict in verdicts for failure in describe_failures(verdict)]
    if not failures:
        return
    more = len(failures) - FAILURES_SHOWN
    listed = failures[:FAILURES_SHOWN] + [f"and {more} more"] * (more > 0)
    show_error("out of tolerance:\n  " + "\n  ".join(listed))
    raise typer.Exit(ExitCode.FAILED)
