"""Candidates: which chpid each position of the device list uses.

Both systems scan the CTCs in the order of the first one's device numbers, so a layout is as fast as
its sequence of chpids; the numbers themselves only make the order. Chpids of the same feature,
speed and length of fibre may change places without a difference, so that sequences which differ in
no more are one candidate: the one in which alike chpids first appear in the order of the file
(`canonical`).
"""

from collections.abc import Iterator, Sequence

from ctc.address import Rdev, format_rdev
from isfc.arguments import spelt
from isfc.errors import ConfigurationError
from isfc.layout.layout import Fibre, Layout

Candidate = tuple[int, ...]
"""For each position down the device list, the index of its fibre in the layout given."""


def canonical(candidate: Sequence[int], fibres: Sequence[Fibre]) -> Candidate:
    """The one of all candidates that differ from this one by alike fibres in other places."""
    names: dict[int, int] = {}
    left = alike(fibres)
    for index in candidate:
        if index not in names:
            names[index] = left[fibres[index].kind].pop(0)
    return tuple(names[index] for index in candidate)


def alike(fibres: Sequence[Fibre]) -> dict[object, list[int]]:
    """The places of fibres, by their kinds."""
    found: dict[object, list[int]] = {}
    for index, fibre in enumerate(fibres):
        found.setdefault(fibre.kind, []).append(index)
    return found


def candidate_of(layout: Layout) -> Candidate:
    """The candidate that a layout is."""
    return tuple(layout.fibres.index(ctc.fibre) for ctc in layout.device_list())


def all_candidates(fibres: Sequence[Fibre], ctcs: int, most: int) -> list[Candidate] | None:
    """Every candidate of so many CTCs, alike ones once; None if there are more than ``most``.

    Enumerated with the fibres of each kind in the order of their first appearance.
    """
    found: list[Candidate] = []
    for candidate in _sequences(fibres, ctcs):
        found.append(candidate)
        if len(found) > most:
            return None
    return found


def _sequences(fibres: Sequence[Fibre], ctcs: int) -> Iterator[Candidate]:
    """Sequences in which a fibre follows only when all alike before it have appeared."""
    first_alike = [
        next((j for j in range(i - 1, -1, -1) if fibres[j].kind == fibres[i].kind), None)
        for i in range(len(fibres))
    ]

    def grow(begun: Candidate) -> Iterator[Candidate]:
        if len(begun) == ctcs:
            yield begun
            return
        for index, before in enumerate(first_alike):
            if before is None or before in begun:
                yield from grow((*begun, index))

    return grow(())


def parse_fixed(layout: Layout, rdevs: Sequence[Rdev]) -> frozenset[Rdev]:
    """Device numbers of the first system that may not move, or a `ConfigurationError`."""
    known = {ctc.rdevs[0] for ctc in layout.ctcs}
    for rdev in rdevs:
        if rdev not in known:
            raise ConfigurationError(
                f"{spelt('fixed')} {format_rdev(rdev)}: no such device at {layout.nodes[0]}"
            )
    return frozenset(rdevs)
