"""A journal in lines of 80 columns, and the report of a replay."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec import UNSET

from isfc.answers.journal import JournalDifference, JournalInput, JournalOutcome, JournalReplay
from isfc.errors.in_words import exact
from isfc.reports.report import Column, Report, Table

_WHAT_WIDTH: Final = 28
_NS_PER_S: Final = 10**9

_WORDS: Final = {
    "arrive": "frame",
    "vary_rdev_on": "vary on",
    "vary_rdev_off": "vary off",
    "vary_chpid_on": "vary on",
    "vary_chpid_off": "vary off",
}


def _line(*cells: object) -> str:
    time, act, number, what, frames, events, due = cells
    text = f"{time:>15} {act:<10} {number:<4} {what:<{_WHAT_WIDTH}.{_WHAT_WIDTH}}"
    return f"{text} {frames:>2} {events:>2} {due:>11}".rstrip()


_HEADING: Final = _line("seconds", "input", "on", "what", "fr", "ev", "next in ms")
"""Above the lines: fr and ev are frames and events that came of it."""


def journal_lines(inputs: Iterator[JournalInput]) -> Iterator[str]:
    """All inputs below a heading."""
    first = next(inputs, None)  # what is no journal fails here, before any heading
    yield _HEADING
    for each in inputs if first is None else chain((first,), inputs):
        yield from input_lines(each)


def input_lines(given: JournalInput) -> Iterator[str]:
    """The line of one input; two for one that raised an error."""
    if given.rdevs is not UNSET:
        count = len(given.rdevs)
        yield (
            f"node {given.node}, partner {given.partner}, {count} "
            f"CTC{'s' * (count != 1)}, {given.arbitration}"
        )
        return
    due = given.next_deadline_ns
    yield _line(
        seconds(given.now_ns),
        _WORDS.get(given.act, given.act),
        given.rdev or given.chpid or "",
        _what(given),
        given.frames,
        given.events,
        "-" if due is None else f"{(due - given.now_ns) / 1e6:.3f}",
    )
    if given.raised:
        yield f"{'':15} raised {given.raised}"


def _what(given: JournalInput) -> str:
    """What was sent, or the frame that arrived, in a few words."""
    if given.messages is not UNSET:
        count, length = len(given.messages), sum(each.length for each in given.messages)
        return f"{exact(count)} message{'s' * (count != 1)}, {exact(length)} B"
    frame = given.frame
    if frame is UNSET:
        return ""
    if frame.kind == "data":
        return f"data #{frame.serial}, package {frame.package}"
    size = f", {exact(frame.length)} B" if frame.length else ""
    return f"{frame.command or frame.signal} #{frame.serial}{size}"


def seconds(time_ns: int) -> str:
    """A time in seconds, to the last nanosecond."""
    sign = "-" if time_ns < 0 else ""
    whole, rest = divmod(abs(time_ns), _NS_PER_S)
    return f"{sign}{whole}.{rest:09d}"


def replay_report(done: JournalReplay) -> Report:
    """Whether all is identical, and if not the first input of which something else came."""
    found = done.difference
    columns = Column("", "name"), Column("recorded", "recorded"), Column("replayed", "replayed")
    rows = [] if found is None else [*_different(found)]
    lines = [] if found is None else [*input_lines(found.recorded)]
    return Report(
        f"Journal of {done.node} (partner {done.partner}): {exact(done.inputs)} inputs, "
        f"{seconds(done.first_ns)} to {seconds(done.last_ns)} s",
        [*_answer(done)],
        [Table("\n".join(lines), columns, rows, "difference")] * bool(rows),
    )


def _answer(done: JournalReplay) -> Iterator[tuple[str, str]]:
    if done.difference is None:
        said = f"{exact(done.frames)} frames, {exact(done.events)} events and every deadline"
        yield "Identical", said
    else:
        where = done.difference.recorded
        yield "Different", f"at record {exact(where.index)} (byte {exact(where.offset)})"
    if done.fresh_nodes > 1:
        times = "once" if done.fresh_nodes == 2 else f"{exact(done.fresh_nodes - 1)} times"
        yield "Restarted", times
    if done.truncated_bytes:
        yield "The end", remainder(done.truncated_bytes)


def remainder(length: int) -> str:
    """What to say of the end of a journal that is not whole."""
    return (
        f"its last {exact(length)} bytes are no whole record: whoever wrote it was killed, "
        "or is still writing"
    )


def _different(found: JournalDifference) -> Iterator[dict[str, str]]:
    """What is different, as it was recorded and as it is now."""
    replayed = _cells(found.replayed)
    for name, recorded in _cells(found.recorded).items():
        if recorded != replayed[name]:
            yield {"name": name, "recorded": recorded, "replayed": replayed[name]}


def _cells(outcome: JournalOutcome) -> dict[str, str]:
    due = outcome.next_deadline_ns
    return {
        "frames": exact(outcome.frames),
        "events": exact(outcome.events),
        "next deadline, s": "none" if due is None else seconds(due),
        "digest of frames": outcome.frames_digest,
        "digest of events": outcome.events_digest,
        "raised": outcome.raised or "nothing",
    }
