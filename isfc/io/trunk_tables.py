"""Cards, I/O interconnects and fanouts of an I/O configuration: which channels share them.

::

    [channel.42]
    feature = "FICON Express16SA"
    card = "A"                      # two channels on each

    [card.A]
    interconnect = "1"              # a PCIe interconnect leads to eight cards: an I/O domain

    [interconnect.1]
    fanout = "F"                    # a fanout to two interconnects

    [fanout.F]
    gb_per_s = 50                   # both ways together, if not as published
    gb_per_s_one_way = 40

Each table may be empty: then what was published holds (`isfc.io.bandwidth`), for as many channels,
cards and interconnects as were published with it. GB are 10**9 bytes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from isfc.errors import ConfigurationError
from isfc.io.bandwidth import (
    CARD,
    CARDS_OF_INTERCONNECT,
    CHANNELS_OF_CARD,
    FANOUT,
    INTERCONNECT,
    INTERCONNECTS_OF_FANOUT,
    Ceiling,
)
from isfc.io.configuration import Trunk
from isfc.layout.checked_toml import convert, show_key

_GB_MIN: Final = 0.001
_GB_MAX: Final = 10_000.0
"""What nobody has: beyond these, a figure is a slip."""

_Gb = Annotated[float, Meta(ge=_GB_MIN, le=_GB_MAX)]


class _CardTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    interconnect: str | None = None
    gb_per_s: _Gb | None = None
    gb_per_s_one_way: _Gb | None = None


class _InterconnectTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fanout: str | None = None
    gb_per_s: _Gb | None = None
    gb_per_s_one_way: _Gb | None = None


class _FanoutTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    gb_per_s: _Gb | None = None
    gb_per_s_one_way: _Gb | None = None


_FIGURES: Final = {
    "gb_per_s": f"GB/s both ways together, a number from {_GB_MIN:g} to {_GB_MAX:g}",
    "gb_per_s_one_way": f"GB/s either way, a number from {_GB_MIN:g} to {_GB_MAX:g}",
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """One level: its table, the key that leads up from it, and how much is below it, as published.

    ``below`` says what that is, in the words of an error message.
    """

    ceiling: Ceiling
    table: type[_CardTable] | type[_InterconnectTable] | type[_FanoutTable]
    up: str | None
    below: str
    below_max: int

    @property
    def expected(self) -> Mapping[str, str]:
        """What may stand in the table."""
        if self.up is None:
            return _FIGURES
        return {self.up: f"the NAME of a table [{self.up}.NAME], in quotes", **_FIGURES}


_KINDS: Final = (
    _Kind(CARD, _CardTable, "interconnect", "channels", CHANNELS_OF_CARD),
    _Kind(INTERCONNECT, _InterconnectTable, "fanout", "cards", CARDS_OF_INTERCONNECT),
    _Kind(FANOUT, _FanoutTable, None, "interconnects", INTERCONNECTS_OF_FANOUT),
)
"""From the channel up."""

Tables = Mapping[str, Mapping[str, Any]]
"""The tables of each level, by level and name."""


def read_trunks(tables: Tables, cards: Mapping[str, str]) -> tuple[Trunk, ...]:
    """The trunks of a file, those without channels left out; ``cards`` has the card of each chpid.

    Raises `ConfigurationError` for a bad table, a name that has none, or too much below one.
    """
    return tuple(_trunks(tables, cards))


def _trunks(tables: Tables, cards: Mapping[str, str]) -> Iterator[Trunk]:
    parents: Mapping[str, str] = cards
    places = {chpid: f"[channel.{show_key(chpid)}]" for chpid in cards}
    above: dict[str, str] = dict(cards)
    for kind in _KINDS:
        level = kind.ceiling.level
        known = {
            name: convert(value, kind.table, f"[{level}.{show_key(name)}]", kind.expected)
            for name, value in tables[level].items()
        }
        for child, name in parents.items():
            if name not in known:
                raise ConfigurationError(
                    f"{places[child]} {level}: there is no [{level}.{show_key(name)}]; expected "
                    f"one of {_listed(known, level)}"
                )
        found: dict[str, str] = {}
        for name, table in known.items():
            children = sum(parent == name for parent in parents.values())
            if children > kind.below_max and not (table.gb_per_s or table.gb_per_s_one_way):
                raise ConfigurationError(
                    f"[{level}.{show_key(name)}]: has {children} {kind.below}; "
                    f"expected {kind.below_max} at most, "
                    "for which its ceilings were published, or gb_per_s of its own"
                )
            channels = tuple(chpid for chpid, at in above.items() if at == name)
            if channels:
                yield Trunk(name, _ceiling(kind.ceiling, table), channels)
            up = getattr(table, kind.up) if kind.up else None
            if up is not None:
                found[name] = up
        places = {name: f"[{level}.{show_key(name)}]" for name in found}
        above = {chpid: found[at] for chpid, at in above.items() if at in found}
        parents = found


def _ceiling(published: Ceiling, table: _CardTable | _InterconnectTable | _FanoutTable) -> Ceiling:
    one_way, both = table.gb_per_s_one_way, table.gb_per_s
    return Ceiling(
        published.level,
        published.one_way_mb_per_s if one_way is None else 1e3 * one_way,
        published.mb_per_s if both is None else 1e3 * both,
    )


def _listed(known: Mapping[str, Any], level: str) -> str:
    return ", ".join(map(show_key, known)) or f"the tables [{level}.NAME], of which there is none"
