"""What people name as gone, several things together: chpids, directors, paths and CECs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctc.address import format_chpid
from isfc.errors import ConfigurationError
from isfc.layout.layout import Cec, Fibre, Layout

DIRECTOR, PATH, CEC = "director", "path", "cec"


@dataclass(frozen=True, slots=True)
class LostTogether:
    """Several things that are gone at the same time; ``left`` is None when the link is down.

    ``text`` names them as people did.
    """

    text: str
    left: Layout | None

    @property
    def kind(self) -> str:
        """``together``."""
        return "together"

    @property
    def names(self) -> tuple[str, str]:
        """What is gone: the same for both ends."""
        return self.text, self.text


def named_pieces(layout: Layout, cecs: Sequence[Cec] = ()) -> dict[str, frozenset[Fibre]]:
    """Everything of a link that can be named as gone, and the fibres that go with it.

    A chpid of the first system is ``40``, one of any system ``BOSTON:50``; the others are
    ``director:NAME``, ``path:NAME`` and ``cec:NAME``. A CEC takes along every link of its systems.
    """
    found: dict[str, set[Fibre]] = {}
    for name, fibre in _names(layout, cecs):
        found.setdefault(name, set()).add(fibre)
    return {name: frozenset(fibres) for name, fibres in found.items()}


def _names(layout: Layout, cecs: Sequence[Cec]) -> Iterator[tuple[str, Fibre]]:
    for fibre in layout.fibres:
        yield format_chpid(fibre.chpids[0]), fibre
    for end, node in enumerate(layout.nodes):
        for fibre in layout.fibres:
            yield f"{node}:{format_chpid(fibre.chpids[end])}", fibre
    for fibre in layout.fibres:
        for director in fibre.directors:
            yield f"{DIRECTOR}:{director}", fibre
    for fibre in layout.fibres:
        if fibre.path is not None:
            yield f"{PATH}:{fibre.path.name}", fibre
    for cec in cecs:
        if {*layout.nodes} & {*cec.systems}:
            for fibre in layout.fibres:
                yield f"{CEC}:{cec.name}", fibre


def lost_together(
    layout: Layout, pieces: Sequence[str], known: dict[str, frozenset[Fibre]]
) -> LostTogether:
    """What is left of a link without some pieces; those that are no part of it take nothing."""
    gone = {fibre for piece in pieces for fibre in known.get(_spelt(piece, known), ())}
    ctcs = tuple(ctc for ctc in layout.ctcs if ctc.fibre not in gone)
    text = " + ".join(_spelt(piece, known) for piece in pieces)
    return LostTogether(text, layout.with_ctcs(ctcs) if ctcs else None)


def check_pieces(pieces: Sequence[str], known: Sequence[str], option: str) -> None:
    """Raise `ConfigurationError` for a piece that is not one of those that are known."""
    for piece in pieces:
        if _spelt(piece, known) not in known:
            raise ConfigurationError(
                f"{option} {piece[:40]!r}: there is no such piece; expected {', '.join(known)}"
            )


def _spelt(piece: str, known: Sequence[str] | dict[str, frozenset[Fibre]]) -> str:
    """A piece as it is known, whatever the case of its letters."""
    return next((name for name in known if name.upper() == piece.strip().upper()), piece)
