"""The page about a layout, which ``isfc report`` writes, as a function: what is run for it."""

from collections.abc import Callable

from msgspec.structs import replace

from isfc.answers.given import LINKS_IN_FULL, OpenedLink, called, open_all
from isfc.errors.arguments import checked
from isfc.errors.loading import check_library
from isfc.layout.catalogue import AnyLayout
from isfc.layout.sharing import shares_anything
from scenarios.runs.workload import Workload, find_workload
from scenarios.search import report_runs
from scenarios.search.workers import each_by


@checked
def report(
    layout: AnyLayout,
    *,
    link: str | None = None,
    workload: Workload | str = "HL",
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> str:
    """One page about a layout as HTML: drawing, findings, runs, losses, as `isfc report` writes it.

    Of several links it has all, or the ``link`` that is named; of many what they come to
    together. ``jobs`` processes share the runs; ``progress`` is told what is run next. Raises
    `ConfigurationError` for what is no layout.
    """
    chosen = find_workload(workload)
    check_charts()
    run_each = each_by(jobs)
    from isfc.answers.page.document import bundle, document  # what it needs is there

    links, configuration = open_all(layout, link)
    name = called(layout, links[0].layout.name if links else "channels")
    channels = report_runs.channel_estimates(name, configuration) if configuration else None
    several = len(links) > 1
    tell = progress or (lambda _: None)

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


def check_charts() -> None:
    """Raise `ConfigurationError` if what writes the page or draws its charts is not installed."""
    for library in ("jinja2", "vl_convert"):
        check_library(library, "isfc report")
