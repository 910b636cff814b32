"""How many channels a mix of I/O needs, of which feature, and what else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace
from msgspec.structs import replace as replace_fields

from isfc.answers.io_plan import name_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.errors.in_words import listed
from isfc.io import sizing as sizes
from isfc.io.configuration import Protocol
from isfc.io.mix import DEVICE_BLOCK_LENGTH, Mix, mix_of_configuration, mix_of_interval, not_sized
from isfc.io.plan import ZHYPERLINK_KM_MAX
from isfc.io.proposal import proposal, warnings_of
from isfc.io.rmf import read_rmf
from isfc.io.rmf_lines import busiest
from isfc.io.shared import read_disks
from isfc.layout.pasted import lines_read
from isfc.reports.figure import Note, Reported, Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import shown
from scenarios.runs.notes import CHANNELS_UNRANGED

_KM: Final = 100.0
"""How far storage may be where nothing says it: the distance of the published figures."""


class MixNeeds(Struct, frozen=True):
    """What a mix needs."""

    name: str
    io_per_s: float
    mb_per_s_read: float
    """10^6 bytes"""
    mb_per_s_write: float
    assumed: tuple[str, ...]
    """what was assumed of the load, and what the mix has today"""
    left_out: tuple[str, ...]
    """chpids whose load RMF could not measure"""
    best: sizes.ChannelChoice
    """the same as one of `choices`"""
    choices: tuple[sizes.ChannelChoice, ...]
    """each"""
    distances: tuple[sizes.DistanceNeed, ...]
    saps: sizes.SapsNeeded
    synchronous: sizes.SynchronousNeed | None
    """null if no reads fit zHyperLink"""
    rooms: tuple[sizes.RoomNeed, ...]
    proposal: str | None
    """the best as a configuration, which `isfc io plan` takes; null where several are sized, and
    where none can be so large"""
    warnings: tuple[str, ...]
    """what `isfc io plan` warns of it: sizing leaves open exchanges out, for one; or why there is
    none"""


class IoSizes(Reported, Struct, frozen=True):
    """What one mix needs, or each interval of a report."""

    reported_by = "isfc.answers.io_size.io_size_report"

    growth_percent: float
    """how much more there is later"""
    processor_percent: float
    """so much of a channel's processor may be used"""
    bus_percent: float
    """so much of its bus, and of each direction of its line"""
    sap_percent: float
    mixes: tuple[MixNeeds, ...]
    """one for each interval that was sized, or for the configuration"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""
    accounts: tuple[str, ...]
    """what became of each line of each text"""

    @property
    def proposal(self) -> str:
        """The best as a configuration. Raises `ConfigurationError` where there is none."""
        if len(self.mixes) > 1:
            raise ConfigurationError(
                f"{spelt('interval')} all: expected one interval, which has one best"
            )
        (mix,) = self.mixes
        if mix.proposal is None:
            raise ConfigurationError(mix.warnings[0])
        return mix.proposal

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each feature that a mix could have, as a data frame takes them."""
        return [{"mix": mix.name, **asdict(choice)} for mix in self.mixes for choice in mix.choices]


Rmf = Annotated[
    str | Path | None, Argument("FILE", "Size what an RMF report shows: its text, pasted.")
]
Interval = Annotated[
    Literal["busiest", "all"] | None,
    Argument(
        "<busiest|all>",
        "The interval of the report with the most I/Os, or all; busiest if not given.",
    ),
]
Block = Annotated[
    int | None,
    Argument("BYTES", "Bytes of an I/O, if the report is on devices; 4096 if not given.", 1, 2**30),
]
ReadPercent = Annotated[
    float | None, Argument("P", "Reads in percent, if it is on devices; 100 if not given.", 0, 100)
]
Distance = Annotated[
    float | None,
    Argument(
        "KM",
        "How far the storage may be; as far as the paths of MIX if it has any, else 100.",
        0,
        10_000,
    ),
]


@checked
def io_size(
    mix: Annotated[
        str | Path | None,
        Argument("[MIX]", "An I/O configuration (TOML) whose workloads have rates."),
    ] = None,
    *,
    rmf: Rmf = None,
    interval: Interval = None,
    block: Block = None,
    read_percent: ReadPercent = None,
    growth: Annotated[float, Argument("P", "How much more in percent, later.", 0, 10_000)] = 30.0,
    km: Distance = None,
    processor_percent: Annotated[
        float, Argument("P", "At most so much channel processor.", 1, 100)
    ] = 50.0,
    bus_percent: Annotated[
        float, Argument("P", "At most so much of the bus and line.", 1, 100)
    ] = 70.0,
    sap_percent: Annotated[float, Argument("P", "At most so much of the SAPs.", 1, 100)] = 70.0,
) -> IoSizes:
    """Say how many channels of which feature a mix needs, now and later.

    Each feature is judged in both protocols, and with encryption where it can: what it needs of
    channel processor, bus and line, and which of them is full first. With buffer credits over
    the distance, SAPs, and whether zHyperLink pays. With -o the best is written as a
    configuration, for 'isfc io plan' and 'isfc io run'.

    Raises `ConfigurationError`. ``mix`` is the path of a configuration, or its text.
    """
    of_devices = {"block": block, "read_percent": read_percent}
    guidelines = sizes.Guidelines(processor_percent, bus_percent, sap_percent)
    if (mix is None) == (rmf is None):
        raise ConfigurationError(
            f"{spelt('mix')} and {spelt('rmf')}: expected one of them, a configuration or a report"
        )
    if mix is not None:
        _refuse(of_devices, f"{spelt('rmf')}; {name_of(mix)} says it of each [[io]]")
        _refuse({"interval": interval}, f"{spelt('rmf')}, a report of intervals")
        mixes = [mix_of_configuration(read_disks(mix)[0], name_of(mix))]
    else:
        mixes = _of_report(Path(str(rmf)), interval, of_devices)
    sizings = []
    for each in mixes:
        far = next(far for far in (km, each.km, _KM) if far is not None)
        sizings.append(sizes.size(each, growth, guidelines, (0.0, far)))
    return IoSizes(
        *(growth, processor_percent, bus_percent, sap_percent),
        tuple(_needs(each, alone=len(sizings) == 1) for each in sizings),
        (CHANNELS_UNRANGED,),
        tuple(filter(None, (mixes[0].account,))),
    )


def _needs(sizing: sizes.Sizing, *, alone: bool) -> MixNeeds:
    """The record of a mix that was sized; one that is ``alone`` has a proposal, or why not."""
    mix, text = sizing.mix, None
    warnings: tuple[str, ...] = ()
    try:
        if alone:
            text = proposal(sizing)
            warnings = tuple(each.text for each in warnings_of(text, sizing.guidelines))
    except ConfigurationError as error:
        text, warnings = None, (f"No configuration can be so large: {error}",)
    return MixNeeds(
        *(mix.name, mix.io_per_s, mix.read_mb_per_s, mix.write_mb_per_s, mix.notes, mix.unmeasured),
        *(sizing.best, sizing.choices, sizing.distances, sizing.saps),
        *(sizing.synchronous, sizing.rooms, text, warnings),
    )


def _of_report(rmf: Path, interval: str | None, of_devices: dict[str, Any]) -> list[Mix]:
    """The mixes of intervals, the first with notes on those that are left out."""
    intervals = read_rmf(rmf)
    busy = [one for one in intervals if one.io_per_s]
    chosen = busy if interval == "all" and busy else [busiest(intervals)]
    if all(one.channels for one in chosen):
        _refuse(of_devices, f"a report on devices; {rmf} has channels, with their MB/s")
    length, percent = of_devices["block"] or DEVICE_BLOCK_LENGTH, of_devices["read_percent"]
    reads = 1.0 if percent is None else percent / 100
    mixes = [mix_of_interval(e, device_block=length, device_read_share=reads) for e in chosen]
    rest = not_sized([one for one in intervals if one not in chosen], interval)
    return [replace(mixes[0], notes=(*mixes[0].notes, *rest)), *mixes[1:]]


def _refuse(given: dict[str, Any], expected: str) -> None:
    """Refuse what would have no effect."""
    for name, value in given.items():
        if value is not None:
            raise ConfigurationError(f"{spelt(name)}: expected {expected}")


def io_size_report(found: IoSizes) -> Report:
    """What to order, then every choice; of several intervals what each needs."""
    if len(found.mixes) > 1:
        return _of_several(found)
    (mix,) = found.mixes
    known = [*mix.warnings, *mix.assumed]
    return Report(
        _load(mix),
        [*_answer(found, mix)],
        [_choices(found, mix), *_details(mix)],
        remarks=known[:2],
        read=lines_read(found.accounts),
        notes=[*known[2:], *_read(found)],
    )


def _of_several(found: IoSizes) -> Report:
    later = f"+{found.growth_percent:g} %"
    most = max(found.mixes, key=lambda mix: (mix.best.channels_grown, mix.io_per_s))
    columns = (
        Column("interval", "mix", value=lambda mix: mix.name),
        Column("I/Os/s", "io_per_s", Unit.PER_S),
        Column("now", "channels", value=lambda mix: mix.best.channels),
        Column(later, "channels_grown", value=lambda mix: mix.best.channels_grown),
        Column("channel", "best", value=lambda mix: mix.best.name),
    )
    assumed = [f"{mix.name}: {each}" for mix in found.mixes for each in mix.assumed]
    return Report(
        f"{len(found.mixes)} intervals; later {found.growth_percent:g} % more",
        [("Order", f"{_ordered(most)}, for {most.name}")],
        [
            Table("The best for each interval", columns, found.mixes, "mixes"),
            *(
                replace_fields(_choices(found, mix), caption=_load(mix), name=mix.name, detail=True)
                for mix in found.mixes
            ),
        ],
        read=lines_read(found.accounts),
        notes=[*assumed, *_read(found)],
    )


def _load(mix: MixNeeds) -> str:
    reads, writes = (shown(rate, Unit.MB_PER_S) for rate in (mix.mb_per_s_read, mix.mb_per_s_write))
    return (
        f"{mix.name}: {shown(mix.io_per_s, Unit.PER_S)} I/Os/s, {reads} MB/s read, {writes} written"
    )


def _choices(found: IoSizes, mix: MixNeeds) -> Table:
    columns = (
        *headed(name="channel", channels="now"),
        Column(f"+{found.growth_percent:g} %", "channels_grown"),
        *headed(Unit.PERCENT, processor_percent="proc\n%", bus_percent="bus\n%"),
        Column("line\n%", "line_percent", Unit.PERCENT),
        Column("full first", "first"),
        Column("at\nI/Os/s", "first_at_io_per_s", Unit.PER_S),
    )
    use = f"Channels, and how full each is with {found.growth_percent:g} % more"
    return Table(use, columns, mix.choices, "choices")


def _details(mix: MixNeeds) -> Iterator[Table]:
    gbps = shown(mix.distances[0].link_gbps, Unit.GBPS)
    yield Table(
        f"Inter-switch links of {gbps} Gb/s, zHPF: buffer credits of each port",
        (
            Column("km", "km", Unit.COUNT),
            *headed(isls="ISLs", credits="credits", credits_full_line="full\nline"),
            Column("old\nrule", "credits_by_rule"),
            Column("added\nus", "added_us", Unit.US),
            Column("more open\nexchanges", "exchanges_added", Unit.COUNT),
        ),
        mix.distances,
        "distances",
        detail=True,
    )
    if mix.rooms:
        columns = (
            *headed(level="level", count="count", needed="needed"),
            Column("used\n%", "percent", Unit.PERCENT),
        )
        shared = "What all channels share, with the grown load"
        yield Table(shared, columns, mix.rooms, "rooms", detail=True)


def _answer(found: IoSizes, mix: MixNeeds) -> Iterator[tuple[str, str]]:
    best, far = mix.best, mix.distances[-1]
    rate = shown(best.first_at_io_per_s, Unit.PER_S)
    full = [
        f"{each.count} {each.level}{'s' * (each.count > 1)} cannot carry it, {each.needed} of the "
        "kind would"
        for each in mix.rooms
        if each.percent > 100
    ]
    yield "Order", "; but ".join([f"{_ordered(mix)}, for {found.growth_percent:g} % more", *full])
    yield "Full first", f"{best.first}, at {rate} I/Os/s of all of them"
    if far.km:
        links = f"{far.isls} inter-switch link{'s' * (far.isls > 1)} of {far.link_gbps:g} Gb/s"
        longer = f"each I/O takes {shown(far.added_us, Unit.US)} us longer"
        yield f"At {far.km:g} km", f"{links}, credits {far.credits}; {longer}"
    yield "SAPs", _saps(mix.saps, found.sap_percent)
    yield "zHyperLink", _synchronous(mix.synchronous, far.km)


def _ordered(mix: MixNeeds) -> str:
    best, many = mix.best, mix.best.channels_grown
    zhpf = "on" if best.protocol is Protocol.ZHPF else "off"
    today = "" if best.channels == many else f" ({best.channels} now)"
    missing = f", without the {len(mix.left_out)} left out" if mix.left_out else ""
    return f"{many} {best.feature} channel{'s' * (many > 1)}{today}, zHPF {zhpf}{missing}"


def _saps(need: sizes.SapsNeeded, most: float) -> str:
    if need.saps is None or need.busy_percent is None:
        return f"no z15 has enough to stay below {most:g} %"
    busy = f"{shown(need.busy_percent, Unit.PERCENT)} % busy"
    if not need.given:
        return f"{need.saps} of a z15 would be enough, {busy}"
    above = f", above {most:g} %" if need.busy_percent > most else ""
    return f"{need.saps} of a z15 would be {busy}{above}"


def _synchronous(need: sizes.SynchronousNeed | None, km: float) -> str:
    if need is None:
        return "no reads of 4096 bytes or less, so it would carry nothing"
    if km > ZHYPERLINK_KM_MAX:
        return (
            f"its cable reaches {1000 * ZHYPERLINK_KM_MAX:g} m, so it is of no use to storage at "
            f"{km:g} km"
        )
    more = "more" if need.processors > 0 else "less"
    processors = shown(abs(need.processors), Unit.COUNT)
    return (
        f"{need.links} link{'s' * (need.links > 1)} for {shown(need.io_per_s, Unit.PER_S)} reads "
        f"a second, {shown(need.success_percent, Unit.PERCENT)} % done there; saves "
        f"{shown(need.saved_us, Unit.US)} us a read, and takes {processors} "
        f"processors {more} than asynchronous I/O"
    )


def _read(found: IoSizes) -> Iterator[str]:
    """How the choices are to be read, and what is not known."""
    yield (
        f"Enough is where the processor is used {found.processor_percent:g} % at most, bus and "
        f"line {found.bus_percent:g} %; the line's are without waits for credits."
    )
    if names := [each.feature.removeprefix("FICON Express") for each in sizes.ASSUMED]:
        none = "neither" if len(names) == 2 else "none"
        yield f"{listed(names)}: processor assumed, bus not known; so {none} is called best."
    yield from (note.text for note in found.notes)
