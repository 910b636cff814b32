"""Layouts to choose from: what each carries, what limits it, what its worst loss leaves, the odds.

All have the same load. A layout's rate is that of its slower direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.note import Note, NoteKind
from isfc.layout.plan import make_plan
from isfc.layout.rules.rule import Severity
from scenarios.figures.after_loss import AfterLoss, LossLoad, after_losses, link_losses, worst_of
from scenarios.figures.certainty import Odds, Range, odds_ahead
from scenarios.figures.limit import Limit
from scenarios.figures.ranges import gain_range
from scenarios.runs.notes import BUSY_UNRANGED, run_notes
from scenarios.runs.saturation import in_turn
from scenarios.runs.steady import Rate
from scenarios.runs.workload import Workload


@dataclass(frozen=True, slots=True)
class Choice:
    """One layout: MB/s (2^20) of its slower direction, and what else counts when one chooses."""

    name: str
    layout: Layout
    rate: Rate
    range: Range
    limit: Limit
    worst: AfterLoss | None
    warnings: int
    remarks: int
    notes: tuple[Note, ...]

    @property
    def extrapolated(self) -> bool:
        """Whether no published figure says what the rate should come to."""
        return any(note.kind is NoteKind.EXTRAPOLATED for note in self.notes)

    @property
    def chpids(self) -> int:
        """How many the first node needs."""
        return len({fibre.chpids[0] for fibre in self.layout.fibres})


@dataclass(frozen=True, slots=True)
class PairOdds:
    """Two layouts: ``range`` is of how many times the rate of the second the first has."""

    first: Choice
    second: Choice
    range: Range

    @property
    def ratio(self) -> float:
        """That by the model."""
        return self.range.value

    @property
    def odds(self) -> Odds:
        """The odds that the first is ahead of the second on real hardware."""
        return odds_ahead(self.range)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layout that is to be judged with a load."""

    name: str
    layout: Layout
    workload: Workload
    pairs: int


def judge_choice(candidate: Candidate) -> Choice:
    """Run a layout and what each loss leaves of it, each direction until steady."""
    layout, load = candidate.layout, LossLoad(candidate.workload, candidate.pairs)
    lefts = after_losses(
        Collection.of(layout), link_losses(layout), in_turn, load, each_limit=False
    )
    whole = lefts[0]
    slower, within, limit = whole.slower, whole.range, whole.limit
    assert slower is not None, "the whole link has been run"
    assert slower.seen is not None
    assert within is not None
    assert limit is not None
    findings = make_plan(layout).advice
    return Choice(
        candidate.name,
        layout,
        slower.rate,
        within,
        limit,
        worst_of(lefts),
        sum(each.severity is Severity.WARNING for each in findings),
        sum(each.severity is Severity.INFO for each in findings),
        (*run_notes(layout, load.workload, load.pairs, slower.seen.mb_per_s), BUSY_UNRANGED),
    )


def pair_odds(choices: Sequence[Choice]) -> Iterator[PairOdds]:
    """For each pair of layouts, the one with the greater rate first."""
    for one, other in combinations(choices, 2):
        first, second = sorted((one, other), key=lambda each: -each.rate.mb_per_s)
        more, less = (max(1e-9, each.rate.mb_per_s) for each in (first, second))
        yield PairOdds(first, second, gain_range(more / less, second.layout, first.layout))
