"""Links that were tried for `isfc size`: what may be gone of each, and what each carries."""

from enum import StrEnum

from msgspec import Struct

from scenarios.figures.figure import Figure

Shape = tuple[int, ...]
"""How many CTCs there are on each chpid, down the device list."""


class LostPiece(StrEnum):
    """What is gone when a link still has to carry what is wanted."""

    NONE = "none"
    CTC = "ctc"
    CHPID = "chpid"
    DIRECTOR = "director"
    """One of two, each with every other fibre."""

    def left_of(self, shape: Shape) -> list[Shape]:
        """What can be left of a link, alike ones once; an empty shape is a link that is down."""
        match self:
            case LostPiece.NONE:
                return [shape]
            case LostPiece.CTC:
                every = [(*shape[:n], count - 1, *shape[n + 1 :]) for n, count in enumerate(shape)]
            case LostPiece.CHPID:
                every = [(*shape[:n], *shape[n + 1 :]) for n in range(len(shape))]
            case LostPiece.DIRECTOR:
                every = [shape[::2], shape[1::2]]
        return list(dict.fromkeys(tuple(filter(None, each)) for each in every))


class SizedLink(Struct, frozen=True):
    """A candidate by runs."""

    feature: str
    """that of all its chpids"""
    chpids: int
    """of each system"""
    ctcs: int
    """of the link"""
    ports: int
    """of directors, for both systems; cables from chpid to chpid need none"""
    whole: Figure
    """what it carries one way, in its slower direction"""
    left: Figure
    """the same with the piece gone"""
    odds_percent: int
    """how likely it is that `left` reaches what is wanted on real hardware"""
    reaches: bool
    """whether it does by the model"""
    layout: str
    """as the text of a file"""
