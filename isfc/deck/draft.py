"""A deck that is being brought up to date: its devices and who may use them, and its text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from textwrap import wrap
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev, format_rdev
from isfc.deck.card import CONTINUED_COLUMN, CONTINUED_START, Statement, apart, read_cards
from isfc.deck.deck import FICON, Access, Channel, ControlUnit, CuPath
from isfc.deck.kept import read_kept
from isfc.deck.operand import operand_texts
from isfc.deck.place import Place
from isfc.errors.in_words import grouped, ranges, runs
from isfc.layout.layout import first_free
from isfc.layout.parts import KeptDeck
from isfc.link.name import NodeName

_PIECE: Final = re.compile(r"(?:'[^']*'|[^',])*,?")
"""What may stand on a card of its own: text up to a comma outside quotes."""


def restated(statement: Statement, changes: Mapping[str, str | None]) -> list[str]:
    """The cards of a statement, with the values of some keywords; None leaves a keyword out.

    A keyword that it does not have is put last.
    """
    texts = operand_texts(statement)
    texts |= {keyword: f"{keyword}={value}" if value else "" for keyword, value in changes.items()}
    return cards(statement.operation, ",".join(filter(None, texts.values())))


def cards(operation: str, operands: str) -> list[str]:
    """A statement on as many cards as it takes, with a mark in column 72 where it goes on."""
    made: list[str] = []
    card = f" {operation} "
    for piece in _PIECE.findall(operands):
        if len(card) + len(piece) >= CONTINUED_COLUMN and card.strip() != operation:
            made.append(f"{card.ljust(CONTINUED_COLUMN - 1)}*")
            card = " " * CONTINUED_START
        card += piece
    return [*made, card]


def remark(text: str) -> list[str]:
    """A comment on cards of its own; none of them reaches column 72."""
    return wrap(
        f"* isfc: {text}",
        CONTINUED_COLUMN - 1,
        subsequent_indent="*   ",
        break_long_words=False,
        break_on_hyphens=False,
    )


_UNITS: Final = 0xFFFF
"""CUNUMBR is less (published: IOCP User's Guide)."""

Image = tuple[int, str]
"""A partition, by CSS and name."""


class DraftDevice(Struct, eq=False):
    """A device, the line of its statement (0 if it is new), and the partitions that may use it.

    ``given`` are those that may as the deck was.
    """

    unit: int
    address: int
    rdev: Rdev
    line: int
    given: frozenset[Image]
    admitted: set[Image]


class Draft:
    """A kept deck, what is to be changed in it, and the text that says so."""

    def __init__(self, kept: KeptDeck) -> None:
        self.name = kept.name
        self._lines = kept.cards.split("\n")
        self.deck, self.systems = read_kept(kept)
        self._statements = {
            card.place.line: card
            for card in read_cards(kept.cards, self.deck.file)
            if isinstance(card, Statement)
        }
        partitions = [*self.deck.partitions.values()]
        partitions += [system.partition for system in self.systems.values()]
        images = self._images = {(each.css, each.name) for each in partitions}
        self.devices: list[DraftDevice] = []
        for device in self.deck.devices:
            unit = device.control_unit
            may = {
                (css, name)
                for css, name in images
                if css in unit.paths and device.access.admits(name, css)
            }
            numbers = unit.number, device.unit_address, device.rdev
            self.devices.append(DraftDevice(*numbers, device.place.line, frozenset(may), may))
        self._channels, self._units = {*self.deck.channels}, {**self.deck.control_units}
        self.is_bare = not self._channels
        self.hints: list[str] = []

    def channel(self, node: NodeName, chpid: ChpidId, switch: str | None) -> Channel:
        """The channel that a chpid of a system is; one that the deck does not have is added.

        Raises `ConfigurationError` for one that is no FICON channel, or not for the system.
        """
        partition = self.systems[node].partition
        known = self.deck.channels.get((partition.css, chpid))
        if known is None:
            place = Place(self.name, len(self._lines))
            known = Channel(chpid, FICON, (partition.css,), switch, True, Access({}, {}), place)
            self.deck.channels[partition.css, chpid] = known
        elif problem := self.systems[node].refused(known):
            expected = f"another chpid for {node}, or this one changed in the deck"
            raise known.place.error(problem, expected)
        return known

    def named(self, node: NodeName) -> NodeName | None:
        """What to call a system in a comment: nothing if all are of one channel subsystem."""
        csss = {system.css for system in self.systems.values()}
        return node if len(csss) > 1 else None

    def is_new(self, channel: Channel) -> bool:
        """Whether the deck did not have a channel."""
        return all((css, channel.chpid) not in self._channels for css in channel.csss)

    def links(self, channel: Channel) -> set[str]:
        """The link addresses that control units of a channel have by now."""
        return {
            path.link
            for unit in self.deck.control_units.values()
            for paths in unit.paths.values()
            for path in paths
            if path.channel is channel and path.link
        }

    def unit(
        self, css: int, channel: Channel, links: Sequence[str | None], cuadds: Sequence[int]
    ) -> ControlUnit | None:
        """The control unit of a channel that has one of some link addresses and CUADDs."""
        for unit in self.deck.control_units.values():
            paths = unit.paths.get(css, ())
            leads = len(paths) == 1 and paths[0].channel is channel and paths[0].link in links
            if leads and unit.cuadd in cuadds:
                return unit
        return None

    def add_unit(
        self, css: int, channel: Channel, link: str | None, cuadd: int, rdev: Rdev
    ) -> ControlUnit:
        """A new control unit, numbered as its first device or by the next number that is free."""
        number = first_free(rdev, _UNITS, {*self.deck.control_units, *self.deck.others})
        place = Place(self.name, len(self._lines))
        unit = ControlUnit(number, {css: (CuPath(channel, link),)}, cuadd, (), place)
        self.deck.control_units[number] = unit
        return unit

    def device(self, unit: ControlUnit, rdev: Rdev, image: Image) -> DraftDevice | None:
        """The device of a control unit that a partition knows by a number."""
        for each in self.devices:
            if each.unit == unit.number and each.rdev == rdev and image in each.admitted:
                return each
        return None

    def is_free(self, unit: ControlUnit, address: int, rdev: Rdev, image: Image) -> bool:
        """Whether a partition can have a device at a unit address: nobody has another there."""
        return not any(
            each.admitted and (each.rdev != rdev or image in each.admitted)
            for each in self.devices
            if (each.unit, each.address) == (unit.number, address)
        )

    def bar(self, rdev: Rdev, image: Image) -> None:
        """Take from a partition what it has under a device number."""
        for each in self.devices:
            if each.rdev == rdev:
                each.admitted.discard(image)

    def admit(self, unit: ControlUnit, address: int, rdev: Rdev, image: Image) -> None:
        """Give a partition the device at a unit address, which is made if there is none."""
        for each in self.devices:
            if (each.unit, each.address, each.rdev) == (unit.number, address, rdev):
                each.admitted.add(image)
                break
        else:
            made = DraftDevice(unit.number, address, rdev, 0, frozenset(), {image})
            self.devices.append(made)
        if not unit.recognizes(address):
            wider = replace(unit, unit_addresses=tuple(ranges({*unit.recognized, address})))
            self.deck.control_units[unit.number] = wider

    def text(self) -> str:
        """The deck, the cards of what did not change as they were, and new ones behind the last."""
        lines = list(self._lines)
        last = max((card.last_line for card in self._statements.values()), default=0)
        lines[last:last] = self._added()
        changed = {each.line for each in self.devices if each.line and each.admitted != each.given}
        units = self.deck.control_units
        changed |= {each.place.line for n, each in self._units.items() if units[n] is not each}
        for line in sorted(changed, reverse=True):
            statement = self._statements[line]
            made = self._unit_again if statement.operation == "CNTLUNIT" else self._devices_again
            lines[line - 1 : statement.last_line] = made(statement)
        return "\n".join(lines)

    @property
    def _names_css(self) -> bool:
        """Whether statements of the deck name channel subsystems."""
        return not self._statements or any(
            "CSS(" in card.operands.upper() for card in self._statements.values()
        )

    def _by_css(self, groups: Mapping[int, Sequence[str]]) -> str:
        """Values as in ``((CSS(0),A,B),(CSS(1),C))``; ``(A,B)`` in a deck that names no CSS."""
        if not self._names_css:
            return f"({','.join(chain(*groups.values()))})"
        parts = (f"(CSS({css}),{','.join(values)})" for css, values in sorted(groups.items()))
        return f"({','.join(parts)})"

    def _added(self) -> Iterator[str]:
        """New statements, channels first, with remarks unless the whole deck is new."""
        remarked = (lambda _: ()) if self.is_bare else remark
        yield from apart(self.hints)
        for channel in filter(self.is_new, self.deck.channels.values()):
            (css,) = channel.csss
            yield from remarked(f"new CHPID {channel}; its PCHID is still to be assigned")
            path = f"(CSS({css}),{channel})" if self._names_css else f"({channel})"
            switch = f",SWITCH={channel.switch}" if channel.switch else ""
            yield from cards("CHPID", f"PATH={path},SHARED{switch},TYPE={FICON}")
        units = {each.unit for each in self.devices if each.line == 0 and each.admitted}
        for number, unit in self.deck.control_units.items():
            if number not in units:
                continue
            if number in self._units:
                yield from remarked(f"new devices of control unit {number:04X}")
            else:
                yield from remarked(f"new control unit {number:04X} and its devices")
                yield from self._new_unit(unit)
            mine = [each for each in self.devices if each.unit == number and each.line == 0]
            for run in _runs(mine):
                yield from self._new_devices(unit, run)

    def _new_unit(self, unit: ControlUnit) -> list[str]:
        ((css, (path,)),) = unit.paths.items()
        link = f",LINK={self._by_css({css: [path.link]})}" if path.link else ""
        return cards(
            "CNTLUNIT",
            f"CUNUMBR={unit.number:04X},PATH={self._by_css({css: [str(path.channel)]})}{link},"
            f"CUADD={unit.cuadd:X},UNITADD={_unit_addresses(unit)},UNIT=FCTC",
        )

    def _new_devices(self, unit: ControlUnit, run: Sequence[DraftDevice]) -> list[str]:
        every = {image for image in self._images if image[0] in unit.paths}
        part = "" if run[0].admitted == every else f",PARTITION={self._access(run[0])}"
        return cards(
            "IODEVICE",
            f"ADDRESS=({format_rdev(run[0].rdev)},{len(run):03d}),CUNUMBR=({unit.number:04X}),"
            f"UNITADD={run[0].address:02X},STADET=Y{part},UNIT=FCTC",
        )

    def _access(self, device: DraftDevice) -> str:
        return self._by_css(grouped(sorted(device.admitted)))

    def _unit_again(self, statement: Statement) -> Iterator[str]:
        (number,) = (
            n for n, each in self._units.items() if each.place.line == statement.place.line
        )
        yield from remark("changed: UNITADD")
        unit = self.deck.control_units[number]
        yield from restated(statement, {"UNITADD": _unit_addresses(unit)})

    def _devices_again(self, statement: Statement) -> Iterator[str]:
        mine = [each for each in self.devices if each.line == statement.place.line]
        numbers = f"{format_rdev(mine[0].rdev)}-{format_rdev(mine[-1].rdev)}"
        left = [each for each in mine if each.admitted]
        yield from remark(f"{'changed' if left else 'removed'}: devices {numbers}")
        for run in _runs(left):
            access: dict[str, str | None] = {}
            if run[0].admitted != run[0].given:
                access = dict.fromkeys(("PART", "PARTITION", "NOTPART"))
                access["PARTITION"] = self._access(run[0])
            yield from restated(
                statement,
                {
                    "ADDRESS": f"({format_rdev(run[0].rdev)},{len(run):03d})",
                    "UNITADD": f"{run[0].address:02X}",
                    **access,
                },
            )


def _unit_addresses(unit: ControlUnit) -> str:
    return f"({','.join(f'({first:02X},{count:03d})' for first, count in unit.unit_addresses)})"


def _runs(devices: Sequence[DraftDevice]) -> Iterator[list[DraftDevice]]:
    """Devices whose numbers and unit addresses go on, of the same partitions."""
    ordered = sorted(devices, key=lambda device: (device.rdev, device.address))
    return runs(
        ordered,
        lambda last, each: (
            (each.rdev, each.address, each.admitted, each.given)
            == (last.rdev + 1, last.address + 1, last.admitted, last.given)
        ),
    )
