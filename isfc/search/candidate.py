"""Candidates: which chpid each position of the device list uses.

Both systems scan the CTCs in the order of the first one's device numbers, so a layout is as fast as
its sequence of chpids; the numbers themselves only make the order. Chpids of the same feature,
speed and length of fibre may change places without a difference, so that sequences which differ in
no more are one candidate: the one in which alike chpids first appear in the order of the file
(`canonical`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.schedule import CTCS_MAX

Candidate = tuple[int, ...]
"""For each position down the device list, the index of its fibre in the layout given."""

RDEV_MAX: Final = 0xFFFF


def canonical(candidate: Sequence[int], fibres: Sequence[Fibre]) -> Candidate:
    """The one of all candidates that differ from this one by alike fibres in other places."""
    alike: dict[object, list[int]] = {}
    for index, fibre in enumerate(fibres):
        alike.setdefault(fibre.kind, []).append(index)
    names: dict[int, int] = {}
    left = {kind: list(indices) for kind, indices in alike.items()}
    for index in candidate:
        if index not in names:
            names[index] = left[fibres[index].kind].pop(0)
    return tuple(names[index] for index in candidate)


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


def numbered(
    layout: Layout, candidate: Candidate, fixed: frozenset[Rdev] = frozenset()
) -> Layout | None:
    """The layout of a candidate, over the fibres of ``layout``.

    CTCs whose first device number is ``fixed`` keep their chpids and both numbers; the others get
    numbers at the first system that go up down the list, and free ones at the second. None where
    the candidate has no place for a fixed CTC, or no numbers are free between two of them.
    """
    if not 1 <= len(candidate) <= CTCS_MAX:
        raise ConfigurationError(f"{len(candidate)} CTCs: expected 1 to {CTCS_MAX}")
    kept = [ctc for ctc in layout.device_list() if ctc.rdevs[0] in fixed]
    places = next(_places(candidate, [layout.fibres.index(c.fibre) for c in kept], kept), None)
    if places is None:
        return None
    least, least_there = (min(ctc.rdevs[end] for ctc in layout.ctcs) for end in (0, 1))
    held = {place: ctc.rdevs for place, ctc in zip(places, kept, strict=True)}
    free = (number for number in count(least_there) if number not in {r[1] for r in held.values()})
    ctcs: list[CtcPair] = []
    following = least if not places else held[places[0]][0] - places[0]
    for position, index in enumerate(candidate):
        here, there = held.get(position) or (Rdev(following), Rdev(next(free)))
        following = here + 1
        ctcs.append(CtcPair(layout.fibres[index], (here, there)))
        if not 0 <= here <= RDEV_MAX or there > RDEV_MAX:
            return None
    used = {ctc.fibre for ctc in ctcs}
    fibres = tuple(fibre for fibre in layout.fibres if fibre in used)
    return replace(layout, fibres=fibres, ctcs=tuple(ctcs))


def _places(
    candidate: Candidate, wanted: Sequence[int], kept: Sequence[CtcPair], begin: int = 0
) -> Iterator[tuple[int, ...]]:
    """Where fixed CTCs may stand in a candidate: on their fibres, with room between numbers."""
    if not wanted:
        yield ()
        return
    for place in range(begin, len(candidate)):
        if candidate[place] != wanted[0]:
            continue
        for others in _places(candidate, wanted[1:], kept[1:], place + 1):
            room = kept[1].rdevs[0] - kept[0].rdevs[0] if others else CTCS_MAX
            if not others or others[0] - place <= room:
                yield (place, *others)


def parse_fixed(layout: Layout, rdevs: Sequence[Rdev]) -> frozenset[Rdev]:
    """Device numbers of the first system that may not move, or a `ConfigurationError`."""
    known = {ctc.rdevs[0] for ctc in layout.ctcs}
    for rdev in rdevs:
        if rdev not in known:
            raise ConfigurationError(
                f"--fixed {format_rdev(rdev)}: no such device at {layout.nodes[0]}"
            )
    return frozenset(rdevs)
