"""``isfc report``: a layout's judgement and its runs, and its channels, as one page."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Protocol

import typer

from isfc.cli.experiments import run_all
from isfc.cli.options.file import check_file, output_option
from isfc.cli.options.layout import LayoutArgument, LinkOption, open_all
from isfc.cli.render.output import show_log, write_file
from isfc.cli.render.page.cluster import ClusterSurvey
from isfc.cli.render.page.document import bundle, check_charts, document
from isfc.cli.survey import Survey, survey, survey_channels
from isfc.layout.loss import cluster_losses
from isfc.layout.sharing import shares_anything
from scenarios.cluster_plan import cluster_plan, plan_experiments
from scenarios.steady import steady_links
from scenarios.workload import find_workload, workload_usage


class Tell(Protocol):
    """Who is told what is run, and of which link if there are several."""

    def __call__(self, what: str, of: str) -> None:
        """Take it."""


def report(
    layout: LayoutArgument,
    *,
    link: LinkOption = None,
    output: Annotated[str, output_option("The page to be written.", "FILE.html")],
    workload: Annotated[
        str, typer.Option(metavar="NAME", help=f"What is run: {workload_usage()}.")
    ] = "HL",
) -> None:
    """Write one page about a layout: drawing, findings, runs, losses.

    The page needs no network and no other file. It has charts that can be zoomed and tables of
    the same figures; it follows dark mode, and can be printed. Of a layout with several links it
    has all. LAYOUT may be an I/O configuration as well, with or without a link: then the page
    shows what its channels can do, and the comparisons that concern them.
    """
    path = check_file("-o", output, (".html",))
    write_file(path, report_of(layout, _show_run, link, workload))


def report_of(name: str, tell: Tell, link: str | None = None, workload: str = "HL") -> str:
    """The page of the layout that ``name`` means; ``tell`` is told what is run next."""
    check_charts()
    chosen = find_workload(workload)
    links, configuration = open_all(name, link)
    channels = survey_channels(name, configuration) if configuration else None
    surveys: list[Survey] = []
    for number, each in enumerate(links, start=1):
        of = f" of {'-'.join(each.layout.nodes)}" if len(links) > 1 else ""
        surveyed = survey(
            name, each.layout, chosen, partial(tell, of=of), each.disks, each.neighbours
        )
        surveys.append(replace(surveyed, mark=f"-{number}" if number > 1 else ""))
    cluster = None
    if len(links) > 1 and shares_anything(links[0].collection):
        tell("all links together", "")
        collection = links[0].collection
        results = run_all(steady_links, plan_experiments(collection), None)
        cluster = ClusterSurvey(collection, cluster_plan(results), cluster_losses(collection))
    return document(surveys, bundle(), channels, cluster)


def _show_run(what: str, of: str) -> None:
    """Say on standard error what is run, and of which link if there are several."""
    show_log(f"Running {what}{of}")
