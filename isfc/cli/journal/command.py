"""``isfc journal``: what a node was given, shown, and fed to a fresh node."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Group, RenderableType

from ctc.address import Rdev, format_rdev
from ctc.frame import CommandFrame, DataFrame
from isfc.arguments import STANDARD_INPUT
from isfc.cli.journal.document import CHPID_ACTS, RDEV_ACTS, open_journal, record_json, replay_json
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.option import flag
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show as show_page
from isfc.cli.output.streams import show_error, show_json, show_lines
from isfc.errors import JournalError
from isfc.journal.framed import Read
from isfc.journal.journal import Difference, Replay
from isfc.journal.journal import replay as replay_journal
from isfc.journal.record import InputKind, InputOutcome, JournalReader, JournalRecord
from isfc.link.package import Package
from isfc.reports.encoded import encoded
from isfc.reports.table import plain_table
from isfc.system.definition import LinkEndDefinition

_WHAT_WIDTH: Final = 28
_NS_PER_S: Final = 10**9

_WORDS: Final = {
    InputKind.ARRIVE: "frame",
    InputKind.VARY_RDEV_ON: "vary on",
    InputKind.VARY_RDEV_OFF: "vary off",
    InputKind.VARY_CHPID_ON: "vary on",
    InputKind.VARY_CHPID_OFF: "vary off",
}


def _line(*cells: object) -> str:
    time, act, number, what, frames, events, due = cells
    text = f"{time:>15} {act:<10} {number:<4} {what:<{_WHAT_WIDTH}.{_WHAT_WIDTH}}"
    return f"{text} {frames:>2} {events:>2} {due:>11}".rstrip()


HEADING: Final = _line("seconds", "input", "on", "what", "fr", "ev", "next in ms")
"""Above the lines: fr and ev are frames and events that came of it."""


def record_lines(record: JournalRecord) -> Iterator[str]:
    """The line of one record; two for an input that raised an error."""
    if isinstance(record.given, LinkEndDefinition):
        definition = record.given
        count = len(definition.ctcs)
        yield (
            f"node {definition.name}, partner {definition.partner}, {count} "
            f"CTC{'s' * (count != 1)}, {definition.arbitration.value}"
        )
        return
    outcome = record.outcome
    due = (
        "-" if outcome.deadline_ns is None else f"{(outcome.deadline_ns - record.now_ns) / 1e6:.3f}"
    )
    yield _line(
        seconds(record.now_ns),
        _WORDS.get(record.act, record.act.name.lower()),
        _number(record),
        _what(record),
        outcome.frame_count,
        outcome.event_count,
        due,
    )
    if outcome.error:
        yield f"{'':15} raised {outcome.error}"


def replay_page(done: Replay, remainder: str) -> RenderableType:
    """How a replay went; ``remainder`` says what is missing at the end, if anything."""
    definition = done.definition
    span = f"{seconds(done.first_ns)} to {seconds(done.last_ns)} s"
    names = f"{definition.name} (partner {definition.partner})"
    parts: list[RenderableType] = [f"Journal of {names}: {done.input_count:,} inputs, {span}"]
    if done.node_count > 1:
        times = "once" if done.node_count == 2 else f"{done.node_count - 1:,} times"
        parts.append(f"The node restarted {times}.")
    if done.difference is None:
        parts.append(
            f"Identical: {done.frame_count:,} frames, {done.event_count:,} events and every "
            "deadline."
        )
    else:
        parts += _difference(done.difference)
    if remainder:
        parts.append(f"Of the file, {remainder}.")
    return Group(*parts)


def _difference(difference: Difference) -> Iterator[RenderableType]:
    """Where it is, and what is different."""
    record, recorded, replayed = difference.record, difference.record.outcome, difference.replayed
    yield f"Different at record {record.index:,} (byte {record.offset:,}):"
    yield "\n".join(record_lines(record))
    table = plain_table("", ">recorded", ">replayed")
    for name, before, after in zip(_NAMES, _cells(recorded), _cells(replayed), strict=True):
        if before != after:
            table.add_row(name, before, after)
    yield table


_NAMES: Final = ("frames", "events", "next deadline, s", "digest of frames",
                 "digest of events", "raised")  # fmt: skip


def _cells(outcome: InputOutcome) -> tuple[str, ...]:
    return (
        f"{outcome.frame_count:,}",
        f"{outcome.event_count:,}",
        "none" if outcome.deadline_ns is None else seconds(outcome.deadline_ns),
        outcome.frames_digest.hex(),
        outcome.events_digest.hex(),
        outcome.error or "nothing",
    )


def json_line(record: object) -> str:
    """One JSON document on one line."""
    return json.dumps(encoded(record), allow_nan=False)


def _number(record: JournalRecord) -> str:
    if record.act in RDEV_ACTS:
        return format_rdev(Rdev(record.number))
    return f"{record.number:02X}" if record.act in CHPID_ACTS else ""


def _what(record: JournalRecord) -> str:
    """What was sent, or the frame that arrived, in a few words."""
    given = record.given
    if isinstance(given, list):
        length = sum(message.length for message in given)
        return f"{len(given):,} message{'s' * (len(given) != 1)}, {length:,} B"
    if isinstance(given, CommandFrame):
        size = f", {given.length:,} B" if given.length else ""
        return f"{given.command.name} #{given.serial}{size}"
    if isinstance(given, DataFrame):
        package = given.load
        assert isinstance(package, Package), "only packages travel"
        return f"data #{given.serial}, package {package.number}"
    if given is None or isinstance(given, LinkEndDefinition):
        return ""
    return f"{given.signal.name} #{given.serial}"


def seconds(time_ns: int) -> str:
    """A time in seconds, to the last nanosecond."""
    sign = "-" if time_ns < 0 else ""
    whole, rest = divmod(abs(time_ns), _NS_PER_S)
    return f"{sign}{whole}.{rest:09d}"


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="What --journal has written.")]

app = typer.Typer(
    help="Look into a journal, or replay it.", add_completion=False, rich_markup_mode=None
)


@app.command()
def show(
    file: FileArgument,
    *,
    json: Annotated[
        bool, flag("--json", "Print one JSON document for each record, a line each.")
    ] = False,
) -> None:
    """Show every input of a node, and what came of it.

    A line has the time, what was done to which RDEV or chpid, how many frames and events came
    of it, and when the node wanted to be called next.
    """
    with _opened(file) as read:
        reader = JournalReader(read)
        if json:
            show_lines(json_line(record_json(record)) for record in reader)
        else:
            records = iter(reader)
            first = next(records, None)  # what is no journal fails here, before any heading
            show_lines([HEADING])
            if first is not None:
                show_lines(
                    line for record in chain((first,), records) for line in record_lines(record)
                )
        if reader.framed.truncated_length:
            show_error(f"{file}: {_remainder(reader.framed.truncated_length)}")


@app.command()
def replay(file: FileArgument, *, json: JsonOption = False) -> None:
    """Feed a journal to a fresh node; every output must be as it was.

    Ends with 0 when all are identical; with 1 at the first difference, and when the file is
    damaged. A journal whose end is missing is replayed up to its last whole record.
    """
    with _opened(file) as read:
        done = replay_journal(read)
    if json:
        show_json(replay_json(done))
    else:
        show_page(replay_page(done, _remainder(done.truncated_length)))
    if done.difference is not None:
        raise typer.Exit(ExitCode.FAILED)


def _remainder(length: int) -> str:
    """What to say of the end of a journal; nothing if it is whole."""
    if not length:
        return ""
    return (
        f"its last {length:,} bytes are no whole record: whoever wrote it was killed, "
        "or is still writing"
    )


@contextmanager
def _opened(file: Path) -> Iterator[Read]:
    """The file's ``read``; a damaged journal ends the command with 1."""
    with sys.stdin.buffer if file == STANDARD_INPUT else open_journal(file) as stream:
        try:
            yield stream.read
        except JournalError as error:
            show_error(f"{file}: {error}")
            raise typer.Exit(ExitCode.FAILED) from None
