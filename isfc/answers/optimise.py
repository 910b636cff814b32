"""Which CTCs on each chpid, and in what order, for links to be good at something."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Final, TypeVar

from msgspec import UNSET, Struct, UnsetType

from ctc.address import Rdev, parse_rdevs
from isfc.answers.advice import two_paces
from isfc.answers.placing import UNDEFINED, MovedCtcs, Placing, moved_ctcs, placing_of
from isfc.answers.profile import Profile, profile_of
from isfc.arguments import Argument, Jobs, checked, spelt
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.in_words import check_known
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection, with_comments
from isfc.link.scan import CTCS_MAX
from isfc.reported import Reported
from isfc.reports.delimited import records
from isfc.reports.ranges import factor_line, range_note
from isfc.reports.report import Column, Report, Table, caveats
from isfc.reports.units import FORMATS, shown, with_unit
from isfc.search.candidate import parse_fixed
from isfc.search.optimise import optimise as search
from isfc.search.scoring import Found, LinksObjective, Objective, Scoring, Task
from isfc.search.workers import shared_out
from scenarios.figures.figure import Figure, Unit
from scenarios.runs.at_site import GivenSite, link_of, opened_at
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, Load, read_traffic
from scenarios.runs.notes import cluster_notes, run_notes
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.steady import Rate
from scenarios.runs.workload import LinkLoad, Workload, complete_workload, find_workload, load_of

_WORKLOAD: Final = "HL"
_PAIRS: Final = 50
_RUNS_MAX: Final = 100_000
_SEEDS_MAX: Final = 100
_OF_SEVERAL: Final = "of several links; expected it with a file of several links, and without"


class SearchResult(Reported, Struct, frozen=True):
    """What a search has found, beside what was given; of one link, or of several together."""

    reported_by = "isfc.answers.optimise.optimise_report"

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
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each of the best and for what was given, as a data frame takes them."""
        return records(_placings(self))

    @property
    def proposed(self) -> Placing:
        """What ``-o`` writes."""
        return {"first": self.best[0], "defined": self.defined, "given": self.given}[self.written]


_Ctcs = Annotated[
    int | None, Argument("N", "CTCs in all; as many as LAYOUT has if not given.", 1, CTCS_MAX)
]
_Objectives = Annotated[
    Sequence[str],
    Argument(
        "NAME",
        f"What to be good at: {', '.join(Objective)}, of which there may be several; of several "
        f"links {', '.join(LinksObjective)}. Of each the first if not given.",
    ),
]
_Traffic = Annotated[
    Sequence[str],
    Argument(
        "FROM-TO:WORKLOAD:PAIRS",
        "Of several links: run this over one, clients on the first node. May be repeated. The "
        "file's [[traffic]] if nothing says what to run.",
    ),
]
_Workload = Annotated[
    Workload | str | None,
    Argument(
        "NAME",
        f"What runs over each link; {_WORKLOAD} if nothing says it.",
        complete=complete_workload,
    ),
]
_Pairs = Annotated[
    int | None, Argument("N", f"Pairs of guests; {_PAIRS} if nothing says it.", 1, PAIRS_MAX)
]
_Seconds = Annotated[
    float,
    Argument(
        "S",
        "Virtual time of each run of the search; the best are run until they are steady.",
        INTERVAL_MIN,
        SECONDS_MAX,
    ),
]
_Runs = Annotated[int, Argument("N", "The most candidates that are simulated.", 1, _RUNS_MAX)]
_Seeds = Annotated[int, Argument("N", "Seeds that the best are run with.", 1, _SEEDS_MAX)]
_Fixed = Annotated[
    str | None,
    Argument("RDEVS", "Devices of the first system that may not move, as 6000-6003,6010."),
]


@checked
def optimise(
    layout: AnyLayout,
    *,
    link: str | None = None,
    profile: GivenSite = None,
    ctcs: _Ctcs = None,
    objective: _Objectives = (),
    traffic: _Traffic = (),
    workload: _Workload = None,
    pairs: _Pairs = None,
    seconds: _Seconds = 0.5,
    runs: _Runs = 200,
    seeds: _Seeds = 3,
    fixed: _Fixed = None,
    jobs: Jobs = 1,
    progress: Callable[[float], None] | None = None,
) -> SearchResult:
    """Search for the best CTCs on a layout's chpids.

    How many CTCs go on each chpid, and in what order: all of them where they are few, else a search
    that is the same every time. Shows the best ten beside the layout given, and the commands that
    activate the best. With several objectives, those that no other one beats in all. Of a file with
    several links it moves the CTCs of all of them, as they run together.

    Raises `ConfigurationError` if there is nothing to choose. ``jobs`` processes share the runs,
    and ``progress`` is told what share of the most candidates has been run.
    """
    collection, text = opened_at(layout, profile)
    load = Load(find_workload(workload or _WORKLOAD), pairs or _PAIRS)
    if link is None and len(collection.links) > 1:
        _check_none(_of_one(collection), ctcs=ctcs, fixed=fixed)
        own = {"workload": workload, "pairs": pairs}
        load = replace(load, traffic=_traffic(collection, traffic, own))
        (*more, goal) = _goals(LinksObjective, objective)
        _check_none(_of_one(collection), objective=more)
        task = Task(collection, Scoring((goal,), load, seconds), runs=runs, seeds=seeds)
    else:
        _check_none(f"{_OF_SEVERAL} {spelt('link')}", traffic=traffic)
        one = link_of(collection, layout, link)
        scoring = Scoring(tuple(_goals(Objective, objective)), load, seconds)
        kept = _fixed(one, fixed)
        task = Task(Collection.of(one), scoring, ctcs or len(one.ctcs), runs, seeds, kept)
    tell = progress or (lambda _: None)
    found = search(
        task, partial(shared_out, jobs=jobs), lambda count: tell(min(1.0, count / task.runs))
    )
    return search_result(found, task, partial(_written, collection, text))


def _fixed(layout: Layout, fixed: str | None) -> frozenset[Rdev]:
    """The devices that may not move."""
    with within(spelt("fixed")):
        rdevs = parse_rdevs(fixed) if fixed else ()
    return parse_fixed(layout, rdevs)


_Name = TypeVar("_Name", Objective, LinksObjective)


def _goals(kind: type[_Name], names: Sequence[str]) -> list[_Name]:
    """The objectives that are named, each once; the first that there is if none."""
    every = [each.value for each in kind]
    for name in names:
        check_known(spelt("objective"), name, every)
    return [kind(name) for name in dict.fromkeys(names or every[:1])]


def _traffic(
    links: Collection, given: Sequence[str], others: Mapping[str, object]
) -> tuple[LinkLoad, ...]:
    """What runs over several links: that which is given, or the file's if nothing else is said."""
    said = [name for name, value in others.items() if value is not None]
    if given and said:
        raise ConfigurationError(f"{spelt('traffic')} and {spelt(said[0])}: expected one of them")
    if given:
        return tuple(read_traffic(each, links) for each in given)
    return () if said else tuple(map(load_of, links.traffic))


def _of_one(links: Collection) -> str:
    """Why an argument that is of one link cannot be taken, and what to do."""
    names = ", ".join(link.name for link in links.links)
    return (
        f"of one link, and the file has {len(links.links)} links; expected {spelt('link')} with "
        f"one of {names}"
    )


def _check_none(why: str, **arguments: object) -> None:
    """Raise `ConfigurationError` for an argument that is given, and is not of what is searched."""
    for name, value in arguments.items():
        if value:
            raise ConfigurationError(f"{spelt(name)}: {why}")


def _written(given: Collection, text: str, placed: Collection) -> str:
    """The file with other CTCs: machines, shared channels, traffic, disks and decks stay.

    Of several links of which one was placed it is that one, without the disks.
    """
    kept = replace(given, links=placed.links)
    whole = kept if len(placed.links) == len(given.links) else replace(kept, io={})
    return with_comments(format_collection(in_use(whole)), text)


def search_result(found: Found, task: Task, write: Callable[[Collection], str]) -> SearchResult:
    """The answer; ``write`` makes the text of a file of some links."""
    scoring = task.scoring
    objectives = [str(each) for each in scoring.objectives]
    of = partial(placing_of, found=found, objectives=objectives, write=write)
    best, proposed = found.best[0], found.proposed
    return SearchResult(
        tuple(objectives),
        scoring.load.words,
        tuple(map(str, scoring.load.traffic)),
        *(scoring.seconds or 0.0, task.seeds),
        *(found.candidate_count, found.screened_count),
        *(found.simulated_count, found.defined_count),
        of(found.given),
        tuple(map(of, found.best)),
        of(found.defined),
        best.gains(found.defined),
        tuple(moved_ctcs(found)) if task.links else (),
        "first" if proposed is best else "given" if proposed is found.given else "defined",
        _notes(found, task),
        UNSET if task.links else profile_of(task.layout.site),
    )


def _notes(found: Found, task: Task) -> tuple[Note, ...]:
    """The notes of the figures of the best, which are those of its runs."""
    if task.links:
        return cluster_notes(task.collection)
    load = task.scoring.load
    own = replace(found.best[0].layout, site=task.layout.site, notes=task.layout.notes)
    return run_notes(own, load.workload, load.pairs)


def optimise_report(found: SearchResult) -> Report:
    """What is to gain and how to get it; then the best beside what was given."""
    remarks, rest = caveats(found.notes)
    sought = " and ".join(found.objectives)
    of = ", ".join(found.traffic) or found.load
    return Report(
        f"Best places of CTCs by MB/s {sought}, {of}",
        [*_answer(found)],
        [_placings(found), *_commands(found)],
        remarks=remarks,
        notes=[*_known(found), *rest],
    )


def _answer(found: SearchResult) -> Iterator[tuple[str, str]]:
    """Whether there is anything to gain, what that takes, and what it changes."""
    best, given, one = found.best[0], found.given, _better(found)
    if one.gains:
        yield "Best", f"{_over(one, found)}, with {_needs(one)}"
    elif _rate(best).is_ahead(_rate(given)):
        one = best
        yield "Open", f"{_over(best, found)}: so far neither is ahead"
    else:
        other = "neither another choice of the devices that are defined nor a change of the IODF"
        what = "no other placing" if best.links else other
        yield "Nothing to gain", f"{what} is ahead of the layout given"
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
    return f"{more}over the layout given (odds {one.odds_percent} of 100)"


def _needs(one: Placing) -> str:
    is_new = one.links or any(one.needs_iodf)
    return "a change of the IODF" if is_new else "the devices that are defined"


def _ahead(one: Placing, given: Placing) -> float | None:
    """By how many percent it is ahead at the first objective; None where nothing was carried."""
    ours, theirs = one.score.value, given.score.value
    return 100 * (ours / theirs - 1) if theirs else None


def _rate(one: Placing) -> Rate:
    return Rate(one.score.value, one.score.spread, one.score.second)


def _rules(one: Placing) -> str:
    """How findings of ``isfc check`` differ from those of the layout given."""
    gone = [rule[1:] for rule in one.rules if rule.startswith("-")]
    come = [rule[1:] for rule in one.rules if rule.startswith("+")]
    said = [f"no longer finds {', '.join(gone)}"] * bool(gone)
    said += [f"finds, other than now, {', '.join(come)}"] * bool(come)
    return f"then {'; '.join(said)}"


def _placings(found: SearchResult) -> Table:
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
        f"; {UNDEFINED} CTCs that need a change of the IODF" * marked
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
    steps = [*_moves(found), *_activations(one)]
    columns = Column("at", "system"), Column("when", "when"), Column("what", "what")
    yield Table("What to do for it", columns, steps, "commands")


def _moves(found: SearchResult) -> Iterator[_Step]:
    for each in found.moves:
        devices = " = ".join(f"{node} {rdevs}" for node, rdevs in each.rdevs.items())
        yield _Step(each.link, "IODF", f"{devices}: chpids {each.before} to {each.after}")


def _activations(one: Placing) -> Iterator[_Step]:
    for system, each in one.activate.items():
        at = f" at {system}"
        changes = [told.replace(at, "") for told in one.definition_changes if at in told]
        if changes:
            yield _Step(system, "IODF", "; ".join(changes))
        yield from (_Step(system, "now", line) for line in each.now)
        yield from (_Step(system, "after IODF", line) for line in each.after_iodf)
        if each.without:
            yield _Step(system, "leave out", " ".join(each.without))


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
        f"what they carry was steady{relocated}, and is known within {widest:.0f} %. The search "
        f"before that ran each candidate once, for {found.seconds:g} s of virtual time. "
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
