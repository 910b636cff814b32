"""The page about a layout, which ``isfc report`` writes, as a function: what is run for it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from msgspec.structs import astuple, replace

from isfc.answers.decision import decided, nobody
from isfc.answers.decision_page import Decision
from isfc.answers.gathered import holds_layout
from isfc.answers.given import LINKS_IN_FULL, OpenedLink, called, open_all
from isfc.answers.site_asked import Ask, SiteAsked
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked, spelt
from isfc.errors.loading import check_library
from isfc.layout.catalogue import AnyLayout
from isfc.layout.sharing import shares_anything
from isfc.layout.site import GivenSite
from scenarios.runs.experiment import SUITE
from scenarios.runs.workload import Workload, find_workload
from scenarios.search import report_runs
from scenarios.search.workers import each_by


@checked
def report(
    files: AnyLayout | Sequence[str | Path],
    *,
    link: str | None = None,
    workload: Workload | str = "HL",
    partitions: str | None = None,
    ports: Sequence[str] = (),
    feature: Sequence[str] = (),
    cec: Sequence[str] = (),
    ran: Sequence[str] = (),
    decide: str | None = None,
    window: str | None = None,
    leave: Sequence[str] = (),
    profile: GivenSite = None,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> str:
    """One page as HTML, as `isfc report` writes it: of one layout all that there is to see.

    Of other files, of several, or where something is asked of one, it is the decision that they
    come to. Of several links a page has all, or the ``link`` that is named; of many what they come
    to together. ``jobs`` processes share the runs; ``progress`` is told what is run next.

    Raises `ConfigurationError` for what is no layout, and for a rate or a window that is none.
    """
    asked = SiteAsked(partitions, ports, feature, cec, ran, decide, window, leave)
    found = page_or_decision(
        files, asked, link=link, workload=workload, profile=profile, jobs=jobs, tell=progress
    )
    return found if isinstance(found, str) else page_of_decision(found)


def page_or_decision(
    files: AnyLayout | Sequence[str | Path],
    asked: SiteAsked,
    *,
    link: str | None,
    workload: Workload | str,
    profile: GivenSite,
    jobs: int,
    tell: Callable[[str], None] | None,
    ask: Ask = nobody,
) -> str | Decision:
    """The page of one layout of which nothing is asked, or the decision of whatever else it is."""
    chosen = find_workload(workload)
    check_charts()
    tell = tell or nobody
    given = [*files] if isinstance(files, list | tuple) else [files]
    is_one = len(given) == 1 and not any(astuple(asked)) and profile is None
    if is_one and holds_layout(layout := cast(AnyLayout, given[0])):
        return _page(layout, link, chosen, jobs, tell)
    paths = [each for each in given if isinstance(each, str | Path) and "\n" not in str(each)]
    if not paths or paths != given:
        raise ConfigurationError("files: expected the paths of files where something is asked")
    if chosen != find_workload(SUITE):
        raise ConfigurationError(
            f"{spelt('workload')} {chosen.name}: of one layout alone; a decision is of {SUITE}"
        )
    return decided(paths, asked, link=link, profile=profile, jobs=jobs, tell=tell, ask=ask)


def _page(
    layout: AnyLayout,
    link: str | None,
    chosen: Workload,
    jobs: int,
    tell: Callable[[str], None],
) -> str:
    """All about a layout and its channels."""
    run_each = each_by(jobs)
    from isfc.answers.page.document import bundle, document  # what it needs is there

    links, configuration = open_all(layout, link)
    name = called(layout, links[0].layout.name if links else "channels")
    channels = report_runs.channel_estimates(name, configuration) if configuration else None
    several = len(links) > 1

    def run(number: int, each: OpenedLink) -> report_runs.LinkRuns:
        of = f" of {each.layout.name}" if several else ""
        found = report_runs.link_runs(
            name,
            each.layout,
            chosen,
            lambda what: tell(f"{what}{of}"),
            run_each,
            each.disks,
            each.collection,
        )
        return replace(found, mark=f"-{number}" if number > 1 else "")

    if len(links) > LINKS_IN_FULL:
        tell("all links together")
        many = report_runs.many_runs(links[0].collection, run_each)
        return document((), "", channels, many)
    every = [run(number, each) for number, each in enumerate(links, start=1)]
    cluster = None
    if several and shares_anything(links[0].collection):
        tell("all links together")
        cluster = report_runs.cluster_runs(links[0].collection, run_each)
    return document(every, bundle() if every else "", channels, cluster)


def page_of_decision(found: Decision) -> str:
    """The decision as a page of its own."""
    from isfc.answers.page.document import decision_page  # what it needs is there

    return decision_page(found)


def check_charts() -> None:
    """Raise `ConfigurationError` if what writes the page or draws its charts is not installed."""
    for library in ("jinja2", "vl_convert"):
        check_library(library, "isfc report")
