"""``isfc replay``: a published table again, in virtual time, ours beside IBM's."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isfc.cli.exits import ExitCode
from isfc.cli.layout_argument import JsonOption
from isfc.cli.run import SECONDS_MIN
from isfc.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scenarios.published import PublishedTable
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
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Replay IBM's published measurements and show ours beside them.

    Ends with 1 when a figure leaves the tolerance that is declared for it.
    """
    from isfc.cli.render import show, show_json
    from scenarios.published import load_table
    from scenarios.replay import SECONDS, check_bounds, choose, compare, make_experiment

    published = load_table(table)
    rows = choose(published, {"suite": suite or (), "rdevs": rdevs or (), "pairs": pairs or ()})
    if not rows:
        raise ConfigurationError("no run of the table has all of that: ask for less at once")
    if plot:
        from isfc.cli.plot import check_plot, write_plot

        check_plot(plot, published)
    seconds = SECONDS if seconds is None else seconds
    results = _run_all([make_experiment(published, row, seconds) for row in rows], jobs)
    comparisons = [
        comparison
        for row, result in zip(rows, results, strict=True)
        for comparison in compare(published, row, result)
    ]
    checks = check_bounds(published, comparisons)
    if plot:
        write_plot(plot, published, rows, comparisons)
    if json:
        show_json([comparison_record(comparison) for comparison in comparisons])
    else:
        from isfc.cli.render_replay import replay_page

        show(replay_page(published, rows, comparisons, checks))
    _judge(published, comparisons, checks)


def comparison_record(comparison: "Comparison") -> dict[str, Any]:
    """One entry of what ``--json`` prints. Names and meanings of the keys stay."""
    from dataclasses import asdict

    return asdict(comparison)


def _run_all(experiments: "Sequence[Experiment]", jobs: int | None) -> "list[Result]":
    """The result of every experiment, in their order."""
    import os

    from isfc.cli.progress import progress_bar
    from isfc.cli.render import show_error
    from isfc.cli.workers import share_out
    from scenarios.replay import emulate

    results: dict[int, Result] = {}
    jobs = jobs or os.cpu_count() or 1
    try:
        with (
            progress_bar(len(experiments), "runs") as advance,
            closing(share_out(emulate, experiments, jobs)) as answers,
        ):
            for index, result in answers:
                results[index] = result
                advance(len(results))
    except KeyboardInterrupt:
        show_error(f"interrupted after {len(results)} of {len(experiments)} runs")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    return [results[index] for index in range(len(experiments))]


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
