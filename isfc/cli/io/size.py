"""``isfc io size``: how many channels a mix needs, and of which feature."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.io.plan import SapsJson, finite
from isfc.cli.io.size_page import sizing_page
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.number import bounded
from isfc.cli.options.option import valued
from isfc.cli.output.file import ForceOption, check_file, output_option
from isfc.cli.output.notes import note_lines
from isfc.cli.output.streams import show, show_error, show_json, write_file
from isfc.errors import ConfigurationError
from isfc.io.configuration_file import read_io_configuration
from isfc.io.mix import DEVICE_BLOCK_LENGTH, Mix, mix_of_configuration, mix_of_interval
from isfc.io.proposal import proposal, warnings_of
from isfc.io.rmf import read_rmf
from isfc.io.rmf_interval import RmfInterval, busiest
from isfc.io.sizing import Choice, DistanceNeed, Guidelines, RoomNeed, Sizing, SynchronousNeed
from isfc.io.sizing import size as size_mix
from isfc.layout.note import Note
from isfc.reports.record import record_of
from scenarios.runs.notes import CHANNELS_UNRANGED

_KM = 100.0
"""How far storage may be where nothing says it: the distance of the published figures."""


class SizedIntervals(StrEnum):
    """Which intervals of a report are sized."""

    BUSIEST = "busiest"
    ALL = "all"


class MixOptions(Struct, frozen=True):
    """What is sized: a configuration, or intervals of an RMF report."""

    mix: Annotated[
        Path | None,
        typer.Argument(
            metavar="[MIX]", help="An I/O configuration (TOML) whose workloads have rates."
        ),
    ] = None
    rmf: Annotated[
        Path | None, valued("FILE", "Size what an RMF report shows: its text, pasted.")
    ] = None
    interval: Annotated[
        SizedIntervals | None,
        typer.Option(
            help="The interval of the report with the most I/Os, or all; busiest if not given."
        ),
    ] = None
    block: Annotated[
        int | None,
        bounded(
            "BYTES", 1, 2**30, "Bytes of an I/O, if the report is on devices; 4096 if not given."
        ),
    ] = None
    read_percent: Annotated[
        float | None,
        bounded("P", 0, 100, "Reads in percent, if it is on devices; 100 if not given."),
    ] = None

    def read(self) -> Sequence[Mix]:
        """The mixes, the first with notes on the intervals that are left out."""
        if self.mix is not None and self.rmf is None:
            self._refuse_of_devices(f"--rmf; {self.mix} says it of each [[io]]")
            if self.interval is not None:
                raise ConfigurationError("--interval: expected --rmf, a report of intervals")
            return [mix_of_configuration(read_io_configuration(self.mix), str(self.mix))]
        if self.mix is not None or self.rmf is None:
            raise ConfigurationError(
                "MIX and --rmf: expected one of them, a configuration or a report"
            )
        intervals = read_rmf(self.rmf)
        busy = [one for one in intervals if one.io_per_s]
        chosen = busy if self.interval is SizedIntervals.ALL and busy else [busiest(intervals)]
        if all(one.channels for one in chosen):
            self._refuse_of_devices(
                f"a report on devices; {self.rmf} has channels, with their MB/s"
            )
        block = DEVICE_BLOCK_LENGTH if self.block is None else self.block
        read_share = 1.0 if self.read_percent is None else self.read_percent / 100
        mixes = [
            mix_of_interval(one, device_block=block, device_read_share=read_share) for one in chosen
        ]
        rest = [one for one in intervals if one not in chosen]
        mixes[0] = replace(mixes[0], notes=(*mixes[0].notes, *_not_sized(rest, self.interval)))
        return mixes

    def _refuse_of_devices(self, expected: str) -> None:
        """Refuse what is for reports on devices, where it would have no effect."""
        given = {"--block": self.block, "--read-percent": self.read_percent}
        for option, value in given.items():
            if value is not None:
                raise ConfigurationError(f"{option}: expected {expected}")


class GuidelineOptions(Struct, frozen=True):
    """What may be used of processor, bus and SAPs at most, in percent."""

    processor_percent: Annotated[
        float, bounded("P", 1, 100, "At most so much channel processor.")
    ] = 50.0
    bus_percent: Annotated[float, bounded("P", 1, 100, "At most so much of the bus and line.")] = (
        70.0
    )
    sap_percent: Annotated[float, bounded("P", 1, 100, "At most so much of the SAPs.")] = 70.0

    @property
    def guidelines(self) -> Guidelines:
        """The same as one value."""
        return Guidelines(self.processor_percent, self.bus_percent, self.sap_percent)


@flattened
def size(
    sized: MixOptions,
    *,
    growth: Annotated[float, bounded("P", 0, 10_000, "How much more in percent, later.")] = 30.0,
    km: Annotated[
        float | None,
        bounded(
            "KM",
            0,
            10_000,
            "How far the storage may be; as far as the paths of MIX if it has any, else 100.",
        ),
    ] = None,
    most: GuidelineOptions,
    output: Annotated[
        Path | None,
        output_option(
            "Write what is best, with the load it is for, as a configuration.", "FILE.toml"
        ),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Say how many channels of which feature a mix needs, now and later.

    Each feature is judged in both protocols, and with encryption where it can: what it needs of
    channel processor, bus and line, and which of them is full first. With buffer credits over
    the distance, SAPs, and whether zHyperLink pays. With -o the best is written as a
    configuration, for 'isfc io plan' and 'isfc io run'.
    """
    if output is not None and sized.interval is SizedIntervals.ALL:
        raise ConfigurationError("-o and --interval all: expected one interval, which has one best")
    check_file("-o", output, (".toml",), force=force)
    sizings = size_of(sized, growth, km, most)
    if output is not None:
        text = proposal(sizings[0])
        write_file(output, text)
        for warning in warnings_of(text, most.guidelines):
            show_error(f"{output}: 'isfc io plan' warns: {warning}")
    if json:
        show_json(io_size_json(growth, sizings))
    else:
        pages = (sizing_page(one, growth, is_last=one is sizings[-1]) for one in sizings)
        show(*pages, *note_lines([CHANNELS_UNRANGED]))


def size_of(
    sized: MixOptions, growth: float, km: float | None, most: GuidelineOptions
) -> list[Sizing]:
    """What each mix needs."""
    found = []
    for each in sized.read():
        far = next(value for value in (km, each.km, _KM) if value is not None)
        found.append(size_mix(each, growth, most.guidelines, (0.0, far)))
    return found


def _not_sized(intervals: Sequence[RmfInterval], which: SizedIntervals | None) -> Iterator[str]:
    """What a reader should know of the intervals that are not sized."""
    gaps = sum(not one.is_measured for one in intervals)
    idle = len(intervals) - gaps
    if which is SizedIntervals.ALL and idle:
        yield f"{idle} {_intervals(idle)} without I/O left out."
    if gaps:
        yield f"{gaps} {_intervals(gaps)} not sized, with channels that RMF could not measure."


def _intervals(count: int) -> str:
    return "interval" if count == 1 else "intervals"


class ChoiceJson(Struct, frozen=True):
    """How many channels of one feature a mix needs."""

    feature: str
    protocol: str
    encrypted: bool
    channels: int
    """now"""
    channels_grown: int
    """the following figures are of each of these, with the grown load"""
    processor_percent: float
    bus_percent: float | None
    """null where not known"""
    line_percent_read: float
    line_percent_write: float
    first: str
    """what is full first"""
    first_at_io_per_s: float
    """of all of them"""


class MixJson(Struct, frozen=True):
    """What a mix needs."""

    name: str
    io_per_s: float
    mb_per_s_read: float
    mb_per_s_write: float
    notes: list[str]
    """what was assumed"""
    best: ChoiceJson
    """the same as one of `choices`"""
    choices: list[ChoiceJson]
    """each"""
    distances: tuple[DistanceNeed, ...]
    saps: SapsJson
    synchronous: SynchronousNeed | None
    """null if no reads fit zHyperLink"""
    rooms: tuple[RoomNeed, ...]


class IoSizeJson(Struct, frozen=True):
    """``isfc io size --json``."""

    growth_percent: float
    """how much more there is later"""
    mixes: list[MixJson]
    """the next table has what each holds: one for each interval that was sized, or for the
    configuration"""
    notes: list[Note]
    """as of `isfc plan --json`"""


def io_size_json(growth_percent: float, sizings: Sequence[Sizing]) -> IoSizeJson:
    """The record of what was sized."""
    mixes = [_mix(each) for each in sizings]
    return IoSizeJson(growth_percent, mixes, [CHANNELS_UNRANGED])


def _mix(sizing: Sizing) -> MixJson:
    saps = SapsJson(sizing.saps.saps, finite(sizing.saps.busy_percent))
    mix = sizing.mix
    return record_of(
        MixJson,
        sizing,
        name=mix.name,
        io_per_s=mix.io_per_s,
        notes=mix.notes,
        mb_per_s_read=mix.read_mb_per_s,
        mb_per_s_write=mix.write_mb_per_s,
        best=_choice(sizing.best),
        choices=[_choice(choice) for choice in sizing.choices],
        saps=saps,
    )


def _choice(choice: Choice) -> ChoiceJson:
    use = choice.use
    return record_of(
        ChoiceJson,
        choice,
        processor_percent=100 * use.processor,
        bus_percent=None if use.bus is None else 100 * use.bus,
        line_percent_read=100 * use.line_read,
        line_percent_write=100 * use.line_write,
    )
