"""What a kept deck would not allow: rules for the channels and control units of a link's CTCs."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ctc.address import ChpidId, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.layout.rules.rule import Broken, Judged, RuleBook, Untried

if TYPE_CHECKING:
    from isfc.deck.deck import DeckSystem

DECK_RULES: Final = RuleBook()
"""In the order in which they are listed."""

CONTROL_UNITS_MAX: Final = 256
"""On a channel path of TYPE=FC. Published: IBM, IOCP messages, ICP235I."""

_REASON: Final = "IOCP makes no IOCDS of such a deck."
_UNTRIED: Final = Untried("it is about what a deck may say, not about what is carried")


def _ends(judged: Judged) -> "Iterator[tuple[DeckSystem, int]]":
    """The systems of a link whose decks are kept, each with its end."""
    if judged.collection is not None and judged.collection.decks:
        from isfc.deck.kept import kept_systems  # most files keep no deck

        systems = kept_systems(judged.collection)
        ends = enumerate(judged.layout.nodes)
        yield from ((systems[node], end) for end, node in ends if node in systems)


@DECK_RULES.rule(
    "unit-address-twice",
    "Two devices have one unit address of a control unit.",
    _REASON,
    "IBM, IOCP messages, ICP352I",
    "Give one of them another, at both ends.",
    _UNTRIED,
)
def _unit_address_twice(judged: Judged) -> Iterator[Broken]:
    for system, end in _ends(judged):
        used = {ctc.rdevs[end] for ctc in judged.layout.ctcs}
        found = grouped(
            ((device.control_unit.number, device.unit_address), device)
            for device in system.deck.devices
            if system.css in device.control_unit.paths
        )
        for (unit, address), devices in found.items():
            named = {
                device.rdev: f"{format_rdev(device.rdev)} ({device.place})" for device in devices
            }
            if len(named) > 1 and used & {*named}:
                yield Broken(
                    f"{system.node}: {' and '.join(named.values())} have unit address "
                    f"{address:02X} of control unit {unit:04X}."
                )


@DECK_RULES.rule(
    "chpid-not-of-system",
    "A chpid is no FICON channel, or not for the system.",
    "A system uses chpids in whose access or candidate list it is.",
    "IBM, IOCP User's Guide, CHPID",
    "Use another chpid, or change this one in the deck.",
    _UNTRIED,
)
def _chpid_not_of_system(judged: Judged) -> Iterator[Broken]:
    for system, end in _ends(judged):
        for fibre in judged.layout.fibres:
            channel = system.deck.channels.get((system.css, fibre.chpids[end]))
            if channel and (problem := system.refused(channel)):
                yield Broken(f"{system.node}: {problem} ({channel.place}).", fibres=(fibre,))


@DECK_RULES.rule(
    "control-units-many",
    f"A chpid has more than {CONTROL_UNITS_MAX} control units.",
    _REASON,
    "IBM, IOCP messages, ICP235I; for logical paths none was found",
    "Put CTCs on another chpid.",
    _UNTRIED,
)
def _control_units_many(judged: Judged) -> Iterator[Broken]:
    for system, end in _ends(judged):
        units = Counter(_units(system))
        for fibre in judged.layout.fibres:
            if (count := units[fibre.chpids[end]]) > CONTROL_UNITS_MAX:
                chpid = format_chpid(fibre.chpids[end])
                yield Broken(f"{system.node}: {chpid} has {count} control units.", fibres=(fibre,))


def _units(system: "DeckSystem") -> Iterator[ChpidId]:
    """The chpid of each control unit, as often as it has some."""
    from isfc.deck.numbers import chpids_of  # see above

    yield from (path.channel.chpid for path in system.paths)
    for each in system.deck.passed_over:
        if each.statement.operation == "CNTLUNIT":
            with suppress(ConfigurationError):
                yield from chpids_of(each, system.css)
