"""How sure it is what ``isfc optimise`` has found: ranges, and the odds of being ahead."""

from isfc.cli.output.ranges import likely, range_note
from isfc.search.result import Contender, Task
from scenarios.figures.certainty import Differs, Odds, Range, odds_ahead
from scenarios.figures.ranges import links_range, rate_range
from scenarios.runs.published_range import unmeasured_features


def score_ranges(one: Contender, task: Task) -> list[Range]:
    """Between what each score would lie on real hardware, in the order of the objectives."""
    scoring = task.scoring
    if task.links:
        return [links_range(score, one.collection.links) for score in one.scores]
    return [rate_range(score, one.layout, scoring.workload, scoring.pairs) for score in one.scores]


def ahead_of_given(one: Contender, given: Contender) -> Odds:
    """The odds that a layout is ahead of the one given, at the first objective."""
    here, there = (max(1e-9, each.scores[0]) for each in (one, given))
    later = any(
        unmeasured_features(link) for each in (one, given) for link in each.collection.links
    )
    return odds_ahead(here / there, Differs.LAYOUT, extrapolated=later)


def how_sure(one: Contender, given: Contender, task: Task) -> str:
    """Of the first of the table and of the layout given, in sentences."""
    first, second = (score_ranges(each, task) for each in (one, given))
    said = "; ".join(
        f"{objective.value} {likely(ours)}, given {likely(theirs)}"
        for objective, ours, theirs in zip(task.scoring.objectives, first, second, strict=True)
    )
    odds = ahead_of_given(one, given)
    return (
        f"Range of the first: {said} MB/s. Odds that it is ahead of the layout given: {odds}. "
        f"{range_note([*first, *second])}"
    )
