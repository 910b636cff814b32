"""What one end of a link did between two looks at it, measured as IBM did; means of several runs.

IBM counted packages over a minute. A run is shorter, so that those under way when it begins and
ends would tell: what was sent is counted as far as it is on the fibre, or else .3 s over a full
line show 1 % more than the line carries. Messages, packages and I/Os count where they end.

Of the same run with several seeds there are the mean of what they give, and how far they differ.
A result's `Provenance` is what could explain that another one is different.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from msgspec import Struct, structs

from ctc.address import format_rdev
from ctc.features import FEATURES
from isfc.errors.in_words import check_between
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.guests import GuestCosts

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


class Sample(Struct, frozen=True):
    """What one side saw in an interval that ended ``until`` seconds after the run began."""

    until: float
    result: Result


class EndSamples(Struct, frozen=True):
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
    times_ms = pend_ns * per_io_ms, disc_ns * per_io_ms, conn_ns * per_io_ms, serv_ns * per_io_ms
    busy_percent = serv_ns / seconds / NS_PER_S * 100
    return DeviceResult(format_rdev(after.rdev), io_count / seconds, *times_ms, busy_percent)


SEEDS_MAX: Final = 1_000

SPREAD_PERCENT_MIN: Final = 1.0
"""Seeds that happen to agree do not show that others would: figures are not known better. Chosen:
the share by which `scenarios.runs.steady` takes a rate to be known at best."""

MEASURES: Final = tuple(
    field.name for field in fields(Result) if field.name not in ("node", "devices")
)
"""The figures of a result that are of the link as a whole."""


def repetitions(experiment: Experiment, count: int) -> list[Experiment]:
    """The experiment with ``count`` seeds, from its own on.

    Raises `ConfigurationError` for a count out of bounds.
    """
    check_between("seeds", count, 1, SEEDS_MAX)
    return [replace(experiment, seed=experiment.seed + index) for index in range(count)]


def mean(results: Sequence[Result]) -> Result:
    """The mean of every figure. Of a device's times too, each I/O counted once."""
    if len(results) == 1:
        return results[0]
    devices = zip(*(result.devices for result in results), strict=True)
    figures = means(results, MEASURES)
    return Result(results[0].node, **figures, devices=tuple(map(_mean_device, devices)))


def means(records: Sequence[object], names: Iterable[str]) -> dict[str, Any]:
    """The mean of each of some figures of records."""
    return {name: _mean([getattr(each, name) for each in records]) for name in names}


def spread_percent(figures: Sequence[float]) -> float | None:
    """How far figures differ: the greatest less the least, in percent of the mean.

    None where the mean is 0.
    """
    middle = _mean(figures)
    return (max(figures) - min(figures)) / middle * 100 if middle else None


def noise_of(figure: float, spread: float) -> float:
    """How far a figure may be off whose seeds differ by ``spread`` percent of it, in its unit."""
    return abs(figure) * max(spread, SPREAD_PERCENT_MIN) / 100


def spreads(results: Sequence[Result]) -> dict[str, float | None]:
    """`spread_percent` of each of `MEASURES`."""
    return {
        name: spread_percent([getattr(result, name) for result in results]) for name in MEASURES
    }


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures)


def _mean_device(devices: Sequence[DeviceResult]) -> DeviceResult:
    """One CTC over all runs; busy percent stays rate times service time."""
    found = means(devices, ("io_per_s", "busy_percent"))
    for name in ("pend_ms", "disc_ms", "conn_ms", "serv_ms"):
        total = _mean([device.io_per_s * getattr(device, name) for device in devices])
        found[name] = total / found["io_per_s"] if found["io_per_s"] else 0.0
    return DeviceResult(devices[0].rdev, **found)


_DIGITS: Final = 12
"""Hexadecimal digits of a digest: enough to tell layouts and models apart."""


class Provenance(Struct, frozen=True):
    """What a result was made with."""

    version: str
    """of isfc"""
    constants: str
    """a digest of all constants of the model"""
    layout: str | None
    """as it was called"""
    layout_digest: str
    layout_toml: str
    """the layout itself"""
    command: str | None


def provenance(
    experiment: Experiment, *, version: str, name: str | None = None, command: str | None = None
) -> Provenance:
    """What a result was made with, by isfc ``version``; ``name`` is what the layout was called."""
    from isfc.layout.write import format_layout  # of few runs the layout is kept

    layout = format_layout(experiment.layout)
    constants = constants_digest(experiment.link, experiment.guests)
    return Provenance(version, constants, name, _digest(layout), layout, command)


def constants_digest(link: LinkParameters, guests: GuestCosts) -> str:
    """The same for two models if and only if all their constants are."""
    return _digest(repr([plain(each) for each in (link, guests, FEATURES)]))


def plain(value: object) -> object:
    """Constants without their types: compiled, a float that was written as 1 is 1.0."""
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Struct):
        return plain(structs.asdict(value))
    if is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    return str(value)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]
