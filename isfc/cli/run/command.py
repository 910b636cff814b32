"""``isfc run``: workloads over one link, or over several together, in virtual time."""

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from msgspec import UNSET, structs

from isfc.answers import run as answers
from isfc.answers.link_run import LinkRun
from isfc.answers.links_run import LinksRun
from isfc.answers.views import RunView
from isfc.cli.capability import command_of
from isfc.cli.options.experiment import WorkloadOptions
from isfc.cli.options.formats import AnswerPrinted, OwnFile
from isfc.cli.output.streams import ExitCode, show_error, show_lines, show_log
from isfc.cli.run.trace import write_trace
from isfc.reports.report import Report
from scenarios.runs.operation import ConsoleEntry


class RunPrinted(AnswerPrinted, frozen=True):
    """A run with what CP said above it: where that has no place, what it refused is on stderr."""

    def show(self, found: Any, report: Callable[[Any], Report]) -> None:
        """Print it; of a view, what is known of its figures goes to stderr beside rows."""
        entries = _entries(found)
        if not self.instead and entries is not None:
            show_lines((*transcript_lines(entries), ""))
        elif isinstance(found, RunView) or self.instead != "--json":
            for entry in refusals(found):
                show_error(f"at {entry.at_s:g} s {entry.node}: {entry.command}: {entry.lines[0]}")
        if isinstance(found, RunView) and self.format in ("csv", "json"):
            for each in found.known:
                show_log(f"isfc: note: {each}")
        super().show(_as_typed(found), report)


def _entries(found: Any) -> list[ConsoleEntry] | None:
    """What consoles showed; None if there were no commands."""
    entries = getattr(found, "cp", UNSET)
    return None if entries is UNSET else entries


def refusals(found: Any) -> list[ConsoleEntry]:
    """The responses to commands that were refused, as a whole or in part."""
    return [entry for entry in _entries(found) or () if entry.return_code]


def transcript_lines(entries: Iterable[ConsoleEntry]) -> Iterator[str]:
    """A line with time, node and command, then its response; what came unasked with its time."""
    for entry in entries:
        place = f"{entry.at_s:12.6f} {entry.node:<8}"
        if entry.command is None:
            yield from (f"{place}   {line}" for line in entry.lines)
        else:
            yield f"{place} > {entry.command}"
            yield from entry.lines


def _as_typed(found: Any) -> Any:
    """The record with the command line that it is the answer to."""
    command = shlex.join(["isfc", *sys.argv[1:]])
    if isinstance(found, LinkRun):
        provenance = structs.replace(found.provenance, command=command)
        return replace(found, provenance=provenance)
    return replace(found, command=command) if isinstance(found, LinksRun) else found


def _code(found: Any) -> ExitCode:
    return ExitCode.FAILED if refusals(found) else ExitCode.GOOD


TRACE: Final = OwnFile(
    ("--trace",),
    (".json",),
    "FILE",
    "Write every I/O into FILE (.json), a trace that Perfetto opens.",
    lambda path, found: write_trace(path, *found.timelines),
)

run: Any = command_of(
    answers.run, _code, own=[TRACE], printed=RunPrinted, made={"workload": WorkloadOptions}
)
