"""The fibres of joined CTCs, as a layout has them, and the pieces that may be lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Struct

from ctc.address import ChpidId, format_rdev
from ctc.order_fibre import FibreKind
from isfc.cli.options.layout import LinkOption, complete_layout, open_collection
from isfc.cli.options.option import valued
from isfc.ctce.exchange import ExchangeDefinition
from isfc.ctce.join import JoinedCtc
from isfc.errors import ConfigurationError
from isfc.layout.build import CtcChoice, build_layout
from isfc.layout.checked_toml import within
from isfc.layout.collection import Cec
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import named_pieces
from isfc.layout.write import format_layout
from isfc.link.name import NodeName


class CtcePace(StrEnum):
    """How fast the CTCs are."""

    NONE = "none"
    MODEL = "model"


ALL: Final = "all"
"""The piece that is every CTC."""


@dataclass(frozen=True, slots=True)
class CtceHardware:
    """What CTCs are on, and which of them go with each piece that has a name."""

    definition: ExchangeDefinition
    pieces: Mapping[str, frozenset[int]]


class HardwareOptions(Struct, frozen=True):
    """What is between two Hercules: the times of a layout, and what goes wrong."""

    link: LinkOption = None
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="LAYOUT",
            help="With two files: the layout that has their CTCs, by RDEV: for --pace, and for "
            "the pieces that commands name.",
            autocompletion=complete_layout,
        ),
    ] = None
    pace: Annotated[
        CtcePace | None,
        typer.Option(
            help="none (if not said): as fast as the machine; model: with the times of the "
            "layout's features and distances."
        ),
    ] = None
    commands: Annotated[
        Path | None,
        valued(
            "FILE",
            "What goes wrong, and when: lines such as 'at 5s lose director:61'. The same is "
            "typed while it runs: lose, restore, delay, stall, resume.",
        ),
    ] = None

    def open(self, ctcs: Sequence[JoinedCtc]) -> CtceHardware:
        """The hardware of a layout, if there is one."""
        layout = self.layout
        paced = self.pace is CtcePace.MODEL
        if layout is None:
            if paced:
                raise ConfigurationError("--pace model: expected --layout, which has the features")
            return without_layout(ctcs)
        opened = open_collection(layout)
        with within(opened.source):
            found = opened.collection.link(self.link, "--link")
            return of_layout(ctcs, found, opened.collection.cecs, paced=paced)


def without_layout(ctcs: Sequence[JoinedCtc]) -> CtceHardware:
    """CTCs of which nothing is known but their devices: one fibre that takes no time."""
    return CtceHardware(ExchangeDefinition(on=(0,) * len(ctcs)), _devices(ctcs))


def of_layout(
    ctcs: Sequence[JoinedCtc], layout: Layout, cecs: Sequence[Cec] = (), *, paced: bool
) -> CtceHardware:
    """The fibres that a layout has for CTCs with these device numbers.

    Raises `ConfigurationError` for a CTC that the layout does not have.
    """
    own = {ctc.rdevs: (ctc.fibre, False) for ctc in layout.ctcs}
    own = {ctc.rdevs[::-1]: (ctc.fibre, True) for ctc in layout.ctcs} | own
    found = [own.get((first.rdev, second.rdev)) for first, second in ctcs]
    on: list[tuple[Fibre, bool]] = []
    for (first, second), each in zip(ctcs, found, strict=True):
        if each is None:
            raise ConfigurationError(
                f"{first} = {second}: the layout has no CTC with these RDEVs: expected one of "
                + ", ".join(" = ".join(map(format_rdev, ctc.rdevs)) for ctc in layout.ctcs[:2])
            )
        on.append(each)
    fibres = list(dict.fromkeys(fibre for fibre, _ in on))
    definition = ExchangeDefinition(
        tuple(_kind(fibre) if paced else FibreKind() for fibre in fibres),
        tuple(fibres.index(fibre) for fibre, _ in on),
        tuple(turned for _, turned in on),
        both_fail=paced,
    )
    pieces = {
        name: frozenset(index for index, (fibre, _) in enumerate(on) if fibre in gone)
        for name, gone in named_pieces(layout, cecs).items()
    }
    return CtceHardware(definition, pieces | _devices(ctcs))


def _kind(fibre: Fibre) -> FibreKind:
    return FibreKind(fibre.line_profile, fibre.way_ns, fibre.disks, fibre.route(0))


def made_layout(ctcs: Sequence[JoinedCtc]) -> str:
    """A layout with these CTCs, to be changed: a Hercules knows neither fibres nor features.

    A device's chpid is the first half of its number, as Hercules shows it to guests.
    """
    nodes = [NodeName(end.system.upper()) for end in ctcs[0]]
    choices = [
        CtcChoice((ChpidId(a.rdev >> 8), ChpidId(b.rdev >> 8)), (a.rdev, b.rdev)) for a, b in ctcs
    ]
    layout = build_layout((nodes[0], nodes[1]), choices, lambda _: None)
    heading = [
        f"The CTCs of {nodes[0]} and {nodes[1]}, for isfc ctce --layout.",
        "Chpids and feature are assumed: change them to the hardware that is to be modelled.",
    ]
    return format_layout(layout, heading=heading, explained=True)


def _devices(ctcs: Sequence[JoinedCtc]) -> dict[str, frozenset[int]]:
    """Each CTC by the name of either device, and all of them together."""
    named = {
        f"{end.system}:{format_rdev(end.rdev)}": frozenset({index})
        for index, ctc in enumerate(ctcs)
        for end in ctc
    }
    return named | {ALL: frozenset(range(len(ctcs)))}
