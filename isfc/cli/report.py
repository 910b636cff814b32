"""``isfc report``: a layout's judgement and its runs, and its channels, as one page."""

from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from isfc.cli.html.document import bundle, check_charts, document
from isfc.cli.options.layout import LayoutArgument, LinkOption, open_all
from isfc.cli.output.file import check_file, output_option
from isfc.cli.output.progress import run_all
from isfc.cli.output.streams import RUNNING, show_log, write_file
from isfc.layout.sharing import shares_anything
from scenarios.figures.report_runs import LinkRuns, channel_estimates, cluster_runs, link_runs
from scenarios.runs.workload import find_workload, workload_usage


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
    write_file(path, _page(layout, link, workload))


def _page(name: str, link: str | None, workload: str) -> str:
    """The page of the layout that ``name`` means."""
    check_charts()
    chosen = find_workload(workload)
    links, configuration = open_all(name, link)
    channels = channel_estimates(name, configuration) if configuration else None
    every: list[LinkRuns] = []
    for number, each in enumerate(links, start=1):
        of = f" of {'-'.join(each.layout.nodes)}" if len(links) > 1 else ""
        ran = link_runs(
            name,
            each.layout,
            chosen,
            partial(_say, of=of),
            run_all,
            each.disks,
            each.neighbours,
        )
        every.append(replace(ran, mark=f"-{number}" if number > 1 else ""))
    cluster = None
    if len(links) > 1 and shares_anything(links[0].collection):
        _say("all links together")
        cluster = cluster_runs(links[0].collection, run_all)
    return document(every, bundle(), channels, cluster)


def _say(what: str, of: str = "") -> None:
    """Say on standard error what is run, and of which link if there are several."""
    show_log(f"{RUNNING}{what}{of}")
