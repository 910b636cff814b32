"""What CP says, as a console shows it."""

from collections.abc import Iterable, Iterator

from isfc.cli.output.streams import show_error, show_lines
from scenarios.runs.cp_script import ConsoleEntry, Transcript


def transcript_lines(entries: Iterable[ConsoleEntry]) -> Iterator[str]:
    """A line with time, node and command, then its response; what came unasked with its time."""
    for entry in entries:
        place = f"{entry.at_s:12.6f} {entry.node:<8}"
        if entry.command is None:
            yield from (f"{place}   {line}" for line in entry.lines)
        else:
            yield f"{place} > {entry.command}"
            yield from entry.lines


def show_transcript(transcript: Transcript | None) -> None:
    """Print what CP said, if it was asked, and a blank line."""
    if transcript is not None:
        show_lines((*transcript_lines(transcript.entries), ""))


def show_refusals(transcript: Transcript | None) -> None:
    """Where responses have no place on stdout, say on stderr what CP has refused."""
    for entry in transcript.refusals if transcript else ():
        show_error(f"at {entry.at_s:g} s {entry.node}: {entry.command}: {entry.lines[0]}")
