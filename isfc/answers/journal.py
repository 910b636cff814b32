"""Journals: what a live node was given, what came of it, whether a fresh node does the same."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from ctc.address import Rdev, format_rdev
from ctc.frame import CommandFrame, DataFrame, Frame
from isfc.engine.framed import CTCE_HEADER, MAGIC_LENGTH, Read
from isfc.engine.journal import replay
from isfc.engine.journal_record import InputKind, InputOutcome, JournalReader, JournalRecord
from isfc.errors import ConfigurationError, JournalError
from isfc.errors.arguments import STANDARD_INPUT, Argument, checked
from isfc.errors.in_words import exact
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.reports.figure import Reported, record_of
from isfc.reports.report import Column, Report, Table

_RDEV_ACTS: Final = (
    InputKind.ARRIVE, InputKind.CONNECT, InputKind.DISCONNECT, InputKind.ACTIVATE,
    InputKind.DEACTIVATE, InputKind.VARY_RDEV_ON, InputKind.VARY_RDEV_OFF,
)  # fmt: skip
_CHPID_ACTS: Final = (InputKind.VARY_CHPID_ON, InputKind.VARY_CHPID_OFF)
"""Inputs that are of one device, or of one chpid."""


class JournalMessage(Struct, frozen=True):
    """A message that is sent, or in a package."""

    conversation: int
    traffic: str
    length: int
    serial: int
    more: bool


class JournalFrame(Struct, frozen=True, kw_only=True):
    """A frame that arrives; of data only the length."""

    kind: str
    """`command`, `data` or `status`"""
    signal: str | UnsetType = UNSET
    """of a status"""
    command: str | UnsetType = UNSET
    serial: int
    package: int | UnsetType = UNSET
    """its number, of data"""
    length: int | UnsetType = UNSET
    count: int | UnsetType = UNSET
    """of a command"""
    messages: list[JournalMessage] | UnsetType = UNSET
    """of data"""


class JournalOutcome(Struct, frozen=True, kw_only=True):
    """What came of an input, as of `JournalInput`."""

    frames: int
    """what came of it: how many"""
    events: int
    """how many"""
    next_deadline_ns: int | None
    """when the node is to be called"""
    frames_digest: str
    """the first 8 bytes of SHA-256, in hex"""
    events_digest: str
    raised: str | None
    """the error that the node raised, or null"""


class JournalInput(JournalOutcome, frozen=True):
    """One input of a node, and what came of it."""

    index: int
    offset: int
    """at which byte of the file"""
    act: str
    """`begin` (a fresh node), `send`, `arrive`, `deadline`, `connect`, `disconnect`, `activate`,
    `deactivate`, `vary_rdev_on`, `vary_rdev_off`, `vary_chpid_on`, `vary_chpid_off`"""
    now_ns: int
    """the node's time"""
    rdev: str | UnsetType = UNSET
    """what it was done to, if that is a device"""
    chpid: str | UnsetType = UNSET
    """if that is a chpid"""
    node: str | UnsetType = UNSET
    """this and the next three: of `begin`"""
    partner: str | UnsetType = UNSET
    rdevs: list[str] | UnsetType = UNSET
    arbitration: str | UnsetType = UNSET
    messages: list[JournalMessage] | UnsetType = UNSET
    """of `send`"""
    frame: JournalFrame | UnsetType = UNSET
    """of `arrive`"""


class JournalDifference(Struct, frozen=True):
    """The first input of which something else came."""

    recorded: JournalInput
    """as of `isfc journal show --json`"""
    replayed: JournalOutcome
    """what came of it now"""


class JournalReplay(Reported, Struct, frozen=True):
    """What a journal, fed to fresh nodes, led to."""

    reported_by = "isfc.answers.journal.replay_report"

    node: str
    partner: str
    identical: bool
    fresh_nodes: int
    """one, and one for each restart"""
    inputs: int
    first_ns: int
    last_ns: int
    frames: int
    events: int
    truncated_bytes: int
    """at the end, no whole record"""
    difference: JournalDifference | None

    def rows(self) -> list[dict[str, Any]]:
        """Its figures as one flat record, as a data frame takes it."""
        figures: dict[str, Any] = asdict(self)
        del figures["difference"]
        return [figures]


JournalFile = Annotated[str | Path, Argument("FILE", "What --journal has written.")]


@checked
def journal_show(
    file: JournalFile, *, tell: Callable[[str], None] | None = None
) -> Iterator[JournalInput]:
    """Show every input of a node, and what came of it.

    A line has the time, what was done to which RDEV or chpid, how many frames and events came
    of it, and when the node wanted to be called next.

    Raises `ConfigurationError` where it cannot be read, and an `IsfcError` where it is damaged. One
    whose end is missing ends with its last whole record, which ``tell`` is told.
    """
    with opened(file) as read:
        reader = JournalReader(read)
        yield from map(input_of, reader)
        if tell is not None and reader.framed.truncated_length:
            tell(f"{file}: {remainder(reader.framed.truncated_length)}")


@checked
def journal_replay(file: JournalFile) -> JournalReplay:
    """Feed a journal to a fresh node; every output must be as it was.

    Ends with 0 when all are identical; with 1 at the first difference, and when the file is
    damaged. A journal whose end is missing is replayed up to its last whole record.

    Raises `ConfigurationError` where it cannot be read, and an `IsfcError` where it is damaged.
    """
    with opened(file) as read:
        done = replay(read)
    found = done.difference
    return JournalReplay(
        done.definition.name,
        done.definition.partner,
        found is None,
        *(done.node_count, done.input_count, done.first_ns, done.last_ns),
        *(done.frame_count, done.event_count, done.truncated_length),
        None
        if found is None
        else JournalDifference(input_of(found.record), _outcome(found.replayed)),
    )


@contextmanager
def opened(file: str | Path) -> Iterator[Read]:
    """What reads a journal, or standard input; an error of a damaged one names it."""
    with sys.stdin.buffer if Path(file) == STANDARD_INPUT else _open(Path(file)) as stream:
        try:
            yield stream.read
        except JournalError as error:
            raise JournalError(f"{file}: {error.reason}", error.offset) from None


def _open(path: Path) -> BufferedReader:
    """The file; raises `ConfigurationError` where it cannot be opened."""
    try:
        stream = path.open("rb")
    except (OSError, ValueError) as error:  # a path with a zero byte is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"{path}: {reason}: expected a journal") from None
    if stream.peek(MAGIC_LENGTH)[:MAGIC_LENGTH] == CTCE_HEADER[:MAGIC_LENGTH]:
        stream.close()
        raise ConfigurationError(
            f"{path}: is a journal of isfc ctce: expected 'isfc ctce {path}', which replays it"
        )
    return stream


def input_of(record: JournalRecord) -> JournalInput:
    """The record of an input."""
    act, given, begun = record.act, record.given, record.begun
    return JournalInput(
        index=record.index,
        offset=record.offset,
        act=act.name.lower(),
        now_ns=record.now_ns,
        rdev=format_rdev(Rdev(record.number)) if act in _RDEV_ACTS else UNSET,
        chpid=f"{record.number:02X}" if act in _CHPID_ACTS else UNSET,
        node=begun.name if begun else UNSET,
        partner=begun.partner if begun else UNSET,
        rdevs=[format_rdev(ctc.device.rdev) for ctc in begun.ctcs] if begun else UNSET,
        arbitration=begun.arbitration.value if begun else UNSET,
        messages=[*map(_message, given)] if isinstance(given, list) else UNSET,
        frame=_frame(given) if isinstance(given, Frame) else UNSET,
        **asdict(_outcome(record.outcome)),
    )


def _outcome(outcome: InputOutcome) -> JournalOutcome:
    return JournalOutcome(
        frames=outcome.frame_count,
        events=outcome.event_count,
        next_deadline_ns=outcome.deadline_ns,
        frames_digest=outcome.frames_digest.hex(),
        events_digest=outcome.events_digest.hex(),
        raised=outcome.error or None,
    )


def _message(message: Message) -> JournalMessage:
    return record_of(JournalMessage, message, traffic=message.traffic.name.lower())


def _frame(frame: Frame) -> JournalFrame:
    if isinstance(frame, CommandFrame):
        return record_of(JournalFrame, frame, kind="command", command=frame.command.name)
    if isinstance(frame, DataFrame):
        package = frame.load
        assert isinstance(package, Package), "only packages travel"
        return JournalFrame(
            kind="data",
            serial=frame.serial,
            package=package.number,
            length=package.length,
            messages=[*map(_message, package.messages)],
        )
    return JournalFrame(kind="status", signal=frame.signal.name, serial=frame.serial)


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


HEADING = _line("seconds", "input", "on", "what", "fr", "ev", "next in ms")
"""Above the lines: fr and ev are frames and events that came of it."""


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
    (figures,) = done.rows()
    return Report(
        f"Journal of {done.node} (partner {done.partner}): {exact(done.inputs)} inputs, "
        f"{seconds(done.first_ns)} to {seconds(done.last_ns)} s",
        [*_answer(done)],
        [
            *[Table("\n".join(lines), columns, rows, "difference")] * bool(rows),
            Table("Figures", [Column(key, key) for key in figures], [figures], is_data=True),
        ],
    )


def replay_code(done: JournalReplay) -> int:
    """1 unless all is identical."""
    return int(not done.identical)


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
        "is still writing, or had no room"
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
