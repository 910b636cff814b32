"""Layouts to choose from: what each carries, what limits it, what its worst loss leaves, the odds.

All have the same load. A layout's rate is that of its slower direction; of several links it is the
sum of theirs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.note import Note, NoteKind
from isfc.layout.rules.book import find_in
from isfc.layout.rules.rule import Severity
from scenarios.figures.certainty import Odds, odds_ahead
from scenarios.figures.figure import Figure
from scenarios.figures.limit import Limit
from scenarios.figures.losses import AfterLoss, after_losses, worst_of
from scenarios.figures.ranges import link_ratio, links_ratio
from scenarios.figures.rates import slower_way
from scenarios.runs.load import Load
from scenarios.runs.notes import BUSY_UNRANGED, SHARED_UNRANGED, cluster_notes, run_notes
from scenarios.runs.saturation import in_turn


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layout that is to be judged with a load."""

    name: str
    links: Collection
    load: Load


@dataclass(frozen=True, slots=True)
class Choice:
    """One layout: what it carries, what else counts when one chooses, and what its losses leave.

    ``lefts`` has the whole first.
    """

    name: str
    lefts: tuple[AfterLoss, ...]
    warnings: int
    remarks: int
    notes: tuple[Note, ...]

    @property
    def links(self) -> tuple[Layout, ...]:
        """Those that were judged."""
        return self.lefts[0].carried.links.links

    @property
    def rate(self) -> Figure:
        """MB/s (2^20) of the slower direction of each link, in all."""
        return self.lefts[0].rate

    @property
    def limit(self) -> Limit:
        """What limits it."""
        found = self.lefts[0].carried.limit
        assert found is not None, "it was looked for"
        return found

    @property
    def worst(self) -> AfterLoss | None:
        """The loss that leaves least; None if there is none."""
        return worst_of(self.lefts)

    @property
    def extrapolated(self) -> bool:
        """Whether no published figure says what the rate should come to."""
        return any(note.kind is NoteKind.EXTRAPOLATED for note in self.notes)

    @property
    def ctcs(self) -> int:
        """Of all links."""
        return self.lefts[0].ctc_count

    @property
    def chpids(self) -> int:
        """How many the first node of each link needs."""
        return len(
            {(link.nodes[0], fibre.chpids[0]) for link in self.links for fibre in link.fibres}
        )


@dataclass(frozen=True, slots=True)
class PairOdds:
    """Two layouts: ``ratio`` is how many times the rate of the second the first has."""

    first: Choice
    second: Choice
    ratio: Figure

    @property
    def odds(self) -> Odds:
        """The odds that the first is ahead of the second on real hardware."""
        return odds_ahead(self.ratio)


def check_comparable(candidates: Sequence[Candidate]) -> None:
    """Raise `ConfigurationError` for fewer than two, and for several links that are not alike.

    Nor may the traffic of their files differ, which several links have.
    """
    if len(candidates) < 2:
        raise ConfigurationError(f"layouts: {len(candidates)}; expected two or more")
    first, *others = ([link.name for link in each.links.links] for each in candidates)
    for candidate, names in zip(candidates[1:], others, strict=True):
        if names != first and (len(names) > 1 or len(first) > 1):
            raise ConfigurationError(
                f"{candidate.name}: has {', '.join(names)}; expected the links of "
                f"{candidates[0].name}, {', '.join(first)}, or --link with one of each"
            )
    if len({each.load.of(each.links).traffic for each in candidates}) > 1:
        raise ConfigurationError(
            "layouts: their [[traffic]] differs; expected the same load for all, or --link with one"
        )


def judge_choice(candidate: Candidate) -> Choice:
    """Run a layout and what each loss leaves of it, each direction until steady."""
    links, load = candidate.links, candidate.load
    lefts = after_losses(links, None, in_turn, load, each_limit=False)
    findings = [*chain.from_iterable(find_in(links).values())]
    return Choice(
        candidate.name,
        tuple(lefts),
        sum(each.severity is Severity.WARNING for each in findings),
        sum(each.severity is Severity.INFO for each in findings),
        _notes(lefts[0]),
    )


def _notes(whole: AfterLoss) -> tuple[Note, ...]:
    carried = whole.carried
    if len(carried.links.links) > 1:
        return (*cluster_notes(carried.links), SHARED_UNRANGED)
    (link,), load = carried.links.links, carried.load
    seen = None if carried.ways is None else slower_way(carried.ways[link.name]).seen
    rate = 0.0 if seen is None else seen.mb_per_s
    return (*run_notes(link, load.workload, load.pairs, rate), BUSY_UNRANGED)


def pair_odds(choices: Sequence[Choice]) -> Iterator[PairOdds]:
    """For each pair of layouts, the one with the greater rate first."""
    for one, other in combinations(choices, 2):
        first, second = sorted((one, other), key=lambda each: -each.rate.value)
        ratio = max(1e-9, first.rate.value) / max(1e-9, second.rate.value)
        if len(first.links) > 1:
            found = links_ratio(ratio, second.links, first.links)
        else:
            found = link_ratio(ratio, second.links[0], first.links[0])
        yield PairOdds(first, second, found)
