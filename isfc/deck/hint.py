"""What a deck has no keyword for: a name, a feature, a port.

In comments that begin with ``*ISFC``::

    *ISFC CHPID=40,FEATURE='FICON Express2',GBPS=1,PORT=C1
    *ISFC CHPID=40,CABLE=BOSTON:50
    *ISFC CHPID=40,FIBRE='1'
    *ISFC CHPID=40,KM=10
    *ISFC CHPID=40,PATH='METRO',ISLS=2,ISLGBPS=16,CREDITS=960
    *ISFC CHPID=41,FAR=CHICAGO:60,FIBRE='2'
    *ISFC CHPID=42,NODE=BOSTON,FAR=CHICAGO:60,FIBRE='3'

``FAR`` says which fibre is meant of a chpid that leads to several, ``NODE`` of which system where
several partitions of the deck have the chpid. ``PATH`` names the way of a fibre that shares
inter-switch links with others: ``ISLS`` of them (1 if not given), each of so many Gb/s and with so
many buffer credits each way. Without ``FAR`` it is the way of the fibres that leave the director of
the chpid. To IOCP they are comments. `isfc export` writes them and `isfc import`
reads them, so that nothing is lost on the way; by hand they save options. Options count more.

Entry ports are in z/OS's answer to ``D M=CU(xxxx)``, message IEE174I: a block for each control
unit, its chpids, and below each the link address of the far port, which the deck has too, and the
entry link address, the port that the channel itself sits on. The form of the lines is published
(z/OS MVS System Messages, IEE174I form 22).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeVar

from msgspec import Struct, structs

from ctc.address import ChpidId, CtcError, format_chpid, parse_chpid
from ctc.features import FEATURES, ChpidProfile, find_profile
from isfc.deck.card import CommentCard, Statement
from isfc.deck.deck import DeckSystem
from isfc.deck.operand import StatementOperands
from isfc.deck.place import Place, lines_of
from isfc.deck.written import parse_link
from isfc.errors import ConfigurationError
from isfc.layout.build import SaidFibre
from isfc.layout.document import CREDITS_MAX, ISLS_MAX, KM_MAX, LINK_GBPS_MAX
from isfc.layout.layout import FarPath, Fibre, Isl, Layout
from isfc.layout.source_kind import refuse_foreign
from isfc.link.name import NodeName

_MARK: Final = "ISFC "
_ISL_KEYWORDS: Final = ("ISLS", "ISLGBPS", "CREDITS")
_KEYWORDS: Final = (
    *("CHPID", "FEATURE", "GBPS", "PORT", "CABLE", "FIBRE", "KM", "PATH", *_ISL_KEYWORDS),
    *("FAR", "NODE"),
)

_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)

Far = tuple[NodeName, ChpidId]
"""The other end of a fibre."""

Key = tuple[ChpidId, NodeName | None, Far | None]
"""What a comment is about: a chpid, or its fibre to one chpid; of one system, or of all."""


class Hint(Struct, frozen=True):
    """What comments say of one chpid or of a fibre of it; None for what they do not."""

    profile: ChpidProfile | None = None
    fibre: str | None = None
    port: str | None = None
    """A port such as ``C1``, or the chpid at the other end of a cable, as ``BOSTON:50``."""
    km: float | None = None
    path: str | None = None
    """The name of the way that a fibre shares with others."""
    isl: Isl | None = None
    """The inter-switch links of that way."""

    def over(self, other: "Hint") -> "Hint":
        """What this says, and what ``other`` says beyond that."""
        said = {name: value for name, value in structs.asdict(self).items() if value is not None}
        return structs.replace(other, **said)

    @property
    def far_path(self) -> FarPath | None:
        """The way of a fibre, None if no comment names it.

        Raises `ConfigurationError` for inter-switch links on a way without a name.
        """
        if self.isl is not None and self.path is None:
            raise ConfigurationError(
                "*ISFC ISLGBPS, CREDITS: of a fibre without a path; expected PATH='METRO' too"
            )
        return None if self.path is None else FarPath(self.path, self.km or 0.0, self.isl)

    def said(self, profile: ChpidProfile | None = None) -> SaidFibre:
        """The fibre of which this is said; a ``profile`` that is said elsewhere counts more."""
        return SaidFibre(profile or self.profile, self.fibre, self.km or 0.0, self.far_path)


def is_hint(card: str) -> bool:
    """Whether a card is such a comment."""
    return card.startswith(f"*{_MARK}")


def format_hints(
    chpid: str, profile: ChpidProfile, port: str, node: str | None = None
) -> Iterator[str]:
    """The comments on a chpid: its feature, and its ``port`` or cable.

    ``node`` is its system if others of the deck have another channel of that number.
    """
    named = f",NODE={node}" if node else ""
    speed = profile.link_gbps
    gbps = "" if speed == FEATURES[profile.feature].link_gbps else f",GBPS={speed!r}"
    yield f"*{_MARK}CHPID={chpid}{named},FEATURE='{profile.feature}'{gbps}"
    yield f"*{_MARK}CHPID={chpid}{named},{'CABLE' if ':' in port else 'PORT'}={port}"


def format_fibre_hints(
    chpid: str, fibre: Fibre, far: str | None, node: str | None = None
) -> Iterator[str]:
    """The comments on a fibre; ``far`` is its other end if the chpid leads to several.

    ``node`` is its system if the deck has several.
    """
    named = f",NODE={node}" if node else ""
    about = f"*{_MARK}CHPID={chpid}{named}{f',FAR={far}' if far else ''}"
    yield f"{about},FIBRE={_quoted(fibre.name)}"
    if fibre.km:
        yield f"{about},KM={fibre.km!r}"
    if fibre.path is not None:
        yield f"{about},PATH={_quoted(fibre.path.name)}"
        if (isl := fibre.path.isl) is not None:
            yield f"{about},ISLS={isl.count},ISLGBPS={isl.gbps!r},CREDITS={isl.credits}"


def _quoted(name: str) -> str:
    doubled = name.replace("'", "''")
    return f"'{doubled}'"


def read_hints(remarks: Sequence[CommentCard]) -> dict[Key, Hint]:
    """The hints among a deck's comments; raise `ConfigurationError` for bad ones."""
    hints: dict[Key, Hint] = {}
    for remark in remarks:
        if remark.text.startswith(_MARK):
            text = remark.text.removeprefix(_MARK).rstrip()
            start = remark.place.column + 1 + len(_MARK)
            place = structs.replace(remark.place, column=start)
            operands = StatementOperands.of(Statement("*ISFC", place, text, ((0, place),)))
            key, hint = _hint(operands)
            hints[key] = hint.over(hints.get(key, Hint()))
    return hints


def _hint(operands: StatementOperands) -> tuple[Key, Hint]:
    for keyword in operands.values:
        if keyword not in _KEYWORDS:
            raise operands.statement.place.error(
                f"*ISFC {keyword}: no such keyword", f"one of {', '.join(_KEYWORDS)}"
            )
    operands.need("CHPID", "40")
    chpid = operands.read("CHPID", parse_chpid, "1 or 2 hex digits")
    assert chpid is not None
    feature = operands.read("FEATURE", find_profile, "a feature")
    most, wanted = float(LINK_GBPS_MAX), "a number, such as 8"
    if feature is not None:
        most = feature.link_gbps
        wanted = f"a number up to {most:g}, at which {feature.feature} runs"
    gbps = operands.read("GBPS", _number(float, most), wanted)
    far = operands.read("FAR", _far, "a chpid of the partner, such as BOSTON:50")
    return (chpid, operands.read("NODE", NodeName, "a system"), far), Hint(
        profile=None if feature is None else find_profile(feature.feature, gbps),
        fibre=operands.text("FIBRE") or None,
        port=operands.text("PORT") or operands.text("CABLE") or None,
        km=operands.read("KM", _number(float, KM_MAX), "a number, such as 10"),
        path=operands.text("PATH") or None,
        isl=_isl(operands),
    )


def _isl(operands: StatementOperands) -> Isl | None:
    """The inter-switch links that a comment tells of, if it does."""
    whole = "a whole number from 1 to"
    count = operands.read("ISLS", _number(int, ISLS_MAX), f"{whole} {ISLS_MAX}")
    gbps = operands.read("ISLGBPS", _number(float, LINK_GBPS_MAX), "a number, such as 16")
    each = operands.read("CREDITS", _number(int, CREDITS_MAX), f"{whole} {CREDITS_MAX}")
    if gbps is not None and each is not None:
        return Isl(count or 1, gbps, each)
    if count is not None or gbps is not None or each is not None:
        raise operands.statement.place.error(
            f"*ISFC {' or '.join(_ISL_KEYWORDS)} alone",
            "ISLGBPS and CREDITS together, such as ISLGBPS=16,CREDITS=90",
        )
    return None


def _number(kind: Callable[[str], _Number], most: float) -> Callable[[str], _Number]:
    """Reads a number above 0, up to ``most``."""

    def read(text: str) -> _Number:
        value = kind(text)
        if not 0 < value <= most:
            raise CtcError(text)
        return value

    return read


def _far(text: str) -> Far:
    node, _, chpid = text.partition(":")
    return NodeName(node), parse_chpid(chpid)


def hinted_ports(systems: Sequence[DeckSystem], said: Iterable[str]) -> list[str]:
    """What hints and SWPORT say of ports and cables of ``systems``, as ``--ports`` takes it.

    Of the chpids that ``said``, which is in the same form, speaks of, nothing.
    """
    nodes = {system.node for system in systems}
    known = {entry.partition("=")[0].strip().upper() for text in said for entry in text.split(",")}
    found: list[str] = []
    for system in systems:
        for (chpid, node, far), hint in read_hints(system.deck.remarks).items():
            key = f"{system.node}:{format_chpid(chpid)}"
            other, colon, _ = (hint.port or "").partition(":")
            here = (system.css, chpid) in system.deck.channels
            mine = far is None and node in (None, system.node)
            own = mine and here and key not in known
            if own and hint.port and (not colon or other in nodes):
                found.append(f"{key}={hint.port}")
                known.add(key)
        ports = {f"{system.node}:{path.channel}": path.channel.port for path in system.paths}
        found += [f"{key}={port}" for key, port in ports.items() if port and key not in known]
    return found


def hinted_fibres(
    systems: Sequence[DeckSystem], inside: Set[frozenset[tuple[NodeName, ChpidId]]] = frozenset()
) -> Callable[[Mapping[NodeName, ChpidId]], Hint]:
    """What hints say of the fibre between two chpids, whichever end's deck says it.

    Those ``inside`` one director have no inter-switch links that are said of all of a chpid.
    """
    by_node = {system.node: read_hints(system.deck.remarks) for system in systems}

    def hint(chpids: Mapping[NodeName, ChpidId]) -> Hint:
        found = Hint()
        ends = list(chpids.items())
        stays = frozenset(ends) in inside
        for (node, chpid), far in zip(ends, reversed(ends), strict=True):
            said = by_node[node]
            for key in ((node, far), (node, None), (None, far), (None, None)):
                one = structs.replace(said.get((chpid, *key), Hint()), port=None)
                if stays and key[1] is None and one.isl is not None:
                    one = structs.replace(one, path=None, isl=None, km=None)
                found = found.over(one)
        return found

    return hint


def check_paths(links: Iterable[Layout]) -> None:
    """Raise `ConfigurationError` where comments say two things of one way."""
    known: dict[str, FarPath] = {}
    for path in (fibre.path for link in links for fibre in link.fibres):
        if path is not None and known.setdefault(path.name, path) != path:
            raise ConfigurationError(
                f"*ISFC PATH='{path.name}': of two lengths, or of two kinds of inter-switch links; "
                "expected KM, ISLS, ISLGBPS and CREDITS alike for all fibres of a path"
            )


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
        refuse_foreign(text, file, "--ports")
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
    links = {path.channel.chpid: path.link for path in unit.paths.get(system.css, ())}
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
