"""Runs as the report shows them: the rows of its four views, and those of a run of several links.

Every record has the columns of the published table of its kind in `scenarios/published/tables`,
in their order and units, so that a view can be laid beside what was published.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.link.message import Traffic
from scenarios.runs.channels import ChannelResult, PathResult
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result, Sample, means, spread_percent
from scenarios.runs.run import Outcome, Recording
from scenarios.runs.workload import SUITES

DEVICE_TYPE: Final = "CTCA"
"""What Performance Toolkit calls an FCTC (published)."""
KEY_SEPARATOR: Final = "/"
"""Between the parts of the name of a run, as of a published row."""
PATHS: Final = 1
"""Chpids that lead to one CTC: a layout gives it one fibre."""


class MeasuredRun(Struct, frozen=True):
    """An experiment, and what was measured: one sample, or one per interval.

    ``name`` is that of the run: the report's, or one of our own.
    """

    name: str
    experiment: Experiment
    samples: tuple[Sample, ...]

    @property
    def result(self) -> Result:
        """What the one sample says. To be asked only if there is one."""
        (only,) = self.samples
        return only.result

    @property
    def side(self) -> str:
        """``client`` or ``server``: where it was measured."""
        client = self.samples[0].result.node == self.experiment.client_node
        return "client" if client else "server"

    @property
    def partner(self) -> str:
        """The node at the other end of the link."""
        first, second = self.experiment.layout.nodes
        return second if self.samples[0].result.node == first else first


def make_name(experiment: Experiment) -> str:
    """A name for a run of one's own, as in ``HL/12/50``: workload, CTCs, pairs."""
    workload = experiment.workload
    known = workload.name in SUITES or workload.traffic is Traffic.LEGACY
    parts = (workload.name if known else "own", len(experiment.layout.ctcs), experiment.pairs)
    return KEY_SEPARATOR.join(map(str, parts))


def measured(name: str, experiment: Experiment, result: Result) -> MeasuredRun:
    """A run of which only the whole was measured."""
    whole = Sample(experiment.warmup + experiment.seconds, result)
    return MeasuredRun(name, experiment, (whole,))


def whole_run(name: str, recording: Recording, side: str) -> MeasuredRun:
    """A recorded run as one sample, taken at ``side``: ``client`` or ``server``."""
    return MeasuredRun(name, recording.experiment, (getattr(recording, side).whole,))


def sampled_run(name: str, recording: Recording, side: str) -> MeasuredRun:
    """A recorded run as its samples, taken at ``side``: ``client`` or ``server``."""
    return MeasuredRun(name, recording.experiment, getattr(recording, side).parts)


class DeviceRow(Struct, frozen=True):
    """A line of FCX108 DEVICE (``device_reports.csv``). Times are None where no I/O was done.

    ``resp_ms`` equals ``serv_ms``: what waits for a CTC waits in the link, not at the device.
    """

    run: str
    side: str
    rdev: str
    io_per_s: float
    pend_ms: float | None
    disc_ms: float | None
    conn_ms: float | None
    serv_ms: float | None
    resp_ms: float | None
    busy_percent: float


class LinkRow(Struct, frozen=True):
    """One interval of Monitor D9 R4 (``link_activity.csv``); "write" is what this side sends.

    ``timestamp`` is when the interval ended, in seconds since the run began, warm-up included;
    ``tx_pend_count`` is as it was then. MB are 2^20 bytes.
    """

    run: str
    link: str
    timestamp: float
    tx_pend_count: float
    write_collisions_per_s: float
    write_mb_per_s: float
    write_msgs_per_s: float
    write_pkgs_per_s: float
    write_bytes_per_pkg: float
    write_msgs_per_pkg: float
    read_mb_per_s: float
    read_msgs_per_s: float
    read_pkgs_per_s: float
    read_bytes_per_pkg: float
    read_msgs_per_pkg: float


class SuiteRow(Struct, frozen=True):
    """One ISFC Transport run (``transport.csv``). MB are 2^20 bytes, both directions."""

    suite: str
    min_bytes: int
    max_bytes: int
    percent: float
    reply_bytes: int
    rdevs: int
    pairs: int
    run: str
    mb_per_s: float
    cpu_percent_per_msg: float
    rdev_util_percent: float
    collisions_per_s: float


class AppcRow(Struct, frozen=True):
    """One APPC/VM run (``appc_scaling.csv``); ``msgs_per_s`` are replies a second."""

    reply_bytes: int
    rdevs: int
    pairs: int
    run: str
    msgs_per_s: float
    cpu_percent_per_msg: float
    rdev_util_percent: float


Row = DeviceRow | LinkRow | SuiteRow | AppcRow


def device_rows(run: MeasuredRun) -> Iterator[DeviceRow]:
    """A row for each CTC of the link."""
    for device in run.result.devices:
        place = run.name, run.side, device.rdev
        times = device.pend_ms, device.disc_ms, device.conn_ms, device.serv_ms, device.serv_ms
        if device.io_per_s:
            yield DeviceRow(*place, device.io_per_s, *times, device.busy_percent)
        else:
            yield structs.replace(idle_device(*place), busy_percent=device.busy_percent)


def idle_device(run: str, side: str, rdev: str) -> DeviceRow:
    """A device that is not of the link, as the report shows it: with dots."""
    return DeviceRow(run, side, rdev, 0.0, None, None, None, None, None, 0.0)


def link_rows(run: MeasuredRun) -> Iterator[LinkRow]:
    """A row for each sample."""
    for interval in run.samples:
        result = interval.result
        yield LinkRow(
            run=run.name,
            link=run.partner,
            timestamp=interval.until,
            tx_pend_count=result.tx_pend_count,
            write_collisions_per_s=result.collisions_per_s,
            write_mb_per_s=result.mb_per_s_out,
            write_msgs_per_s=result.messages_per_s_out,
            write_pkgs_per_s=result.packages_per_s_out,
            write_bytes_per_pkg=result.bytes_per_package_out,
            write_msgs_per_pkg=result.messages_per_package_out,
            read_mb_per_s=result.mb_per_s_in,
            read_msgs_per_s=result.messages_per_s_in,
            read_pkgs_per_s=result.packages_per_s_in,
            read_bytes_per_pkg=result.bytes_per_package_in,
            read_msgs_per_pkg=result.messages_per_package_in,
        )


def suite_rows(run: MeasuredRun) -> Iterator[SuiteRow]:
    """The one row of a run."""
    workload, result = run.experiment.workload, run.result
    yield SuiteRow(
        suite=workload.name,
        min_bytes=workload.min_length,
        max_bytes=workload.max_length,
        percent=workload.min_percent,
        reply_bytes=workload.reply_length,
        rdevs=len(run.experiment.layout.ctcs),
        pairs=run.experiment.pairs,
        run=run.name,
        mb_per_s=result.mb_per_s,
        cpu_percent_per_msg=result.cpu_percent_per_msg,
        rdev_util_percent=result.rdev_util_percent,
        collisions_per_s=result.collisions_per_s,
    )


def appc_rows(run: MeasuredRun) -> Iterator[AppcRow]:
    """The one row of a run."""
    result = run.result
    at_client = run.side == "client"
    yield AppcRow(
        reply_bytes=run.experiment.workload.reply_length,
        rdevs=len(run.experiment.layout.ctcs),
        pairs=run.experiment.pairs,
        run=run.name,
        msgs_per_s=result.messages_per_s_in if at_client else result.messages_per_s_out,
        cpu_percent_per_msg=result.cpu_percent_per_msg,
        rdev_util_percent=result.rdev_util_percent,
    )


def check_traffic(experiment: Experiment, traffic: Traffic) -> None:
    """Refuse to show one kind of traffic in the table of the other, with `ConfigurationError`."""
    if experiment.workload.programs is not None:
        raise ConfigurationError(
            f"{experiment.workload.name} is a workload of one's own; expected another view, or none"
        )
    if experiment.workload.traffic is traffic:
        return
    if traffic is Traffic.LEGACY:
        raise ConfigurationError(
            f"{experiment.workload.name} is ISFC Transport; "
            "expected a workload CDU:<reply bytes>, or the table of suites"
        )
    raise ConfigurationError(
        f"{experiment.workload.name} is APPC/VM; expected the table of APPC/VM runs"
    )


class CarriedRates(Struct, frozen=True):
    """What a link, a system, a channel or all carried; None is what is not of it.

    MB are 2^20 bytes. Out is written: by the first node of a link, by a system, over a channel by
    the systems that it belongs to, over the inter-switch links of a path from where its name says.
    """

    name: str
    mb_per_s: float
    """both ways"""
    mb_per_s_out: float
    """written: by the first node of a link, by a system; over a path from where its name says"""
    mb_per_s_in: float
    messages_per_s: float | None = None
    collisions_per_s: float | None = None
    busy_percent: float | None = None
    """of the resource nearest to its end: fibre link out or in, data processor, starts of I/Os;
    disks are in it"""
    spread_percent: float | None = None
    """of MB/s, with `--seeds`"""


class ClusterRow(CarriedRates, frozen=True, kw_only=True):
    """One row of ``kind``: ``link``, ``system``, ``channel``, ``path``, ``share`` or ``all``.

    A share is of a link in the channel or path above.
    """

    kind: str
    traffic: str = ""
    """of a link"""


def cluster_rows(results: Sequence[Outcome]) -> tuple[ClusterRow, ...]:
    """The rows of a run; the means of one that was repeated with several seeds, and the spread."""
    return tuple(_mean_row(rows) for rows in zip(*map(_rows_of_links, results), strict=True))


def _rows_of_links(result: Outcome) -> Iterator[ClusterRow]:
    messages = collisions = 0.0
    for recording in result.links:
        layout = recording.experiment.layout
        first = recording.at(layout.nodes[0]).whole.result
        messages += first.messages_per_s
        collisions += first.collisions_per_s
        ways = first.mb_per_s, first.mb_per_s_out, first.mb_per_s_in
        others = first.messages_per_s, first.collisions_per_s
        loads = ", ".join(map(str, result.experiment.loads_of(layout)))
        yield ClusterRow(layout.name, *ways, *others, kind="link", traffic=loads)
    systems = [_system_row(name, ends) for name, ends in result.systems.items()]
    yield from systems
    for channel in result.channels:
        yield from _shared("channel", channel)
    for path in result.paths:
        yield from _shared("path", path)
    out = sum(system.mb_per_s_out for system in systems)
    back = sum(system.mb_per_s_in for system in systems)
    rates = result.mb_per_s, out, back, messages, collisions
    yield ClusterRow("all links", *rates, kind="all")


def _shared(kind: str, carried: ChannelResult | PathResult) -> Iterator[ClusterRow]:
    """A row of what several fibres share, then one of each link in it."""
    out, back = carried.mb_per_s_out, carried.mb_per_s_in
    busy = 100.0 * carried.busy
    yield ClusterRow(carried.name, out + back, out, back, busy_percent=busy, kind=kind)
    for share in carried.shares:
        out, back = share.mb_per_s_out, share.mb_per_s_in
        yield ClusterRow(share.link, out + back, out, back, kind="share")


def _system_row(name: str, ends: Sequence[Result]) -> ClusterRow:
    """A row of what a system saw at all its links."""
    out = sum(end.mb_per_s_out for end in ends)
    back = sum(end.mb_per_s_in for end in ends)
    messages = sum(end.messages_per_s for end in ends)
    collisions = sum(end.collisions_per_s for end in ends)
    return ClusterRow(name, out + back, out, back, messages, collisions, kind="system")


def _mean_row(rows: Sequence[ClusterRow]) -> ClusterRow:
    """The mean of the same row of several runs."""
    if len(rows) == 1:
        return rows[0]
    names = [field.name for field in structs.fields(ClusterRow)]
    rates = [name for name in names if isinstance(getattr(rows[0], name), float)]
    spread = spread_percent([row.mb_per_s for row in rows])
    return structs.replace(rows[0], **means(rows, rates), spread_percent=spread)
