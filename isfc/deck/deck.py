"""What an IOCP deck says of CTCs: partitions, channels, FCTC control units and their devices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid
from isfc.deck.access import Access
from isfc.deck.card import CardNote, CommentCard
from isfc.deck.operand import StatementOperands
from isfc.deck.place import Place
from isfc.link.name import NodeName

DEVICES_MAX: Final = 65_536
"""CTC devices in a deck: more than a partition has device numbers."""

Ports = Mapping[tuple[NodeName, ChpidId], str]
"""The director port of a node's chpid."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A logical partition; ``image`` is what CUADD names: its CSS and its MIF image id."""

    name: str
    css: int
    mif: int | None
    place: Place

    @property
    def image(self) -> int | None:
        """CSS and MIF image id as CUADD has them, in two hex digits; None without a number."""
        return None if self.mif is None else self.css << 4 | self.mif


@dataclass(frozen=True, slots=True)
class Channel:
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


@dataclass(frozen=True, slots=True)
class CuPath:
    """A control unit's path from one CSS; ``link`` is the far port, None point to point."""

    channel: Channel
    link: str | None


@dataclass(frozen=True, slots=True)
class ControlUnit:
    """An FCTC control unit; ``paths`` are by CSS, ``unit_addresses`` what it recognizes."""

    number: int
    paths: dict[int, tuple[CuPath, ...]]
    cuadd: int
    unit_addresses: tuple[tuple[int, int], ...]
    place: Place
    serial: str = ""
    """HCD's SERIAL; HCM takes two of one serial for connected."""
    desc: str = ""

    def recognizes(self, unit_address: int) -> bool:
        """Whether ``unit_address`` is in one of its ranges of (first, count)."""
        return any(first <= unit_address < first + n for first, n in self.unit_addresses)


@dataclass(frozen=True, slots=True)
class Device:
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
    escon: list[Rdev] = field(default_factory=list)
    """Devices on ESCON CTCs."""
    passed_over: list[StatementOperands] = field(default_factory=list, repr=False)
    """Control units, and then devices, that are no FICON CTCs."""
