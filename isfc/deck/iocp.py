"""An IOCP deck: partitions, channel paths, FCTC control units and their devices.

What is said of other devices is passed over. Where IBM's manuals could not be had, the reading
is general knowledge, and said to be so.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from ctc.address import RDEV_MAX, Rdev, format_chpid, format_rdev, parse_chpid, parse_rdev
from isfc.deck import written
from isfc.deck.card import CONTINUED_COLUMN, CardNote, CommentCard, Statement, read_cards
from isfc.deck.card_image import plain_cards
from isfc.deck.deck import Access, Channel, ControlUnit, CuPath, Deck, Device, Partition
from isfc.deck.operand import OperandList, OperandWord, StatementOperands, Value, by_css, words_of
from isfc.deck.place import shown
from isfc.errors import ConfigurationError
from isfc.errors.in_words import counted
from isfc.layout.layers import Plain, named_layers
from isfc.layout.source_kind import foreign_text

_T = TypeVar("_T")

FCTC: Final = "FCTC"
"""UNIT of CTCs of FICON."""
_ESCON_CTCS: Final = ("SCTC", "CNC", "BCTC", "CTC", "3088")
"""UNIT of CTCs that are not of FICON."""

_HCD: Final = "$HCDC$"
_HCD_KEYWORDS: Final = ("SWPORT", "SERIAL", "DESC")
"""What HCD writes of a statement behind it, in comments that begin with ``*$HCDC$`` (published that
such comments mean something to HCD; which keywords there are is general knowledge)."""

_RDEVS: Final = "a device number and a decimal count, such as (4010,8)"


def parse_deck(text: str, file: str) -> Deck:
    """Read the deck in ``text``; raise `ConfigurationError` with line and column otherwise.

    CHPID statements may stand behind the CNTLUNIT statements that name them, and so on.
    """
    pasted = plain_cards(text, file)
    try:
        return _read(pasted, file)
    except ConfigurationError as error:
        if what := foreign_text(pasted.text, "import iocp"):
            raise ConfigurationError(f"{file}: is {what}") from None
        causes = [f"{error}", *named_layers(pasted.text)]
        raise ConfigurationError("; ".join(causes)) from None


def _read(pasted: Plain, file: str) -> Deck:
    deck = Deck(file, pasted.text, account=pasted.account)
    operands: dict[str, list[StatementOperands]] = {key: [] for key in _READERS}
    last: StatementOperands | None = None
    for card in read_cards(pasted, file):
        if isinstance(card, CommentCard):
            deck.remarks.append(card)
            _add_hcd_keywords(deck, last, card)
        elif isinstance(card, CardNote):
            deck.notices.append(card)
        else:
            last = StatementOperands.of(card)
            operands[card.operation].append(last)
    for operation, read in _READERS.items():
        for each in operands[operation]:
            read(deck, each)
    deck.notices += _of_escon(deck)
    return deck


def _add_hcd_keywords(deck: Deck, statement: StatementOperands | None, remark: CommentCard) -> None:
    """Add what HCD says of the statement before in a comment: SWPORT, SERIAL and DESC."""
    if statement is None or not remark.text.startswith(_HCD):
        return
    text = remark.text[len(_HCD) : CONTINUED_COLUMN - 2].strip().rstrip(",")
    try:
        said = StatementOperands.of(Statement("*$HCDC$", remark.place, text, ((0, remark.place),)))
    except ConfigurationError:
        deck.notices.append(CardNote(remark.place, "*$HCDC$ cannot be read, and is passed over"))
        return
    for keyword in _HCD_KEYWORDS:
        if keyword in said.values:
            statement.values.setdefault(keyword, said.values[keyword])


def _hcd_text(operands: StatementOperands, keyword: str) -> str:
    return " ".join(word.text for word in operands.words(keyword)).strip()


def _swport(operands: StatementOperands) -> tuple[str, str] | None:
    """The switch and the port that SWPORT=((61,C0)) names, if it does."""
    words = operands.words("SWPORT")
    if len(words) != 2:
        return None
    port = words[1].read(written.parse_link, "CHPID SWPORT", "a switch and its port, as ((61,C0))")
    return words[0].text, port[-2:]


def _of_escon(deck: Deck) -> Iterator[CardNote]:
    """That there are CTCs of another kind, which are passed over."""
    units = ((number, kind) for number, kind in deck.others.items() if kind)
    named = ", ".join(f"{number:04X} {kind}" for number, kind in units)
    for place in dict.fromkeys(deck.escon):
        yield CardNote(
            place,
            f"passed over: {counted(len(deck.escon), 'ESCON CTC')} (control units {named}): "
            "ISFC links are read of UNIT=FCTC",
        )


def _read_resource(deck: Deck, operands: StatementOperands) -> None:
    value = operands.get("PARTITION", "PART")
    if value is None:
        return
    for csss, items in by_css(value):
        css = _css(csss[0]) if csss else 0
        if items and isinstance(items[0], OperandWord):  # PART=(LP1,1), or a list without numbers
            last = items[-1]
            if len(items) == 2 and isinstance(last, OperandWord) and last.text in written.MIF_IDS:
                items = (OperandList("", items, items[0].place),)
        for item in items:
            words = tuple(words_of(item))
            name = words[0]
            if name.text == "*":  # reserved: no name yet
                continue
            mif = (
                words[1].read(written.to_mif, "RESOURCE: MIF image id", "1 to F")
                if words[1:]
                else None
            )
            known_as = name.read(
                written.to_node, "RESOURCE: partition", "a name of 1 to 8 characters"
            )
            partition = Partition(known_as, css, mif, name.place)
            known = deck.partitions.setdefault(partition.name, partition)
            if known is not partition:
                raise name.place.error(
                    f"RESOURCE: {shown(name.text)} is already in line {known.place.line}",
                    "each partition once",
                )


def _read_chpid(deck: Deck, operands: StatementOperands) -> None:
    value = operands.need("PATH", "50 or PATH=(CSS(0),50)")
    director = operands.text("SWITCH", "one switch id, such as 01")
    kind = operands.text("TYPE", "one type, such as FC").upper()
    access = Access.of(operands)
    swport = _swport(operands)
    if "SWITCH" not in operands.values and swport:
        director = swport[0]
    named = "SWITCH" in operands.values or swport is not None
    shared = "SHARED" in operands.values or access.shares
    if "TYPE" not in operands.values:
        none = "CHPID has no TYPE, which IOCP requires: it is taken for TYPE=FC"
        deck.notices.append(CardNote(operands.statement.place, none))
    for css_words, items in by_css(value):
        csss = tuple(_css(word) for word in css_words) or (0,)
        for item in items:
            for word in words_of(item):
                chpid = word.read(parse_chpid, "CHPID PATH", "a chpid of 1 or 2 hex digits")
                channel = Channel(
                    chpid=chpid,
                    kind=kind,
                    csss=csss,
                    switch=(director.upper().lstrip("0") or "0") if named else None,
                    shared=shared or len(csss) > 1,
                    access=access.of_shared_channel() if shared or len(csss) > 1 else access,
                    place=word.place,
                    port=swport[1] if swport else None,
                    desc=_hcd_text(operands, "DESC"),
                )
                for css in csss:
                    known = deck.channels.setdefault((css, chpid), channel)
                    if known is not channel:
                        raise word.place.error(
                            f"CHPID {channel} in CSS {css} is already in line {known.place.line}",
                            "each channel path once",
                        )


def _read_cntlunit(deck: Deck, operands: StatementOperands) -> None:
    operands.need("CUNUMBR", "4010")
    one = "one number, such as 4010"
    number = operands.read("CUNUMBR", parse_rdev, "1 to 4 hex digits", one)
    assert number is not None, "it is needed"
    place = operands.statement.place
    known = deck.control_units.get(number)
    if known or number in deck.others:
        at = f" in line {known.place.line}" if known else ""
        raise place.error(f"CNTLUNIT {number:04X} is already there{at}", "each CUNUMBR once")
    kind = operands.text("UNIT", "one type, such as FCTC").upper()
    if kind != FCTC:
        deck.others[number] = _on_chpids(deck, operands, kind) if kind in _ESCON_CTCS else ""
        deck.passed_over.append(operands)
        return
    one = "one image, such as 1 or 12"
    deck.control_units[number] = ControlUnit(
        number=number,
        paths=_paths(deck, operands),
        cuadd=operands.read("CUADD", written.to_byte, "1 or 2 hex digits", one) or 0,
        unit_addresses=tuple(_ranges(operands.need("UNITADD", "((00,8))"))),
        place=place,
        serial=_hcd_text(operands, "SERIAL"),
        desc=_hcd_text(operands, "DESC"),
    )


def _on_chpids(deck: Deck, operands: StatementOperands, kind: str) -> str:
    """What an ESCON CTC is, and the chpids that it is on, as far as they are known."""
    value = operands.get("PATH")
    words = [] if value is None else [word for _, each in by_single_css(value) for word in each]
    chpids = {word.text.upper() for word in words}
    known = {str(channel): channel.kind for channel in deck.channels.values()}
    on = ", ".join(f"{chpid} {known.get(chpid, '')}".strip() for chpid in sorted(chpids))
    return f"UNIT={kind}" + (f" on chpid {on}" if on else "")


def _paths(deck: Deck, operands: StatementOperands) -> dict[int, tuple[CuPath, ...]]:
    """The paths of a control unit, with the links that stand in the same positions."""
    links = operands.get("LINK")
    named = {} if links is None else dict(by_single_css(links))
    paths: dict[int, tuple[CuPath, ...]] = {}
    for css, words in by_single_css(operands.need("PATH", "50 or PATH=((CSS(0),50))")):
        here = named.get(css, ())
        if here and len(here) != len(words):
            raise here[0].place.error(
                f"CNTLUNIT LINK has {len(here)} link addresses for {len(words)} paths",
                "as many as PATH has",
            )
        found = []
        for index, word in enumerate(words):
            chpid = word.read(parse_chpid, "CNTLUNIT PATH", "a chpid of 1 or 2 hex digits")
            channel = deck.channels.get((css, chpid))
            if channel is None:
                raise word.place.error(
                    f"CNTLUNIT PATH: there is no CHPID {format_chpid(chpid)} in CSS {css}",
                    "the chpid of a CHPID statement",
                )
            link = here[index].read(written.to_far_port, "CNTLUNIT LINK", _LINK) if here else None
            found.append(CuPath(channel, link))
        paths[css] = tuple(found)
    for css, words in named.items():
        if css not in paths:
            raise words[0].place.error(f"CNTLUNIT LINK: PATH has nothing in CSS {css}", "its paths")
    return paths


def _read_iodevice(deck: Deck, operands: StatementOperands) -> None:
    number_words = operands.words("CUNUMBR")
    numbers = [
        word.read(parse_rdev, "IODEVICE CUNUMBR", "control unit numbers, such as (4010)")
        for word in number_words
    ]
    kind = operands.text("UNIT", "one type, such as FCTC").upper()
    units = [deck.control_units[number] for number in numbers if number in deck.control_units]
    if not units and kind != FCTC:
        if any(deck.others.get(number) for number in numbers):
            _, count = read_address(operands.need("ADDRESS", "(4010,8)"))
            deck.escon.extend([operands.statement.place] * count)
        deck.passed_over.append(operands)
        return
    for word, number in zip(number_words, numbers, strict=True):
        if number not in deck.control_units:
            problem = "is no FCTC" if number in deck.others else "is not in this deck"
            raise word.place.error(
                f"IODEVICE CUNUMBR: control unit {format_rdev(number)} {problem}",
                "the CUNUMBR of a CNTLUNIT statement with UNIT=FCTC",
            )
    if not units:
        operands.need("CUNUMBR", "4010")
    rdev, count = read_address(operands.need("ADDRESS", "(4010,8)"))
    one = "one unit address, such as 00"
    address = operands.read("UNITADD", written.to_byte, "1 or 2 hex digits", one)
    first = rdev & written.UNIT_ADDRESS_MAX if address is None else address
    if first + count - 1 > written.UNIT_ADDRESS_MAX:
        raise operands.statement.place.error(
            f"IODEVICE {format_rdev(rdev)}: its last unit address is {first + count - 1:X}",
            "unit addresses up to FF",
        )
    access, place = Access.of(operands), operands.statement.place
    unit, *others = units
    devices = (
        Device(Rdev(rdev + n), first + n, unit, access, place, tuple(others)) for n in range(count)
    )
    deck.add(devices, place)


_READERS: Final = {
    "RESOURCE": _read_resource,
    "CHPID": _read_chpid,
    "CNTLUNIT": _read_cntlunit,
    "IODEVICE": _read_iodevice,
}
"""What reads each statement, in the order in which they need each other."""

_LINK: Final = "a link address of 2 or 4 hex digits, such as C1 or 61C1, or as many asterisks"


def by_single_css(value: Value) -> Iterator[tuple[int, tuple[OperandWord, ...]]]:
    """The words of ``value`` by CSS; without a CSS form, those of CSS 0."""
    for csss, items in by_css(value):
        words = tuple(word for item in items for word in words_of(item))
        for css in [_css(word) for word in csss] or [0]:
            yield css, words


def read_address(value: Value) -> tuple[Rdev, int]:
    """The first device number and the count of ``ADDRESS=(4010,8)``."""
    rdev, count = _first_and_count(value, "IODEVICE ADDRESS", written.to_rdev, _RDEVS)
    if rdev + count - 1 > RDEV_MAX:
        raise value.place.error("IODEVICE ADDRESS goes beyond FFFF", _RDEVS)
    return rdev, count


def _ranges(value: Value) -> Iterator[tuple[int, int]]:
    """The unit addresses of a control unit, as (first, count)."""
    expected = "a first unit address and a decimal count, such as ((00,8))"
    several = isinstance(value, OperandList) and any(
        isinstance(item, OperandList) for item in value.items
    )
    for item in value.items if isinstance(value, OperandList) and several else (value,):
        yield _first_and_count(item, "CNTLUNIT UNITADD", written.to_byte, expected)


def _first_and_count(
    value: Value, what: str, first: Callable[[str], _T], expected: str
) -> tuple[_T, int]:
    """A number, and how many there are from it on: one where that is not said."""
    words = list(words_of(value))
    if not 1 <= len(words) <= 2:
        raise value.place.error(f"{what} has {len(words)} values", expected)
    begin = words[0].read(first, what, expected)
    return begin, words[1].read(written.to_count, f"{what}: count", expected) if words[1:] else 1


def _css(word: OperandWord) -> int:
    return word.read(written.to_css, "CSS", "0 to 5")
