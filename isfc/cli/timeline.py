"""``isfc run --trace`` and ``--timeline``: every I/O of a run, for Perfetto or for the terminal."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Generic, TypeVar

import typer
from rich.console import RenderableType

from isfc.cli.options.file import check_file
from isfc.cli.options.report import Output
from isfc.cli.render.chrome_trace import write_trace
from isfc.cli.render.gantt import gantt_page, gantt_pages
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from scenarios.cluster import ClusterExperiment, ClusterResult
from scenarios.cluster_timeline import record_cluster_timeline
from scenarios.operation import Operation
from scenarios.run import NS_PER_S, Experiment, Result
from scenarios.timeline import Timeline, record_timeline

SECONDS_MAX: Final = 60.0
"""A minute of a busy link has some 600,000 I/Os: as much as Perfetto takes with ease."""

TraceOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Write every I/O into FILE (.json), a trace that Perfetto opens."
    ),
]
TimelineOption = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Draw the first TIME (such as 5ms) as a Gantt chart."),
]


def read_time(option: str, text: str) -> int:
    """A time such as ``5ms``, ``800us`` or ``0.1s``, in nanoseconds."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)(us|ms|s)", text)
    unit_ns = {"us": 1_000, "ms": 1_000_000, "s": NS_PER_S}
    if found is None or not float(found[1]) * unit_ns[found[2]] >= 1_000:
        raise ConfigurationError(
            f"{option} {text[:40]}: expected a time of 1us at least, such as 5ms, 800us or 0.1s"
        )
    return round(float(found[1]) * unit_ns[found[2]])


_Run = TypeVar("_Run", Experiment, ClusterExperiment)


@dataclass(frozen=True, slots=True)
class TimelineOutput(Generic[_Run]):
    """What of a run's timeline is wanted: a trace, a chart of the first ``chart_ns``, or both."""

    experiment: _Run
    trace: Path | None
    chart_ns: int | None

    def chart(self, *timelines: Timeline) -> RenderableType | None:
        """The chart, if it is wanted; of several links, one behind the other."""
        if self.chart_ns is None:
            return None
        end_ns = min(timelines[0].end_ns, timelines[0].begin_ns + self.chart_ns)
        cut = [replace(timeline, end_ns=end_ns) for timeline in timelines]
        return gantt_page(cut[0]) if len(cut) == 1 else gantt_pages(cut)


def run_timeline(
    wanted: TimelineOutput[Experiment],
    side: NodeName | None,
    progress: Callable[[float], None] | None,
    operation: Operation | None,
) -> tuple[Timeline, Result]:
    """Run one link, and write the trace."""
    timeline, result = record_timeline(wanted.experiment, side, progress, operation)
    if wanted.trace is not None:
        write_trace(wanted.trace, timeline)
    return timeline, result


def run_timelines(
    wanted: TimelineOutput[ClusterExperiment],
    progress: Callable[[float], None] | None,
    operation: Operation | None,
) -> tuple[tuple[Timeline, ...], ClusterResult]:
    """Run several links together, and write the trace of all."""
    timelines, result = record_cluster_timeline(wanted.experiment, progress, operation)
    if wanted.trace is not None:
        write_trace(wanted.trace, *timelines)
    return timelines, result


def read_timeline(
    trace: str | None, chart: str | None, experiment: _Run, output: Output
) -> TimelineOutput[_Run] | None:
    """What ``--trace`` and ``--timeline`` ask for, checked before anything is run; None if nothing.

    ``output`` is what else is wanted. Raises `ConfigurationError` for what does not go together.
    """
    if trace is None and chart is None:
        return None
    option = "--trace" if chart is None else "--timeline"
    if output.view or output.csv or output.seeds or (chart is not None and output.json):
        raise ConfigurationError(
            f"{option}: expected without --report, --csv and --seeds"
            + ", and without --json" * (chart is not None)
        )
    path = None if trace is None else check_file("--trace", trace, (".json",))
    chart_ns = None if chart is None else read_time("--timeline", chart)
    if chart_ns is not None and chart_ns > experiment.seconds * NS_PER_S:
        raise ConfigurationError(
            f"--timeline {chart}: expected at most --seconds, {experiment.seconds:g} s"
        )
    if path is not None and experiment.seconds > SECONDS_MAX:
        raise ConfigurationError(
            f"--trace with {experiment.seconds:g} s: expected --seconds {SECONDS_MAX:g} or less"
        )
    if path is None and chart_ns is not None:  # nobody asks for the rest of the run
        experiment = replace(experiment, seconds=chart_ns / NS_PER_S)
    return TimelineOutput(experiment, path, chart_ns)
