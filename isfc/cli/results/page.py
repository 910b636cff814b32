"""What ``isfc run`` shows: the figures of the link, and its devices as FCX108 shows them."""

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from isfc.answers.run_ranges import measured_notes, range_line
from isfc.reports.measures import RUN_ROWS, run_spreads, seed_words
from isfc.reports.table import apart, plain_table
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import live_notes
from scenarios.runs.repeat import mean, spreads
from scenarios.runs.result import DeviceResult, Result
from scenarios.runs.workload import Workload

VIRTUAL: Final = "virtual time"
_PLACES: Final = {"messages/package": 2, "bytes/package": 0}
"""Decimal places of the traffic's figures; of the others one."""


def run_page(
    experiment: Experiment,
    results: Sequence[Result],
    *,
    repeated: bool = False,
    time: str = VIRTUAL,
) -> RenderableType:
    """The whole page; the mean of the results, and their spread if the run was repeated.

    ``time`` says what the seconds are; of virtual ones the page has the model's notes.
    """
    result = mean(results)
    parts: list[RenderableType] = [
        run_heading(experiment, result.node, len(results), time),
        _traffic(result),
        _state(result),
        _devices(result.devices, result.rdev_util_percent),
    ]
    notes = measured_notes(experiment, result) if time == VIRTUAL else live_notes(experiment.layout)
    parts += [note.text for note in notes]
    if time == VIRTUAL:
        parts.insert(3, range_line(experiment, result))
    if repeated:
        parts.append(run_spreads(spreads(results)))
    return apart(parts)


def run_heading(experiment: Experiment, node: str, seeds: int = 1, time: str = VIRTUAL) -> str:
    """What was run, for how long, and where it was measured."""
    first, second = experiment.layout.nodes
    pairs = f"{experiment.pairs} pair{'s' * (experiment.pairs > 1)}"
    return (
        f"Logical link {first} - {second}, seen from {node}; clients on {experiment.client_node}\n"
        f"{_describe(experiment.workload)}\n"
        f"{pairs}, {experiment.seconds:g} s of {time} after "
        f"{experiment.warmup:g} s of warm-up, {seed_words(experiment.seed, seeds)}"
    )


def _describe(workload: Workload) -> str:
    """A workload in words."""
    if workload.programs is not None:
        return f"{workload.name}: messages of {workload.mean_length:,.0f} bytes in the mean"
    lengths = f"{workload.max_length:,}"
    if workload.min_length != workload.max_length:
        lengths = f"{workload.min_length:,} ({workload.min_percent:g} %) or {lengths}"
    replies = f"{workload.reply_length:,}"
    if workload.replies_max < workload.window:
        replies += ", acknowledged"
    return (
        f"{workload.name}: messages of {lengths} bytes, "
        f"replies of {replies}, window {workload.window}"
    )


def _traffic(result: Result) -> Table:
    """What was sent and received."""
    table = plain_table("", ">sent", ">received", ">together", min_width=9)
    for name, *measures in RUN_ROWS:
        if measures[0]:
            places = _PLACES.get(name, 1)
            figures = (f"{getattr(result, m):.{places}f}" if m else "" for m in measures)
            table.add_row(name, *figures, style="bold" if name == "MB/s" else None)
    return table


def _state(result: Result) -> Table:
    """What concerns the link as a whole."""
    table = plain_table(">RDEV util %", ">collisions/s", ">%CPU/msg", ">TXPENDCT", gap=3)
    table.add_row(
        f"{result.rdev_util_percent:.1f}",
        f"{result.collisions_per_s:.1f}",
        f"{result.cpu_percent_per_msg:.5f}",
        f"{result.tx_pend_count:g}",
    )
    return table


def _devices(devices: Sequence[DeviceResult], util_percent: float) -> Table:
    """One line for each CTC, the times in ms; dots where no I/O was done."""
    table = plain_table("Addr", "Type")
    table.show_footer = True
    io_per_s = sum(device.io_per_s for device in devices)
    table.add_column("I/O/s", f"{io_per_s:.1f}", justify="right", min_width=7)
    for heading in ("Pend", "Disc", "Conn", "Serv"):
        table.add_column(heading, "", justify="right", min_width=5)
    table.add_column("Busy %", f"{util_percent:.1f}", justify="right")
    for device in devices:
        times = (device.pend_ms, device.disc_ms, device.conn_ms, device.serv_ms)
        table.add_row(
            device.rdev,
            "FCTC",
            f"{device.io_per_s:.1f}",
            *(f"{time:.2f}" if device.io_per_s else "..." for time in times),
            f"{device.busy_percent:.1f}",
        )
    return table
