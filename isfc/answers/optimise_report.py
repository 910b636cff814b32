"""What a search of CTCs' places comes to: what is to gain and what that takes, then the best."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.advice import two_paces
from isfc.answers.limit import LimitedBy, ends_in_cp, limits_answer
from isfc.layout.site import SiteProfile
from isfc.reports.figure import Figure, NoRange, Note, Reported, Unit
from isfc.reports.report import LIKELY, Column, Lines, Report, Table, headed
from isfc.reports.text import records
from isfc.reports.units import FORMATS, factor_line, range_note, shown, with_unit
from scenarios.runs.steady import Rate
from scenarios.search.scoring import Objective

NEW: Final = "new "
"""Marks CTCs that the layout given does not have."""


class SystemOrders(Struct, frozen=True):
    """What an operator does at a system."""

    now: tuple[str, ...]
    """the CP commands that can be given now"""
    after_iodf: tuple[str, ...]
    """those whose devices the IODF has to have first"""
    without: tuple[str, ...]
    """the devices of the layout given that are left out"""


class Placing(Struct, frozen=True):
    """A layout, or several links, with its figures."""

    figures: dict[str, Figure]
    """by objective, such as `forward`"""
    links: dict[str, Rate]
    """of several links: what the slower direction of each with traffic carries"""
    odds_percent: int | None
    """how likely it is that it is ahead of the layout given on real hardware too, at the first
    objective; null if its messages are too far from IBM's"""
    gains: bool
    """whether it is ahead of the layout given: by more than the spread, and in three of four such
    choices by the odds"""
    on_front: bool
    """no other one is better at all objectives"""
    order: str
    """of one link, as all that follows: how many CTCs are on which fibre, down the device list;
    those that the layout given does not have are new"""
    chpids: tuple[str, ...]
    """the same, CTC by CTC"""
    rdevs: tuple[tuple[str, ...], ...]
    """each CTC's two"""
    needs_iodf: tuple[bool, ...]
    """of each CTC, whether the layout given does not have it so"""
    rules: tuple[str, ...]
    """of `isfc check`, those that find something (`+`) or nothing more (`-`) other than in the
    layout given"""
    definition_changes: tuple[str, ...]
    """device numbers that are new, or go to another chpid"""
    activate: dict[str, SystemOrders]
    """by system"""
    layout: str
    """as the text of a file"""

    @property
    def score(self) -> Figure:
        """MB/s by the first objective."""
        return next(iter(self.figures.values()))


class MovedCtcs(Struct, frozen=True):
    """CTCs of a link that go from one fibre to another; their device numbers stay."""

    link: str
    rdevs: dict[str, str]
    """by system"""
    before: str
    """the chpids of both systems"""
    after: str


class SearchResult(Reported, Struct, frozen=True):
    """What a search has found, beside what was given; of one link, or of several together."""

    reported_by = "isfc.answers.optimise_report.optimise_report"

    objectives: tuple[str, ...]
    """what was sought, in order"""
    load: str
    """what runs, in words"""
    traffic: tuple[str, ...]
    """of several links: that of the file, or of `--traffic`"""
    seconds: float
    """virtual time of each run of the search"""
    seeds: int
    """with so many the best were run again, until they were steady"""
    candidates: int | None
    """how many there are, alike ones once; null if more than can be counted"""
    screened: int
    """how many of them the rule of thumb left out"""
    simulated: int
    """how many of them were run"""
    defined_simulated: int
    """how many choices of the devices that are defined were run"""
    given: Placing
    """the layout given"""
    best: tuple[Placing, ...]
    """the same of the best, the first by the first objective"""
    defined: Placing
    """the same of the best choice of the devices that are defined: `given` where none is ahead"""
    gains_on_defined: bool
    """whether the first of `best` is so ahead of `defined`"""
    moves: tuple[MovedCtcs, ...]
    """of several links: from those given to the first of `best`"""
    written: str
    """what `-o` writes: the `first` of `best`, `defined`, or `given` where there is nothing to
    gain"""
    notes: tuple[Note, ...]
    limits: LimitedBy | None
    """of one link on machines: what limits the first of `best`"""
    profile: SiteProfile | UnsetType = UNSET
    """as of `isfc plan --json`"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each of the best and for what was given, as a data frame takes them."""
        return records(placings(self))

    @property
    def proposed(self) -> Placing:
        """What ``-o`` writes."""
        return {"first": self.best[0], "defined": self.defined, "given": self.given}[self.written]


def optimise_report(found: SearchResult) -> Report:
    """What is to gain and how to get it; then the best beside what was given."""
    first = f"forward, {' to '.join(found.given.activate)}"
    sought = " and ".join(found.objectives).replace("forward", first)
    of = ", ".join(found.traffic) or found.load
    rate = found.best[0].figures[found.objectives[0]]
    return Report(
        f"Best places of CTCs by MB/s {sought}, {of}",
        [*_answer(found), *limits_answer(found.limits), *ends_in_cp(found.limits, rate)],
        [placings(found), *_commands(found)],
        notes=[*_known(found)],
        known=found.notes,
        charts=[_front(found)],
    )


def _front(found: SearchResult) -> Lines:
    """What was found by the first two objectives, or by one over the places; the front joined."""
    first, second = (*found.objectives, "place")[:2]
    rows = [
        {"of": "front" if one.on_front else "found", **one.figures, "place": place}
        for place, one in enumerate(found.best, start=1)
    ]
    rows.append({"of": "given", **found.given.figures, "place": 0})
    return Lines(
        caption=f"What was found: {second} over {first}",
        rows=rows,
        across=Column(f"{first}, MB/s; bars: {LIKELY}", first),
        up=[Column(second if second == "place" else f"{second}, MB/s", second)],
        of=Column("", "of"),
        names=("found", "front", "given"),
        joined=["front"],
    )


def _answer(found: SearchResult) -> Iterator[tuple[str, str]]:
    """Whether there is anything to gain, what that takes, and what it changes."""
    best, given, one = found.best[0], found.given, _better(found)
    if one.gains:
        is_new = one.links or any(one.needs_iodf)
        needed = "a change of the IODF" if is_new else "the devices that are defined"
        yield "Best", f"{_over(one, found)}, with {needed}"
    elif best.score.value > given.score.value and best.score.differs(given.score):
        one = best
        yield "No winner", f"{_over(best, found)}: so far neither is ahead"
    else:
        other = "neither another order of the defined devices nor new ones (IODF)"
        what = "no other placing" if best.links else other
        yield "Nothing to gain", f"on these fibres: {what} is ahead of the layout given"
        return
    yield "Carries", f"{with_unit(one.score)}, where the layout given has {with_unit(given.score)}"
    if found.defined.gains and one is not found.defined:
        yield "As defined", f"{_over(found.defined, found)}, with the devices that are defined"
    elif one is found.defined and any(best.needs_iodf):
        yield "IODF", "a change of it gains nothing more"
    if one.gains and one.rules:
        yield "isfc check", _rules(one)


def _better(found: SearchResult) -> Placing:
    """The first of the best if it gains on the devices that are defined, else these."""
    return found.best[0] if found.gains_on_defined else found.defined


def _over(one: Placing, found: SearchResult) -> str:
    """How far a placing is ahead of the one given, and how surely."""
    ahead = _ahead(one, found.given)
    more = "" if ahead is None else f"{shown(ahead, Unit.CHANGE)} {FORMATS[Unit.CHANGE].name} "
    odds = f"odds {one.odds_percent} of 100"
    if one.odds_percent is None:
        odds = f"no odds, as {NoRange.TOO_FAR}"
    return f"{more}over the layout given ({odds})"


def _ahead(one: Placing, given: Placing) -> float | None:
    """By how many percent it is ahead at the first objective; None where nothing was carried."""
    ours, theirs = one.score.value, given.score.value
    return 100 * (ours / theirs - 1) if theirs else None


def _rules(one: Placing) -> str:
    """How findings of ``isfc check`` differ from those of the layout given."""
    gone = [rule[1:] for rule in one.rules if rule.startswith("-")]
    come = [rule[1:] for rule in one.rules if rule.startswith("+")]
    said = [f"no longer finds {', '.join(gone)}"] * bool(gone)
    said += [f"finds, other than now, {', '.join(come)}"] * bool(come)
    return f"then {'; '.join(said)}"


def placings(found: SearchResult) -> Table:
    """The best, and what was given."""
    several = len(found.objectives) > 1
    placed = [(str(place), one) for place, one in enumerate(found.best, start=1)]
    rows = [_row(name, one, found) for name, one in (*placed, ("given", found.given))]
    columns = [
        Column("", "place"),
        *(
            Column(each.replace("-", "\n", 1), each, ranged=not several)
            for each in found.objectives
        ),
        Column("ahead\n%", "ahead_percent", Unit.CHANGE),
        Column("odds\n%", "odds_percent"),
        *([Column("on\nfront", "on_front")] if several else []),
        *(Column(name.replace("-", "-\n"), name, Unit.MB_PER_S) for name in found.given.links),
        *([] if found.given.links else [Column("CTCs by fibre, down the device list", "order")]),
    ]
    marked = any(any(one.needs_iodf) for one in found.best)
    caption = "MB/s (2^20) and how far that is ahead of the layout given" + (
        f"; {NEW}CTCs need a change of the IODF" * marked
    )
    return Table(caption, columns, rows, "best")


def _row(name: str, one: Placing, found: SearchResult) -> SimpleNamespace:
    """A placing with a field for each objective, and for each of several links."""
    is_given = one is found.given
    return SimpleNamespace(
        place=name,
        **one.figures,
        ahead_percent=None if is_given else _ahead(one, found.given),
        odds_percent=None if is_given else one.odds_percent,
        on_front="yes" if one.on_front else "",
        **{link: rate.mb_per_s for link, rate in one.links.items()},
        order=one.order,
    )


class _Step(Struct, frozen=True):
    """What an operator does at a system."""

    system: str
    when: str
    what: str


def _commands(found: SearchResult) -> Iterator[Table]:
    """What to do for the better of both answers, if it gains."""
    one = _better(found)
    if not one.gains:
        return
    columns = headed(system="at", when="when", what="what")
    yield Table("What to do for it", columns, [*_steps(found, one)], "commands")


def _steps(found: SearchResult, one: Placing) -> Iterator[_Step]:
    for each in found.moves:
        devices = " = ".join(f"{node} {rdevs}" for node, rdevs in each.rdevs.items())
        yield _Step(each.link, "IODF", f"{devices}: chpids {each.before} to {each.after}")
    for system, orders in one.activate.items():
        at = f" at {system}"
        changes = [told.replace(at, "") for told in one.definition_changes if at in told]
        if changes:
            yield _Step(system, "IODF", "; ".join(changes))
        yield from (_Step(system, "now", line) for line in orders.now)
        yield from (_Step(system, "after IODF", line) for line in orders.after_iodf)
        if orders.without:
            yield _Step(system, "leave out", " ".join(orders.without))


_WRITTEN: Final = {
    "first": "the first of the table",
    "defined": "the best choice of the devices that are defined",
    "given": "the layout given, as there is nothing to gain",
}


def _known(found: SearchResult) -> Iterator[str]:
    """What ``-o`` writes; of which runs the figures are, how far they are known; what was run."""
    yield f"-o FILE writes {_WRITTEN[found.written]}."
    best = [(str(place), one) for place, one in enumerate(found.best, start=1)]
    placed = [*best, ("given", found.given)]
    figures = [figure for _, one in placed for figure in one.figures.values()]
    rates: list[tuple[str, Rate | Figure]] = []
    for name, one in placed:
        rates += [(f"{name} {what}", figure) for what, figure in one.figures.items()]
        rates += [(f"{name} {link}", rate) for link, rate in one.links.items()]
    widest = max((100 * each.spread / each.value for each in figures if each.value), default=0.0)
    relocated = ", or of one relocation" * (Objective.RELOCATION in found.objectives)
    yield (
        f"Each figure is the mean of {found.seeds} seed{'s' * (found.seeds > 1)}, of runs until "
        f"what they carry was steady{relocated}, and is known within "
        f"{shown(widest, Unit.PERCENT)} %. The search before that ran each candidate once, for "
        f"{found.seconds:g} s of virtual time. "
        f"{two_paces(rates)}"
    ).strip()
    yield (
        f"The range of each figure is {factor_line(figures)}. {range_note(figures)} odds: in how "
        "many of such choices it is ahead of the layout given on real hardware too."
    )
    yield _looked_at(found)


def _looked_at(found: SearchResult) -> str:
    if found.given.links:
        return f"Candidates simulated: {found.simulated}."
    of_all = "more than can be counted" if found.candidates is None else found.candidates
    return (
        f"Candidates: {of_all}; left out by the rule of thumb: {found.screened}; simulated: "
        f"{found.simulated}. Choices of defined devices that were simulated: "
        f"{found.defined_simulated}."
    )
