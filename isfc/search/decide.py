"""What the commands that help to decide do, as functions.

Options of a command are arguments of the same name, and figures are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isfc.arguments import checked
from isfc.layout.catalogue import AnyLayout
from isfc.layout.shown import rows_table
from scenarios.figures import choice
from scenarios.runs.at_site import GivenSite, links_at
from scenarios.runs.load import Load
from scenarios.runs.workload import Workload, find_workload


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Layouts under the same load, and the odds of each pair, the one with more first."""

    choices: tuple[choice.Choice, ...]
    odds: tuple[choice.PairOdds, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each layout, as a data frame takes them; MB/s (2^20).

        ``low`` and ``high`` are between what IBM's would lie in four of five cases.
        """
        return [
            {
                "layout": each.name,
                "ctcs": each.ctcs,
                "mb_per_s": each.rate.value,
                "low_mb_per_s": each.rate.ends.low,
                "high_mb_per_s": each.rate.ends.high,
                "worst_loss": None if each.worst is None else each.worst.gone,
                "warnings": each.warnings,
                "extrapolated": each.extrapolated,
            }
            for each in self.choices
        ]

    def to_dict(self) -> dict[str, Any]:
        """The rows, and for each pair the odds in percent that the first is ahead."""
        odds = [
            {
                "first": each.first.name,
                "second": each.second.name,
                "ratio": each.ratio.value,
                "odds_percent": 100 * each.odds.share,
            }
            for each in self.odds
        ]
        return {"layouts": self.rows(), "odds": odds}

    def __repr__(self) -> str:
        rates = ", ".join(f"{each.name} {each.rate.value:,.1f} MB/s" for each in self.choices)
        return f"<Comparison {rates}>"

    def _repr_html_(self) -> str:
        """A row for each layout, for a notebook."""
        return rows_table("Slower direction", self.rows())


@checked
def compare(
    layouts: Sequence[AnyLayout],
    workload: Workload | str = "HL",
    pairs: int = 50,
    *,
    profile: GivenSite = None,
) -> Comparison:
    """Compare two layouts or more, each of one link or all of the same, as `isfc compare` does.

    Of each: MB/s of the slower direction, of several links in all, its range, what limits it, what
    its worst loss leaves. ``profile`` is a site's. Raises `ConfigurationError` for fewer than two,
    and for several links that are not the same.
    """
    load = Load(find_workload(workload), pairs)
    candidates = []
    for place, each in enumerate(layouts, start=1):
        name = str(each) if isinstance(each, str | Path) and "\n" not in str(each) else str(place)
        candidates.append(choice.Candidate(name, links_at(each, profile), load))
    choice.check_comparable(candidates)
    choices = tuple(map(choice.judge_choice, candidates))
    return Comparison(choices, tuple(choice.pair_odds(choices)))
