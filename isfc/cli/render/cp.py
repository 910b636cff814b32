"""What CP says, as a console shows it."""

from collections.abc import Iterable, Iterator

from scenarios.cp_script import ConsoleEntry


def transcript_lines(entries: Iterable[ConsoleEntry]) -> Iterator[str]:
    """A line with time, node and command, then its response; what came unasked with its time."""
    for entry in entries:
        place = f"{entry.at_s:12.6f} {entry.node:<8}"
        if entry.command is None:
            yield from (f"{place}   {line}" for line in entry.lines)
        else:
            yield f"{place} > {entry.command}"
            yield from entry.lines
