"""What ``isfc journal`` shows: a line for each input of a node, and how a replay went."""

import json
from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType

from ctc.address import Rdev, format_rdev
from ctc.frame import CommandFrame, DataFrame
from isfc.cli.journal.document import CHPID_ACTS, RDEV_ACTS
from isfc.cli.output.streams import plain
from isfc.cli.output.table import plain_table
from isfc.journal.journal import Difference, Replay
from isfc.journal.record import InputKind, InputOutcome, JournalRecord
from isfc.link.package import Package
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
    due = "-" if outcome.deadline_ns is None else _ms(outcome.deadline_ns - record.now_ns)
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
    return json.dumps(plain(record), allow_nan=False)


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


def _ms(duration_ns: int) -> str:
    return f"{duration_ns / 1e6:.3f}"
