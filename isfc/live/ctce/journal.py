"""What joined CTCs were given, recorded, and the proof that it leads to the same again.

A journal is `CTCE_HEADER` and records as `isfc.engine.framed` frames them. A payload is its kind
(1 byte), when it was (8, ns), the CRC-32 of all that ends had been told by then (4), and what was
given: the CTCs and their fibres as JSON (the first record), an order (see `_SAID`) with its data,
or another input as JSON. The last record has nothing but the time and the CRC.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from zlib import crc32

import msgspec

from ctc.address import Rdev
from ctc.channel import ChannelUse
from ctc.fabric import FabricRoute
from ctc.features import ChpidProfile
from ctc.order import FibreKind, Order
from ctc.state import State
from isfc.engine.framed import CTCE_HEADER, FramedReader, Read, frame_record
from isfc.errors import JournalError
from isfc.live.ctce.exchange import (
    CtcPlace,
    Delayed,
    EndAttached,
    EndDetached,
    Exchange,
    ExchangeDefinition,
    ExchangeEvent,
    ExchangeInput,
    Noted,
    Pulled,
    Restored,
    Said,
    Stalled,
    Told,
)
from isfc.live.ctce.join import CtcEnd, HostPort, JoinedCtc

_PREFIX: Final = struct.Struct(">BqI")
_SAID: Final = struct.Struct(">HBBBI?")
"""CTC, end, CCW code, state, count, and whether there was a WRITE EOF."""
_TOLD: Final = struct.Struct(">qHBBBI")

_BEGIN: Final = 0
_END: Final = 1
_SAYS: Final = 2
_At = tuple[int, int]
_INPUTS: Final[dict[int, tuple[Any, Any]]] = {
    3: (EndAttached, tuple[_At, bool, bool, int]),
    4: (EndDetached, tuple[_At]),
    5: (Pulled, tuple[tuple[int, ...], str]),
    6: (Restored, tuple[str]),
    7: (Delayed, tuple[int]),
    8: (Stalled, tuple[bool]),
    9: (Noted, tuple[_At, str]),
}
"""Other inputs by their numbers, with the types of their items: what is compiled knows none."""
_NUMBERS: Final = {kind: number for number, (kind, _) in _INPUTS.items()}
_End = tuple[str, int, tuple[str, int], tuple[str, int], int, str]
_Begin = tuple[list[tuple[_End, _End]], dict[str, Any]]
"""The types of the first record's items."""


class ToldDigest:
    """The CRC-32 of all that ends have been told, with the times."""

    def __init__(self) -> None:
        self.value = 0

    def __call__(self, event: ExchangeEvent) -> None:
        """Take what an end is told; nothing else counts."""
        if isinstance(event, Told):
            order, at = event.order, event.at
            head = _TOLD.pack(event.at_ns, at.ctc, at.end, order.code, order.state, order.count)
            self.value = crc32(order.data, crc32(head, self.value))


def begin_record(ctcs: Sequence[JoinedCtc], definition: ExchangeDefinition) -> bytes:
    """The first record: which devices are joined, and by what."""
    ends = [[end[:-1] for end in ctc] for ctc in ctcs]  # without options of statements
    return _record(_BEGIN, 0, 0, msgspec.json.encode([ends, definition]))


def input_record(given: ExchangeInput, now_ns: int, told: int) -> bytes:
    """One input, when it came, and the digest of what had been told by then."""
    if isinstance(given, Said):
        (ctc, end), order = given.at, given.order
        said = _SAID.pack(ctc, end, order.code, order.state, order.count, order.eof)
        return _record(_SAYS, now_ns, told, said + order.data)
    return _record(_NUMBERS[type(given)], now_ns, told, msgspec.json.encode(given))


def end_record(now_ns: int, told: int) -> bytes:
    """The last record."""
    return _record(_END, now_ns, told, b"")


def _record(kind: int, now_ns: int, told: int, body: bytes) -> bytes:
    return frame_record(_PREFIX.pack(kind, now_ns, told) + body)


class CtceJournal:
    """A journal that is read: its CTCs, and then its records.

    Raises `JournalError` for what is no such journal, and where it is damaged.
    """

    def __init__(self, read: Read) -> None:
        self.framed = FramedReader(read, CTCE_HEADER)
        self._payloads = iter(self.framed)
        first = next(self._payloads, None)
        if first is None or first[1][:1] != bytes([_BEGIN]):
            raise JournalError("has no CTCs: its first record is missing", len(CTCE_HEADER))
        try:
            ctcs, given = msgspec.json.decode(first[1][_PREFIX.size :], type=_Begin)
            self.ctcs = [(_end(one), _end(other)) for one, other in ctcs]
            self.definition = _definition(given)
            Exchange(self.definition, lambda _at, _order: None)  # so that one can be made of it
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise JournalError(f"a record that makes no sense: {error}", first[0]) from None

    def __iter__(self) -> Iterator[tuple[int, int, int, ExchangeInput | None]]:
        """The records after the first: offset, time, digest and input, None in the last one."""
        for offset, payload in self._payloads:
            try:
                kind, now_ns, told = _PREFIX.unpack_from(payload)
                given = None if kind == _END else _given(kind, payload[_PREFIX.size :])
                at, ctcs = getattr(given, "at", CtcPlace(0, 0)), getattr(given, "ctcs", ())
                if not {at.ctc, *ctcs} <= {*range(len(self.ctcs))} or at.end not in (0, 1):
                    raise ValueError(f"the end of a CTC that is not there: {given}")
            except (KeyError, TypeError, ValueError, struct.error) as error:
                raise JournalError(f"a record that makes no sense: {error}", offset) from None
            yield offset, now_ns, told, given


def _end(given: _End) -> CtcEnd:
    system, rdev, at, ours, named, wire = given
    return CtcEnd(system, Rdev(rdev), HostPort(*at), HostPort(*ours), Rdev(named), wire)


def _definition(given: dict[str, Any]) -> ExchangeDefinition:
    """Part by part, for the same reason as `_INPUTS`."""
    kinds = [
        FibreKind(
            msgspec.convert(kind["profile"], ChpidProfile | None),
            msgspec.convert(kind["way_ns"], int),
            (
                msgspec.convert(kind["disks"][0], ChannelUse),
                msgspec.convert(kind["disks"][1], ChannelUse),
            ),
            msgspec.convert(kind["route"], FabricRoute | None),
        )
        for kind in given["kinds"]
    ]
    return ExchangeDefinition(
        tuple(kinds),
        msgspec.convert(given["on"], tuple[int, ...]),
        msgspec.convert(given["turned"], tuple[bool, ...]),
        both_fail=msgspec.convert(given["both_fail"], bool),
    )


def _given(kind: int, body: bytes) -> ExchangeInput:
    if kind == _SAYS:
        ctc, end, code, state, count, eof = _SAID.unpack_from(body)
        order = Order(code, State(state), count, body[_SAID.size :], eof)
        return Said(CtcPlace(ctc, end), order)
    made, items = _INPUTS[kind]
    first, *rest = msgspec.json.decode(body, type=items)
    given: ExchangeInput = made(CtcPlace(*first) if made._fields[0] == "at" else first, *rest)
    return given


def replay(
    journal: CtceJournal, exchange: Exchange, before: Callable[[int], None] = lambda _: None
) -> None:
    """Feed a journal to a fresh exchange.

    ``before`` is called with the time of each record before that is applied. Raises
    `JournalError` where an end is told anything else than was recorded.
    """
    digest = ToldDigest()
    exchange.observers.append(digest)
    for offset, now_ns, told, given in journal:
        exchange.advance(now_ns)
        if digest.value != told:
            raise JournalError(
                f"at {now_ns / 1e9:.6f} s ends had been told something else than was recorded",
                offset,
            )
        before(now_ns)
        if given is not None:
            exchange.apply(given, now_ns)
