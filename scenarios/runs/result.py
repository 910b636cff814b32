"""What one end of a link did between two looks at it, measured as IBM did.

IBM counted packages over a minute. A run is shorter, so that those under way when it begins and
ends would tell: what was sent is counted as far as it is on the fibre, or else .3 s over a full
line show 1 % more than the line carries. Messages, packages and I/Os count where they end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ctc.address import format_rdev
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from scenarios.runs.experiment import NS_PER_S

MIB: Final = 2**20
"""Published MB are 2^20 bytes (derived: 834.2 packages/s of 829,631 B are the 660.0 MB/s)."""


@dataclass(frozen=True, slots=True)
class DeviceResult:
    """One CTC as Performance Toolkit's FCX108 DEVICE shows it; times per I/O."""

    rdev: str
    io_per_s: float
    pend_ms: float
    disc_ms: float
    conn_ms: float
    serv_ms: float
    busy_percent: float


@dataclass(frozen=True, slots=True)
class Result:
    """What one side saw between warm-up and end. MB are 2^20 bytes; "out" is written by it."""

    node: str
    """the side that all that follows is seen from"""
    mb_per_s: float
    """both directions"""
    mb_per_s_out: float
    mb_per_s_in: float
    messages_per_s: float
    """both directions, acknowledgements of HY among them"""
    messages_per_s_out: float
    messages_per_s_in: float
    packages_per_s_out: float
    packages_per_s_in: float
    messages_per_package_out: float
    messages_per_package_in: float
    bytes_per_package_out: float
    """with headers"""
    bytes_per_package_in: float
    rdev_util_percent: float
    """busy percent, summed over devices, as Performance Toolkit does"""
    collisions_per_s: float
    """write collisions"""
    cpu_percent_per_msg: float
    """percent of a processor in the link driver for each exchange a second"""
    tx_pend_count: float
    """messages that wait for a CTC when the run ends"""
    devices: tuple[DeviceResult, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """What one side saw in an interval that ended ``until`` seconds after the run began."""

    until: float
    result: Result


@dataclass(frozen=True, slots=True)
class EndSamples:
    """What one end saw of a run: the whole, and one sample after the other."""

    whole: Sample
    parts: tuple[Sample, ...]


def end_samples(
    snapshots: Sequence[LinkEndSnapshot], partner: Sequence[LinkEndSnapshot]
) -> EndSamples:
    """What one end saw, from looks at it and at its partner."""
    looks = list(zip(snapshots, partner, strict=True))
    parts = tuple(_sample(before, after) for before, after in pairwise(looks))
    return EndSamples(_sample(looks[0], looks[-1]), parts)


Both = tuple[LinkEndSnapshot, LinkEndSnapshot]
"""An end and its partner, looked at at the same moment."""


def _sample(before: Both, after: Both) -> Sample:
    """What one end saw between two looks."""
    moment = after[0].now_ns / NS_PER_S
    return Sample(moment, measure(before[0].name, before[0], after[0], (before[1], after[1])))


def sent_between(before: LinkEndSnapshot, after: LinkEndSnapshot) -> int:
    """Bytes that an end has put on the fibres between two looks.

    Not less than none: what a lost CTC had under way has come to nothing, and is sent again.
    """
    return max(0, after.sent_length - before.sent_length)


def measure(
    name: str, before: LinkEndSnapshot, after: LinkEndSnapshot, partner: Both | None = None
) -> Result:
    """What a node did between two snapshots.

    With those of its ``partner`` bytes count as far as they are on the fibres; without, with the
    package that has ended.
    """
    seconds = (after.now_ns - before.now_ns) / NS_PER_S
    written_length = after.write_length - before.write_length
    read_length = after.read_length - before.read_length
    out_length, in_length = (
        (written_length, read_length)
        if partner is None
        else (sent_between(before, after), sent_between(*partner))
    )
    out_messages = after.write_message_count - before.write_message_count
    in_messages = after.read_message_count - before.read_message_count
    out_packages = after.write_package_count - before.write_package_count
    in_packages = after.read_package_count - before.read_package_count
    devices = tuple(
        _measure_device(first, last, seconds)
        for first, last in zip(before.devices, after.devices, strict=True)
    )
    return Result(
        node=name,
        mb_per_s=(out_length + in_length) / seconds / MIB,
        mb_per_s_out=out_length / seconds / MIB,
        mb_per_s_in=in_length / seconds / MIB,
        messages_per_s=(out_messages + in_messages) / seconds,
        messages_per_s_out=out_messages / seconds,
        messages_per_s_in=in_messages / seconds,
        packages_per_s_out=out_packages / seconds,
        packages_per_s_in=in_packages / seconds,
        messages_per_package_out=out_messages / max(1, out_packages),
        messages_per_package_in=in_messages / max(1, in_packages),
        bytes_per_package_out=written_length / max(1, out_packages),
        bytes_per_package_in=read_length / max(1, in_packages),
        rdev_util_percent=sum(device.busy_percent for device in devices),
        collisions_per_s=(after.collision_count - before.collision_count) / seconds,
        cpu_percent_per_msg=(after.cpu_ns - before.cpu_ns)
        / NS_PER_S
        * 100
        / max(1, min(out_messages, in_messages) or max(out_messages, in_messages)),
        tx_pend_count=after.tx_pend_count,
        devices=devices,
    )


def _measure_device(before: DeviceSnapshot, after: DeviceSnapshot, seconds: float) -> DeviceResult:
    io_count = after.io_count - before.io_count
    pend_ns = after.pend_ns - before.pend_ns
    disc_ns = after.disc_ns - before.disc_ns
    conn_ns = after.conn_ns - before.conn_ns
    serv_ns = pend_ns + disc_ns + conn_ns
    per_io_ms = 1e-6 / max(1, io_count)
    return DeviceResult(
        rdev=format_rdev(after.rdev),
        io_per_s=io_count / seconds,
        pend_ms=pend_ns * per_io_ms,
        disc_ms=disc_ns * per_io_ms,
        conn_ms=conn_ns * per_io_ms,
        serv_ms=serv_ns * per_io_ms,
        busy_percent=serv_ns / seconds / NS_PER_S * 100,
    )
