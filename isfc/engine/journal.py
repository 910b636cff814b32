"""Journals: a system whose inputs are recorded, and the proof that they lead to the same again.

A system is a pure function of its inputs. So what was recorded of a live one, fed to a fresh one,
must bring the same frames, events and deadlines, to the last byte; where it does not, there is
either a bug here or a damaged journal. What a record looks like is in `isfc.engine.journal_record`.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol, TypeVar, cast

from ctc.address import Record
from ctc.frame import Departure
from isfc.engine.framed import Read
from isfc.engine.journal_record import (
    DIGEST_LENGTH,
    FILE_HEADER,
    NOTHING,
    InputKind,
    InputOutcome,
    JournalReader,
    JournalRecord,
    decode_input,
    encode_definition,
    encode_input,
    encode_record,
)
from isfc.engine.pump import Outlet, pump
from isfc.engine.wire import encode_pieces
from isfc.errors import IsfcError, JournalError
from isfc.link.events import Delivered, DeviceChanged, LinkEvent, Sent, Sink
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import Input, System, system_of

_T = TypeVar("_T")

_DEPARTURE: Final = struct.Struct(">qH")


class JournalSink(Protocol):
    """Where a journal goes. Nothing here raises: a journal never stops its node."""

    @property
    def recording(self) -> bool:
        """Whether records are still wanted; once False it stays so."""

    def __call__(self, record: bytes) -> None:
        """Take one record."""


class JournalRecorder:
    """Writes every input of a system into a journal, with what came of it.

    What was given is encoded before it reaches the system, which may change it: a link numbers
    messages. An input that raises is recorded too.
    """

    def __init__(self, journal: JournalSink) -> None:
        self._journal = journal
        self._given: tuple[InputKind, int, bytes] | None = None
        self._now_ns = 0

    def begin(self, definition: LinkEndDefinition) -> None:
        """Record that a system is made."""
        if self._journal.recording:
            given = encode_definition(definition)
            self._journal(encode_record(InputKind.BEGIN, 0, 0, given, InputOutcome()))

    def take(self, given: Input, now_ns: int) -> None:
        """Encode an input, while records are wanted."""
        self._given = encode_input(given) if self._journal.recording else None
        self._now_ns = now_ns

    def conclude(
        self,
        frames: Sequence[Departure],
        events: Sequence[LinkEvent],
        deadline_ns: int | None,
        error: str,
    ) -> None:
        """Record it with what it has led to."""
        if self._given is not None and self._journal.recording:
            act, number, given = self._given
            outcome = _outcome(frames, events, deadline_ns, error)
            self._journal(encode_record(act, self._now_ns, number, given, outcome))


def journalled(
    definition: LinkEndDefinition, journal: JournalSink, trace: Sink | None = None
) -> System:
    """A system with one link whose inputs are recorded."""
    recorder = JournalRecorder(journal)
    recorder.begin(definition)
    return System([definition], trace, recorder)


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """The first input that led to something else than was recorded."""

    record: JournalRecord
    replayed: InputOutcome


@dataclass(slots=True)
class Replay:
    """What a journal, fed to fresh systems, led to; ``difference`` is None if to the same.

    ``definition`` is that of the last one. Times are those of the first and the last input,
    in ns. ``truncated_length`` is how many bytes at the end were no whole record.
    """

    definition: LinkEndDefinition
    node_count: int = 0
    input_count: int = 0
    first_ns: int = 0
    last_ns: int = 0
    frame_count: int = 0
    event_count: int = 0
    truncated_length: int = 0
    difference: Difference | None = None


def replay(read: Read, make: Callable[[LinkEndDefinition], System] = system_of) -> Replay:
    """Feed a journal to fresh systems, up to the first difference.

    Raises `JournalError` where the journal is damaged.
    """
    reader = JournalReader(read)
    done: Replay | None = None
    system: System | None = None
    for record in reader:
        if record.act is InputKind.BEGIN:
            definition = cast(LinkEndDefinition, record.given)
            system = _begin(make, definition, record.offset)
            done = done or Replay(definition)
            done.definition = definition
            done.node_count += 1
            continue
        if system is None or done is None:
            raise JournalError("an input before there is a system", record.offset)
        if not done.input_count:
            done.first_ns = record.now_ns
        done.last_ns = record.now_ns
        done.input_count += 1
        outcome = _repeat(system, record)
        done.frame_count += outcome.frame_count
        done.event_count += outcome.event_count
        if outcome != record.outcome:
            done.difference = Difference(record, outcome)
            break
    if done is None:
        raise JournalError("holds nothing", len(FILE_HEADER))
    done.truncated_length = reader.framed.truncated_length
    return done


def _begin(
    make: Callable[[LinkEndDefinition], System], definition: LinkEndDefinition, offset: int
) -> System:
    try:
        return make(definition)
    except (IsfcError, ValueError, ArithmeticError) as error:
        raise JournalError(f"a definition that makes no system: {error}", offset) from None


def _repeat(system: System, record: JournalRecord) -> InputOutcome:
    """Give ``system`` what was recorded, and see what comes of it."""
    error = ""
    try:
        system.apply(decode_input(record), record.now_ns)
    except Exception as raised:  # whatever it is: it was recorded, or it is the difference
        error = type(raised).__name__
    drained = _Drained()
    for end in system.ends:
        pump(end, drained)
    return _outcome(drained.frames, drained.events, system.next_deadline(), error)


class _Drained(Outlet):
    """What some link ends had for others."""

    def __init__(self) -> None:
        self.frames: list[Departure] = []
        self.events: list[LinkEvent] = []

    def carry(self, departure: Departure) -> None:
        self.frames.append(departure)

    def deliver(self, event: LinkEvent) -> None:
        self.events.append(event)


def _outcome(
    frames: Sequence[Departure], events: Sequence[LinkEvent], deadline_ns: int | None, error: str
) -> InputOutcome:
    return InputOutcome(
        len(frames),
        len(events),
        deadline_ns,
        _digest(_frame_pieces(frames)) if frames else NOTHING,
        _digest(_event_pieces(events)) if events else NOTHING,
        error,
    )


def _digest(pieces: Iterable[bytes | memoryview]) -> bytes:
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()[:DIGEST_LENGTH]


def _frame_pieces(frames: Sequence[Departure]) -> Iterator[bytes | memoryview]:
    for departure in frames:
        yield _DEPARTURE.pack(departure.at_ns, departure.rdev)
        yield from encode_pieces(departure.frame)


def _event_pieces(events: Sequence[LinkEvent]) -> Iterator[bytes | memoryview]:
    """All that events say; what was sent has been digested when its frame left."""
    for event in events:
        yield type(event).__name__.encode()
        if isinstance(event, Delivered | Sent):
            for message in event.messages:
                yield repr((message, int(message.traffic), message.data is None)).encode()
                if isinstance(event, Delivered) and message.data is not None:
                    yield message.data
        elif isinstance(event, DeviceChanged):
            yield repr((event.rdev, event.usable)).encode()
