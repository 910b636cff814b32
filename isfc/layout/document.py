"""One document: the file that describes links, fibres, CTCs, channels and disks, decoded once.

`parse_document` decodes TOML and checks the tables of links. The tables that only disk I/O has
stay as they are written until `isfc.io.configuration_file` makes an I/O configuration of them.
`isfc.layout.file` makes a `Collection` of the same record. Whatever is wrong is a
`ConfigurationError` that names the file, the table and the key, and says what was expected.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from isfc.layout.checked_toml import check_table_name, convert, decode, show_key, within

LINK_GBPS_MIN: Final = 0.1
LINK_GBPS_MAX: Final = 128.0
KM_MAX: Final = 10_000.0
"""Farther than any fibre goes that a channel could use."""
CREDITS_MAX: Final = 65_535
ISLS_MAX: Final = 256
FREE_GIB_MAX: Final = 65_536.0
"""More than any machine has."""
OVERCOMMIT_MAX: Final = 100.0
PAIRS_MAX: Final = 10_000
OTHER_CTCS_MAX: Final = 65_536
"""More than a partition has device numbers."""

Gbps = Annotated[float, Meta(ge=LINK_GBPS_MIN, le=LINK_GBPS_MAX)]
Km = Annotated[float, Meta(ge=0, le=KM_MAX)]


class Root(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file, its tables not yet checked: an error is to name the table it is in."""

    fibre: dict[str, Any] | None = None
    ctc: list[Any] | None = None
    link: list[Any] = []
    shared_channel: list[Any] = []
    cec: dict[str, Any] = {}
    memory: dict[str, Any] = {}
    traffic: list[Any] = []
    other_link: list[Any] = []
    deck: dict[str, Any] = {}
    io: list[dict[str, Any]] | None = None
    channel: dict[str, Any] = {}
    path: dict[str, Any] = {}
    system: dict[str, Any] = {}
    card: dict[str, Any] = {}
    interconnect: dict[str, Any] = {}
    fanout: dict[str, Any] = {}


class LinkTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[link]]``: needed only where there are several links."""

    nodes: list[str]


class FibreTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[fibre.NAME]``."""

    feature: str
    chpid: dict[str, str]
    link_gbps: Gbps | None = None
    km: Km = 0.0
    path: str | None = None
    director: str | dict[str, str] | None = None
    port: dict[str, str] | None = None


class CtcTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[ctc]]``."""

    fibre: str
    rdevs: dict[str, str]


class SharedChannelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[shared_channel]]``: chpids of several systems that are one channel."""

    chpid: dict[str, str]


class CecTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[cec.NAME]``: which systems run in one machine."""

    systems: list[str]


class MemoryTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[memory.SYSTEM]``: what a system has room for."""

    free_gib: Annotated[float, Meta(ge=0, le=FREE_GIB_MAX)]
    overcommit: Annotated[float, Meta(gt=0, le=OVERCOMMIT_MAX)] = 1.0


class TrafficTable(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from"}
):
    """A table ``[[traffic]]``: what runs over a link, from the clients' system to the servers'."""

    source: str
    to: str
    workload: str
    pairs: Annotated[int, Meta(ge=1, le=PAIRS_MAX)]


class OtherLinkTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[other_link]]``: CTCs of a link that is not in the file, on channels that are."""

    nodes: list[str]
    ctcs: dict[str, Annotated[int, Meta(ge=1, le=OTHER_CTCS_MAX)]]


class DeckTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[deck.NAME]``: the IOCP deck that systems were read from."""

    systems: dict[str, str]
    cards: str
    ports: list[str] = []


class IslTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Inter-switch links of a path."""

    gbps: Gbps
    credits: Annotated[int, Meta(ge=1, le=CREDITS_MAX)]
    count: Annotated[int, Meta(ge=1, le=ISLS_MAX)] = 1


class PathTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[path.NAME]``."""

    km: Km
    isl: dict[str, Any] | None = None


EXPECTED: Final[Mapping[type, Mapping[str, str]]] = {
    Root: {
        "fibre": "a table for each FICON path, such as [fibre.1]",
        "ctc": "a table for each range of CTCs, headed [[ctc]]",
        "link": "a table for each logical link, headed [[link]], if there are several",
        "shared_channel": "a table for each channel that several systems share, headed "
        "[[shared_channel]]",
        "cec": "a table for each machine and its systems, such as [cec.A]",
        "memory": "a table for the memory of each system, such as [memory.ATLANTA]",
        "traffic": "a table for what runs over a link, headed [[traffic]]",
        "other_link": "a table for each link of other systems on the same chpids, headed "
        "[[other_link]]",
        "deck": "a table for each IOCP deck that is kept, such as [deck.A]",
        "io": "a table for each workload of disks, headed [[io]]",
        "channel": "a table for each channel of disk I/O, such as [channel.42]",
        "path": "a table for each far path of fibres or to storage, such as [path.far]",
        "system": "a table for each system, such as [system.ATLANTA]",
        "card": "a table for each card that channels share, such as [card.A]",
        "interconnect": "a table for each I/O interconnect of cards, such as [interconnect.1]",
        "fanout": "a table for each fanout card, such as [fanout.F]",
    },
    LinkTable: {
        "nodes": 'the two nodes of a link, such as ["ATLANTA", "BOSTON"]',
    },
    FibreTable: {
        "feature": 'a FICON feature in quotes, such as "FICON Express2"',
        "chpid": 'the chpid at each node, such as { ATLANTA = "40", BOSTON = "50" }',
        "link_gbps": f"Gb/s, a number from {LINK_GBPS_MIN:g} to {LINK_GBPS_MAX:g}",
        "km": f"the fibre's length in kilometres, a number from 0 to {KM_MAX:g}",
        "path": 'the NAME of a table [path.NAME], in quotes, such as "far"',
        "director": 'the director that leads it, such as "1"; or the one at each node, such as '
        '{ ATLANTA = "1", BOSTON = "2" }',
        "port": 'the port of its director at each node, such as { ATLANTA = "0A", BOSTON = "1B" }',
    },
    CtcTable: {
        "fibre": 'the NAME of a table [fibre.NAME], in quotes, such as "1"',
        "rdevs": 'device numbers at each node, such as { ATLANTA = "6000", BOSTON = "7000" }',
    },
    SharedChannelTable: {
        "chpid": 'the chpid of each system that shares it, such as { ATLANTA = "40", BOSTON = '
        '"40" }',
    },
    CecTable: {"systems": 'a list of systems, such as ["ATLANTA", "BOSTON"]'},
    MemoryTable: {
        "free_gib": f"GiB of memory for guests that come, a number from 0 to {FREE_GIB_MAX:g}",
        "overcommit": "GiB of guests for each GiB of memory, a number above 0, at most "
        f"{OVERCOMMIT_MAX:g}",
    },
    TrafficTable: {
        "from": 'the system of the clients in quotes, such as "ATLANTA"',
        "to": 'the system of the servers in quotes, such as "BOSTON"',
        "workload": 'a workload in quotes, such as "HL"',
        "pairs": f"pairs of guests, from 1 to {PAIRS_MAX}",
    },
    OtherLinkTable: {
        "nodes": 'its systems, such as ["CHICAGO", "DALLAS"], or the one whose other end is not '
        "known",
        "ctcs": 'CTCs by the channels of the two ends, such as { "ATLANTA:40=BOSTON:50" = 4 }',
    },
    DeckTable: {
        "systems": 'the partition of each system, such as { ATLANTA = "LP01" }, or its CSS and '
        'MIF image id, such as { ATLANTA = "0.1" }',
        "cards": "the text of the deck, between lines of three apostrophes",
        "ports": 'ports of its channels, such as ["ATLANTA:50=C1"]',
    },
    IslTable: {
        "gbps": f"Gb/s, a number from {LINK_GBPS_MIN:g} to {LINK_GBPS_MAX:g}",
        "credits": f"buffer credits of a port, from 1 to {CREDITS_MAX}",
        "count": f"how many inter-switch links side by side, from 1 to {ISLS_MAX}",
    },
    PathTable: {
        "km": f"kilometres, a number from 0 to {KM_MAX:g}",
        "isl": "inter-switch links, such as { count = 2, gbps = 16, credits = 960 }",
    },
}
"""What may stand in each table, in the words of an error message."""

_NAMED: Final = {
    "fibre": "a fibre",
    "cec": "a CEC",
    "memory": "a system",
    "deck": "a deck",
    "channel": "a channel",
    "path": "a path",
    "system": "a system",
    "card": "a card",
    "interconnect": "an I/O interconnect",
    "fanout": "a fanout",
}
"""Tables with names of their own, and what each is."""

_T = TypeVar("_T", bound=msgspec.Struct)

_KEPT: Final = ("channel", "path", "card", "interconnect", "fanout", "system", "io")
"""What is written back as it was read, in this order."""


class Document(msgspec.Struct, frozen=True):
    """All that a file says. Of lists, table ``n`` is ``[[NAME]] #n+1``.

    ``source`` is the name of the file in messages.
    """

    source: str
    root: Root
    fibres: Mapping[str, FibreTable]
    ctcs: tuple[CtcTable, ...]
    links: tuple[LinkTable, ...]
    shared_channels: tuple[SharedChannelTable, ...]
    cecs: Mapping[str, CecTable]
    memory: Mapping[str, MemoryTable]
    traffic: tuple[TrafficTable, ...]
    other_links: tuple[OtherLinkTable, ...]
    decks: Mapping[str, DeckTable]
    paths: Mapping[str, tuple[PathTable, IslTable | None]]
    text: str
    """All of it, with its comments."""

    @property
    def has_links(self) -> bool:
        """Whether it describes links at all; it may be of channels and disks alone."""
        return bool(self.root.fibre or self.root.ctc or self.root.link)

    @property
    def has_disks(self) -> bool:
        """Whether it describes disk I/O."""
        return self.root.io is not None

    def kept(self) -> dict[str, Any]:
        """The tables that are written back as they were read."""
        return {name: table for name in _KEPT if (table := getattr(self.root, name))}


def parse_document(data: bytes | str, source: str) -> Document:
    """The document in ``data``, the content of a file called ``source`` in messages.

    Raises `ConfigurationError` for what no table may hold.
    """
    with within(source):
        content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        tables = decode(content, "a layout")
        root = convert(tables, Root, "", EXPECTED[Root])
        for level, what in _NAMED.items():
            for name in getattr(root, level) or ():
                check_table_name(f"[{level}.{show_key(name)}]", name, what)
        return Document(
            source=source,
            root=root,
            fibres=_named(root.fibre or {}, FibreTable, "fibre"),
            ctcs=_listed(root.ctc or [], CtcTable, "ctc"),
            links=_listed(root.link, LinkTable, "link"),
            shared_channels=_listed(root.shared_channel, SharedChannelTable, "shared_channel"),
            cecs=_named(root.cec, CecTable, "cec"),
            memory=_named(root.memory, MemoryTable, "memory"),
            traffic=_listed(root.traffic, TrafficTable, "traffic"),
            other_links=_listed(root.other_link, OtherLinkTable, "other_link"),
            decks=_named(root.deck, DeckTable, "deck"),
            paths={
                name: (table, _isl(name, table))
                for name, table in _named(root.path, PathTable, "path").items()
            },
            text=content.decode("utf-8-sig"),
        )


def _named(tables: Mapping[str, Any], kind: type[_T], level: str) -> dict[str, _T]:
    return {
        name: convert(table, kind, f"[{level}.{show_key(name)}]", EXPECTED[kind])
        for name, table in tables.items()
    }


def _listed(tables: list[Any], kind: type[_T], level: str) -> tuple[_T, ...]:
    return tuple(
        convert(table, kind, f"[[{level}]] #{number}", EXPECTED[kind])
        for number, table in enumerate(tables, start=1)
    )


def _isl(name: str, table: PathTable) -> IslTable | None:
    if table.isl is None:
        return None
    return convert(table.isl, IslTable, f"[path.{show_key(name)}] isl", EXPECTED[IslTable])
