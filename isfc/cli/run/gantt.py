"""A timeline as a Gantt chart in the terminal: a line for each end of each CTC."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from ctc.address import format_rdev
from ctc.subchannel import Command
from scenarios.runs.timeline import Io, Timeline

WIDTH_MAX: Final = 80
_LABEL_MIN: Final = 6

_CELLS: Final = {
    ("PEND", Command.WRITE): ".",
    ("DISC", Command.WRITE): "-",
    ("CONN", Command.WRITE): "W",
    ("CONN", Command.READ): "r",
}
"""What an I/O shows, by phase and command; whatever else takes time on a device is an ``o``."""
_OTHER: Final = "o"
_COLLISION: Final = "!"
_STYLES: Final = {"W": "green", "r": "blue", ".": "dim", "-": "yellow", "!": "bold red"}
_LEGEND: Final = (
    "W write, r read (CONN)   . PEND   - DISC of a write   o sense and read begin\n"
    "! collision   blank: idle; a cell shows what took most of its time"
)


@dataclass(frozen=True, slots=True)
class GanttChart:
    """The whole chart, as wide as the terminal, up to `WIDTH_MAX` columns.

    Several links are of one time; those on which nothing happened are left out.
    """

    timelines: Sequence[Timeline]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol: what is printed."""
        nodes = [node for each in self.timelines for node in each.layout.nodes]
        label = max(_LABEL_MIN, *map(len, nodes))
        columns = min(WIDTH_MAX, options.max_width) - label
        yield _scale(self.timelines[0], columns)
        for timeline in [each for each in self.timelines if each.ios] or self.timelines:
            if len(self.timelines) > 1:
                yield ""
                yield Text(f"link {timeline.layout.name}", "bold")
            yield from _lines(timeline, label, columns)
        yield ""
        yield _LEGEND


def _scale(timeline: Timeline, columns: int) -> str:
    """How long the chart is, and a column."""
    span_ns = timeline.end_ns - timeline.begin_ns
    scale = f"{span_ns / columns / 1000:.3g} us a column"
    return f"{span_ns / 1e6:g} ms from {timeline.begin_ns / 1e6:g} ms on, {scale}"


def _lines(timeline: Timeline, label: int, columns: int) -> Iterator[RenderableType]:
    """The lines of one link: each end of each CTC."""
    span_ns = timeline.end_ns - timeline.begin_ns
    layout = timeline.layout
    for end, node in enumerate(layout.nodes):
        yield ""
        yield Text(f"{node:<{label}}{_ruler(span_ns, columns)}", "bold", no_wrap=True)
        for ctc in layout.device_list():
            ios = timeline.of(node, ctc.rdevs[end])
            line = Text(f"{format_rdev(ctc.rdevs[end]):<{label}}", no_wrap=True)
            for cell in gantt_line(timeline, ios, columns):
                line.append(cell, _STYLES.get(cell, ""))
            yield line


def _ruler(span_ns: int, columns: int) -> str:
    """Ticks at quarters, in ms."""
    ticks = [f"|{span_ns * quarter / 4 / 1e6:g}" for quarter in range(4)]
    ends = [columns * quarter // 4 for quarter in (1, 2, 3, 4)]
    text = ""
    for tick, until in zip(ticks, ends, strict=True):
        text = f"{text}{tick}".ljust(until)
    return text


def gantt_line(timeline: Timeline, ios: Sequence[Io], columns: int) -> str:
    """One end of one CTC: in each cell what took most of its time; collisions always."""
    span_ns = timeline.end_ns - timeline.begin_ns
    shares: list[dict[str, float]] = [{} for _ in range(columns)]
    cell_ns = span_ns / columns
    for io in ios:
        for phase, begin_ns, end_ns in io.phases():
            kind = _CELLS.get((phase, io.command), _OTHER)
            low, high = begin_ns - timeline.begin_ns, end_ns - timeline.begin_ns
            first, last = max(0, int(low / cell_ns)), min(columns - 1, int(high / cell_ns))
            for index in range(first, last + 1):
                overlap = min(high, (index + 1) * cell_ns) - max(low, index * cell_ns)
                shares[index][kind] = shares[index].get(kind, 0) + overlap
    cells = [_most(share, cell_ns) for share in shares]
    for io in ios:
        if io.outcome == "collided" and io.end_ns <= timeline.end_ns:
            index = int((io.end_ns - timeline.begin_ns) / cell_ns)
            cells[min(max(index, 0), columns - 1)] = _COLLISION
    return "".join(cells)


def _most(share: dict[str, float], cell_ns: float) -> str:
    """What took most of a cell; a blank where the device was idle for more than half of it."""
    if sum(share.values()) < cell_ns / 2:
        return " "
    return max(share, key=lambda kind: share[kind])
