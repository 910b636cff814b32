"""``isfc report``: a layout's judgement and its runs, as one page."""

from typing import Annotated

import typer

from isfc.cli.options.file import check_file
from isfc.cli.options.layout import LayoutArgument, open_with_disks
from isfc.cli.render.output import show_log
from isfc.cli.render.page.document import bundle, check_charts, document
from isfc.cli.survey import survey
from scenarios.workload import find_workload, workload_usage

PageOption = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE.html", show_default=False, help="The page to be written."
    ),
]
WorkloadOption = Annotated[
    str, typer.Option(metavar="NAME", help=f"What is run: {workload_usage()}.")
]


def report(layout: LayoutArgument, *, output: PageOption, workload: WorkloadOption = "HL") -> None:
    """Write one page about a layout: drawing, findings, runs, losses.

    The page needs no network and no other file. It has charts that can be zoomed and tables of
    the same figures; it follows dark mode, and can be printed.
    """
    path = check_file("-o", output, (".html",))
    check_charts()
    chosen = find_workload(workload)
    opened, disks = open_with_disks(layout)
    surveyed = survey(layout, opened, chosen, lambda what: show_log(f"Running {what}"), disks)
    path.write_text(document(surveyed, bundle()), "utf-8")
