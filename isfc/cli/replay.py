"""``isfc replay``: a published table again, in virtual time, ours beside IBM's."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isfc.cli.exits import ExitCode
from isfc.cli.layout_argument import JsonOption
from isfc.cli.report import (
    CsvOption,
    IntervalOption,
    Output,
    ReportOption,
    SeedsOption,
    check_view,
    show_report,
)
from isfc.cli.run import SECONDS_MIN
from isfc.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scenarios.published import PublishedRow, PublishedTable
    from scenarios.replay import BoundCheck, Comparison
    from scenarios.run import Experiment, Result

FAILURES_SHOWN = 10
"""Lines on stderr; the output marks all that is out of tolerance."""

SecondsOption = Annotated[
    float | None,
    typer.Option(
        metavar="S", min=SECONDS_MIN, help="Virtual time measured of each run; 1 if not given."
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Runs at a time; as many as processors if not given."),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Draw published beside emulated; FILE ends with .svg, .png or .html."
    ),
]


def complete_table(incomplete: str) -> list[str]:
    """The published tables that begin so."""
    from scenarios.published import table_names

    return [name for name in table_names() if name.startswith(incomplete)]


def replay(
    table: Annotated[
        str,
        typer.Argument(
            metavar="[TABLE]", help="The published table.", autocompletion=complete_table
        ),
    ] = "transport",
    *,
    suite: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this suite. May be repeated.")
    ] = None,
    rdevs: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Only links of N CTCs. May be repeated.")
    ] = None,
    pairs: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Only N pairs. May be repeated.")
    ] = None,
    seconds: SecondsOption = None,
    jobs: JobsOption = None,
    seeds: SeedsOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    interval: IntervalOption = None,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Replay IBM's published measurements and show ours beside them.

    Ends with 1 when a figure leaves the tolerance that is declared for it. With --report,
    ours alone is shown, and nothing is judged.
    """
    from scenarios.published import load_table
    from scenarios.replay import SECONDS, choose, make_experiment

    output = Output(report, interval, csv, json, seeds)
    published = load_table(table)
    rows = choose(published, {"suite": suite or (), "rdevs": rdevs or (), "pairs": pairs or ()})
    if not rows:
        raise ConfigurationError("no run of the table has all of that: ask for less at once")
    seconds = SECONDS if seconds is None else seconds
    experiments = [make_experiment(published, row, seconds) for row in rows]
    if report is None:
        if plot:
            from isfc.cli.plot import check_plot

            check_plot(plot, published)
        _show_comparisons(published, rows, _emulate(experiments, seeds, jobs), output, plot)
    elif plot:
        raise ConfigurationError("--plot and --report: expected one of them")
    else:
        _show_view(published, rows, experiments, output, jobs)


def _show_comparisons(
    published: "PublishedTable",
    rows: "Sequence[PublishedRow]",
    results: "Sequence[Sequence[Result]]",
    output: Output,
    plot: Path | None,
) -> None:
    """Show the results of each row, the mean over its seeds, beside what was published."""
    from isfc.cli.render import show, show_json
    from scenarios.repeat import mean, spreads_by_cell
    from scenarios.replay import check_bounds, compare

    comparisons: list[Comparison] = []
    every: list[Comparison] = []
    for row, found in zip(rows, results, strict=True):
        comparisons += compare(published, row, mean(found))
        every += [comparison for result in found for comparison in compare(published, row, result)]
    checks = check_bounds(published, comparisons)
    spreads = spreads_by_cell(every) if output.seeds else None
    if plot:
        from isfc.cli.plot import write_plot

        write_plot(plot, published, rows, every)
    if output.json and spreads is not None:
        seeds = len(results[0])
        show_json(
            [repeated_comparison_record(c, seeds, spreads[c.key, c.measure]) for c in comparisons]
        )
    elif output.json:
        show_json([comparison_record(comparison) for comparison in comparisons])
    else:
        from isfc.cli.render_replay import replay_page

        show(replay_page(published, rows, comparisons, checks))
        if spreads is not None:
            from isfc.cli.render_seeds import replay_spreads

            show("", replay_spreads(published, spreads))
    _judge(published, comparisons, checks)


def _show_view(
    published: "PublishedTable",
    rows: "Sequence[PublishedRow]",
    experiments: "Sequence[Experiment]",
    output: Output,
    jobs: int | None,
) -> None:
    """Run the experiments, and print the view of the report that is wanted."""
    from functools import partial

    from isfc.cli.experiments import run_all
    from scenarios.repeat import mean
    from scenarios.report import MeasuredRun, all_samples, measured

    check_view(output, experiments)
    names = [str(row.columns["run"]) for row in rows]
    if output.sample_s is None:
        means = map(mean, _emulate(experiments, output.seeds, jobs))
        runs = [*map(measured, names, experiments, means)]
    else:
        found = run_all(partial(all_samples, interval=output.sample_s), experiments, jobs)
        runs = [*map(MeasuredRun, names, experiments, found)]
    first = experiments[0]
    heading = (
        f"{published.title}, emulated: {first.seconds:g} s of virtual time after "
        f"{first.warmup:g} s of warm-up"
        + (f", mean of seeds {first.seed} to {output.seeds}" if output.seeds else "")
    )
    show_report(output, heading, runs)


def comparison_record(comparison: "Comparison") -> dict[str, Any]:
    """One entry of what ``--json`` prints. Names and meanings of the keys stay."""
    from dataclasses import asdict

    return asdict(comparison)


def repeated_comparison_record(
    comparison: "Comparison", seeds: int, spread_percent: float | None
) -> dict[str, Any]:
    """One entry of what ``--json`` prints with ``--seeds``: of the mean, and two more keys."""
    record = comparison_record(comparison)
    return {**record, "seeds": seeds, "spread_percent": spread_percent}


def _emulate(
    experiments: "Sequence[Experiment]", seeds: int | None, jobs: int | None
) -> "list[list[Result]]":
    """The results of every experiment, in their order: one for each seed."""
    from isfc.cli.experiments import run_all
    from scenarios.repeat import repetitions
    from scenarios.replay import emulate

    count = 1 if seeds is None else seeds
    repeated = [once for experiment in experiments for once in repetitions(experiment, count)]
    results = run_all(emulate, repeated, jobs)
    return [results[start : start + count] for start in range(0, len(results), count)]


def _judge(
    table: "PublishedTable", comparisons: "Sequence[Comparison]", checks: "Sequence[BoundCheck]"
) -> None:
    """End with a failure if a tolerance or a bound is left, and say which."""
    from isfc.cli.render import show_error
    from isfc.cli.render_replay import describe_check, describe_failure

    failures = [
        *(describe_check(check) for check in checks if not check.within),
        *(describe_failure(table, c) for c in comparisons if c.within is False),
    ]
    if not failures:
        return
    more = len(failures) - FAILURES_SHOWN
    listed = failures[:FAILURES_SHOWN] + [f"and {more} more"] * (more > 0)
    show_error("out of tolerance:\n  " + "\n  ".join(listed))
    raise typer.Exit(ExitCode.FAILED)
