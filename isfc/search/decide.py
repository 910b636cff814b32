"""What the commands that help to decide do, as functions.

Options of a command are arguments of the same name, and figures are the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ctc.address import parse_rdevs
from isfc.arguments import checked, in_python
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.in_words import check_known
from isfc.layout.shown import rows_table
from isfc.search.candidate import parse_fixed
from isfc.search.objective import LinksObjective, Objective, Scoring
from isfc.search.optimise import optimise as search
from isfc.search.result import SearchResult, Task
from isfc.search.workers import check_jobs, shared_out
from scenarios.figures import choice
from scenarios.runs.at_site import GivenSite, links_at
from scenarios.runs.load import Load
from scenarios.runs.workload import Workload, find_workload


@checked
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


@checked
def optimise(
    layout: AnyLayout,
    objective: Sequence[str] = ("forward",),
    *,
    ctcs: int | None = None,
    of_links: str = "sum",
    workload: Workload | str = "HL",
    pairs: int = 50,
    seconds: float = 0.5,
    runs: int = 200,
    seeds: int = 3,
    fixed: str = "",
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    profile: GivenSite = None,
) -> SearchResult:
    """Search for the best CTCs on a layout's chpids, as `isfc optimise` does.

    ``ctcs`` are as many as the layout has, unless said. Several links are placed together, under
    the ``traffic`` of the collection or else ``pairs`` of ``workload`` each way, by ``of_links``:
    ``sum``, ``worst-link`` or ``worst-loss``. ``jobs`` processes share the work, and ``progress``
    is told how many candidates have been run. ``profile`` is a site's. Raises
    `ConfigurationError` if there is nothing to choose.
    """
    check_jobs(jobs)
    collection = links_at(layout, profile)
    load = find_workload(workload)
    if len(collection.links) > 1:
        named = _named(LinksObjective, "of_links", of_links)
        scoring = Scoring((named,), Load(load, pairs).of(collection), seconds)
        task = Task(collection, scoring, runs=runs, seeds=seeds)
    else:
        (link,) = collection.links
        wanted = tuple(_named(Objective, "objective", each) for each in objective)
        scoring = Scoring(wanted, Load(load, pairs), seconds)
        with in_python(), within("fixed"):
            kept = parse_fixed(link, parse_rdevs(fixed) if fixed else ())
        task = Task(Collection.of(link), scoring, ctcs or len(link.ctcs), runs, seeds, kept)
    tell = progress or (lambda _: None)
    return search(task, lambda work, items: shared_out(work, items, jobs), tell)


_Name = TypeVar("_Name", Objective, LinksObjective)


def _named(kind: type[_Name], argument: str, name: str) -> _Name:
    check_known(argument, name, [each.value for each in kind])
    return kind(name)
