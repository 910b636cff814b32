"""Candidates: which chpid each position of the device list uses, and device numbers for them.

Both systems scan the CTCs in the order of the first one's device numbers, so a layout is as fast as
its sequence of chpids; the numbers themselves only make the order. Chpids of the same feature,
speed and length of fibre may change places without a difference, so that sequences which differ in
no more are one candidate: the one in which alike chpids first appear in the order of the file
(`canonical`).

A device number that is in no IODF, or that stands for another chpid there, cannot be activated. So
of the CTCs of the layout given as many as possible keep their fibre and both their numbers. The
others get numbers that the layout does not use, where there is room for these, and never one that
another device of the system has.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, permutations, product
from typing import Final

from ctc.address import RDEV_MAX, Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import grouped
from isfc.layout.layout import CtcPair, Fibre, FibreKind, Layout
from isfc.layout.numbering import Taken, numbers_down
from isfc.link.scan import CTCS_MAX

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


def alike(fibres: Sequence[Fibre]) -> dict[FibreKind, list[int]]:
    """The places of fibres, by their kinds."""
    return grouped((fibre.kind, index) for index, fibre in enumerate(fibres))


def candidate_of(layout: Layout) -> Candidate:
    """The candidate that a layout is."""
    return tuple(layout.fibres.index(ctc.fibre) for ctc in layout.device_list())


def all_candidates(fibres: Sequence[Fibre], ctcs: int, most: int) -> list[Candidate] | None:
    """Every candidate of so many CTCs, alike ones once; None if there are more than ``most``.

    Enumerated with the fibres of each kind in the order of their first appearance.
    """
    found = [*islice(_sequences(fibres, ctcs), most + 1)]
    return None if len(found) > most else found


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


ALIKE_MAX: Final = 120
"""Ways to exchange alike fibres that are looked at: all of them for up to five fibres of a kind."""

_Held = Mapping[int, CtcPair]
"""By position down the device list: the CTC of the layout given that stands there."""


def numbered(
    layout: Layout,
    candidate: Candidate,
    fixed: frozenset[Rdev] = frozenset(),
    taken: Taken = (frozenset(), frozenset()),
) -> Layout | None:
    """The layout of a candidate, over the fibres of ``layout``, quickly: only its order counts.

    CTCs whose first number is ``fixed`` keep their fibre and both numbers. None where the candidate
    has no place for one of them, or no numbers are free between two of them. Raises
    `ConfigurationError` for too many CTCs.
    """
    held = _held(layout, candidate, fixed, only_fixed=True)
    return None if held is None else _with_numbers(layout, candidate, held, taken)


def with_kept_numbers(
    layout: Layout,
    candidates: Iterable[Candidate],
    fixed: frozenset[Rdev] = frozenset(),
    taken: Taken = (frozenset(), frozenset()),
) -> Layout | None:
    """Of candidates that are as good as each other, the layout that keeps most device numbers.

    As many CTCs as possible keep their fibre and both numbers, the ``fixed`` ones in any case. None
    where none of the candidates can.
    """
    layouts = (
        _with_numbers(layout, candidate, held, taken)
        for candidate in candidates
        if (held := _held(layout, candidate, fixed)) is not None
    )
    possible = [one for one in layouts if one is not None]
    return max(possible, key=lambda one: len({*one.ctcs} & {*layout.ctcs}), default=None)


def exchanged(candidate: Candidate, fibres: Sequence[Fibre]) -> Iterator[Candidate]:
    """The candidate, then those with alike fibres exchanged: `ALIKE_MAX` of them at most."""
    groups = list(alike(fibres).values())
    for chosen in islice(product(*map(permutations, groups)), ALIKE_MAX):
        names = dict(zip(chain(*groups), chain(*chosen), strict=True))
        yield tuple(names[index] for index in candidate)


def _held(
    layout: Layout, candidate: Candidate, fixed: frozenset[Rdev], *, only_fixed: bool = False
) -> _Held | None:
    """The longest list of CTCs that can stand in the candidate with their fibres and numbers.

    Between two of them there have to be as many numbers as positions, at both ends if both are
    numbered in the same order. Fixed ones count for more than all others together; None if one of
    them has no place.
    """
    if not 1 <= len(candidate) <= CTCS_MAX:
        raise ConfigurationError(f"{len(candidate)} CTCs: expected 1 to {CTCS_MAX}")
    every = layout.device_list()
    devices = [ctc for ctc in every if not only_fixed or ctc.rdevs[0] in fixed]
    ends = (0, 1) if all(a.rdevs[1] < b.rdevs[1] for a, b in pairwise(every)) else (0,)
    best: dict[tuple[int, int], int] = {}
    following: dict[tuple[int, int], tuple[int, int]] = {}
    for number in reversed(range(len(devices))):
        ctc = devices[number]
        index = layout.fibres.index(ctc.fibre)
        for place in reversed(range(len(candidate))):
            behind = len(candidate) - 1 - place
            if candidate[place] != index or not all(
                place <= ctc.rdevs[end] <= RDEV_MAX - behind for end in ends
            ):
                continue
            others = [
                other
                for other in best
                if other[0] > number
                and other[1] > place
                and all(
                    devices[other[0]].rdevs[end] - ctc.rdevs[end] >= other[1] - place
                    for end in ends
                )
            ]
            one = number, place
            best[one] = 1 + CTCS_MAX * (ctc.rdevs[0] in fixed)
            if others:
                following[one] = max(others, key=lambda other: (best[other], -other[0], -other[1]))
                best[one] += best[following[one]]
    step = max(best, key=lambda one: (best[one], -one[0], -one[1]), default=None)
    held: dict[int, CtcPair] = {}
    while step is not None:
        held[step[1]] = devices[step[0]]
        step = following.get(step)
    return held if fixed <= {ctc.rdevs[0] for ctc in held.values()} else None


def _with_numbers(layout: Layout, candidate: Candidate, held: _Held, taken: Taken) -> Layout | None:
    """The layout of a candidate in which some CTCs are held; None if the numbers do not suffice."""
    own = [ctc.rdevs for ctc in layout.ctcs]
    kept = {place: ctc.rdevs for place, ctc in held.items()}
    rdevs = numbers_down(own, len(candidate), kept, taken)
    if rdevs is None:
        return None
    fibres = (layout.fibres[index] for index in candidate)
    return layout.with_ctcs(
        tuple(
            held.get(place) or CtcPair(fibre, both)
            for place, (fibre, both) in enumerate(zip(fibres, rdevs, strict=True))
        )
    )
