"""``isfc report``: a layout's judgement and its runs, and its channels, as one page."""

from pathlib import Path
from typing import Annotated

from isfc.answers.given import open_all
from isfc.arguments import as_options
from isfc.cli.html.report import check_charts, report_page
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import DecksOptions, LayoutArgument, LinkOption
from isfc.cli.options.option import valued
from isfc.cli.output.file import ForceOption, check_file, output_option
from isfc.cli.output.progress import run_all
from isfc.cli.output.streams import RUNNING, show_log, write_file
from scenarios.runs.workload import find_workload, workload_usage


@flattened
def report(
    layout: LayoutArgument,
    *,
    decks: DecksOptions,
    link: LinkOption = None,
    output: Annotated[Path, output_option("The page to be written.", "FILE.html")],
    force: ForceOption = False,
    workload: Annotated[str, valued("NAME", f"What is run: {workload_usage()}.")] = "HL",
) -> None:
    """Write one page about a layout: drawing, findings, runs, losses.

    The page needs no network and no other file. It has charts that can be zoomed and tables of
    the same figures; it follows dark mode, and can be printed. Of a layout with several links it
    has all; of more than three what they come to together, or the one that --link names. LAYOUT
    may be an I/O configuration as well, with or without a link: then the page shows what its
    channels can do, and the comparisons that concern them.
    """
    check_file("-o", output, (".html",), force=force)
    check_charts()
    chosen = find_workload(workload)
    with as_options():
        links, channels = open_all(decks.given(layout), link)
    write_file(output, report_page(layout, links, channels, chosen, _say, run_all))


def _say(what: str) -> None:
    """Say on standard error what is run."""
    show_log(f"{RUNNING}{what}")
