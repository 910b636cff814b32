"""Numbers for all CTCs of a cluster by a scheme of `isfc.deck.scheme`.

Systems keep their CSS and image where kept decks tell them; the others of a CEC get the next ones.
CECs are numbered in the order of their names, those of several channel subsystems one number for
each.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Final

from msgspec import structs

from ctc.address import RDEV_MAX, ChpidId, Rdev, format_rdev, parse_rdev
from isfc.deck.numbers import Others, joined_units, no_ctcs, other_devices
from isfc.deck.scheme import PLACES, Scheme, images_of
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed, grouped
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.link.name import NodeName

FIRST: Final[Mapping[Scheme, int]] = {
    Scheme.ALIKE: 0xD000,
    Scheme.TRADED: 0x4000,
    Scheme.CUADD: 0x4000,
}
"""Where numbers begin if nobody says it (published: IBM, z/VM live guest relocation with Linux, and
IBM's example of IOCP statements for shared channels; of `Scheme.CUADD` chosen)."""

_IMAGES: Final = range(1, 16)


def renumbered(
    collection: Collection, scheme: str | None, first: str | None, tell: Callable[[str], None]
) -> Collection:
    """The collection with numbers of ``scheme`` from ``first`` on; as it is if both are None.

    ``tell`` is told what is to be looked at before they are used.
    """
    if scheme is None:
        if first is not None:
            raise ConfigurationError("--first: expected --scheme with it")
        return collection
    start = None
    if first is not None:
        with within(f"--first {first[:40]!r}"):
            start = parse_rdev(first)
    others = other_devices(collection, joined_units(collection, {}))
    after = _renumbered_by(collection, Scheme(scheme), start, others)
    if names := [
        old.name
        for old, new in zip(collection.links, after.links, strict=True)
        if [ctc.fibre for ctc in old.device_list()] != [ctc.fibre for ctc in new.device_list()]
    ]:
        tell(
            f"isfc: note: {', '.join(names)}: the new numbers change the order in which both ends "
            "scan the fibres, and so what each writes on: 'isfc compare' shows what that costs"
        )
    whole = no_ctcs(collection)
    if unknown := [system for system in after.systems if system not in whole]:
        tell(
            f"isfc: note: no whole deck of {first_listed(unknown, 4)} is kept, so that other "
            "devices may have the new numbers: look before you use them"
        )
    return after


def written_by(collection: Collection) -> Scheme | None:
    """The first scheme that gives a layout the numbers that it has; None if none does.

    Of `Scheme.CUADD` and `Scheme.TARGET` the last digit may differ: it says nothing there.
    """
    numbers = _numbers(collection)
    others = other_devices(collection, joined_units(collection, {}))
    for scheme in Scheme:
        first = None if scheme is Scheme.TARGET else min(numbers)
        bits = 4 if scheme in {Scheme.CUADD, Scheme.TARGET} else 0
        with suppress(ConfigurationError):
            again = _numbers(_renumbered_by(collection, scheme, first, others))
            if [each >> bits for each in again] == [each >> bits for each in numbers]:
                return scheme
    return None


def _numbers(collection: Collection) -> list[Rdev]:
    return [rdev for link in collection.links for ctc in link.ctcs for rdev in ctc.rdevs]


def _renumbered_by(
    collection: Collection, scheme: Scheme, first: int | None, others: Others
) -> Collection:
    """Its numbers begin with ``first`` if that is not None; ``others`` are no CTCs."""
    if scheme is Scheme.TARGET and first is not None:
        raise ConfigurationError("--first: numbers of target begin with the chpid; expected none")
    start = FIRST.get(scheme, 0) if first is None else first
    match scheme:
        case Scheme.ALIKE:
            numbers = _alike(collection, start, others)
        case Scheme.TRADED:
            numbers = _traded(collection, start >> 12)
        case Scheme.TARGET:
            numbers = _by_image(collection, None)
        case Scheme.CUADD:
            numbers = _by_image(collection, start >> 12)
    found = replace(collection, links=tuple(map(_numbered, collection.links, numbers)))
    for system in found.systems:
        used = sum(len(link.ctcs) for link in found.links_of(system))
        if len(found.rdevs_of(system)) < used:
            raise ConfigurationError(
                f"{system}: a number would stand for two CTCs; expected another scheme"
            )
        if taken := sorted(found.rdevs_of(system) & others.get(system, {}).keys()):
            raise ConfigurationError(
                f"{system}: {format_rdev(taken[0])} would be a CTC, and its deck has UNIT="
                f"{others[system][taken[0]].unit} there; expected another --first or scheme"
            )
    return found


_Rdevs = list[tuple[Rdev, Rdev]]
"""Numbers of the CTCs of a link, down its device list."""


def _numbered(link: Layout, rdevs: _Rdevs) -> Layout:
    numbers = dict(zip(link.device_list(), rdevs, strict=True))
    return replace(link, ctcs=tuple(structs.replace(ctc, rdevs=numbers[ctc]) for ctc in link.ctcs))


def _alike(collection: Collection, first: int, others: Others) -> Iterator[_Rdevs]:
    """Sixteen numbers for each fibre, the lowest that are free at both its ends."""
    taken = {(node, rdev // PLACES) for node, devices in others.items() for rdev in devices}
    for link in collection.links:
        blocks: dict[Fibre, Iterator[int]] = {}
        rdevs = []
        for fibre in (ctc.fibre for ctc in link.device_list()):
            if fibre not in blocks:
                every = range(-(-first // PLACES), (RDEV_MAX + 1) // PLACES)
                free = (n for n in every if not taken & {(node, n) for node in link.nodes})
                if (block := next(free, None)) is None:
                    raise ConfigurationError(
                        f"{link.name}: no sixteen numbers are left for fibre {fibre.name}; "
                        "expected a lower --first"
                    )
                taken |= {(node, block) for node in link.nodes}
                blocks[fibre] = count(block * PLACES)
            rdevs.append(Rdev(next(blocks[fibre])))
        yield [*zip(rdevs, rdevs, strict=True)]


def _traded(collection: Collection, digit: int) -> Iterator[_Rdevs]:
    """The first node sends on the upper half of the device list, the second on the lower."""
    if digit + 1 > 0xF:
        raise ConfigurationError("--first: the range to receive would be beyond F; expected lower")
    places = _places(collection)
    for link in collection.links:
        here, there = (
            home << 8 | (image & 0xF) << 4 for home, image in map(places.__getitem__, link.nodes)
        )
        size = len(link.ctcs)
        turns = [divmod(number, -(-size // 2)) for number in range(size)]
        yield [
            (Rdev(digit + turn << 12 | there | z), Rdev(digit + 1 - turn << 12 | here | z))
            for turn, z in turns
        ]


def _places(collection: Collection) -> dict[NodeName, tuple[int, int]]:
    """The number of each system's CEC and CSS, and CSS and image as CUADD has them.

    They are as its deck says, or as they may be.
    """
    images = images_of(collection)
    cecs = {node: cec.name for cec in collection.cecs for node in cec.systems}
    homes = grouped(
        ((cecs.get(node, str(node)), images.get(node, 0) >> 4), node) for node in collection.systems
    )
    if len(homes) > PLACES:
        raise ConfigurationError(
            f"{len(homes)} CECs and channel subsystems: expected at most {PLACES}, as one digit "
            "names them"
        )
    found: dict[NodeName, tuple[int, int]] = {}
    for x, ((_, css), members) in enumerate(sorted(homes.items())):
        known = {images[node] & 0xF for node in members if node in images}
        free = (image for image in _IMAGES if image not in known)
        for node in members:
            y = images[node] & 0xF if node in images else next(free, None)
            if y is None:
                raise ConfigurationError(
                    f"{node}: no image is left in its CEC; expected 15 at most"
                )
            found[node] = x, css << 4 | y
    return found


def _by_image(collection: Collection, digit: int | None) -> Iterator[_Rdevs]:
    """A digit, CSS and image of the target, and which device it is; or for the digit the chpid.

    The digit is the next one where no number is left, or where another CEC's target has them.
    """
    places = _places(collection)
    owners: dict[tuple[NodeName, int], NodeName | None] = {}
    used: Counter[tuple[NodeName, int]] = Counter()

    def next_rdev(node: NodeName, chpid: ChpidId, target: NodeName) -> Rdev:
        image, owner = places[target][1], None if digit is None else target
        blocks = [chpid << 4 | image & 0xF]
        if digit is not None:
            blocks = [each << 8 | image for each in range(digit, 0x10)]
        for block in blocks:
            key = node, block
            if owners.setdefault(key, owner) == owner and used[key] < PLACES:
                used[key] += 1
                return Rdev(block << 4 | used[key] - 1)
        problem = f"no number is left for CUADD {image:02X}; expected a lower --first"
        if digit is None:
            problem = f"{blocks[0]:03X}0 to {blocks[0]:03X}F are used up; expected another scheme"
        raise ConfigurationError(f"{node}: {problem}")

    for link in collection.links:
        first, second = link.nodes
        yield [
            (next_rdev(first, near, second), next_rdev(second, far, first))
            for near, far in (ctc.fibre.chpids for ctc in link.device_list())
        ]
