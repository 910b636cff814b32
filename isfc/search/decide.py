"""What the commands that help to decide do, as functions.

Options of a command are arguments of the same name, and figures are the same.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from ctc.address import parse_rdevs
from isfc.arguments import checked, in_python
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.change import Step, change_steps
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.in_words import check_known
from isfc.search.candidate import parse_fixed
from isfc.search.objective import LinksObjective, Objective, Scoring
from isfc.search.optimise import optimise as search
from isfc.search.result import SearchResult, Task
from isfc.search.workers import check_jobs, shared_out
from scenarios.runs.at_site import GivenSite, links_at
from scenarios.runs.load import Load
from scenarios.runs.workload import Workload, find_workload


@checked
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


@checked
def change(before: AnyLayout, after: AnyLayout, *, reset: str | None = None) -> tuple[Step, ...]:
    """The steps from one layout to another, as `isfc change` says them.

    A step adds or removes ``ctcs`` of a link; ``left`` is the link then, which `carried` and
    `simulate` take. ``reset`` is a link whose CTCs are taken out and in again. Raises
    `ConfigurationError` for layouts that have no system in common.
    """
    new = given_collection(after)
    stuck = None if reset is None else new.link(reset, "reset").nodes
    return change_steps(given_collection(before), new, stuck)


_Name = TypeVar("_Name", Objective, LinksObjective)


def _named(kind: type[_Name], argument: str, name: str) -> _Name:
    check_known(argument, name, [each.value for each in kind])
    return kind(name)
