"""Journals as records, for ``--json`` and for programs: every input of a node, and a replay."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from ctc.address import Rdev, format_rdev
from ctc.frame import CommandFrame, DataFrame, Frame
from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.journal.framed import CTCE_HEADER, MAGIC_LENGTH
from isfc.journal.journal import Replay, replay
from isfc.journal.record import InputKind, InputOutcome, JournalReader, JournalRecord
from isfc.layout.shown import html_table
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.reports.encoded import encoded
from isfc.reports.record import record_of
from isfc.system.definition import LinkEndDefinition

RDEV_ACTS: Final = (
    InputKind.ARRIVE, InputKind.CONNECT, InputKind.DISCONNECT, InputKind.ACTIVATE,
    InputKind.DEACTIVATE, InputKind.VARY_RDEV_ON, InputKind.VARY_RDEV_OFF,
)  # fmt: skip
CHPID_ACTS: Final = (InputKind.VARY_CHPID_ON, InputKind.VARY_CHPID_OFF)
"""Inputs that are of one device, or of one chpid."""


@checked
def journal_show(file: str | Path) -> Iterator[dict[str, Any]]:
    """Every input of a node that a journal holds, as ``isfc journal show --json`` has them.

    A journal whose end is missing ends with its last whole record. Raises `ConfigurationError`
    where it cannot be read, and an `IsfcError` where it is damaged.
    """
    with open_journal(Path(file)) as stream:
        yield from map(encoded, map(record_json, JournalReader(stream.read)))


@dataclass(frozen=True, slots=True, repr=False)
class JournalReplay:
    """What a journal, fed to fresh nodes, led to, as ``isfc journal replay`` has it."""

    replayed: Replay

    @property
    def identical(self) -> bool:
        """Whether every output was as it had been."""
        return self.replayed.difference is None

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints; names and meanings of the keys stay."""
        found: dict[str, Any] = encoded(replay_json(self.replayed))
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Its figures as one flat record, as a data frame takes it."""
        figures = {name: each for name, each in self.to_dict().items() if name != "difference"}
        return [{**figures, "identical": self.identical}]

    def __repr__(self) -> str:
        done = self.replayed
        what = "identical" if self.identical else "different"
        return f"<JournalReplay {done.definition.name}: {done.input_count:,} inputs, {what}>"

    def _repr_html_(self) -> str:
        """A row for each figure, for a notebook."""
        figures = [(name, value) for name, value in self.to_dict().items() if name != "difference"]
        return html_table("Journal, replayed", ("", ""), figures)


@checked
def journal_replay(file: str | Path) -> JournalReplay:
    """Feed a journal to a fresh node: is every output as it was?

    Raises `ConfigurationError` where it cannot be read, and an `IsfcError` where it is damaged.
    """
    with open_journal(Path(file)) as stream:
        return JournalReplay(replay(stream.read))


def open_journal(path: Path) -> BufferedReader:
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


class MessageJson(Struct, frozen=True):
    """A message that is sent, or in a package."""

    conversation: int
    traffic: str
    length: int
    serial: int
    more: bool


class FrameJson(Struct, frozen=True, kw_only=True):
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
    messages: list[MessageJson] | UnsetType = UNSET
    """of data"""


class OutcomeJson(Struct, frozen=True, kw_only=True):
    """What came of an input, as of `RecordJson`."""

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


class RecordJson(OutcomeJson, frozen=True):
    """One input of a node, and what came of it. Names and meanings of the keys stay."""

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
    messages: list[MessageJson] | UnsetType = UNSET
    """of `send`"""
    frame: FrameJson | UnsetType = UNSET
    """of `arrive`"""


class DifferenceJson(Struct, frozen=True):
    """The first input of which something else came."""

    recorded: RecordJson
    """as of `isfc journal show --json`"""
    replayed: OutcomeJson
    """what came of it now"""


class ReplayJson(Struct, frozen=True):
    """``isfc journal replay --json``. Names and meanings of the keys stay between releases."""

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
    difference: DifferenceJson | None


def record_json(record: JournalRecord) -> RecordJson:
    """The record of an input."""
    act, given = record.act, record.given
    begun = given if isinstance(given, LinkEndDefinition) else None
    return RecordJson(
        index=record.index,
        offset=record.offset,
        act=act.name.lower(),
        now_ns=record.now_ns,
        rdev=format_rdev(Rdev(record.number)) if act in RDEV_ACTS else UNSET,
        chpid=f"{record.number:02X}" if act in CHPID_ACTS else UNSET,
        node=begun.name if begun else UNSET,
        partner=begun.partner if begun else UNSET,
        rdevs=[format_rdev(ctc.device.rdev) for ctc in begun.ctcs] if begun else UNSET,
        arbitration=begun.arbitration.value if begun else UNSET,
        messages=[*map(_message_json, given)] if isinstance(given, list) else UNSET,
        frame=_frame_json(given) if isinstance(given, Frame) else UNSET,
        **asdict(_outcome_json(record.outcome)),
    )


def _outcome_json(outcome: InputOutcome) -> OutcomeJson:
    return OutcomeJson(
        frames=outcome.frame_count,
        events=outcome.event_count,
        next_deadline_ns=outcome.deadline_ns,
        frames_digest=outcome.frames_digest.hex(),
        events_digest=outcome.events_digest.hex(),
        raised=outcome.error or None,
    )


def replay_json(done: Replay) -> ReplayJson:
    """The record of a replay."""
    found = done.difference
    return ReplayJson(
        done.definition.name,
        done.definition.partner,
        found is None,
        *(done.node_count, done.input_count, done.first_ns, done.last_ns),
        *(done.frame_count, done.event_count, done.truncated_length),
        None
        if found is None
        else DifferenceJson(record_json(found.record), _outcome_json(found.replayed)),
    )


def _message_json(message: Message) -> MessageJson:
    return record_of(MessageJson, message, traffic=message.traffic.name.lower())


def _frame_json(frame: Frame) -> FrameJson:
    if isinstance(frame, CommandFrame):
        return record_of(FrameJson, frame, kind="command", command=frame.command.name)
    if isinstance(frame, DataFrame):
        package = frame.load
        assert isinstance(package, Package), "only packages travel"
        return FrameJson(
            kind="data",
            serial=frame.serial,
            package=package.number,
            length=package.length,
            messages=[*map(_message_json, package.messages)],
        )
    return FrameJson(kind="status", signal=frame.signal.name, serial=frame.serial)
