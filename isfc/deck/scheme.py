"""Schemes by which sites number CTCs: which one a layout has, and what does not keep it.

A number is four hex digits, ``pxyz``. What a scheme says is held against what the layout and its
kept decks know: the other end's number, the chpids, and the MIF image id of the target, which CUADD
names.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.deck.connections import devices_of, kept_systems
from isfc.layout.layout import Collection
from isfc.link.name import NodeName

FITS_SHARE: Final = 0.6
"""Share of the ends of CTCs that keep a scheme's rule where it is meant. Chosen."""

PLACES: Final = 16
"""Devices that the last digit tells apart."""


class Scheme(StrEnum):
    """A scheme of numbers; the values stay the same between releases."""

    ALIKE = "alike"
    """Sixteen numbers for each pair of chpids, the same at both ends (IBM's advice for ISFC)."""
    TRADED = "traded"
    """4xyz and 5xyz: one range is sent on and one received on, which the ends use the other way
    round; x is the CEC and y the image of the target (IBM's IOCP example, and custom)."""
    TARGET = "target"
    """The third digit is the image of the target, whatever stands before it (custom)."""


MEANS: Final[Mapping[Scheme, str]] = {
    Scheme.ALIKE: "sixteen numbers for each pair of chpids, the same at both ends",
    Scheme.TRADED: "a range to send and one to receive, as 4xyz and 5xyz: x the CEC, y the image "
    "of the target",
    Scheme.TARGET: "the third digit is the image of the target",
}


class Kind(StrEnum):
    """What is wrong with a number; the values stay the same between releases."""

    OUTSIDE = "outside-range"
    ENDS = "ends-differ"
    IMAGE = "image-differs"
    TWO_NUMBERS = "two-numbers"
    TWO_TARGETS = "two-targets"
    FULL = "range-full"


@dataclass(frozen=True, slots=True)
class NumberProblem:
    """A device of ``node`` whose number does not keep the scheme, or a range that is used up."""

    kind: Kind
    node: NodeName
    rdev: Rdev
    text: str


@dataclass(frozen=True, slots=True)
class Numbering:
    """The scheme of a layout's numbers, None if it has none, and what does not keep it.

    ``fitting`` are the ends of CTCs that do, of ``count``, by scheme. ``proposed`` is the layout
    with other numbers, if some were asked for.
    """

    scheme: Scheme | None
    fitting: Mapping[Scheme, int]
    count: int
    problems: tuple[NumberProblem, ...]
    proposed: Collection | None = None


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a CTC: its own number, its mate's, and who is at the other end."""

    node: NodeName
    rdev: Rdev
    mate: Rdev
    target: NodeName
    pair: tuple[str, str]
    """the chpids, own first"""


def images_of(collection: Collection) -> dict[NodeName, int]:
    """CSS and MIF image id of the systems whose decks a layout keeps, as CUADD has them."""
    return {
        node: system.partition.image
        for node, system in kept_systems(collection).items()
        if system.partition.image is not None
    }


class _Book:
    """All ends of the CTCs of a layout, and what is known of systems."""

    def __init__(self, collection: Collection) -> None:
        self.ends = [
            _End(
                node,
                ctc.rdevs[end],
                ctc.rdevs[1 - end],
                link.nodes[1 - end],
                (format_chpid(ctc.fibre.chpids[end]), format_chpid(ctc.fibre.chpids[1 - end])),
            )
            for link in collection.links
            for ctc in link.device_list()
            for end, node in enumerate(link.nodes)
        ]
        self.images = images_of(collection)
        self.defined = {(end.node, end.rdev) for end in self.ends}
        for node, system in kept_systems(collection).items():
            self.defined |= {(node, rdev) for rdev in devices_of(system)}
        firsts = Counter(end.rdev >> 12 for end in self.ends).most_common(2)
        self.ranges = {digit for digit, _ in firsts} if len(firsts) == 2 else set()
        self.blocks = {
            key: Counter(
                (*end.pair, end.target) for end in self.ends if (end.node, end.rdev >> 4) == key
            ).most_common(1)[0][0]
            for key in {(end.node, end.rdev >> 4) for end in self.ends}
        }
        self.places = {
            target: Counter(
                end.rdev >> 4 & 0xFF for end in self.ends if end.target == target
            ).most_common(1)[0][0]
            for target in dict.fromkeys(end.target for end in self.ends)
        }
        self.thirds = {
            target: Counter(
                end.rdev >> 4 & 0xF for end in self.ends if end.target == target
            ).most_common(1)[0][0]
            for target in dict.fromkeys(end.target for end in self.ends)
        }

    def faults(self, scheme: Scheme, end: _End) -> Iterator[tuple[Kind, str]]:
        """How a number does not keep a scheme."""
        match scheme:
            case Scheme.ALIKE:
                yield from self._not_alike(end)
            case Scheme.TRADED:
                yield from self._not_traded(end)
            case Scheme.TARGET:
                yield from self._not_of_target(end)

    def _not_alike(self, end: _End) -> Iterator[tuple[Kind, str]]:
        if end.rdev != end.mate:
            yield Kind.ENDS, f"is {format_rdev(end.mate)} at {end.target}, and should be alike"
        elif self.blocks[end.node, end.rdev >> 4] != (*end.pair, end.target):
            chpid, _, other = self.blocks[end.node, end.rdev >> 4]
            text = f"is on chpid {end.pair[0]} to {end.target}, in the sixteen of chpid {chpid} "
            yield Kind.OUTSIDE, f"{text}to {other}"

    def _not_traded(self, end: _End) -> Iterator[tuple[Kind, str]]:
        first, mate = end.rdev >> 12, end.mate >> 12
        if first not in self.ranges:
            ranges = " and ".join(f"{digit:X}xyz" for digit in sorted(self.ranges))
            yield Kind.OUTSIDE, f"is outside of {ranges}"
        elif first == mate:
            text = f"is {format_rdev(end.mate)} at {end.target}: both ends in one range, so it has "
            yield Kind.ENDS, f"{text}no counterpart"
        else:
            yield from self._not_of_target(end)
            place = end.rdev >> 4 & 0xFF
            usual = self.places[end.target]
            if place != usual and place & 0xF == usual & 0xF:
                others = f"{first:X}{usual:02X}z"
                text = f"leads to {end.target}, which other systems call {others}"
                yield Kind.TWO_NUMBERS, text

    def _not_of_target(self, end: _End) -> Iterator[tuple[Kind, str]]:
        known, third = self.images.get(end.target), end.rdev >> 4 & 0xF
        image = None if known is None else known & 0xF
        if image is not None and third != image:
            yield (
                Kind.IMAGE,
                f"leads to {end.target}, image {image:X} by CUADD, and says image {third:X}",
            )
        elif image is None and third != self.thirds[end.target]:
            yield (
                Kind.TWO_NUMBERS,
                f"leads to {end.target}, which most numbers call {self.thirds[end.target]:X}",
            )

    def means_something(self, scheme: Scheme) -> bool:
        """Whether a scheme says anything that might not be so."""
        if scheme is Scheme.TRADED:
            return bool(self.ranges)
        if scheme is Scheme.TARGET:
            known = self.images.keys() >= self.thirds.keys()
            return known or len(set(self.thirds.values())) == len(self.thirds)
        return True


def numbering_of(collection: Collection) -> Numbering:
    """The scheme that most numbers of a layout's CTCs keep, and what does not keep it."""
    book = _Book(collection)
    fitting = {
        scheme: sum(next(book.faults(scheme, end), None) is None for end in book.ends)
        if book.means_something(scheme)
        else 0
        for scheme in Scheme
    }
    scheme = max(fitting, key=lambda each: fitting[each])
    if fitting[scheme] < FITS_SHARE * len(book.ends):
        return Numbering(None, fitting, len(book.ends), ())
    problems = [
        NumberProblem(kind, end.node, end.rdev, text)
        for end in book.ends
        for kind, text in book.faults(scheme, end)
    ]
    problems += _two_targets(book, scheme)
    problems += _full(book)
    return Numbering(scheme, fitting, len(book.ends), tuple(problems))


def _two_targets(book: _Book, scheme: Scheme) -> Iterator[NumberProblem]:
    """Numbers that stand for two targets: x and y of `Scheme.TRADED`, else sixteen of a system."""
    known: dict[tuple[str, int], NodeName] = {}
    told: set[tuple[str, int, NodeName]] = set()
    for end in book.ends:
        if scheme is Scheme.ALIKE or (
            scheme is Scheme.TRADED and end.rdev >> 12 not in book.ranges
        ):
            continue
        traded = scheme is Scheme.TRADED
        place = ("", end.rdev >> 4 & 0xFF) if traded else (str(end.node), end.rdev >> 4)
        other = known.setdefault(place, end.target)
        if other != end.target and (*place, end.target) not in told:
            told.add((*place, end.target))
            called = f"{place[1]:02X}" if traded else f"{place[1]:03X}z"
            text = f"is of {called}, which stands for {other} and for {end.target}"
            yield NumberProblem(Kind.TWO_TARGETS, end.node, end.rdev, text)


def _full(book: _Book) -> Iterator[NumberProblem]:
    """Sixteen numbers of which none is left, as the decks have devices that no link has."""
    blocks = {(end.node, end.rdev >> 4) for end in book.ends}
    used = Counter((node, rdev >> 4) for node, rdev in book.defined)
    for (node, block), count in sorted((key, used[key]) for key in blocks):
        if count == PLACES:
            first = Rdev(block << 4)
            text = f"to {Rdev(first + PLACES - 1):04X} are used up: no number is left there"
            yield NumberProblem(Kind.FULL, node, first, text)
