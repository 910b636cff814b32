"""What a deck has no keyword for, in comments that begin with ``*ISFC``: a name, a feature, a port.

::

    *ISFC CHPID=40,FEATURE='FICON Express2',GBPS=1,PORT=C1
    *ISFC CHPID=40,CABLE=BOSTON:50
    *ISFC CHPID=40,FIBRE='1'

To IOCP they are comments. `isfc export` writes them and `isfc import` reads them, so that nothing
is lost on the way; by hand they save options. Options count more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctc.address import ChpidId, format_chpid, parse_chpid
from ctc.errors import CtcError
from ctc.profiles import FEATURES, ChpidProfile, find_profile
from isfc.deck.card import Remark, Statement
from isfc.deck.operand import Operands, parse_operands
from isfc.deck.partition import System
from isfc.link.name import NodeName

_MARK: Final = "ISFC "
_KEYWORDS: Final = ("CHPID", "FEATURE", "GBPS", "PORT", "CABLE", "FIBRE")
_GBPS_MAX: Final = 128.0


@dataclass(frozen=True, slots=True)
class Hint:
    """What comments say of one chpid; None for what they do not."""

    profile: ChpidProfile | None = None
    fibre: str | None = None
    port: str | None = None
    """A port such as ``C1``, or the chpid at the other end of a cable, as ``BOSTON:50``."""


def format_hints(chpid: str, profile: ChpidProfile, port: str, fibre: str | None) -> Iterator[str]:
    """The comments on a chpid: its feature, its ``port`` or cable, and the name of its fibre."""
    speed = profile.link_gbps
    gbps = "" if speed == FEATURES[profile.feature].link_gbps else f",GBPS={speed!r}"
    yield f"*{_MARK}CHPID={chpid},FEATURE='{profile.feature}'{gbps}"
    yield f"*{_MARK}CHPID={chpid},{'CABLE' if ':' in port else 'PORT'}={port}"
    if fibre is not None:
        quoted = fibre.replace("'", "''")
        yield f"*{_MARK}CHPID={chpid},FIBRE='{quoted}'"


def read_hints(remarks: Sequence[Remark]) -> dict[ChpidId, Hint]:
    """The hints among a deck's comments, by chpid; raise `ConfigurationError` for bad ones."""
    hints: dict[ChpidId, Hint] = {}
    for remark in remarks:
        if remark.text.startswith(_MARK):
            text = remark.text.removeprefix(_MARK).rstrip()
            start = remark.place.column + 1 + len(_MARK)
            place = type(remark.place)(remark.place.file, remark.place.line, start)
            operands = parse_operands(Statement("*ISFC", place, text, (0,), (place,)))
            chpid, hint = _hint(operands)
            known = hints.get(chpid, Hint())
            hints[chpid] = Hint(
                hint.profile or known.profile, hint.fibre or known.fibre, hint.port or known.port
            )
    return hints


def _hint(operands: Operands) -> tuple[ChpidId, Hint]:
    for keyword in operands.values:
        if keyword not in _KEYWORDS:
            raise operands.statement.place.error(
                f"*ISFC {keyword}: no such keyword", f"one of {', '.join(_KEYWORDS)}"
            )
    operands.need("CHPID", "40")
    word = {keyword: operands.word(keyword, "one value") for keyword in _KEYWORDS}
    chpid, feature, gbps = word["CHPID"], word["FEATURE"], word["GBPS"]
    assert chpid is not None
    speed = None if gbps is None else gbps.read(_gbps, "*ISFC GBPS", "a number, such as 8")
    port = word["PORT"] or word["CABLE"]
    return chpid.read(parse_chpid, "*ISFC CHPID", "1 or 2 hex digits"), Hint(
        profile=None
        if feature is None
        else feature.read(lambda text: find_profile(text, speed), "*ISFC FEATURE", "a feature"),
        fibre=None if (fibre := word["FIBRE"]) is None else fibre.text,
        port=None if port is None else port.text,
    )


def _gbps(text: str) -> float:
    value = float(text)
    if not 0 < value <= _GBPS_MAX:
        raise CtcError(text)
    return value


def hinted_ports(systems: Sequence[System], said: Iterable[str]) -> list[str]:
    """What hints say of ports and cables between ``systems``, as ``--ports`` takes it.

    Of the chpids that ``said``, which is in the same form, speaks of, nothing.
    """
    nodes = {system.node for system in systems}
    known = {entry.partition("=")[0].strip().upper() for text in said for entry in text.split(",")}
    found: list[str] = []
    for system in systems:
        for chpid, hint in read_hints(system.deck.remarks).items():
            key = f"{system.node}:{format_chpid(chpid)}"
            far, colon, _ = (hint.port or "").partition(":")
            here = (system.partition.css, chpid) in system.deck.channels
            if hint.port and here and key not in known and (not colon or far in nodes):
                found.append(f"{key}={hint.port}")
    return found


def hinted_fibres(systems: Sequence[System]) -> Callable[[Mapping[NodeName, ChpidId]], Hint]:
    """What hints say of the fibre between two chpids, whichever end's deck says it."""
    by_node = {system.node: read_hints(system.deck.remarks) for system in systems}

    def hint(chpids: Mapping[NodeName, ChpidId]) -> Hint:
        ends = [by_node[node].get(chpid, Hint()) for node, chpid in chpids.items()]
        return Hint(
            next((end.profile for end in ends if end.profile), None),
            next((end.fibre for end in ends if end.fibre), None),
        )

    return hint
