"""Entry ports: z/OS's answer to ``D M=CU(xxxx)``, message IEE174I, which has what decks lack.

A block for each control unit: its chpids, and below each the link address of the far port, which
the deck has too, and the entry link address, the port that the channel itself sits on. The form of
the lines is published (z/OS MVS System Messages, IEE174I form 22).
"""

import re
from collections.abc import Iterator
from typing import Final

from ctc.address import format_chpid, parse_chpid
from isfc.deck.number import parse_link
from isfc.deck.partition import DeckSystem
from isfc.deck.place import Place, lines_of

_LABEL: Final = re.compile(
    r"\b(CONTROL UNIT|CHP|DEST LINK ADDRESS|ENTRY LINK ADDRESS)((?: +[0-9A-F.*-]{2,5})+) *$"
)
_LABELLED: Final = re.compile(r"\b(?:CONTROL UNIT|DEST LINK|ENTRY LINK|LINK ADDRESS)\b")
_UNKNOWN: Final = re.compile(r"[.*-]{2,4}")

_Said = dict[str, tuple[list[str], Place]]


def entry_ports(text: str, file: str, system: DeckSystem) -> list[str]:
    """The ports of a system's chpids, as ``--ports`` takes them: ``ATLANTA:50=61C0``.

    Control units that are no FCTC of its deck are passed over. Raises `ConfigurationError` for what
    cannot be read, for what the deck or another line contradicts, and if nothing is left.
    """
    found: dict[str, tuple[str, Place]] = {}
    for block in _blocks(text, file):
        for chpid, port, place in _ports(block, system):
            known, before = found.setdefault(chpid, (port, place))
            if known != port:
                raise place.error(
                    f"chpid {chpid} has entry link address {port} here, and {known} in line "
                    f"{before.line}",
                    "one of them",
                )
    if not found:
        raise Place(file, 1).error(
            f"there is no entry link address of a CTC of {system.node}",
            "what D M=CU(4010) shows, with a control unit of its deck",
        )
    return [f"{system.node}:{chpid}={port}" for chpid, (port, _) in found.items()]


def _blocks(text: str, file: str) -> Iterator[_Said]:
    """What is said of each control unit, by its label."""
    said: _Said = {}
    for number, raw in enumerate(lines_of(text), start=1):
        line, place = " ".join(raw.upper().split()), Place(file, number)
        row = _LABEL.search(line)
        if row is None:
            if _LABELLED.search(line) and "INELIGIBLE" not in line and "D M=" not in line:
                raise place.error(f"{line[:40]!r} cannot be read", "a value for each chpid")
            continue
        if row[1] == "CONTROL UNIT":
            yield said
            said = {}
        elif "CONTROL UNIT" not in said or row[1] in said:
            raise place.error(
                f"{row[1]} is not of one CONTROL UNIT", "one below each: was one lost?"
            )
        said[row[1]] = row[2].split(), place
    yield said


def _ports(said: _Said, system: DeckSystem) -> Iterator[tuple[str, str, Place]]:
    """The chpids of a control unit and their ports, where the deck has it as an FCTC."""
    if not said:
        return
    (number, *_), start = said["CONTROL UNIT"]
    known = start.read(number, lambda text: int(text, 16), "control unit", "4 hex digits")
    unit = system.deck.control_units.get(known)
    if unit is None or "ENTRY LINK ADDRESS" not in said:
        return
    columns = [said.get(label, ([], start))[0] for label in ("CHP", "DEST LINK ADDRESS")]
    entries, place = said["ENTRY LINK ADDRESS"]
    if {len(column) for column in columns} != {len(entries)}:
        raise place.error(
            f"control unit {number} has not as many chpids and link addresses", "one of each"
        )
    links = {path.channel.chpid: path.link for path in unit.paths.get(system.partition.css, ())}
    for chpid, far, entry in zip(*columns, entries, strict=True):
        where = place.read(chpid, parse_chpid, "chpid", "2 hex digits")
        if where not in links or not _same(far, links[where]):
            raise place.error(
                f"control unit {number} is on chpid {chpid}, link {far}, and on "
                f"{' '.join(f'{format_chpid(c)}.{link}' for c, link in links.items())} in the deck",
                "the same: is this of another system?",
            )
        if not _UNKNOWN.fullmatch(entry):
            port = place.read(entry, parse_link, "entry link address", "2 or 4 hex digits")
            if len(port) != len(far):
                raise place.error(
                    f"{entry} and {far} differ in length", "both with the switch, or none"
                )
            yield chpid, port, place


def _same(far: str, link: str | None) -> bool:
    """Whether two link addresses are one, with the address of the switch or without."""
    if link is None or _UNKNOWN.fullmatch(far):
        return link is None and _UNKNOWN.fullmatch(far) is not None
    return far[-2:] == link[-2:] and (len(far) != len(link) or far == link)
