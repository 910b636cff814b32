"""What an I/O configuration can do, and what to change in it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from ctc.features import find_feature
from isfc.errors.arguments import Argument, checked
from isfc.errors.in_words import listed
from isfc.io.demand import ChannelFlows
from isfc.io.estimate import ChannelEstimate
from isfc.io.machine import SapLoad, TrunkLoad
from isfc.io.osa import PlannedOsa
from isfc.io.plan import IoAdvice, IoPlan, ResourceUse, advise, make_io_plan
from isfc.io.shared import read_disks
from isfc.io.zhyperlink import ReadsActivity, reads_activity
from isfc.layout.checked_toml import within
from isfc.layout.rules.rule import Severity
from isfc.reports.figure import Note, NoteKind, Reported, Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import shown
from scenarios.runs.notes import CHANNELS_UNRANGED

Config = Annotated[
    str | Path, Argument("CONFIG", "An I/O configuration (TOML); - for standard input.")
]
"""A path, or in Python the text of the file."""

_ADVICE_MAX: Final = 3
"""So much of the advice is among what is answered first; all of it is in a table."""


class ChannelFigures(Struct, frozen=True, kw_only=True):
    """What a channel carries, and how full it is."""

    chpid: str
    feature: str
    link_gbps: float
    io_per_s: float
    mb_per_s_read: float
    """10^6 bytes"""
    mb_per_s_write: float
    processor_percent: float
    bus_percent: float | None
    """null where no limit of the bus is known"""
    line_percent_read: float
    line_percent_write: float

    @property
    def line_percent(self) -> float:
        """Of the fuller direction."""
        return max(self.line_percent_read, self.line_percent_write)


class PlannedLoad(Struct, frozen=True):
    """A workload on one channel, as estimated."""

    name: str
    chpid: str
    protocol: str
    io_per_s: float
    response_us: float
    active: float
    """the open exchanges"""


class IoEstimates(Reported, Struct, frozen=True):
    """What an I/O configuration can do, by mean values."""

    reported_by = "isfc.answers.io_plan.io_plan_report"

    name: str
    """the file, or `config`"""
    first: ResourceUse | None
    """what is full first as the load grows; null if nothing is used"""
    advice: tuple[IoAdvice, ...]
    """a list with the [ids](io-advice.md), warnings first"""
    channels: tuple[ChannelFigures, ...]
    workloads: tuple[PlannedLoad, ...]
    """on each of their channels"""
    synchronous: tuple[ReadsActivity, ...]
    osas: tuple[PlannedOsa, ...]
    saps: tuple[SapLoad, ...]
    trunks: tuple[TrunkLoad, ...]
    """the cards, interconnects and fanouts of the file, from the channel up"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`; of a layout, that its CTCs are not in the figures"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each channel, as a data frame takes them."""
        return [asdict(each) for each in self.channels]


@checked
def io_plan(config: Config) -> IoEstimates:
    """Estimate an I/O configuration; say what to change.

    Each channel with what its processor, bus and line have to do, each workload with its rate,
    its response time and how many of its I/Os are open; zHyperLinks, OSAs, SAPs; the cards,
    interconnects and fanouts that channels share; the advice.

    Raises `ConfigurationError`. ``config`` is a path, or the text of the file.
    """
    configuration, alone = read_disks(config)
    with within(name_of(config)):
        return io_estimates(name_of(config), make_io_plan(configuration), alone)


def name_of(config: str | Path) -> str:
    """What messages and pages call it."""
    return "config" if "\n" in str(config) else str(config)


def io_estimates(name: str, plan: IoPlan, notes: Sequence[Note] = ()) -> IoEstimates:
    """What is said of a plan; ``notes`` are of its file."""
    features = dict.fromkeys(each.channel.feature for each in plan.channels)
    return IoEstimates(
        name,
        plan.first(),
        tuple(sorted(advise(plan), key=lambda each: each.severity is Severity.INFO)),
        tuple(ChannelFigures(**channel_fields(each)) for each in plan.channels),
        tuple(load for each in plan.channels for load in _loads(each)),
        tuple(map(reads_activity, plan.synchronous)),
        plan.osas,
        plan.saps,
        plan.trunks,
        (*notes, *_unknown(features), CHANNELS_UNRANGED),
    )


def _unknown(features: Mapping[str, None]) -> Iterator[Note]:
    for name in features:
        if unknown := find_feature(name).unknown:
            text = f"{name}: not known, and assumed or left out: {', '.join(unknown)}."
            yield Note(NoteKind.EXTRAPOLATED, text)


def channel_fields(found: ChannelFlows) -> dict[str, Any]:
    """The fields of `ChannelFigures`, of a channel that is planned or was run."""
    return {
        "chpid": found.channel.chpid,
        "feature": found.channel.feature,
        "link_gbps": found.route.link_gbps,
        "io_per_s": found.io_per_s,
        "mb_per_s_read": found.traffic.read_mb_per_s,
        "mb_per_s_write": found.traffic.write_mb_per_s,
        "processor_percent": 100 * found.processor,
        "bus_percent": 100 * found.bus if found.route.profile.bus_mb_per_s else None,
        "line_percent_read": 100 * found.line_read,
        "line_percent_write": 100 * found.line_write,
    }


def _loads(found: ChannelEstimate) -> Iterator[PlannedLoad]:
    for each in found.demands:
        load = each.demand.workload
        of = load.name, found.channel.chpid, load.protocol
        yield PlannedLoad(*of, each.rate_per_s, each.response_ns / 1e3, each.active)


def io_plan_report(found: IoEstimates) -> Report:
    """What is carried, what is full first and what to change; then each channel and workload."""
    tables = (
        Table("Channels", _CHANNELS, found.channels, "channels"),
        Table("Workloads on each channel", _LOADS, found.workloads, "workloads"),
        Table("zHyperLinks; without a rate nothing is said", _READS, found.synchronous, "reads"),
        Table("OSAs: what streams get; MB are 2^20 bytes", _OSAS, found.osas, "osas"),
        *machine_tables(found.saps, found.trunks),
        Table("Advice", _ADVICE, found.advice, "advice", detail=True),
    )
    return Report(
        f"{found.name}: I/O by mean values; MB are 10^6 bytes",
        [*_answer(found)],
        [each for each in tables if each.rows],
        known=found.notes,
    )


def machine_tables(saps: Sequence[SapLoad], trunks: Sequence[TrunkLoad]) -> Iterator[Table]:
    """What all channels of a machine share."""
    yield Table("SAPS, AS IN I/O QUEUING ACTIVITY", _SAPS, saps, "iop")
    yield Table("CARDS, INTERCONNECTS, FANOUTS; GB are 10^9 bytes", _TRUNKS, trunks, "trunks")


_CHANNELS: Final = (
    *headed(chpid="chpid", feature="feature"),
    Column("Gb/s", "link_gbps", Unit.GBPS),
    Column("I/Os/s", "io_per_s", Unit.PER_S),
    *headed(Unit.MB_PER_S, mb_per_s_read="read\nMB/s", mb_per_s_write="write\nMB/s"),
    *headed(Unit.PERCENT, processor_percent="proc\n%", bus_percent="bus\n%"),
    Column("line\n%", "line_percent", Unit.PERCENT),
)
_LOADS: Final = (
    *headed(name="workload", chpid="chpid", protocol="protocol"),
    Column("I/Os/s", "io_per_s", Unit.PER_S),
    Column("response\nus", "response_us", Unit.US),
    Column("open", "active", Unit.COUNT),
)
_READS: Final = (
    *headed(name="workload", links="links"),
    Column("I/Os/s", "io_per_s", Unit.PER_S),
    *headed(Unit.PERCENT, success_percent="synchronous\n%", link_busy_percent="busy\n%"),
    *headed(Unit.US, latency_us="in\nus", response_us="all\nus"),
)
_OSAS: Final = (
    *headed(chpid="chpid", feature="feature", mtu_bytes="MTU"),
    Column("out\nMB/s", "mb_per_s_out", Unit.MB_PER_S),
    Column("limit", "limit_out"),
    Column("in\nMB/s", "mb_per_s_in", Unit.MB_PER_S),
    Column("limit", "limit_in"),
)
_SAPS: Final = (
    *headed(system="SYSTEM", saps="SAPS"),
    Column("%BUSY", "busy_percent", Unit.PERCENT),
    Column("STARTS/S", "io_per_s", Unit.PER_S),
)
_TRUNKS: Final = (
    *headed(title="shared", count="channels"),
    *headed(Unit.COUNT, gb_per_s_read="GB/s\nread", gb_per_s_write="write"),
    Column("used\n%", "percent", Unit.PERCENT),
)
_ADVICE: Final = (Column("", "severity"), Column("id", "id"), Column("advice", "text", folds=True))


def _answer(found: IoEstimates) -> Iterator[tuple[str, str]]:
    if found.channels or found.synchronous:
        yield "Carries", carried(found.channels, found.synchronous)
    if found.first is not None:
        yield "Full first", f"{found.first.what}: {used(found.first.percent)}"
    more = len(found.advice) - _ADVICE_MAX
    for place, each in enumerate(found.advice[:_ADVICE_MAX], start=1):
        others = f" And {more} more." if more > 0 and place == _ADVICE_MAX else ""
        yield "" if place > 1 else "To change", f"{each.severity}: {each.text}{others}"
    if not found.advice:
        yield "To change", "nothing"


def carried(channels: Sequence[ChannelFigures], synchronous: Sequence[ReadsActivity] = ()) -> str:
    """``10000 I/Os/s, 31 MB/s read and 10 MB/s written``: all together, and how many synchronous.

    Synchronous I/Os are reads; those of which no rate is known are named.
    """
    at_once = sum(each.io_per_s or 0.0 for each in synchronous)
    rate = at_once + sum(each.io_per_s for each in channels)
    read = sum(each.mb_per_s_read for each in channels)
    read += sum(each.mb_per_s or 0.0 for each in synchronous)
    written = shown(sum(each.mb_per_s_write for each in channels), Unit.MB_PER_S)
    told = f"{shown(rate, Unit.PER_S)} I/Os/s, {shown(read, Unit.MB_PER_S)} MB/s read and {written}"
    told += " written"
    if at_once:
        told += f"; {shown(at_once, Unit.PER_S)} of the I/Os synchronous, over zHyperLinks"
    if unknown := [each.name for each in synchronous if each.io_per_s is None]:
        told += f"; of {listed(unknown)} no rate is given"
    return told


def used(percent: float | None) -> str:
    """How much of something is used."""
    return "more than all is used" if percent is None else f"{shown(percent, Unit.PERCENT)} % used"
