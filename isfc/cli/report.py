"""``isfc report``: a layout's judgement and its runs, and its channels, as one page."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from isfc.answers.page.report import check_charts
from isfc.answers.page.report import report as page
from isfc.cli.capability import command_of
from isfc.cli.options.formats import Files, Printing
from isfc.cli.output.file import ForceOption, check_file, output_option, write_file
from isfc.cli.output.streams import RUNNING, show_log
from isfc.errors.arguments import Argument
from isfc.layout.catalogue import AnyLayout
from scenarios.runs.workload import workload_usage


class PageWritten(Printing, frozen=True):
    """Where the page goes."""

    output: Annotated[Path, output_option("The page to be written.", "FILE.html")]
    force: ForceOption = False

    def check(self, own: Files) -> None:
        """Raise `ConfigurationError` for what cannot be written, before anything is run."""
        check_file("-o", self.output, (".html",), force=self.force)
        check_charts()

    def show(self, found: str, report: Callable[[Any], Any]) -> None:
        """Write it."""
        write_file(self.output, found)


def _report(
    layout: AnyLayout,
    *,
    link: str | None = None,
    workload: Annotated[str, Argument("NAME", f"What is run: {workload_usage()}.")] = "HL",
    jobs: int = 1,
) -> str:
    """Write one page about a layout: drawing, findings, runs, losses.

    The page needs no network and no other file. It has charts that can be zoomed and tables of
    the same figures; it follows dark mode, and can be printed. Of a layout with several links it
    has all; of more than three what they come to together, or the one that --link names. LAYOUT
    may be an I/O configuration as well, with or without a link: then the page shows what its
    channels can do, and the comparisons that concern them.
    """
    return page(layout, link=link, workload=workload, jobs=jobs, progress=_say)


def _say(what: str) -> None:
    """Say on standard error what is run."""
    show_log(f"{RUNNING}{what}")


report = command_of(_report, printed=PageWritten)
