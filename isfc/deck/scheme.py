"""Schemes by which sites number CTCs: which one a layout has, and what does not keep it.

A number is four hex digits, ``pxyz``. What a scheme says is held against what the layout and its
kept decks know: the other end's number, the chpids, and the MIF image id of the target, which CUADD
names.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.errors.in_words import grouped, ranges
from isfc.errors.loading import named
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.rules.rule import Broken, Finding, Judged, LayoutRule, Severity, Untried
from isfc.link.name import NodeName

if TYPE_CHECKING:
    from isfc.deck.numbers import Others

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value", bound=Hashable)

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


def _find_together(_: Judged) -> Iterator[Broken]:
    """Nothing in a link by itself: `numbering_of` looks at all links of a file."""
    return iter(())


_BREAKS: Final = {
    "rdev-outside-range": "A number is in no range of its scheme, or in the sixteen of other "
    "chpids.",
    "rdev-ends-differ": "By alike, the ends of a CTC have two numbers; by traded, both ends are in "
    "one range.",
    "rdev-image-differs": "The third digit is not the MIF image id that CUADD names, or by cuadd "
    "the second is not the CSS.",
    "rdev-two-numbers": "Systems call one target by two numbers.",
    "rdev-two-targets": "By traded, x and y stand for two targets; by cuadd and target, sixteen "
    "numbers of a system do.",
}
_FILLS: Final = {
    "rdev-range-full": "Sixteen numbers of CTCs are used up: there is no room left.",
    "rdev-range-taken": "A device that is no CTC has numbers among those that the scheme has for "
    "CTCs.",
}
"""Titles of the rules, by their ids, which stay the same between releases."""


def _rules(
    titles: Mapping[str, str], severity: Severity, reason: str, remedy: str
) -> dict[str, LayoutRule]:
    source = "The scheme that most numbers of the file keep, and CSS and image of kept decks"
    untried = Untried("it is about who is misled; numbers carry nothing")
    return {
        name: LayoutRule(name, severity, title, reason, source, remedy, _find_together, untried)
        for name, title in titles.items()
    }


NUMBER_RULES: Final[Mapping[str, LayoutRule]] = _rules(
    _BREAKS,
    Severity.WARNING,
    "Whoever reads a number by the scheme that most numbers keep takes the wrong device.",
    "'isfc export --as toml --scheme' numbers all CTCs by a scheme.",
) | _rules(
    _FILLS,
    Severity.INFO,
    "No further CTC can have a number there.",
    "Take other numbers for further CTCs.",
)
"""What breaks a scheme, and what fills its ranges."""


class Numbering(Struct, frozen=True):
    """By which scheme the CTCs of a layout are numbered."""

    scheme: Scheme | None
    """`alike`, `traded`, `cuadd` or `target`; null if most numbers keep none"""
    fitting: Mapping[Scheme, int]
    """by scheme, how many ends of CTCs keep it"""
    ends: int
    """of CTCs there are so many"""

    @property
    def text(self) -> str:
        """The scheme in words, or that which comes nearest."""
        nearest = max(self.fitting, key=lambda each: self.fitting[each])
        kept = self.fitting[self.scheme or nearest]
        ends = f"{kept} of {self.ends} ends of CTCs keep"
        if self.scheme is not None:
            text = f"by the scheme '{self.scheme}': {MEANS[self.scheme]}"
            return f"{text}." if kept == self.ends else f"{text}; {ends} it."
        near = f"; the nearest is '{nearest}', which {ends}" if kept else ""
        return f"by no known scheme{near}."


class _CtcEnd(Struct, frozen=True):
    """One end of a CTC: its own number, its mate's, and who is at the other end."""

    link: Layout
    fibre: Fibre
    node: NodeName
    rdev: Rdev
    mate: Rdev
    target: NodeName
    pair: tuple[str, str]
    """the chpids, own first"""


_Fault = tuple[str, str]
"""The rule that a number breaks, and how."""
_Problem = tuple[_CtcEnd, Rdev, str, str]
"""The first end of a CTC that it is about, the number, the rule, and how it is broken."""


def images_of(collection: Collection) -> dict[NodeName, int]:
    """CSS and MIF image id of the systems whose decks a layout keeps, as CUADD has them."""
    if not collection.decks:
        return {}
    from isfc.deck.kept import kept_systems  # most files keep no deck

    return {
        node: system.partition.image
        for node, system in kept_systems(collection).items()
        if system.partition.image is not None
    }


def _usual(said: Iterable[tuple[_Key, _Value]]) -> dict[_Key, _Value]:
    """Of each key what is said of it most often."""
    return {key: Counter(values).most_common(1)[0][0] for key, values in grouped(said).items()}


class _Book:
    """All ends of the CTCs of a layout, and what is known of systems."""

    def __init__(self, collection: Collection) -> None:
        self.ends = [
            _CtcEnd(
                link,
                ctc.fibre,
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
        numbers: Mapping[NodeName, set[Rdev]] = named("isfc.deck.numbers.numbers_of")(collection)
        self.others: Others = named("isfc.deck.numbers.no_ctcs")(collection)
        self.defined = Counter(
            (node, rdev >> 4 << 4) for node, rdevs in numbers.items() for rdev in rdevs
        )
        """how many devices systems have of each sixteen numbers"""
        firsts = Counter(end.rdev >> 12 for end in self.ends).most_common(2)
        self.ranges = {digit for digit, _ in firsts} if len(firsts) == 2 else set()
        self.blocks = _usual(
            ((end.node, end.rdev >> 4), (*end.pair, end.target)) for end in self.ends
        )
        self.places = _usual((end.target, end.rdev >> 4 & 0xFF) for end in self.ends)
        self.thirds = _usual((end.target, end.rdev >> 4 & 0xF) for end in self.ends)

    def faults(self, scheme: Scheme, end: _CtcEnd) -> Iterator[_Fault]:
        """How a number does not keep a scheme."""
        match scheme:
            case Scheme.ALIKE:
                return self._not_alike(end)
            case Scheme.TRADED:
                return self._not_traded(end)
            case _:
                return self._not_of_target(end, 0xFF if scheme is Scheme.CUADD else 0xF)

    def _not_alike(self, end: _CtcEnd) -> Iterator[_Fault]:
        if end.rdev != end.mate:
            yield (
                "rdev-ends-differ",
                f"is {format_rdev(end.mate)} at {end.target}, and should be alike",
            )
        elif self.blocks[end.node, end.rdev >> 4] != (*end.pair, end.target):
            chpid, _, other = self.blocks[end.node, end.rdev >> 4]
            text = f"is on chpid {end.pair[0]} to {end.target}, in the sixteen of chpid {chpid} "
            yield "rdev-outside-range", f"{text}to {other}"

    def _not_traded(self, end: _CtcEnd) -> Iterator[_Fault]:
        first, mate = end.rdev >> 12, end.mate >> 12
        if first not in self.ranges:
            ranges = " and ".join(f"{digit:X}xyz" for digit in sorted(self.ranges))
            yield "rdev-outside-range", f"is outside of {ranges}"
        elif first == mate:
            text = f"is {format_rdev(end.mate)} at {end.target}: both ends in one range, so it has "
            yield "rdev-ends-differ", f"{text}no counterpart"
        else:
            yield from self._not_of_target(end)
            place = end.rdev >> 4 & 0xFF
            usual = self.places[end.target]
            if place != usual and place & 0xF == usual & 0xF:
                others = f"{first:X}{usual:02X}z"
                text = f"leads to {end.target}, which other systems call {others}"
                yield "rdev-two-numbers", text

    def _not_of_target(self, end: _CtcEnd, mask: int = 0xF) -> Iterator[_Fault]:
        known, third = self.images.get(end.target), end.rdev >> 4 & mask
        if known is not None and third != known & mask:
            what, digits = ("image", 1) if mask == 0xF else ("CSS and image", 2)
            text = f"leads to {end.target}, {what} {known & mask:0{digits}X} by CUADD, and says "
            yield "rdev-image-differs", f"{text}{third:0{digits}X}"
        elif known is None and third != self.thirds[end.target]:
            yield (
                "rdev-two-numbers",
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

    def in_ranges(self, bits: int) -> list[tuple[tuple[NodeName, int], _CtcEnd]]:
        """The ranges in which there are CTCs, as (node, first), each with its first CTC."""
        found: dict[tuple[NodeName, int], _CtcEnd] = {}
        for end in self.ends:
            found.setdefault((end.node, end.rdev >> bits << bits), end)
        return sorted(found.items(), key=lambda each: each[0])


def numbering_of(collection: Collection) -> tuple[Numbering, dict[str, tuple[Finding, ...]]]:
    """The scheme of a layout's CTCs, and by link what does not keep it.

    It is the one that gives all numbers, the first in `Scheme` of several, or that most keep.
    """
    book = _Book(collection)
    written: Scheme | None = named("isfc.deck.renumbered.written_by")(collection)
    fitting = {
        scheme: sum(next(book.faults(scheme, end), None) is None for end in book.ends)
        if scheme is written or book.means_something(scheme)
        else 0
        for scheme in Scheme
    }
    scheme = max((Scheme.ALIKE, Scheme.TRADED, Scheme.TARGET), key=lambda each: fitting[each])
    if scheme is Scheme.TARGET and book.parts_css(fitting):
        scheme = Scheme.CUADD
    scheme = written or scheme
    findings: dict[str, tuple[Finding, ...]] = {link.name: () for link in collection.links}
    if written is None and fitting[scheme] < FITS_SHARE * len(book.ends):
        return Numbering(None, fitting, len(book.ends)), findings
    for end, rdev, name, text in _problems(book, scheme):
        rule, said = NUMBER_RULES[name], f"{end.node} {format_rdev(rdev)} {text}."
        findings[end.link.name] += (Finding(rule, said, rule.remedy, (end.fibre,)),)
    return Numbering(scheme, fitting, len(book.ends)), findings


def _problems(book: _Book, scheme: Scheme) -> Iterator[_Problem]:
    for end in book.ends:
        for rule, text in book.faults(scheme, end):
            yield end, end.rdev, rule, text
    if scheme is not Scheme.ALIKE:
        yield from _two_targets(book, scheme)
    yield from _full(book)
    yield from _others(book, scheme)


def _two_targets(book: _Book, scheme: Scheme) -> Iterator[_Problem]:
    """Numbers that stand for two targets: x and y of `Scheme.TRADED`, else sixteen of a system."""
    known: dict[tuple[str, int], NodeName] = {}
    told: set[tuple[str, int, NodeName]] = set()
    traded = scheme is Scheme.TRADED
    for end in book.ends:
        if traded and end.rdev >> 12 not in book.ranges:
            continue
        place = ("", end.rdev >> 4 & 0xFF) if traded else (str(end.node), end.rdev >> 4)
        other = known.setdefault(place, end.target)
        if other != end.target and (*place, end.target) not in told:
            told.add((*place, end.target))
            called = f"{place[1]:02X}" if traded else f"{place[1]:03X}z"
            text = f"is of {called}, which stands for {other} and for {end.target}"
            yield end, end.rdev, "rdev-two-targets", text


def _full(book: _Book) -> Iterator[_Problem]:
    """Sixteen numbers of which none is left, as the decks have devices that no link has."""
    for (node, first), end in book.in_ranges(4):
        if book.defined[node, first] == PLACES:
            text = f"to {first + PLACES - 1:04X} are used up: no number is left there"
            yield end, Rdev(first), "rdev-range-full", text


def _others(book: _Book, scheme: Scheme) -> Iterator[_Problem]:
    """Devices that are no CTCs within the ranges of a scheme, in runs of one UNIT."""
    bits = 8 if scheme is Scheme.TRADED else 4
    for (node, first), end in book.in_ranges(bits):
        last = first + (1 << bits) - 1
        kinds = book.others.get(node, {})
        taken = (rdev for rdev in map(Rdev, range(first, last + 1)) if rdev in kinds)
        for unit, rdevs in grouped((kinds[rdev].unit, rdev) for rdev in taken).items():
            for begun, count in ranges(rdevs):
                to = f"to {begun + count - 1:04X} are" if count > 1 else "is"
                text = f"{to} UNIT={unit}, within {first:04X} to {last:04X}, where CTCs are"
                yield end, Rdev(begun), "rdev-range-taken", text
