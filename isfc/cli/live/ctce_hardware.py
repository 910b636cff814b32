"""The fibres of joined CTCs, as a layout has them, and the pieces that may be lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from ctc.address import format_rdev
from ctc.order_fibre import OrderFibre
from isfc.cli.options.layout import complete_layout, open_collection
from isfc.ctce.join import JoinedCtc
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.layout import Cec, Fibre, Layout
from isfc.layout.lost import named_pieces
from isfc.live.ctce import CtcFibre


class CtcePace(StrEnum):
    """How fast the CTCs are."""

    NONE = "none"
    MODEL = "model"


ALL: Final = "all"
"""The piece that is every CTC."""


@dataclass(frozen=True, slots=True)
class CtceHardware:
    """``fibres`` has that of each CTC; ``pieces`` which CTCs go with each piece that has a name."""

    fibres: Sequence[CtcFibre]
    pieces: Mapping[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class HardwareOptions:
    """What is between two Hercules: the times of a layout, and what goes wrong."""

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
        CtcePace,
        typer.Option(
            help="none: as fast as the machine; model: with the times of the layout's features "
            "and distances."
        ),
    ] = CtcePace.NONE
    commands: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What goes wrong, and when: lines such as 'at 5s lose director:61'. The same is "
            "typed while it runs: lose, restore, delay, stall, resume.",
        ),
    ] = None

    def open(
        self, sources: Sequence[str], link: str | None, ctcs: Sequence[JoinedCtc]
    ) -> CtceHardware:
        """The hardware of a layout, if there is one either way."""
        layout = self.layout
        if len(sources) == 1:
            if layout is not None:
                raise ConfigurationError("--layout: goes with two configuration files")
            layout = sources[0]
        paced = self.pace is CtcePace.MODEL
        if layout is None:
            if paced:
                raise ConfigurationError("--pace model: expected --layout, which has the features")
            return without_layout(ctcs)
        opened = open_collection(layout)
        with within(opened.source):
            found = opened.collection.link(link, "--link")
            return of_layout(ctcs, found, opened.collection.cecs, paced=paced)


def without_layout(ctcs: Sequence[JoinedCtc]) -> CtceHardware:
    """CTCs of which nothing is known but their devices: one fibre that takes no time."""
    return CtceHardware([OrderFibre(None)] * len(ctcs), _devices(ctcs))


def of_layout(
    ctcs: Sequence[JoinedCtc], layout: Layout, cecs: Sequence[Cec] = (), *, paced: bool
) -> CtceHardware:
    """The fibres that a layout has for CTCs with these device numbers.

    Channels that several fibres share are the business of a file's model; here each fibre has its
    own. Raises `ConfigurationError` for a CTC that the layout does not have.
    """
    own = {rdevs: ctc.fibre for ctc in layout.ctcs for rdevs in (ctc.rdevs, ctc.rdevs[::-1])}
    made: dict[Fibre, CtcFibre] = {}
    on: list[Fibre] = []
    for first, second in ctcs:
        fibre = own.get((first.rdev, second.rdev))
        if fibre is None:
            raise ConfigurationError(
                f"{first} = {second}: the layout has no CTC with these RDEVs: expected one of "
                + ", ".join(f"{format_rdev(a)} = {format_rdev(b)}" for a, b in list(own)[:4:2])
            )
        on.append(fibre)
        if fibre not in made:
            way_ns = fibre.way_ns if paced else 0
            made[fibre] = OrderFibre(fibre.profile if paced else None, way_ns)
    pieces = {
        name: frozenset(index for index, fibre in enumerate(on) if fibre in gone)
        for name, gone in named_pieces(layout, cecs).items()
    }
    return CtceHardware([made[fibre] for fibre in on], pieces | _devices(ctcs))


def _devices(ctcs: Sequence[JoinedCtc]) -> dict[str, frozenset[int]]:
    """Each CTC by the name of either device, and all of them together."""
    named = {
        f"{end.system}:{format_rdev(end.rdev)}": frozenset({index})
        for index, ctc in enumerate(ctcs)
        for end in ctc
    }
    return named | {ALL: frozenset(range(len(ctcs)))}
