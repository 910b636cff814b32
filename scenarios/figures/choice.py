"""Layouts to choose from: what each carries, what limits it, what its worst loss leaves, the odds.

All have the same load. A layout's rate is that of its slower direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from isfc.layout.layout import Layout
from isfc.layout.loss import losses
from isfc.layout.lost import lost_pieces
from isfc.layout.note import Note, NoteKind
from isfc.layout.plan import make_plan
from isfc.layout.rules.rule import Severity
from scenarios.figures.certainty import Odds, Range, odds_ahead
from scenarios.figures.glance import glance
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import gain_range, rate_range
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import BUSY_UNRANGED, run_notes
from scenarios.runs.saturation import SECONDS
from scenarios.runs.steady import Rate, steady_run
from scenarios.runs.workload import Workload


@dataclass(frozen=True, slots=True)
class WorstLoss:
    """What the worst single loss leaves: ``name`` is what is gone, ``range`` of 1 what is left.

    A link that is down then has no range: nothing is left.
    """

    name: str
    range: Range | None

    @property
    def share(self) -> float:
        """What is left, of 1."""
        return 0.0 if self.range is None else self.range.value


@dataclass(frozen=True, slots=True)
class Choice:
    """One layout: MB/s (2^20) of its slower direction, and what else counts when one chooses."""

    name: str
    layout: Layout
    rate: Rate
    range: Range
    limit: Limit
    worst: WorstLoss | None
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
    """Run a layout: both directions until steady, then what limits it, and each loss."""
    layout, workload, pairs = candidate.layout, candidate.workload, candidate.pairs
    experiments = [
        Experiment.of(layout, workload, pairs, SECONDS, client=node) for node in layout.nodes
    ]
    runs = [steady_run(each) for each in experiments]
    slower = min((0, 1), key=lambda way: runs[way].rate.mb_per_s)
    rate, seen = runs[slower].rate, runs[slower].result
    findings = make_plan(layout).advice
    return Choice(
        candidate.name,
        layout,
        rate,
        rate_range(rate.mb_per_s, layout, workload, pairs, seen.collisions_per_s),
        find_limit(experiments[slower]),
        _worst(experiments[slower]),
        sum(each.severity is Severity.WARNING for each in findings),
        sum(each.severity is Severity.INFO for each in findings),
        (*run_notes(layout, workload, pairs, seen.mb_per_s), BUSY_UNRANGED),
    )


def _worst(experiment: Experiment) -> WorstLoss | None:
    """The loss that leaves least, by short runs; that of a link which is down is the worst."""
    layout = experiment.layout
    whole = glance(experiment).mb_per_s
    named = [
        *((each.text, each.left) for each in lost_pieces(layout)),
        *((f"{each.kind} {each.names[0]}", each.left) for each in losses(layout)),
    ]
    found = [
        WorstLoss(
            name,
            gain_range(glance(experiment.over(left)).mb_per_s / whole, layout, left)
            if left and whole
            else None,
        )
        for name, left in named
    ]
    return min(found, key=lambda each: each.share, default=None)


def pair_odds(choices: Sequence[Choice]) -> Iterator[PairOdds]:
    """For each pair of layouts, the one with the greater rate first."""
    for one, other in combinations(choices, 2):
        first, second = sorted((one, other), key=lambda each: -each.rate.mb_per_s)
        ratio = first.rate.mb_per_s / second.rate.mb_per_s if second.rate.mb_per_s else 1.0
        yield PairOdds(first, second, gain_range(ratio, second.layout, first.layout))
