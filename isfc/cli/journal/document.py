"""Journals as records, for ``--json`` and for programs: every input of a node, and a replay."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

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
        yield from map(record_document, JournalReader(stream.read))


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
        return replay_document(self.replayed)

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


def record_document(record: JournalRecord) -> dict[str, Any]:
    """A record as JSON. Names and meanings of the keys stay between releases."""
    return {
        "index": record.index,
        "offset": record.offset,
        "act": record.act.name.lower(),
        "now_ns": record.now_ns,
        **given_document(record),
        **outcome_document(record.outcome),
    }


def outcome_document(outcome: InputOutcome) -> dict[str, Any]:
    """What came of an input, as JSON."""
    return {
        "frames": outcome.frame_count,
        "events": outcome.event_count,
        "next_deadline_ns": outcome.deadline_ns,
        "frames_digest": outcome.frames_digest.hex(),
        "events_digest": outcome.events_digest.hex(),
        "raised": outcome.error or None,
    }


def replay_document(done: Replay) -> dict[str, Any]:
    """A replay as JSON. Names and meanings of the keys stay between releases."""
    difference = done.difference
    return {
        "node": done.definition.name,
        "partner": done.definition.partner,
        "identical": difference is None,
        "fresh_nodes": done.node_count,
        "inputs": done.input_count,
        "first_ns": done.first_ns,
        "last_ns": done.last_ns,
        "frames": done.frame_count,
        "events": done.event_count,
        "truncated_bytes": done.truncated_length,
        "difference": difference
        and {
            "recorded": record_document(difference.record),
            "replayed": outcome_document(difference.replayed),
        },
    }


def given_document(record: JournalRecord) -> dict[str, Any]:
    """What a record's input was, as JSON; data is not shown, only its length."""
    document: dict[str, Any] = {}
    if record.act in RDEV_ACTS:
        document["rdev"] = format_rdev(Rdev(record.number))
    elif record.act in CHPID_ACTS:
        document["chpid"] = f"{record.number:02X}"
    given = record.given
    if isinstance(given, LinkEndDefinition):
        document["node"], document["partner"] = given.name, given.partner
        document["rdevs"] = [format_rdev(ctc.device.rdev) for ctc in given.ctcs]
        document["arbitration"] = given.arbitration.value
    elif isinstance(given, list):
        document["messages"] = [_message_document(message) for message in given]
    elif given is not None:
        document["frame"] = _frame_document(given)
    return document


def _message_document(message: Message) -> dict[str, Any]:
    return {
        "conversation": message.conversation,
        "traffic": message.traffic.name.lower(),
        "length": message.length,
        "serial": message.serial,
        "more": message.more,
    }


def _frame_document(frame: Frame) -> dict[str, Any]:
    if isinstance(frame, CommandFrame):
        command = frame.command.name
        return {
            "kind": "command",
            "command": command,
            "serial": frame.serial,
            "length": frame.length,
            "count": frame.count,
        }
    if isinstance(frame, DataFrame):
        package = frame.load
        assert isinstance(package, Package), "only packages travel"
        return {
            "kind": "data",
            "serial": frame.serial,
            "package": package.number,
            "length": package.length,
            "messages": [_message_document(message) for message in package.messages],
        }
    return {"kind": "status", "signal": frame.signal.name, "serial": frame.serial}
