"""One document: the file that describes links, fibres, CTCs, channels and disks, decoded once.

`parse_document` decodes TOML and checks the tables of links. The tables that only disk I/O has
stay as they are written until `isfc.io.configuration_file` makes an I/O configuration of them.
`isfc.layout.file` makes a `Collection` of the same record, `isfc.layout.schema` a JSON schema.
"""

from typing import Annotated, Any, Final

import msgspec

from ctc.features import FEATURES
from isfc.layout import checked_toml
from isfc.layout.checked_toml import TABLE_NAME_LENGTH_MAX, holds, show_key, within
from isfc.layout.processors import MachineTable
from isfc.link.name import NAME_LENGTH_MAX
from isfc.reports.figure import Note

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

_SPEED: Final = f"Gb/s, a number from {LINK_GBPS_MIN:g} to {LINK_GBPS_MAX:g}"
_KM: Final = f"a number from 0 to {KM_MAX:g}"
Gbps = Annotated[float, holds(_SPEED, ge=LINK_GBPS_MIN, le=LINK_GBPS_MAX)]


def _form(pattern: str) -> msgspec.Meta:
    """That a text has a form, in a JSON schema; what reads it says it in words."""
    return msgspec.Meta(extra_json_schema={"pattern": pattern})


_NODE: Final = rf"^[A-Z0-9\x24#@_]{{1,{NAME_LENGTH_MAX}}}$"  # \x24 is a dollar
_CHPID: Final = r"^[0-9A-Fa-f]{1,2}$"
_CHANNEL: Final = f"{_NODE[1:-1]}:{_CHPID[1:-1]}"
_RDEVS: Final = r"\s*[0-9A-Fa-f]{1,4}(-[0-9A-Fa-f]{1,4})?\s*"

_Node = Annotated[str, _form(_NODE)]
_Chpid = Annotated[str, _form(_CHPID)]
_Channels = Annotated[str, _form(rf"^{_CHANNEL}(={_CHANNEL})?$")]
_Rdevs = Annotated[str, _form(rf"^{_RDEVS}(,{_RDEVS})*$")]
_Director = Annotated[str, _form(rf"^.{{1,{TABLE_NAME_LENGTH_MAX}}}$")]
_Port = Annotated[str, _form(r"^[0-9A-Fa-f]{1,4}$")]
_TWO: Final = {"minProperties": 2, "maxProperties": 2}


def span(what: str, least: float, most: float) -> msgspec.Meta:
    """What a key holds that is a number between two bounds, both included, in words and checked."""
    return holds(f"{what}, from {least} to {most}", ge=least, le=most)


class TomlTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a file: each key with what it holds, in the words of an error message."""


class LinkTable(TomlTable, frozen=True):
    """A table ``[[link]]``: needed only where there are several links."""

    nodes: Annotated[
        list[_Node],
        holds(
            'the two nodes of a link, such as ["ATLANTA", "BOSTON"]', {"minItems": 2, "maxItems": 2}
        ),
    ]


class FibreTable(TomlTable, frozen=True):
    """A table ``[fibre.NAME]``."""

    feature: Annotated[
        str, holds('a FICON feature in quotes, such as "FICON Express2"', {"enum": list(FEATURES)})
    ]
    chpid: Annotated[
        dict[_Node, _Chpid],
        holds('the chpid at each node, such as { ATLANTA = "40", BOSTON = "50" }', _TWO),
    ]
    link_gbps: Gbps | None = None
    km: Annotated[float, holds(f"the fibre's length in kilometres, {_KM}", ge=0, le=KM_MAX)] = 0.0
    path: Annotated[
        str | None, holds('the NAME of a table [path.NAME], in quotes, such as "far"')
    ] = None
    director: Annotated[
        str | Annotated[dict[_Node, _Director], msgspec.Meta(extra_json_schema=_TWO)] | None,
        holds(
            'the director that leads it, such as "1"; or the one at each node, such as '
            '{ ATLANTA = "1", BOSTON = "2" }'
        ),
    ] = None
    port: Annotated[
        dict[_Node, _Port] | None,
        holds(
            'the port of its director at each node, such as { ATLANTA = "0A", BOSTON = "1B" }', _TWO
        ),
    ] = None


class CtcTable(TomlTable, frozen=True):
    """A table ``[[ctc]]``."""

    fibre: Annotated[str, holds('the NAME of a table [fibre.NAME], in quotes, such as "1"')]
    rdevs: Annotated[
        dict[_Node, _Rdevs],
        holds('device numbers at each node, such as { ATLANTA = "6000", BOSTON = "7000" }', _TWO),
    ]


class SharedChannelTable(TomlTable, frozen=True):
    """A table ``[[shared_channel]]``: chpids of several systems that are one channel."""

    chpid: Annotated[
        dict[_Node, _Chpid],
        holds(
            'the chpid of each system that shares it, such as { ATLANTA = "40", BOSTON = "40" }',
            {"minProperties": 2},
        ),
    ]


_MACHINE: Final = holds('a machine, such as "z16" or { is = "z15 T02", smt = true }')


class CecTable(TomlTable, frozen=True):
    """A table ``[cec.NAME]``: which systems run in one machine."""

    systems: Annotated[
        list[_Node], holds('a list of systems, such as ["ATLANTA", "BOSTON"]', {"minItems": 1})
    ]
    machine: Annotated[str | MachineTable | None, _MACHINE] = None


class MemoryTable(TomlTable, frozen=True):
    """A table ``[memory.SYSTEM]``: what a system has room for."""

    free_gib: Annotated[
        float,
        holds(
            f"GiB of memory for guests that come, a number from 0 to {FREE_GIB_MAX:g}",
            ge=0,
            le=FREE_GIB_MAX,
        ),
    ]
    overcommit: Annotated[
        float,
        holds(
            f"GiB of guests for each GiB of memory, a number above 0, at most {OVERCOMMIT_MAX:g}",
            gt=0,
            le=OVERCOMMIT_MAX,
        ),
    ] = 1.0


class TrafficTable(TomlTable, frozen=True, rename={"source": "from"}):
    """A table ``[[traffic]]``: what runs over a link, from the clients' system to the servers'."""

    source: Annotated[_Node, holds('the system of the clients in quotes, such as "ATLANTA"')]
    to: Annotated[_Node, holds('the system of the servers in quotes, such as "BOSTON"')]
    workload: Annotated[str, holds('a workload in quotes, such as "HL"')]
    pairs: Annotated[int, span("pairs of guests", 1, PAIRS_MAX)]


class OtherLinkTable(TomlTable, frozen=True):
    """A table ``[[other_link]]``: CTCs of a link that is not in the file, on channels that are."""

    nodes: Annotated[
        list[_Node],
        holds(
            'its systems, such as ["CHICAGO", "DALLAS"], or the one whose other end is not known',
            {"minItems": 1, "maxItems": 2},
        ),
    ]
    ctcs: Annotated[
        dict[_Channels, Annotated[int, msgspec.Meta(ge=1, le=OTHER_CTCS_MAX)]],
        holds(
            'CTCs by the channels of the two ends, such as { "ATLANTA:40=BOSTON:50" = 4 }',
            {"minProperties": 1},
        ),
    ]


class DeckTable(TomlTable, frozen=True):
    """A table ``[deck.NAME]``: the IOCP deck that systems were read from."""

    systems: Annotated[
        dict[_Node, str],
        holds(
            'the partition of each system, such as { ATLANTA = "LP01" }, or its CSS and MIF image '
            'id, such as { ATLANTA = "0.1" }',
            {"minProperties": 1},
        ),
    ]
    cards: Annotated[str, holds("the text of the deck, between lines of three apostrophes")]
    ports: Annotated[list[str], holds('ports of its channels, such as ["ATLANTA:50=C1"]')] = []


class IslTable(TomlTable, frozen=True):
    """Inter-switch links of a path."""

    gbps: Gbps
    credits: Annotated[int, span("buffer credits of a port", 1, CREDITS_MAX)]
    count: Annotated[int, span("how many inter-switch links side by side", 1, ISLS_MAX)] = 1


class PathTable(TomlTable, frozen=True):
    """A table ``[path.NAME]``."""

    km: Annotated[float, holds(f"kilometres, {_KM}", ge=0, le=KM_MAX)]
    isl: Annotated[
        IslTable | None,
        holds("inter-switch links, such as { count = 2, gbps = 16, credits = 960 }"),
    ] = None


class Root(TomlTable, frozen=True):
    """A whole file; tables of disks are not checked yet."""

    fibre: Annotated[
        dict[str, FibreTable] | None,
        holds("a table for each FICON path, such as [fibre.1]", {"minProperties": 1}),
    ] = None
    ctc: Annotated[
        list[CtcTable] | None,
        holds("a table for each range of CTCs, headed [[ctc]]", {"minItems": 1}),
    ] = None
    link: Annotated[
        list[LinkTable],
        holds("a table for each logical link, headed [[link]], if there are several"),
    ] = []
    shared_channel: Annotated[
        list[SharedChannelTable],
        holds("a table for each channel that several systems share, headed [[shared_channel]]"),
    ] = []
    cec: Annotated[
        dict[str, CecTable], holds("a table for each machine and its systems, such as [cec.A]")
    ] = {}
    machine: Annotated[
        dict[_Node, str | MachineTable],
        holds('the machine of each system, such as machine = { ATLANTA = "z16" }'),
    ] = {}
    memory: Annotated[
        dict[str, MemoryTable],
        holds("a table for the memory of each system, such as [memory.ATLANTA]"),
    ] = {}
    traffic: Annotated[
        list[TrafficTable], holds("a table for what runs over a link, headed [[traffic]]")
    ] = []
    other_link: Annotated[
        list[OtherLinkTable],
        holds("a table for each link of other systems on the same chpids, headed [[other_link]]"),
    ] = []
    deck: Annotated[
        dict[str, DeckTable], holds("a table for each IOCP deck that is kept, such as [deck.A]")
    ] = {}
    io: Annotated[
        list[dict[str, Any]] | None, holds("a table for each workload of disks, headed [[io]]")
    ] = None
    channel: Annotated[
        dict[str, Any], holds("a table for each channel of disk I/O, such as [channel.42]")
    ] = {}
    path: Annotated[
        dict[str, PathTable],
        holds("a table for each far path of fibres or to storage, such as [path.far]"),
    ] = {}
    system: Annotated[
        dict[str, Any], holds("a table for each system, such as [system.ATLANTA]")
    ] = {}
    card: Annotated[
        dict[str, Any], holds("a table for each card that channels share, such as [card.A]")
    ] = {}
    interconnect: Annotated[
        dict[str, Any],
        holds("a table for each I/O interconnect of cards, such as [interconnect.1]"),
    ] = {}
    fanout: Annotated[
        dict[str, Any], holds("a table for each fanout card, such as [fanout.F]")
    ] = {}


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

_KEPT: Final = ("channel", "path", "card", "interconnect", "fanout", "system", "io")
"""What is written back as it was read, in this order."""


class Document(msgspec.Struct, frozen=True):
    """All that a file says; ``source`` is its name in messages."""

    source: str
    root: Root
    tables: dict[str, Any]
    """The same as it was written."""
    text: str
    """All of it, with its comments."""
    assumed: tuple[Note, ...] = ()
    """What was taken for granted, or left out, of decks or console logs that it was made of."""

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
        return {name: table for name in _KEPT if (table := self.tables.get(name))}


def parse_document(data: bytes | str, source: str) -> Document:
    """The document in ``data``, the content of a file called ``source`` in messages.

    Raises `ConfigurationError` for what no table may hold.
    """
    with within(source):
        content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        tables = checked_toml.decode(content, "a layout")
        for level, what in _NAMED.items():
            for name in tables[level] if isinstance(tables.get(level), dict) else ():
                checked_toml.check_table_name(f"[{level}.{show_key(name)}]", name, what)
        root = checked_toml.convert(tables, Root, "")
        return Document(source, root, tables, checked_toml.text_of(content, "TOML"))
