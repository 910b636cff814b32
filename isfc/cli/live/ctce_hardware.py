"""What hardware CTCs of Hercules are on, and a layout of theirs, to be changed."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from ctc.address import ChpidId, format_rdev
from ctc.features import FEATURES
from ctc.order import FibreKind
from isfc.errors import ConfigurationError
from isfc.errors.in_words import listed
from isfc.layout.build import ASSUMED_FEATURE, CtcChoice, SaidFibre, build_layout
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import named_pieces
from isfc.layout.parts import Cec
from isfc.layout.write import format_layout
from isfc.link.name import NodeName
from isfc.live.ctce.exchange import ExchangeDefinition
from isfc.live.ctce.join import JoinedCtc

ALL: Final = "all"
"""The piece that is every CTC."""


class CtceHardware(Struct, frozen=True):
    """What CTCs are on, and which of them go with each piece that has a name."""

    definition: ExchangeDefinition
    pieces: Mapping[str, frozenset[int]]


def of_layout(
    ctcs: Sequence[JoinedCtc], layout: Layout, cecs: Sequence[Cec] = (), *, paced: bool
) -> CtceHardware:
    """The fibres that a layout has for CTCs with these device numbers.

    Raises `ConfigurationError` for a CTC that the layout does not have.
    """
    own = {ctc.rdevs: (ctc.fibre, False) for ctc in layout.ctcs}
    own = {ctc.rdevs[::-1]: (ctc.fibre, True) for ctc in layout.ctcs} | own
    on: list[tuple[Fibre, bool]] = []
    for first, second in ctcs:
        if (each := own.get((first.rdev, second.rdev))) is None:
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
    return CtceHardware(definition, pieces | named_devices(ctcs))


def _kind(fibre: Fibre) -> FibreKind:
    return FibreKind(fibre.line_profile, fibre.way_ns, fibre.disks, fibre.route(0))


def made_layout(ctcs: Sequence[JoinedCtc]) -> str:
    """A layout with these CTCs, to be changed: a Hercules knows neither fibres nor features.

    A device's chpid is the first half of its number, as Hercules shows it to guests.
    """
    check_two(ctcs, "-o")
    nodes = [NodeName(end.system.upper()) for end in ctcs[0]]
    choices = [
        CtcChoice((ChpidId(a.rdev >> 8), ChpidId(b.rdev >> 8)), (a.rdev, b.rdev)) for a, b in ctcs
    ]
    said = SaidFibre(FEATURES[ASSUMED_FEATURE.feature])  # the heading says that it is assumed
    layout = build_layout((nodes[0], nodes[1]), choices, lambda _: said)
    heading = [
        f"The CTCs of {nodes[0]} and {nodes[1]}, for isfc ctce --layout.",
        "Chpids and feature are assumed: change them to the hardware that is to be modelled.",
    ]
    return format_layout(layout, heading=heading, explained=True)


def check_two(ctcs: Sequence[JoinedCtc], option: str) -> None:
    """Raise `ConfigurationError` for CTCs of more than the two systems of a link."""
    systems = dict.fromkeys(end.system for ctc in ctcs for end in ctc)
    if len(systems) > 2:
        raise ConfigurationError(
            f"{option}: a link has two systems, and CTCs join {listed(systems)}: expected the "
            "files of two"
        )


def named_devices(ctcs: Sequence[JoinedCtc]) -> dict[str, frozenset[int]]:
    """Each CTC by the name of either device, and all of them together."""
    named = {
        f"{end.system}:{format_rdev(end.rdev)}": frozenset({index})
        for index, ctc in enumerate(ctcs)
        for end in ctc
    }
    return named | {ALL: frozenset(range(len(ctcs)))}
