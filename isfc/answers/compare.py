"""Layouts to choose from: which carries most, how sure that is, and what a loss leaves of each.

``isfc compare`` lays two results side by side as well, by what the files are.

All layouts have the same load. A layout's rate is that of its slower direction; of several links
it is the sum of theirs.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Struct

from isfc.answers.given import called
from isfc.answers.limit import LimitedBy, limits_of
from isfc.answers.plan_link import WorstLoss
from isfc.answers.plan_modelled import worst_loss
from isfc.answers.results import ComparedResults, compare_results
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.layout.catalogue import AnyLayout, Decks, shipped_layouts
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.plan import find_in
from isfc.layout.rules.rule import Severity
from isfc.layout.sharing import only, with_notes
from isfc.layout.site import GivenSite
from isfc.layout.source_kind import SourceKind, source_kind
from isfc.reports.figure import Figure, Note, NoteKind, Reported, Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import range_note, share_note, shown, with_unit
from scenarios.figures.certainty import Odds, nobody_is_ahead, odds_ahead
from scenarios.figures.changed import AfterLoss, after_losses
from scenarios.figures.ranges import link_ratio, links_ratio
from scenarios.figures.rates import slower_way
from scenarios.runs.at_site import links_at
from scenarios.runs.experiment import PAIRS_MAX, STATED_PAIRS, SUITE, Load, in_turn
from scenarios.runs.notes import BUSY_UNRANGED, SHARED_UNRANGED, cluster_notes, run_notes
from scenarios.runs.workload import Workload, complete_workload, find_workload, workload_usage
from scenarios.search.workers import each_by

_TOLD_MAX: Final = 3
"""Layouts of which the answer tells the worst loss; the table has it of all."""

NamedWorkload = Annotated[
    Workload | str | None,
    Argument(
        "NAME",
        f"A published workload: {workload_usage()} (APPC/VM); HL if not given.",
        complete=complete_workload,
    ),
]
"""Of layouts, what runs over each link."""
Pairs = Annotated[
    int | None, Argument("N", f"Of layouts: pairs of guests, else {STATED_PAIRS}.", 1, PAIRS_MAX)
]


class ComparedLayout(Struct, frozen=True):
    """One layout of a comparison."""

    layout: str
    """as it was given, or its place where records were"""
    rate: Figure
    """of the slower direction of each link, in all"""
    limits: LimitedBy
    """what limits it"""
    worst: WorstLoss | None
    """null if there is nothing to lose"""
    ctcs: int
    """of all links"""
    chpids: int
    """of the first node of each link"""
    warnings: int
    remarks: int
    """findings of `isfc check`"""


class PairOdds(Struct, frozen=True):
    """Two layouts of a comparison."""

    ahead: str
    """the one with the greater rate"""
    behind: str
    ratio: Figure
    """how many times the rate of the other it has"""
    odds: float
    """how likely it is that it is ahead on real hardware too, of 1, by that range"""

    @property
    def percent(self) -> int:
        """The odds as people read them."""
        return Odds(self.odds).percent


class Comparison(Reported, Struct, frozen=True):
    """Layouts under the same load, and the odds of each pair."""

    reported_by = "isfc.answers.compare.compare_report"

    workload: str | None
    """null where the traffic of the files runs, which several links have"""
    pairs: int | None
    layouts: tuple[ComparedLayout, ...]
    """in the order in which they were given"""
    odds: tuple[PairOdds, ...]
    """of each pair"""
    notes: tuple[Note, ...]
    """what belongs to the figures of any of them"""
    kind: Literal["layouts"] = "layouts"
    """what was compared"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each layout, as a data frame takes them; MB/s (2^20).

        ``low`` and ``high`` are between what IBM's would lie in four of five cases.
        """
        return [
            {
                "layout": each.layout,
                "ctcs": each.ctcs,
                "mb_per_s": each.rate.value,
                "low_mb_per_s": each.rate.ends.low,
                "high_mb_per_s": each.rate.ends.high,
                "worst_loss": None if each.worst is None else each.worst.gone,
                "warnings": each.warnings,
            }
            for each in self.layouts
        ]


@checked
def compare(
    layouts: Sequence[AnyLayout],
    workload: NamedWorkload = None,
    pairs: Pairs = None,
    *,
    link: str | None = None,
    profile: GivenSite = None,
    jobs: int = 1,
) -> Comparison:
    """Compare two layouts or more, each of one link or all of the same.

    HL with 50 pairs runs if nothing else is said; several links run the ``traffic`` of their
    collection, if it has any. ``profile`` is a site's, and ``jobs`` runs are made at a time. Raises
    `ConfigurationError` for fewer than two, for several links that are not the same, and for a load
    that would have no effect.
    """
    load = Load(find_workload(workload or SUITE), pairs or STATED_PAIRS)
    named = []
    for place, each in enumerate(layouts, start=1):
        name = called(each, str(place))
        links = _links(each, link, profile)
        if (workload or pairs) and load.of(links).traffic:
            raise ConfigurationError(
                f"{name}: its [[traffic]] is what runs over several links; expected neither "
                f"{spelt('workload')} nor {spelt('pairs')}, or {spelt('link')}"
            )
        named.append((name, links))
    _check_comparable(named, load)
    every = each_by(jobs)(
        partial(after_losses, run_each=in_turn, load=load, each_limit=False),
        [links for _, links in named],
    )
    wholes = [(name, lefts[0]) for (name, _), lefts in zip(named, every, strict=True)]
    traffic = wholes[0][1].carried.load.traffic
    return Comparison(
        None if traffic else load.workload.name,
        None if traffic else load.pairs,
        tuple(_compared(name, lefts) for (name, _), lefts in zip(wholes, every, strict=True)),
        tuple(pair_odds(wholes)),
        _notes([whole for _, whole in wholes]),
    )


def _links(layout: AnyLayout, link: str | None, profile: GivenSite) -> Collection:
    """All links of a layout, or the one that is named, with what its figures do not have."""
    found = links_at(layout, profile)
    if link is None and len(found.links) > 1:
        return found
    with within(str(layout)) if isinstance(layout, str | Path) else nullcontext():
        return only(found, with_notes(found, found.link(link, spelt("link"))))


def _check_comparable(named: Sequence[tuple[str, Collection]], load: Load) -> None:
    """Raise `ConfigurationError` for fewer than two, and for several links that are not alike.

    Nor may the traffic of their files differ, which several links have.
    """
    if len(named) < 2:
        raise ConfigurationError(f"layouts: {len(named)}; expected two or more")
    (one, first), *others = ((name, [link.name for link in each.links]) for name, each in named)
    for other, names in others:
        if names != first and (len(names) > 1 or len(first) > 1):
            raise ConfigurationError(
                f"{other}: has {', '.join(names)}; expected the links of {one}, "
                f"{', '.join(first)}, or {spelt('link')} with one of each"
            )
    if len({load.of(links).traffic for _, links in named}) > 1:
        raise ConfigurationError(
            "layouts: their [[traffic]] differs; expected the same load for all, or "
            f"{spelt('link')} with one"
        )


def _compared(name: str, lefts: Sequence[AfterLoss]) -> ComparedLayout:
    """What is to be said of a layout; the whole is first of ``lefts``."""
    whole = lefts[0]
    links, limit = whole.carried.links, whole.carried.limit
    assert limit is not None, "it was looked for"
    severities = [each.severity for each in chain.from_iterable(find_in(links).values())]
    ends = {(link.nodes[0], fibre.chpids[0]) for link in links.links for fibre in link.fibres}
    return ComparedLayout(
        name,
        whole.rate,
        limits_of(limit, whole.rate.modelled),
        worst_loss(lefts),
        whole.ctc_count,
        len(ends),
        severities.count(Severity.WARNING),
        severities.count(Severity.INFO),
    )


def _notes(wholes: Sequence[AfterLoss]) -> tuple[Note, ...]:
    """Those of all, each once, and those of a kind together."""
    different = dict.fromkeys(chain.from_iterable(map(_notes_of, wholes)))
    return tuple(sorted(different, key=lambda note: [*NoteKind].index(note.kind)))


def _notes_of(whole: AfterLoss) -> tuple[Note, ...]:
    carried = whole.carried
    if len(carried.links.links) > 1:
        return (*cluster_notes(carried.links), SHARED_UNRANGED)
    (link,), load = carried.links.links, carried.load
    seen = None if carried.ways is None else slower_way(carried.ways[link.name]).seen
    rate = 0.0 if seen is None else seen.mb_per_s
    return (*run_notes(link, load.workload, load.pairs, rate), BUSY_UNRANGED)


def pair_odds(wholes: Sequence[tuple[str, AfterLoss]]) -> Iterator[PairOdds]:
    """For each pair of layouts, by their names, the one with the greater rate first."""
    for pair in combinations(wholes, 2):
        (ahead, first), (behind, second) = sorted(pair, key=lambda each: -each[1].rate.value)
        ratio = max(1e-9, first.rate.value) / max(1e-9, second.rate.value)
        before, after = second.carried.links.links, first.carried.links.links
        loads = first.carried.load.each
        if len(after) > 1:
            found = links_ratio(ratio, before, after, loads)
        else:
            found = link_ratio(ratio, before[0], after[0], loads=loads)
        yield PairOdds(ahead, behind, found, odds_ahead(found).share)


_PAIR_COLUMNS: Final = headed(
    ahead="ahead", behind="behind", ratio="times\nthe rate", percent="odds\nof 100"
)


def compare_report(found: Comparison) -> Report:
    """Which layout carries most and how sure that is, and the worst loss of each; then a table."""
    ranked = sorted(found.layouts, key=lambda each: -each.rate.value)
    best = ranked[0]
    told = found.layouts if len(found.layouts) <= _TOLD_MAX else [best]
    load = "" if best.rate.load is None else f", {best.rate.load.words}"
    known = (
        range_note(each.rate for each in found.layouts),
        share_note(each.worst.left for each in found.layouts if each.worst),
        f"Of ratios: {range_note(each.ratio for each in found.odds)}",
    )
    return Report(
        f"{len(found.layouts)} layouts{load}",
        [
            ("Carries most", _most(best, ranked[1], found)),
            *(("Worst loss", _worst(each)) for each in told),
        ],
        [
            _layouts_table(found, best),
            Table("Each pair", _PAIR_COLUMNS, found.odds, "pairs", detail=True),
        ],
        notes=known,
        known=found.notes,
    )


def _most(best: ComparedLayout, next_one: ComparedLayout, found: Comparison) -> str:
    """The layout with most MB/s, unless another may as well have it; and the odds."""
    pair = _pair(best, next_one, found)
    more = f"as much as {next_one.layout}"
    if best.rate.differs(next_one.rate):
        more = f"{shown(100 * (pair.ratio.value - 1), Unit.PERCENT)} % more than {next_one.layout}"
    odds, carries = Odds(pair.odds), f"{with_unit(best.rate)} the slower way"
    if nobody_is_ahead(odds):
        return f"not known: {best.layout}, {carries}, which is {more}: odds {odds}"
    return f"{best.layout}: {carries}, {more}, the next; odds {odds} to be ahead"


def _worst(each: ComparedLayout) -> str:
    if each.worst is None:
        return f"{each.layout} has nothing to lose"
    if not each.worst.rate.value:
        return f"{each.layout} carries nothing without {each.worst.gone}"
    return (
        f"{each.layout} keeps {with_unit(each.worst.left)}, {with_unit(each.worst.rate)}, without "
        f"{each.worst.gone}"
    )


def _pair(best: ComparedLayout, other: ComparedLayout, found: Comparison) -> PairOdds:
    """The odds of two layouts, by their places: two may have one name."""
    every = [*combinations(found.layouts, 2)]
    both = next(place for place, pair in enumerate(every) if best in pair and other in pair)
    return found.odds[both]


def _layouts_table(found: Comparison, best: ComparedLayout) -> Table:
    """Each layout, with the odds that the best is ahead of it."""

    def best_ahead(each: ComparedLayout) -> int | None:
        return None if each is best else _pair(best, each, found).percent

    columns = (
        *headed(layout="layout", rate="MB/s"),
        Column("best\nahead, %", "best_ahead", value=best_ahead),
        Column("limited\nby", "limited_by", value=lambda each: each.limits.short),
        Column("left\n%", "left", ranged=False, value=lambda each: each.worst and each.worst.left),
        Column(
            "at worst\nwithout",
            "without",
            value=lambda each: each.worst.gone if each.worst else "nothing",
        ),
        *headed(ctcs="CTCs", chpids="chp-\nids"),
        Column("find-\nings", "findings", value=lambda each: each.warnings + each.remarks),
    )
    caption = (
        "MB/s (2^20) of the slower direction; the odds, of 100, that the best is ahead of each on "
        "real hardware"
    )
    return Table(caption, columns, found.layouts, "layouts")


def compare_files(
    files: Annotated[
        Sequence[str | Decks], Argument("A B...", "Two results (JSON), or two layouts or more.")
    ],
    *,
    workload: NamedWorkload = None,
    pairs: Pairs = None,
    link: str | None = None,
    profile: GivenSite = None,
    jobs: int = 1,
) -> Comparison | ComparedResults:
    """Lay results or layouts side by side and show the differences.

    Results are what 'isfc run --json' printed, or both what 'isfc replay --json' did. Layouts are
    run, HL with 50 pairs if nothing else is said: what each carries and what limits that, what its
    worst loss leaves, and the odds that one is ahead. Ends with 0 whether or not they differ.

    Raises `ConfigurationError` as `compare` and `compare_results` do, and for options of layouts
    with results.
    """
    results = [file for file in files if isinstance(file, str) and not _is_layout(file)]
    if len(results) < len(files):
        if len(files) < 2:
            raise ConfigurationError(f"{files[0]}: expected two layouts or more, or two results")
        return compare(files, workload, pairs, link=link, profile=profile, jobs=jobs)
    of_layouts = {"workload": workload, "pairs": pairs, "link": link, "profile": profile}
    for name, value in of_layouts.items():
        if value is not None:
            raise ConfigurationError(f"{spelt(name)}: of layouts; expected files that are layouts")
    if len(files) != 2:
        raise ConfigurationError(f"{len(files)} results: expected two, or layouts (.toml)")
    return compare_results(*results)


def _is_layout(file: str) -> bool:
    """Whether it is one, or decks or console logs; what can be read only once is a result."""
    path = Path(file)
    if path.suffix == ".toml" or file in shipped_layouts() or "," in file:
        return True
    return path.is_file() and source_kind(path.read_text(errors="replace")) is not SourceKind.LAYOUT
