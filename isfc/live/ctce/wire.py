"""CTCE's bytes: the current form (Hercules 4) and the older one (3.13), read and written.

A record is a prefix, and the data of a WRITE. The current form has a greeting before the first
record. Numbers are in the byte order of the host that sends, and only little-endian ones are read.

What JES2, JES3 and RSCS write on a CTC has names here: the blocks of network job entry (NJE). Their
form is published: IBM, Network Job Entry Formats and Protocols (SA32-0988). Over a CTC they are
framed as over BSC. XCF's and ISFC's are not published, and are not named.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address
from struct import Struct
from typing import Final, NamedTuple

from ctc.address import Record
from ctc.order import Order, command_of
from ctc.state import State
from ctc.subchannel import Command
from isfc.errors import WireError

DATA_LENGTH_MAX: Final = 65_519
"""Bytes of one WRITE: the length of a record has 16 bits (captured from Hercules 4.9)."""

LONG_DATA_LENGTH: Final = 4_096
"""Data of so many bytes are not copied on their way; of shorter ones a copy costs less."""

_EOF: Final = 0x80
_STATES: Final = tuple(State)
_SEQUENCES: Final = 0x1_0000
_GREETING: Final = Struct("<HH4sHHH2x")
_BOTH_WAYS: Final = 0x8001
"""Says in a greeting that ours has been accepted (captured from Hercules 4.9)."""


@dataclass(frozen=True, slots=True)
class WireForm(Record):
    """One of the two forms."""

    name: str
    prefix: Struct
    data_length_max: int
    """Bytes of a WRITE that a Hercules takes, unless its statement has another 'mtu'."""

    @property
    def prefix_length(self) -> int:
        """Bytes before the data of a WRITE."""
        return self.prefix.size


CURRENT: Final = WireForm("current", Struct("<BBHH2xHHH2x"), 62_536)
"""Hercules 4: CCW code, state, count, sequence number, length, device number, SSID."""
OLDER: Final = WireForm("older", Struct("<BBHHHHH"), 61_580)
"""Hercules 3.13, as Debian has it: the same without gaps."""
FORMS: Final = {form.name: form for form in (CURRENT, OLDER)}
"""Both by name."""


SSID: Final = 1
"""Of devices in the first logical channel subsystem, where all are unless a statement has another
(captured from Hercules 4.9)."""


class Speaker(NamedTuple):
    """Who speaks: every record names it."""

    rdev: int
    ssid: int = SSID


class Greeting(NamedTuple):
    """The first record of a connection of the current form."""

    port: int
    """Where the sender listens."""
    address: IPv4Address
    """The receiver's, as the sender's configuration has it."""
    sender: Speaker
    accepted: bool = False
    """Whether the sender has accepted a connection of the receiver's already."""


def encode_greeting(greeting: Greeting) -> bytes:
    """The greeting's bytes."""
    return _GREETING.pack(
        _BOTH_WAYS if greeting.accepted else 0,
        greeting.port,
        greeting.address.packed,
        _GREETING.size,
        *greeting.sender,
    )


def decode_greeting(data: bytes | memoryview) -> Greeting:
    """The greeting in ``data``, which has its length. Raises `WireError` for anything else."""
    accepted, port, address, length, rdev, ssid = _GREETING.unpack(data)
    if accepted not in (0, _BOTH_WAYS):
        raise WireError(f"no CTCE greeting: it begins with {data[:2].hex()}", 0)
    if length != _GREETING.size:
        raise WireError(
            f"a greeting of {length} bytes: expected {_GREETING.size}, no 'sml' in the "
            "configuration, and a little-endian host",
            8,
        )
    return Greeting(port, IPv4Address(address), Speaker(rdev, ssid), accepted != 0)


GREETING_LENGTH: Final = _GREETING.size
"""Bytes."""


def encode_prefix(form: WireForm, order: Order, sequence: int, sender: Speaker) -> bytes:
    """An order's bytes but for its data, which follow; only a WRITE has any."""
    return form.prefix.pack(
        order.code,
        order.state | (_EOF if order.eof else 0),
        order.count,
        sequence % _SEQUENCES,
        form.prefix_length + len(order.data),
        sender.rdev,
        sender.ssid,
    )


def encode_order(form: WireForm, order: Order, sequence: int, sender: Speaker) -> bytes:
    """An order's bytes."""
    return encode_prefix(form, order, sequence, sender) + order.data


def read_sender(form: WireForm, data: bytes) -> Speaker:
    """Who sends the record that begins there, whose prefix is whole."""
    return Speaker(*form.prefix.unpack_from(data)[-2:])


def read_order(form: WireForm, data: bytes, begin: int = 0) -> Order | int:
    """The order whose record begins there, or how many bytes it lacks at least to be whole.

    Long data stay where they lie. Raises `WireError` for what no Hercules sends; nothing can be
    read after that.
    """
    prefix = form.prefix_length
    here = len(data) - begin
    if here < prefix:
        return prefix - here
    code, state, count, _, length, _, _ = form.prefix.unpack_from(data, begin)
    if state & ~_EOF >= len(_STATES):
        raise WireError(f"state {state}: expected 0 to 5", 1)
    command = command_of(code)
    # in basic mode a WRITE EOF is a WRITE
    has_data = command is Command.WRITE or (command is Command.WRITE_EOF and length != prefix)
    wanted = prefix + count if has_data else prefix
    if length != wanted:
        either = f"{prefix} or " if command is Command.WRITE_EOF else ""
        raise WireError(
            f"a record of {length} bytes for X'{code:02X}' with a count of {count}: expected "
            f"{either}{wanted} in the {form.name} form",
            0,
        )
    if here < wanted:
        return wanted - here
    first, end = begin + prefix, begin + wanted
    long = wanted - prefix >= LONG_DATA_LENGTH
    held = memoryview(data)[first:end] if long else data[first:end]
    return Order(code, _STATES[state & ~_EOF], count, held, state >= _EOF)


_ALONE: Final = {
    b"\x01\x2d": "SOH ENQ: asks for a session",
    b"\x10\x70": "ACK0: nothing to send",
    b"\x3d": "NAK: send it again",
}
"""All of a block without data."""

_BLOCK: Final = b"\x10\x02"
"""DLE STX, then a block control byte (BCB), two of function control (FCS), and the first record."""

_RECORD_AT: Final = 5

_RECORDS: Final = {
    0x00: "end of block",
    0x90: "asks to begin a stream",
    0xA0: "permits a stream",
    0xB0: "refuses or ends a stream",
    0xC0: "a stream is complete",
    0xD0: "ready for a stream",
    0xE0: "BCB out of sequence",
    0xF0: "control record",
    0x9A: "message or command",
}
"""By the first record's control byte (RCB)."""

_STREAMS: Final = {0x8: "SYSIN", 0x9: "SYSOUT"}
"""By the second half of the RCB of a stream of data, the first half being 8 and its number."""


def nje_name(data: bytes) -> str | None:
    """The name of a block of NJE, by what it begins with; None of anything else."""
    sequence = _ALONE.get(data[:3])
    if sequence is not None:
        return f"NJE {sequence}"
    if not data.startswith(_BLOCK) or len(data) <= _RECORD_AT:
        return None
    control = data[_RECORD_AT]
    stream = _STREAMS.get(control & 0xF) if control & 0xF0 >= 0x90 else None
    record = _RECORDS.get(control)
    if record is None and stream is not None:
        record = f"{stream}, stream {(control >> 4) - 8}"
    return None if record is None else f"NJE block: {record}"
