"""``isfc run --trace`` and ``--timeline``: every I/O of a run, for Perfetto or for the terminal."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.console import RenderableType

from isfc.cli.run.chrome_trace import write_trace
from isfc.cli.run.gantt import GanttChart
from isfc.errors import ConfigurationError
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import Operation, read_time_ns
from scenarios.runs.run import Outcome
from scenarios.runs.timeline import Timeline, record_timelines

SECONDS_MAX: Final = 60.0
"""A minute of a busy link has some 600,000 I/Os: as much as Perfetto takes with ease."""


def read_time(option: str, text: str) -> int:
    """A time such as ``5ms``, ``800us`` or ``0.1s``, in nanoseconds."""
    time_ns = read_time_ns(text)
    if time_ns is None or time_ns < 1_000:
        raise ConfigurationError(
            f"{option} {text[:40]}: expected a time of 1us at least, such as 5ms, 800us or 0.1s"
        )
    return time_ns


@dataclass(frozen=True, slots=True)
class TimelineOutput:
    """What of a run's timeline is wanted: a trace, a chart of the first ``chart_ns``, or both."""

    experiment: Experiment
    trace: Path | None
    chart_ns: int | None

    def chart(self, *timelines: Timeline) -> RenderableType | None:
        """The chart, if it is wanted; of several links, one behind the other."""
        if self.chart_ns is None:
            return None
        end_ns = min(timelines[0].end_ns, timelines[0].begin_ns + self.chart_ns)
        return GanttChart([replace(timeline, end_ns=end_ns) for timeline in timelines])


def run_timelines(
    wanted: TimelineOutput,
    progress: Callable[[float], None] | None,
    operation: Operation | None,
) -> tuple[tuple[Timeline, ...], Outcome]:
    """Run the links, and write the trace of all."""
    timelines, outcome = record_timelines(wanted.experiment, progress, operation)
    if wanted.trace is not None:
        write_trace(wanted.trace, *timelines)
    return timelines, outcome
