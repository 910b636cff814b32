"""Journals: a node whose inputs are recorded, and the proof that they lead to the same again.

A node is a pure function of its inputs. So what was recorded of a live one, fed to a fresh one,
must bring the same frames, events and deadlines, to the last byte; where it does not, there is
either a bug here or a damaged journal. What a record looks like is in `isfc.journal.record`.
"""

import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol, TypeVar, cast

from ctc.address import ChpidId, Rdev
from ctc.frame import Departure, Frame
from isfc.engine.wire import encode, encode_pieces
from isfc.errors import IsfcError, JournalError
from isfc.journal.record import (
    DIGEST_LENGTH,
    FILE_HEADER,
    NOTHING,
    Act,
    JournalReader,
    Outcome,
    Read,
    Record,
    encode_definition,
    encode_messages,
    encode_record,
)
from isfc.link.events import Delivered, DeviceChanged, LinkEvent, Sent
from isfc.link.message import Message
from isfc.link.trace import Sink
from isfc.system.node import Node, NodeDefinition

_T = TypeVar("_T")

_DEPARTURE: Final = struct.Struct(">qH")


class JournalSink(Protocol):
    """Where a journal goes. Nothing here raises: a journal never stops its node."""

    @property
    def recording(self) -> bool:
        """Whether records are still wanted; once False it stays so."""

    def __call__(self, record: bytes) -> None:
        """Take one record."""

    def skip(self) -> None:
        """Count a record that was not made because none are wanted."""


class MemoryJournal:
    """Keeps a whole journal in ``data``."""

    def __init__(self) -> None:
        self.data = bytearray(FILE_HEADER)
        self.recording = True
        """May be set to False, to stop."""
        self.skipped_count = 0

    def __call__(self, record: bytes) -> None:
        """Keep the record."""
        self.data += record

    def skip(self) -> None:
        """Count it."""
        self.skipped_count += 1


class JournalledNode(Node):
    """A node that records every input and what came of it.

    Its outputs are taken out after each input, to be digested, and are handed on when asked
    for: so it does not matter when its engine asks. An input that raises is recorded too.
    """

    def __init__(
        self, definition: NodeDefinition, journal: JournalSink, trace: Sink | None = None
    ) -> None:
        super().__init__(definition, trace)
        self._journal = journal
        self._carried: deque[Departure] = deque()
        self._told: deque[LinkEvent] = deque()
        if journal.recording:
            journal(encode_record(Act.BEGIN, 0, 0, encode_definition(definition), Outcome()))
        else:
            journal.skip()

    def send(self, messages: Sequence[Message], now_ns: int) -> None:
        """`Node.send`, recorded."""
        given = encode_messages(messages) if self._journal.recording else b""
        with self._step(Act.SEND, now_ns, 0, given):
            super().send(messages, now_ns)

    def receive_frame(self, rdev: Rdev, frame: Frame, now_ns: int) -> None:
        """`Node.receive_frame`, recorded."""
        given = encode(frame) if self._journal.recording else b""
        with self._step(Act.ARRIVE, now_ns, rdev, given):
            super().receive_frame(rdev, frame, now_ns)

    def handle_deadline(self, now_ns: int) -> None:
        """`Node.handle_deadline`, recorded."""
        with self._step(Act.DEADLINE, now_ns):
            super().handle_deadline(now_ns)

    def connect(self, rdev: Rdev, now_ns: int) -> None:
        """`Node.connect`, recorded."""
        with self._step(Act.CONNECT, now_ns, rdev):
            super().connect(rdev, now_ns)

    def disconnect(self, rdev: Rdev, now_ns: int) -> None:
        """`Node.disconnect`, recorded."""
        with self._step(Act.DISCONNECT, now_ns, rdev):
            super().disconnect(rdev, now_ns)

    def activate(self, rdev: Rdev, now_ns: int) -> None:
        """`Node.activate`, recorded."""
        with self._step(Act.ACTIVATE, now_ns, rdev):
            super().activate(rdev, now_ns)

    def deactivate(self, rdev: Rdev, now_ns: int) -> None:
        """`Node.deactivate`, recorded."""
        with self._step(Act.DEACTIVATE, now_ns, rdev):
            super().deactivate(rdev, now_ns)

    def vary_rdev(self, rdev: Rdev, now_ns: int, *, online: bool) -> None:
        """`Node.vary_rdev`, recorded."""
        with self._step(Act.VARY_RDEV_ON if online else Act.VARY_RDEV_OFF, now_ns, rdev):
            super().vary_rdev(rdev, now_ns, online=online)

    def vary_chpid(self, chpid: ChpidId, now_ns: int, *, online: bool) -> None:
        """`Node.vary_chpid`, recorded."""
        with self._step(Act.VARY_CHPID_ON if online else Act.VARY_CHPID_OFF, now_ns, chpid):
            super().vary_chpid(chpid, now_ns, online=online)

    def poll_frame(self) -> Departure | None:
        """`Node.poll_frame`."""
        return self._carried.popleft() if self._carried else super().poll_frame()

    def poll_event(self) -> LinkEvent | None:
        """`Node.poll_event`."""
        return self._told.popleft() if self._told else super().poll_event()

    @contextmanager
    def _step(self, act: Act, now_ns: int, number: int = 0, given: bytes = b"") -> Iterator[None]:
        """Let one input happen, then record it with what came of it."""
        error = ""
        try:
            yield
        except BaseException as raised:
            error = type(raised).__name__
            raise
        finally:
            if self._journal.recording:
                frames = _drain(super().poll_frame)
                events: list[LinkEvent] = _drain(super().poll_event)
                self._carried.extend(frames)
                self._told.extend(events)
                outcome = _outcome(frames, events, self.next_deadline(), error)
                self._journal(encode_record(act, now_ns, number, given, outcome))
            else:
                self._journal.skip()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first input that led to something else than was recorded."""

    record: Record
    replayed: Outcome


@dataclass(frozen=True, slots=True)
class Replay:
    """What a journal, fed to fresh nodes, led to; ``difference`` is None if to the same.

    ``definition`` is that of the last node. Times are those of the first and the last input,
    in ns. ``truncated_length`` is how many bytes at the end were no whole record.
    """

    definition: NodeDefinition
    node_count: int
    input_count: int
    first_ns: int
    last_ns: int
    frame_count: int
    event_count: int
    truncated_length: int
    difference: Difference | None


def replay(read: Read, make_node: Callable[[NodeDefinition], Node] = Node) -> Replay:
    """Feed a journal to fresh nodes, up to the first difference.

    Raises `JournalError` where the journal is damaged.
    """
    reader = JournalReader(read)
    node: Node | None = None
    definition: NodeDefinition | None = None
    difference: Difference | None = None
    node_count = input_count = frame_count = event_count = first_ns = last_ns = 0
    for record in reader:
        if record.act is Act.BEGIN:
            definition = cast(NodeDefinition, record.given)
            node = _begin(make_node, definition, record.offset)
            node_count += 1
            continue
        if node is None:
            raise JournalError("an input before there is a node", record.offset)
        if not input_count:
            first_ns = record.now_ns
        last_ns = record.now_ns
        input_count += 1
        outcome = _repeat(node, record)
        frame_count += outcome.frame_count
        event_count += outcome.event_count
        if outcome != record.outcome:
            difference = Difference(record, outcome)
            break
    if definition is None:
        raise JournalError("holds nothing", len(FILE_HEADER))
    return Replay(
        definition,
        node_count,
        input_count,
        first_ns,
        last_ns,
        frame_count,
        event_count,
        reader.truncated_length,
        difference,
    )


def _begin(
    make_node: Callable[[NodeDefinition], Node], definition: NodeDefinition, offset: int
) -> Node:
    try:
        return make_node(definition)
    except (IsfcError, ValueError, ArithmeticError) as error:
        raise JournalError(f"a definition that makes no node: {error}", offset) from None


def _repeat(node: Node, record: Record) -> Outcome:
    """Give ``node`` what was recorded, and see what comes of it."""
    error = ""
    try:
        _give(node, record)
    except Exception as raised:  # whatever it is: it was recorded, or it is the difference
        error = type(raised).__name__
    frames = _drain(node.poll_frame)
    events: list[LinkEvent] = _drain(node.poll_event)
    return _outcome(frames, events, node.next_deadline(), error)


def _give(node: Node, record: Record) -> None:
    act, now_ns, rdev = record.act, record.now_ns, Rdev(record.number)
    if act is Act.SEND:
        node.send(cast("list[Message]", record.given), now_ns)
    elif act is Act.ARRIVE:
        node.receive_frame(rdev, cast(Frame, record.given), now_ns)
    elif act is Act.DEADLINE:
        node.handle_deadline(now_ns)
    elif act is Act.CONNECT:
        node.connect(rdev, now_ns)
    elif act is Act.DISCONNECT:
        node.disconnect(rdev, now_ns)
    elif act is Act.ACTIVATE:
        node.activate(rdev, now_ns)
    elif act is Act.DEACTIVATE:
        node.deactivate(rdev, now_ns)
    elif act is Act.VARY_RDEV_ON or act is Act.VARY_RDEV_OFF:
        node.vary_rdev(rdev, now_ns, online=act is Act.VARY_RDEV_ON)
    else:
        assert act is Act.VARY_CHPID_ON or act is Act.VARY_CHPID_OFF, "every act is repeated"
        node.vary_chpid(ChpidId(record.number), now_ns, online=act is Act.VARY_CHPID_ON)


def _drain(poll: Callable[[], _T | None]) -> list[_T]:
    """All that there is."""
    taken = []
    while (one := poll()) is not None:
        taken.append(one)
    return taken


def _outcome(
    frames: Sequence[Departure], events: Sequence[LinkEvent], deadline_ns: int | None, error: str
) -> Outcome:
    return Outcome(
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
    for departure_ns, rdev, frame in frames:
        yield _DEPARTURE.pack(departure_ns, rdev)
        yield from encode_pieces(frame)


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
