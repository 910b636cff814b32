"""Which CTCs on each chpid, and in what order, for links to be good at something."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Annotated, Final, TypeVar

from msgspec import UNSET, structs

from ctc.address import format_chpid, format_rdev, parse_rdevs
from isfc.answers.limit import LimitedBy, limits_of
from isfc.answers.optimise_report import NEW, MovedCtcs, Placing, SearchResult, SystemOrders
from isfc.deck.export import activation_text
from isfc.deck.numbers import numbers_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, Jobs, checked, spelt
from isfc.errors.in_words import check_known
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Layout
from isfc.layout.plan import find_all
from isfc.layout.sharing import in_use
from isfc.layout.site import GivenSite
from isfc.layout.write import format_collection, format_rdevs, with_comments
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Note
from scenarios.figures.limit import find_limit
from scenarios.figures.ranges import is_told
from scenarios.runs.at_site import link_of, opened_at
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, Load, read_traffic
from scenarios.runs.notes import cluster_notes, run_notes
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import LinkLoad, Workload, complete_workload, find_workload, load_of
from scenarios.search import scoring as searching
from scenarios.search.candidate import parse_fixed
from scenarios.search.optimise import optimise as search
from scenarios.search.workers import shared_out


def placing_of(
    one: searching.Contender,
    found: searching.Found,
    objectives: Sequence[str],
    write: Callable[[Collection], str],
) -> Placing:
    """What is said of a candidate; ``write`` makes the text of its file."""
    given, is_one = found.given.layout, not one.links
    layout = one.layout if is_one else given.with_ctcs(())
    devices, new = layout.device_list(), undefined(layout, given)
    nodes = layout.nodes if is_one else ()
    return Placing(
        dict(zip(objectives, one.figures, strict=True)),
        one.links,
        one.odds_over(found.given).percent
        if all(is_told(e.workload) for e in one.load.each)
        else None,
        one.gains(found.given),
        one in found.front,
        _order(layout, new),
        tuple(ctc.fibre.name for ctc in devices),
        tuple(tuple(map(format_rdev, ctc.rdevs)) for ctc in devices),
        tuple(ctc in new for ctc in devices),
        tuple(rule_changes(layout, given)) if is_one else (),
        tuple(definition_changes(given, layout)),
        {node: _activation(layout, given, node) for node in nodes},
        write(one.collection),
    )


def undefined(proposed: Layout, given: Layout) -> tuple[CtcPair, ...]:
    """The CTCs of a proposal, down its device list, that the layout given does not have."""
    return tuple(ctc for ctc in proposed.device_list() if ctc not in given.ctcs)


def _order(layout: Layout, new: tuple[CtcPair, ...]) -> str:
    names = [(ctc.fibre.name, NEW * (ctc in new)) for ctc in layout.device_list()]
    return ", ".join(f"{len([*run])} {mark}on {name}" for (name, mark), run in groupby(names))


def rule_changes(layout: Layout, given: Layout) -> list[str]:
    """The rules of ``isfc check`` that fire no more (-) or newly (+), against the layout given."""
    here, there = ({finding.rule.id for finding in find_all(each)} for each in (layout, given))
    gone = [f"-{name}" for name in sorted(there - here)]
    return [*gone, *(f"+{name}" for name in sorted(here - there))]


def definition_changes(given: Layout, proposed: Layout) -> list[str]:
    """The device numbers of a proposal that are defined nowhere in the layout given, or elsewhere.

    As ``5002 at DALLAS is new``; ``5001 at DALLAS goes from chpid 40 to 41``.
    """
    changes = []
    for end, node in enumerate(given.nodes):
        defined = {ctc.rdevs[end]: ctc.fibre.chpids[end] for ctc in given.ctcs}
        for ctc in proposed.device_list():
            rdev, chpid = ctc.rdevs[end], ctc.fibre.chpids[end]
            if rdev not in defined:
                changes.append(f"{format_rdev(rdev)} at {node} is new")
            elif defined[rdev] != chpid:
                changes.append(
                    f"{format_rdev(rdev)} at {node} goes from chpid "
                    f"{format_chpid(defined[rdev])} to {format_chpid(chpid)}"
                )
    return changes


def _activation(proposed: Layout, given: Layout, node: NodeName) -> SystemOrders:
    new, end = undefined(proposed, given), given.nodes.index(node)
    known = tuple(ctc for ctc in proposed.device_list() if ctc not in new)
    now, after = (
        tuple(activation_text(replace(proposed, ctcs=ctcs), node).splitlines()) if ctcs else ()
        for ctcs in (known, new)
    )
    wanted = {ctc.rdevs[end] for ctc in proposed.ctcs}
    gone = (ctc.rdevs[end] for ctc in given.device_list() if ctc.rdevs[end] not in wanted)
    return SystemOrders(now, after, tuple(map(format_rdev, gone)))


def moved_ctcs(found: searching.Found) -> list[MovedCtcs]:
    """What moves from the links given to the best, CTCs that go the same way together."""

    def way(move: searching.Move) -> tuple[str, str, str]:
        return move.link.name, move.before.name, move.after.name

    together = []
    for (link, _, _), group in groupby(sorted(found.moves, key=way), key=way):
        moves = [*group]
        first = moves[0]
        rdevs = {
            str(node): format_rdevs(move.rdevs[end] for move in moves)
            for end, node in enumerate(first.link.nodes)
        }
        chpids = ("-".join(map(format_chpid, each.chpids)) for each in (first.before, first.after))
        together.append(MovedCtcs(link, rdevs, *chpids))
    return together


_WORKLOAD: Final = "HL"
_PAIRS: Final = 50
_RUNS_MAX: Final = 100_000
_SEEDS_MAX: Final = 100
_OF_SEVERAL: Final = "of several links; expected it with a file of several links, and without"


_Ctcs = Annotated[
    int | None, Argument("N", "CTCs in all; as many as LAYOUT has if not given.", 1, CTCS_MAX)
]
_Objectives = Annotated[
    Sequence[str],
    Argument(
        "NAME",
        f"What to be good at: {', '.join(searching.Objective)}, of which there may be several; of "
        f"several links {', '.join(searching.LinksObjective)}. Of each the first if not given.",
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
        load = structs.replace(load, traffic=_traffic(collection, traffic, own))
        (*more, goal) = _goals(searching.LinksObjective, objective)
        _check_none(_of_one(collection), objective=more)
        task = searching.Task(
            collection, searching.Scoring((goal,), load, seconds), runs=runs, seeds=seeds
        )
    else:
        _check_none(f"{_OF_SEVERAL} {spelt('link')}", traffic=traffic)
        one = link_of(collection, layout, link)
        scoring = searching.Scoring(tuple(_goals(searching.Objective, objective)), load, seconds)
        with within(spelt("fixed")):
            rdevs = parse_rdevs(fixed) if fixed else ()
        kept, numbers = parse_fixed(one, rdevs), numbers_of(collection)
        taken, count = (numbers[one.nodes[0]], numbers[one.nodes[1]]), ctcs or len(one.ctcs)
        task = searching.Task(Collection.of(one), scoring, count, runs, seeds, kept, taken)
    tell = progress or (lambda _: None)
    found = search(
        task, partial(shared_out, jobs=jobs), lambda count: tell(min(1.0, count / task.runs))
    )
    return search_result(found, task, partial(_written, collection, text))


_Name = TypeVar("_Name", searching.Objective, searching.LinksObjective)


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


def search_result(
    found: searching.Found, task: searching.Task, write: Callable[[Collection], str]
) -> SearchResult:
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
        _limits(found, task),
        UNSET if task.links else task.layout.site or UNSET,
    )


def _limits(found: searching.Found, task: searching.Task) -> LimitedBy | None:
    """What limits the best of one link on machines, as its first objective has it send."""
    if task.links or not any(task.layout.machines):
        return None
    best, goal, load = found.best[0], task.objectives[0], task.scoring.load
    way = int(goal is searching.Objective.REVERSE)
    limit = find_limit(load.runs(best.collection)[way])
    return limits_of(limit, best.rates[0].mb_per_s)


def _notes(found: searching.Found, task: searching.Task) -> tuple[Note, ...]:
    """The notes of the figures of the best, which are those of its runs."""
    if task.links:
        return cluster_notes(task.collection)
    load = task.scoring.load
    own = replace(found.best[0].layout, site=task.layout.site, notes=task.layout.notes)
    return run_notes(own, load.workload, load.pairs)
