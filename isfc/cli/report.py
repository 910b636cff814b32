"""``isfc report``: a layout with its runs, or what a site's files come to, as one page."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from isfc.answers.decision import Files as SiteFiles
from isfc.answers.decision_page import NO_DECISION, Decision
from isfc.answers.page.report import check_charts, page_of_decision, page_or_decision
from isfc.answers.site_asked import SiteAsked, SiteQuestion
from isfc.cli.capability import command_of
from isfc.cli.options.formats import Files, Printing
from isfc.cli.options.option import JsonOption
from isfc.cli.output.file import ForceOption, check_file, output_option, write_file
from isfc.cli.output.streams import RUNNING, ExitCode, ask_user, show_json, show_log, show_remark
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument
from isfc.layout.site import GivenSite
from scenarios.runs.workload import workload_usage


def _decides_nothing(path: Path) -> bool:
    """Whether a page is there that asked what has to be known, and that its answer may replace."""
    return path.is_file() and f"<title>{NO_DECISION}</title>".encode() in path.read_bytes()[:4096]


class PageWritten(Printing, frozen=True):
    """Where the page goes."""

    output: Annotated[Path, output_option("The page to be written.", "FILE.html")]
    force: ForceOption = False
    json: JsonOption = False

    def check(self, own: Files) -> None:
        """Raise `ConfigurationError` for what cannot be written, before anything is run."""
        is_lost = self.force or _decides_nothing(self.output)
        check_file("-o", self.output, (".html",), force=is_lost)
        check_charts()

    def show(self, found: str | Decision, report: Callable[[Any], Any]) -> None:
        """Write it, and with ``json`` print the record of a decision."""
        if isinstance(found, str) and self.json:
            raise ConfigurationError("--json: of a decision; the page of one layout has none")
        write_file(self.output, found if isinstance(found, str) else page_of_decision(found))
        if self.json:
            show_json(found)
        for part in () if isinstance(found, str) else found.parts:
            if part.problem:
                show_remark(f"{part.title}: {part.brief}")


def _report(
    files: SiteFiles,
    *,
    link: str | None = None,
    workload: Annotated[str, Argument("NAME", f"What is run: {workload_usage()}.")] = "HL",
    asked: SiteAsked | None = None,
    profile: GivenSite = None,
    jobs: int = 1,
) -> str | Decision:
    """Write one page: of a layout, or the decision that files come to.

    Of a layout it has drawing, findings, runs and losses; an I/O configuration, with or without a
    link, gets what its channels can do. Of a site's files it begins with the decision; each part
    is what a command of its own says. What has to be known is asked at a terminal; else the page
    names the options to add, and the command ends with 1, as for what is wrong or not reached. The
    page needs no network and no other file, follows dark mode, and can be printed.
    """
    return page_or_decision(
        *(files, asked or SiteAsked()),
        link=link,
        workload=workload,
        profile=profile,
        jobs=jobs,
        tell=_say,
        ask=_ask,
    )


def _say(what: str) -> None:
    """Say on standard error what is run."""
    show_log(f"{RUNNING}{what}")


def _ask(question: SiteQuestion) -> str | None:
    """What somebody at the terminal answers; nothing if nobody is there, or knows."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return ask_user(f"{question.text}: ").strip() or None


def _code(found: str | Decision) -> ExitCode:
    return ExitCode.GOOD if isinstance(found, str) or found.is_whole else ExitCode.FAILED


report = command_of(_report, _code, printed=PageWritten)
