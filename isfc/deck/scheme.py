"""Schemes by which sites number CTCs: which one a layout has, and what does not keep it.

A number is four hex digits, ``pxyz``. What a scheme says is held against what the layout and its
kept decks know: the other end's number, the chpids, and the MIF image id of the target, which CUADD
names.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.deck.connections import devices_of, kept_systems
from isfc.deck.others import devices_that_are_no_ctcs
from isfc.deck.restated import ranges
from isfc.layout.collection import Collection
from isfc.link.name import NodeName

FITS_SHARE: Final = 0.6
"""Share of the ends of CTCs that keep a scheme's rule where it is meant. Chosen."""

CUADD_SHARE: Final = 0.8
"""Share of the ends that keep `Scheme.TARGET` which keep `Scheme.CUADD` too, its stricter form,
where that is meant. Chosen."""

PLACES: Final = 16
"""Devices that the last digit tells apart."""


class Scheme(StrEnum):
    """A scheme of numbers; the values stay the same between releases."""

    ALIKE = "alike"
    """Sixteen numbers for each pair of chpids, the same at both ends (IBM's advice for ISFC)."""
    TRADED = "traded"
    """4xyz and 5xyz: one range is sent on and one received on, which the ends use the other way
    round; x is the CEC and y the image of the target (IBM's IOCP example, and custom)."""
    CUADD = "cuadd"
    """The second digit is the CSS of the target and the third its image, as CUADD has them."""
    TARGET = "target"
    """The third digit is the image of the target, whatever stands before it (custom)."""


MEANS: Final[Mapping[Scheme, str]] = {
    Scheme.ALIKE: "sixteen numbers for each pair of chpids, the same at both ends",
    Scheme.TRADED: "a range to send and one to receive, as 4xyz and 5xyz: x the CEC, y the image "
    "of the target",
    Scheme.CUADD: "the second digit is the CSS of the target, the third its image, as in CUADD",
    Scheme.TARGET: "the third digit is the image of the target",
}


class Kind(StrEnum):
    """What is to be said of a number; the values stay the same between releases."""

    OUTSIDE = "outside-range"
    ENDS = "ends-differ"
    IMAGE = "image-differs"
    TWO_NUMBERS = "two-numbers"
    TWO_TARGETS = "two-targets"
    FULL = "range-full"
    OTHER = "other-device"

    @property
    def is_fault(self) -> bool:
        """Whether a number breaks the scheme; else there is less room than the scheme wants."""
        return self not in (Kind.FULL, Kind.OTHER)


@dataclass(frozen=True, slots=True)
class NumberProblem:
    """A device of ``node`` whose number does not keep the scheme, or what fills its range."""

    kind: Kind
    node: NodeName
    rdev: Rdev
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Numbering:
    """The scheme of a layout's numbers, None if it has none, and what does not keep it.

    ``fitting`` are the ends of CTCs that do, of ``count``, by scheme. ``proposed`` is the layout
    with other numbers, if some were asked for.
    ``unknown`` are the systems whose devices that are no CTCs no kept deck tells.
    """

    scheme: Scheme | None
    fitting: Mapping[Scheme, int]
    count: int
    problems: tuple[NumberProblem, ...]
    proposed: Collection | None = None
    unknown: tuple[NodeName, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each device that does not keep it, as a data frame takes them."""
        return [
            {
                "kind": str(each.kind),
                "node": each.node,
                "rdev": format_rdev(each.rdev),
                "text": each.text,
            }
            for each in self.problems
        ]

    def __repr__(self) -> str:
        return f"<Numbering {self.scheme or 'of no scheme'}: {len(self.problems)} problems>"


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
        self.others = devices_that_are_no_ctcs(collection)
        self.defined |= {(node, rdev) for node, kinds in self.others.items() for rdev in kinds}
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
            case Scheme.CUADD:
                yield from self._not_of_target(end, 0xFF)
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

    def _not_of_target(self, end: _End, mask: int = 0xF) -> Iterator[tuple[Kind, str]]:
        known, third = self.images.get(end.target), end.rdev >> 4 & mask
        if known is not None and third != known & mask:
            what = "image" if mask == PLACES - 1 else "CSS and image"
            text = f"leads to {end.target}, {what} {known & mask:{_hex(mask)}} by CUADD, and says "
            yield Kind.IMAGE, f"{text}{third:{_hex(mask)}}"
        elif known is None and third != self.thirds[end.target]:
            yield (
                Kind.TWO_NUMBERS,
                f"leads to {end.target}, which most numbers call {self.thirds[end.target]:X}",
            )

    def means_something(self, scheme: Scheme) -> bool:
        """Whether a scheme says anything that might not be so."""
        if scheme is Scheme.TRADED:
            return bool(self.ranges)
        known = self.images.keys() >= self.thirds.keys()
        if scheme is Scheme.CUADD:
            return known
        if scheme is Scheme.TARGET:
            return known or len(set(self.thirds.values())) == len(self.thirds)
        return True

    def parts_css(self, fitting: Mapping[Scheme, int]) -> bool:
        """Whether most numbers tell several CSSs apart; CSS 0 alone is a digit as any other."""
        several = any(image >> 4 for image in self.images.values())
        return several and fitting[Scheme.CUADD] >= CUADD_SHARE * fitting[Scheme.TARGET]

    def reserved(self, scheme: Scheme) -> dict[tuple[NodeName, int], int]:
        """The ranges of a scheme in which there are CTCs, as (node, first), and their lengths."""
        bits = 8 if scheme is Scheme.TRADED else 4
        return {(end.node, end.rdev >> bits << bits): 1 << bits for end in self.ends}


def _hex(mask: int) -> str:
    return f"0{len(f'{mask:X}')}X"


def numbering_of(collection: Collection) -> Numbering:
    """The scheme that most numbers of a layout's CTCs keep, and what does not keep it."""
    book = _Book(collection)
    fitting = {
        scheme: sum(next(book.faults(scheme, end), None) is None for end in book.ends)
        if book.means_something(scheme)
        else 0
        for scheme in Scheme
    }
    unknown = tuple(node for node in collection.systems if node not in book.others)
    scheme = max((Scheme.ALIKE, Scheme.TRADED, Scheme.TARGET), key=lambda each: fitting[each])
    if scheme is Scheme.TARGET and book.parts_css(fitting):
        scheme = Scheme.CUADD
    if fitting[scheme] < FITS_SHARE * len(book.ends):
        return Numbering(None, fitting, len(book.ends), (), unknown=unknown)
    problems = [
        NumberProblem(kind, end.node, end.rdev, text)
        for end in book.ends
        for kind, text in book.faults(scheme, end)
    ]
    problems += _two_targets(book, scheme)
    problems += _full(book)
    problems += _others(book, scheme)
    return Numbering(scheme, fitting, len(book.ends), tuple(problems), unknown=unknown)


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


def _others(book: _Book, scheme: Scheme) -> Iterator[NumberProblem]:
    """Devices that are no CTCs within the ranges of a scheme, in runs of one UNIT."""
    for (node, first), length in sorted(book.reserved(scheme).items()):
        kinds = book.others.get(node, {})
        by_unit: dict[str, list[int]] = {}
        for rdev in range(first, first + length):
            if Rdev(rdev) in kinds:
                by_unit.setdefault(kinds[Rdev(rdev)], []).append(rdev)
        for unit, rdevs in by_unit.items():
            for begun, count in ranges(rdevs):
                of = f"{first:04X} to {first + length - 1:04X}, where CTCs are"
                to = f"to {begun + count - 1:04X} are" if count > 1 else "is"
                text = f"{to} UNIT={unit}, within {of}"
                yield NumberProblem(Kind.OTHER, node, Rdev(begun), text)
