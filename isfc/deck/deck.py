"""What an IOCP deck says of CTCs: partitions, channels, FCTC control units and their devices.

Access is PARTITION and NOTPART of CHPID and IODEVICE statements. Both take an access list and a
candidate list, ``(=)`` for the same again, by CSS or for all. A partition counts as having access
when it is in either list. A channel path that is shared and has an access list alone admits every
partition of the CSS (published: IOCP User's Guide, CHPID, example 5; ICP138I names ``(=)`` as what
admits nobody else). That a device, which has one list, shuts out all others is general knowledge.

Partitions that are chosen are systems of the collection, each under its node name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev, format_chpid
from isfc.deck.card import CardNote, CommentCard
from isfc.deck.operand import OperandList, StatementOperands, Value, by_css, words_of
from isfc.deck.place import Place, shown
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed
from isfc.layout.checked_toml import within
from isfc.layout.pasted import LineAccount
from isfc.layout.processors import Processors
from isfc.link.name import NodeName

DEVICES_MAX: Final = 65_536
"""CTC devices in a deck: more than a partition has device numbers."""

FICON: Final = "FC"

Ports = Mapping[tuple[NodeName, ChpidId], str]
"""The director port of a node's chpid."""


_SAME = "="
_CSS_IDS = frozenset("012345")
_NOT_A_NAME = frozenset({_SAME, "", "0", "*", "REC"})


class Access(Struct, frozen=True):
    """Who may use something: ``allowed`` alone, if that is said, and nobody in ``barred``.

    Either is by CSS; None stands for every CSS that is not named. ``place`` is where it is said,
    ``without_candidates`` those for which there is an access list alone.
    """

    allowed: dict[int | None, frozenset[str]]
    barred: dict[int | None, frozenset[str]]
    place: Place | None = None
    without_candidates: frozenset[int | None] = frozenset()

    @classmethod
    def of(cls, operands: StatementOperands) -> "Access":
        """What a statement's PARTITION and NOTPART say."""
        allowed, barred = operands.get("PARTITION", "PART"), operands.get("NOTPART")
        said, lists = barred or allowed, [*_by_css(allowed)]
        return cls(
            {css: _names(items) for css, items in lists},
            {css: _barred(items) for css, items in _by_css(barred)},
            None if said is None else said.place,
            frozenset(css for css, items in lists if len(_lists(items)) < 2),
        )

    def of_shared_channel(self) -> "Access":
        """As it is on a channel path that is shared: a missing candidate list means everyone."""
        kept = self.allowed.items()
        return replace(
            self, allowed={css: names for css, names in kept if css not in self.without_candidates}
        )

    @property
    def shares(self) -> bool:
        """Whether this makes a channel path shared: by NOTPART, or by several partitions."""
        return bool(self.barred) or any(len(names) > 1 for names in self.allowed.values())

    def admits(self, name: str, css: int) -> bool:
        """Whether partition ``name`` of ``css`` has access."""
        allowed = self.allowed.get(css, self.allowed.get(None))
        barred = self.barred.get(css, self.barred.get(None, frozenset()))
        return (allowed is None or name in allowed) and name not in barred


class Partition(Struct, frozen=True):
    """A logical partition; ``image`` is what CUADD names: its CSS and its MIF image id."""

    name: str
    css: int
    mif: int | None
    place: Place

    @property
    def image(self) -> int | None:
        """CSS and MIF image id as CUADD has them, in two hex digits; None without a number."""
        return None if self.mif is None else self.css << 4 | self.mif


class Channel(Struct, frozen=True):
    """A channel path. One that is spanned has several CSSs; ``switch`` is its director's id.

    ``kind`` is its TYPE, such as FC, empty if the statement has none.
    It is shared if SHARED or NOTPART says so, if it is spanned, or if several partitions are in
    its access list (published: IOCP message ICP315I).
    """

    chpid: ChpidId
    kind: str
    csss: tuple[int, ...]
    switch: str | None
    shared: bool
    access: Access
    place: Place
    port: str | None = None
    """Its own port, where HCD's SWPORT tells it."""
    desc: str = ""
    """HCD's DESC."""

    def __str__(self) -> str:
        return format_chpid(self.chpid)


class CuPath(Struct, frozen=True):
    """A control unit's path from one CSS; ``link`` is the far port, None point to point."""

    channel: Channel
    link: str | None


class ControlUnit(Struct, frozen=True):
    """An FCTC control unit; ``paths`` are by CSS, ``unit_addresses`` what it recognizes."""

    number: int
    paths: dict[int, tuple[CuPath, ...]]
    cuadd: int
    unit_addresses: tuple[tuple[int, int], ...]
    place: Place
    serial: str = ""
    """HCD's SERIAL; HCM takes two of one serial for connected."""
    desc: str = ""

    @property
    def recognized(self) -> frozenset[int]:
        """The unit addresses in its ranges."""
        return frozenset(first + n for first, count in self.unit_addresses for n in range(count))

    def recognizes(self, unit_address: int) -> bool:
        """Whether ``unit_address`` is in one of its ranges of (first, count)."""
        return any(first <= unit_address < first + n for first, n in self.unit_addresses)

    def is_on(self, chpid: ChpidId) -> bool:
        """Whether a channel path to it has that number."""
        return any(path.channel.chpid == chpid for each in self.paths.values() for path in each)


class Device(Struct, frozen=True):
    """One CTC device number, of one control unit.

    ``others`` are further control units that the statement names, which IOCP rejects.
    """

    rdev: Rdev
    unit_address: int
    control_unit: ControlUnit
    access: Access
    place: Place
    others: tuple[ControlUnit, ...] = ()


@dataclass(slots=True)
class Deck:
    """What one deck says of CTCs, its comments, and what a reader should know of its cards.

    ``text`` is all of it.
    """

    file: str
    text: str = field(default="", repr=False)
    partitions: dict[str, Partition] = field(default_factory=dict)
    channels: dict[tuple[int, ChpidId], Channel] = field(default_factory=dict)
    control_units: dict[int, ControlUnit] = field(default_factory=dict)
    devices: list[Device] = field(default_factory=list)
    remarks: list[CommentCard] = field(default_factory=list)
    notices: list[CardNote] = field(default_factory=list)
    others: dict[int, str] = field(default_factory=dict)
    """Control units that are no FCTC, by number: what each is on, if it is an ESCON CTC."""
    escon: list[Place] = field(default_factory=list)
    """Where each device on an ESCON CTC is defined."""
    passed_over: list[StatementOperands] = field(default_factory=list, repr=False)
    """Control units, and then devices, that are no FICON CTCs."""
    machine: Processors | None = None
    """That of SYSTEM, if its type is known."""
    account: LineAccount = field(default_factory=LineAccount, repr=False)
    """What became of each line."""

    def add(self, devices: Iterable[Device], place: Place) -> None:
        """Add CTCs, which a ``place`` says; raise `ConfigurationError` for too many."""
        self.devices.extend(devices)
        if len(self.devices) > DEVICES_MAX:
            raise place.error("too many CTC devices", f"at most {DEVICES_MAX}")


_SYSTEM: Final = re.compile(r"(?m)^(?!\*).*?\bSYSTEM=\((\d{4})\b", re.IGNORECASE)
"""The type of the machine, in a deck's ID statement or in IOCP's reports."""


def machine_type(text: str) -> tuple[str, int] | None:
    """The type of machine in SYSTEM of a deck's ID statement, or of IOCP's reports; its line."""
    found = _SYSTEM.search(text)
    return (found[1], text.count("\n", 0, found.start(1)) + 1) if found else None


def _by_css(value: Value | None) -> Iterator[tuple[int | None, Sequence[Value]]]:
    """What is said of each CSS; of None where none is named."""
    for csss, items in by_css(value) if value else ():
        named: list[int | None] = [int(word.text) for word in csss if word.text in _CSS_IDS]
        for css in named or [None]:
            yield css, items


def _lists(items: Sequence[Value]) -> list[OperandList]:
    return [item for item in items if isinstance(item, OperandList)]


def _barred(items: Sequence[Value]) -> frozenset[str]:
    """Names of the last of two lists; ``(=)`` there means the first.

    One that is not in the access list may still be a candidate, so the second list of NOTPART bars
    it.
    """
    lists = _lists(items)
    same = any([word.text for word in words_of(each)] == [_SAME] for each in lists)
    return _names(items if same or len(lists) < 2 else lists[1:2])


def _names(items: Sequence[Value]) -> frozenset[str]:
    return frozenset(word.text.upper() for item in items for word in words_of(item)) - _NOT_A_NAME


_FORM = (
    "NAME,NAME, or NODE=NAME where a system has another name, or 2:NAME for the second deck, or "
    "NODE=0.1 for the CSS and MIF image id that no RESOURCE statement names"
)
_IMAGE = re.compile(r"[0-5]\.[1-9A-F]")
_IMAGES = "CSS and MIF image ids, as in BOSTON=0.1,ATLANTA=0.2"
_SHOWN_MAX = 20


class DeckSystem(Struct, frozen=True):
    """One end: a node, and the partition of a deck that it runs in."""

    node: NodeName
    deck: Deck
    partition: Partition

    @property
    def css(self) -> int:
        """The channel subsystem that it is in."""
        return self.partition.css

    @property
    def ctcs(self) -> Iterator[Device]:
        """The CTC devices that its deck has of it, even two of one number."""
        for device in self.deck.devices:
            if self.css in device.control_unit.paths and self.admits(device.access):
                yield device

    @property
    def paths(self) -> Iterator[CuPath]:
        """The paths of all CTC control units from its channel subsystem."""
        for unit in self.deck.control_units.values():
            yield from unit.paths.get(self.css, ())

    def admits(self, access: Access) -> bool:
        """Whether it may use what says that of access."""
        return access.admits(self.partition.name, self.css)

    def channel(self, chpid: ChpidId) -> Channel:
        """The channel that one of its chpids is."""
        return self.deck.channels[self.css, chpid]

    def refused(self, channel: Channel) -> str:
        """Why its CTCs cannot be on a channel, or nothing."""
        if channel.kind in ("", FICON) and self.admits(channel.access):
            return ""
        return f"CHPID {channel} is TYPE={channel.kind or FICON}, or not for {self.partition.name}"


def choose_systems(text: str | None, decks: Sequence[Deck]) -> tuple[DeckSystem, ...]:
    """The systems that ``LPAR1,BOSTON=2:LPAR1`` names, the lesser node name first.

    A partition that is in several decks needs the number of its deck, counted from 1.
    ``BOSTON=0.1`` gives the CSS and MIF image id where the deck is a part without RESOURCE. Raises
    `ConfigurationError` for a name that is not there, and for fewer than two. None are all, if
    these are two with names of their own; if not, the message has those that there are.
    """
    if text is None:
        names = [name for _, name in _images(decks)]
        if len(names) != 2 or len({*names}) != 2:
            if len(names) == 1:
                raise ConfigurationError(
                    f"there is no partition but {names[0]}, and a link joins two systems; expected "
                    "the deck of the other one's CEC as well"
                )
            raise ConfigurationError(f"--partitions: missing; {_to_choose_from(decks)}")
        text = ",".join(names)
    systems = [find_system(entry.strip(), decks) for entry in text.split(",")]
    if len(systems) < 2 or len({system.node for system in systems}) < len(systems):
        raise ConfigurationError(
            f"--partitions {shown(text)}: expected two or more systems, each with its own name: "
            f"{_FORM}"
        )
    return tuple(sorted(systems, key=lambda system: system.node.collation))


def _images(decks: Sequence[Deck]) -> list[tuple[int, str]]:
    """The partitions that have an image, each with the number of its deck."""
    return [
        (number, name)
        for number, deck in enumerate(decks, start=1)
        for name, partition in deck.partitions.items()
        if partition.mif is not None
    ]


def _to_choose_from(decks: Sequence[Deck]) -> str:
    """What may be named: partitions, with the number of their deck where a name is in several."""
    named = _images(decks)
    if not named:
        return f"there is no RESOURCE statement; expected {_IMAGES}"
    names = [name for _, name in named]
    known = [f"{number}:{name}" if names.count(name) > 1 else name for number, name in named]
    return f"expected two or more, separated by commas, of {first_listed(known, _SHOWN_MAX)}"


def find_system(entry: str, decks: Sequence[Deck]) -> DeckSystem:
    """The system that one entry of ``--partitions``, such as ``BOSTON=2:LPAR1``, names.

    Raises `ConfigurationError` if none or several do.
    """
    node, equals, place = entry.rpartition("=")
    number, colon, name = place.strip().upper().rpartition(":")
    with within(f"--partitions {shown(entry)}"):
        if colon and number not in map(str, range(1, len(decks) + 1)):
            raise ConfigurationError(
                f"there is no such deck; expected 1 to {len(decks)} before the colon"
            )
        searched = [decks[int(number) - 1]] if colon else list(decks)
        if _IMAGE.fullmatch(name):
            return _of_image(node.strip().upper(), name, searched)
        found = [deck for deck in searched if name in deck.partitions]
        if not found:
            raise ConfigurationError(_not_found(searched))
        if len(found) > 1:
            raise ConfigurationError(
                f"it is in {' and in '.join(deck.file for deck in found)}; expected the number of "
                f"its deck, such as {decks.index(found[0]) + 1}:{name}"
            )
    partition = found[0].partitions[name]
    if partition.mif is None:
        raise partition.place.error(
            f"RESOURCE gives {name} no MIF image id", f"({name},1) or another number"
        )
    return DeckSystem(NodeName(node.strip().upper() if equals else name), found[0], partition)


def _not_found(decks: Sequence[Deck]) -> str:
    known = [name for deck in decks for name in deck.partitions]
    example = "its CSS and MIF image id, as in BOSTON=0.1"
    if not known:
        return f"there is no RESOURCE statement; expected {example}"
    some = ", ".join(known[:_SHOWN_MAX])
    return f"no RESOURCE statement names it; expected one of {some}, or {example}"


def _of_image(node: str, image: str, decks: Sequence[Deck]) -> DeckSystem:
    """The partition with an image, as in ``BOSTON=0.1``; in access lists it has the node's name."""
    if not node:
        raise ConfigurationError("expected a name, as in BOSTON=0.1")
    if len(decks) > 1:
        raise ConfigurationError(
            f"there are {len(decks)} decks; expected the number of its deck, such as "
            f"{node}=1:{image}"
        )
    (deck,) = decks
    css, mif = int(image[0]), int(image[2], 16)
    named = (each for each in deck.partitions.values() if (each.css, each.mif) == (css, mif))
    partition = next(named, Partition(node, css, mif, Place(deck.file, 1)))
    return DeckSystem(NodeName(node), deck, partition)
