"""``isfc io size``: how many channels a mix needs, and of which feature."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.io.plan import finite
from isfc.cli.io.size_page import sizing_page
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.number import bounded
from isfc.cli.output.file import check_file, output_option
from isfc.cli.output.streams import show, show_error, show_json, write_file
from isfc.errors import ConfigurationError
from isfc.io.configuration_file import read_io_configuration
from isfc.io.mix import DEVICE_BLOCK_LENGTH, Mix, mix_of_configuration, mix_of_interval
from isfc.io.proposal import proposal, warnings_of
from isfc.io.rmf import RmfInterval, busiest, read_rmf
from isfc.io.sizing import (
    Choice,
    Guidelines,
    SapNeed,
    Sizing,
)
from isfc.io.sizing import size as size_mix

_KM = 100.0
"""How far storage may be where nothing says it: the distance of the published figures."""


class Which(StrEnum):
    """Which intervals of a report are sized."""

    BUSIEST = "busiest"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class MixOptions:
    """What is sized: a configuration, or intervals of an RMF report."""

    mix: Annotated[
        Path | None,
        typer.Argument(
            metavar="[MIX]", help="An I/O configuration (TOML) whose workloads have rates."
        ),
    ] = None
    rmf: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Size what an RMF report shows: its text, pasted."),
    ] = None
    interval: Annotated[
        Which | None,
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
        chosen = busy if self.interval is Which.ALL and busy else [busiest(intervals)]
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


@dataclass(frozen=True, slots=True)
class GuidelineOptions:
    """What may be used of processor, bus and SAPs at most, in percent."""

    processor_percent: Annotated[
        float, bounded("P", 1, 100, "At most so much channel processor.")
    ] = 50.0
    bus_percent: Annotated[float, bounded("P", 1, 100, "At most so much of the bus and line.")] = (
        70.0
    )
    sap_percent: Annotated[float, bounded("P", 1, 100, "At most so much of the SAPs.")] = 70.0


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
    json: JsonOption = False,
) -> None:
    """Say how many channels of which feature a mix needs, now and later.

    Each feature is judged in both protocols, and with encryption where it can: what it needs of
    channel processor, bus and line, and which of them is full first. With buffer credits over
    the distance, SAPs, and whether zHyperLink pays. With -o the best is written as a
    configuration, for 'isfc io plan' and 'isfc io run'.
    """
    if output is not None and sized.interval is Which.ALL:
        raise ConfigurationError("-o and --interval all: expected one interval, which has one best")
    path = None if output is None else check_file("-o", str(output), (".toml",))
    guidelines = Guidelines(most.processor_percent, most.bus_percent, most.sap_percent)
    sizings = [
        size_mix(each, growth, guidelines, (0.0, _first(km, each.km, _KM))) for each in sized.read()
    ]
    if path is not None:
        text = proposal(sizings[0])
        write_file(path, text)
        for warning in warnings_of(text, guidelines):
            show_error(f"{path}: 'isfc io plan' warns: {warning}")
    if json:
        show_json({"growth_percent": growth, "mixes": [sizing_record(one) for one in sizings]})
    else:
        show(*(sizing_page(one, growth, is_last=one is sizings[-1]) for one in sizings))


def _first(*values: float | None) -> float:
    """The first value that there is."""
    return next(value for value in values if value is not None)


def _not_sized(intervals: Sequence[RmfInterval], which: Which | None) -> Iterator[str]:
    """What a reader should know of the intervals that are not sized."""
    gaps = sum(not one.is_measured for one in intervals)
    idle = len(intervals) - gaps
    if which is Which.ALL and idle:
        yield f"{idle} {_intervals(idle)} without I/O left out."
    if gaps:
        yield f"{gaps} {_intervals(gaps)} not sized, with channels that RMF could not measure."


def _intervals(count: int) -> str:
    return "interval" if count == 1 else "intervals"


def sizing_record(sizing: Sizing) -> dict[str, Any]:
    """One element of ``mixes`` in ``--json``. Names and meanings stay between releases."""
    return {
        "name": sizing.mix.name,
        "io_per_s": sizing.mix.io_per_s,
        "mb_per_s_read": sizing.mix.read_mb_per_s,
        "mb_per_s_write": sizing.mix.write_mb_per_s,
        "notes": list(sizing.mix.notes),
        "best": _choice_record(sizing.best),
        "choices": [_choice_record(choice) for choice in sizing.choices],
        "distances": [asdict(distance) for distance in sizing.distances],
        "saps": _sap_record(sizing.saps),
        "synchronous": asdict(sizing.synchronous) if sizing.synchronous else None,
        "rooms": [asdict(need) for need in sizing.rooms],
    }


def _choice_record(choice: Choice) -> dict[str, Any]:
    use = choice.use
    return {
        "feature": choice.feature,
        "protocol": choice.protocol,
        "encrypted": choice.encrypted,
        "channels": choice.channels,
        "channels_grown": choice.channels_grown,
        "processor_percent": 100 * use.processor,
        "bus_percent": None if use.bus is None else 100 * use.bus,
        "line_percent_read": 100 * use.line_read,
        "line_percent_write": 100 * use.line_write,
        "first": choice.first,
        "first_at_io_per_s": choice.first_at_io_per_s,
    }


def _sap_record(need: SapNeed) -> dict[str, Any]:
    """``busy_percent`` is null where they cannot do it."""
    return {"saps": need.saps, "busy_percent": finite(need.busy_percent)}
