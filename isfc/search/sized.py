"""Links that were tried for `isfc size`: what each carries, and which does what is wanted."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from isfc.layout.layout import Layout
from isfc.layout.shown import rows_table
from isfc.layout.write import format_layout
from scenarios.figures.certainty import Odds
from scenarios.figures.figure import Figure
from scenarios.figures.limit import Limit
from scenarios.runs.workload import LinkLoad

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


@dataclass(frozen=True, slots=True)
class SizedLink:
    """A candidate by runs: MB/s (2^20) of its slower direction, ``whole`` and with the piece gone.

    ``odds`` say how likely it is that the latter reach what is wanted on real hardware.
    """

    layout: Layout
    whole: Figure
    left: Figure
    odds: Odds

    @property
    def feature(self) -> str:
        """That of all its chpids."""
        return self.layout.fibres[0].profile.feature

    @property
    def chpids(self) -> int:
        """Of each system."""
        return len(self.layout.fibres)

    @property
    def ctcs(self) -> int:
        """Of the link."""
        return len(self.layout.ctcs)

    @property
    def ports(self) -> int:
        """Of directors, for both systems; cables from chpid to chpid need none."""
        return 2 * self.chpids


@dataclass(frozen=True, slots=True, repr=False)
class LinkSizing:
    """What was wanted, and the candidates of each feature, the fewest chpids first.

    ``limit`` is what limits the one that carries most, where none carries what is wanted.
    """

    mb_per_s: float
    lost: LostPiece
    km: float
    load: LinkLoad
    links: tuple[SizedLink, ...]
    limit: Limit | None

    def reaches(self, link: SizedLink) -> bool:
        """Whether a candidate carries what is wanted, by the model."""
        return link.left.value >= self.mb_per_s

    @property
    def best(self) -> SizedLink | None:
        """The fewest chpids, then CTCs, then the surest; None where no candidate carries it."""
        return min(
            filter(self.reaches, self.links),
            key=lambda one: (one.chpids, one.ctcs, -one.odds.share),
            default=None,
        )

    @property
    def most(self) -> SizedLink:
        """The candidate that carries most with the piece gone."""
        return max(self.links, key=lambda one: one.left.value)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each candidate, as a data frame takes them; MB/s (2^20)."""
        return [
            {
                "feature": one.feature,
                "chpids": one.chpids,
                "ctcs": one.ctcs,
                "ports": one.ports,
                "mb_per_s": one.whole.value,
                "left_mb_per_s": one.left.value,
                "low_mb_per_s": one.left.ends.low,
                "high_mb_per_s": one.left.ends.high,
                "odds_percent": 100 * one.odds.share,
                "reaches": self.reaches(one),
            }
            for one in self.links
        ]

    def to_dict(self) -> dict[str, Any]:
        """What was wanted, the candidates, and the best as the text of a file."""
        best, limit = self.best, self.limit
        return {
            "mb_per_s": self.mb_per_s,
            "lost": self.lost.value,
            "km": self.km,
            "links": self.rows(),
            "best": None if best is None else format_layout(best.layout),
            "limit": None if limit is None else [each.resource.key for each in limit.first],
        }

    def __repr__(self) -> str:
        best = self.best
        found = f"{best.chpids} chpids of {best.feature}" if best else "no link carries it"
        return f"<LinkSizing {self.mb_per_s:g} MB/s without {self.lost.value}: {found}>"

    def _repr_html_(self) -> str:
        """A row for each candidate, for a notebook."""
        return rows_table(repr(self)[1:-1], self.rows())
