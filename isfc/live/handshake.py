"""How the two ends of a CTC's connection make sure of each other.

The first frames of every connection are not of the link: each end says hello, and the link's
frames begin only when both hellos fit. The end that connects speaks first::

    connects                              listens
    Hello                ->               checks it, answers Hello or Refusal
    checks it            ->  Accept, or Refusal; from here on the link's frames

All are ``length`` (2 bytes, of all that follows), ``ISFC``, ``version`` (1), ``kind`` (1) and a
body; numbers are big-endian and unsigned. This prefix stays the same in every version, so that
ends of different versions can tell each other so.
"""

import hashlib
import struct
from dataclasses import astuple, dataclass
from typing import Final, TypeVar

from ctc.address import Rdev, format_rdev
from isfc.engine.wire import VERSION
from isfc.errors import WireError
from isfc.system.definition import LinkEndDefinition

GREETING_LENGTH_MAX: Final = 512
"""Most bytes of a greeting, its length included: whatever else comes is not one."""

REASON_LENGTH_MAX: Final = 300

VERIFY: Final = 1
"""Capability: a checksum goes with every message (`isfc.programs.verification`)."""

_T = TypeVar("_T")

_MAGIC: Final = b"ISFC"
_PREFIX: Final = struct.Struct(">H4sBB")
_LENGTH: Final = 2
_HELLO: Final = struct.Struct(">8s8sHHQII32s8s")

_HELLO_KIND: Final = 1
_ACCEPT_KIND: Final = 2
_REFUSAL_KIND: Final = 3


@dataclass(frozen=True, slots=True)
class Hello:
    """Who speaks, on which CTC, of which link.

    ``incarnation`` names one incarnation of the node at this end: another number is another node,
    which knows nothing of what went before. ``dilation`` is 0 where the model's times are
    ignored. ``digest`` is `link_digest`, and ``program`` `program_digest`.
    """

    node: str
    partner: str
    rdev: Rdev
    partner_rdev: Rdev
    incarnation: int
    dilation: int
    capabilities: int
    digest: bytes
    program: bytes = bytes(8)


@dataclass(frozen=True, slots=True)
class Accept:
    """Both hellos fit."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """They do not, and why."""

    reason: str


Greeting = Hello | Accept | Refusal


def link_digest(definition: LinkEndDefinition) -> bytes:
    """32 bytes that are the same at both ends if and only if they are defined alike.

    What both ends know of the link: the two names, each CTC's two device numbers, the FICON
    feature that joins them, and the length of the fibre if that counts.
    """
    lesser = definition.name.precedes(definition.partner)
    names = (definition.name, definition.partner)
    lines = []
    for ctc in definition.ctcs:
        first, second = _ordered((ctc.device.rdev, ctc.device.partner_rdev), lesser)
        profile = ctc.profile
        way = f" {ctc.way_ns} ns" if ctc.way_ns else ""
        lines.append(f"{first:04X} {second:04X} {profile.feature} {profile.link_gbps:g}{way}")
    text = "\n".join([*_ordered(names, lesser), *sorted(lines)])
    return hashlib.sha256(text.encode()).digest()


def program_digest(words: str) -> bytes:
    """8 bytes for what runs over a link, in words that must be the same at both ends."""
    return hashlib.sha256(words.encode()).digest()[:8]


def _ordered(pair: tuple[_T, _T], lesser: bool) -> tuple[_T, _T]:
    return pair if lesser else (pair[1], pair[0])


def fault(ours: Hello, theirs: Hello) -> str | None:
    """Why the partner's hello does not fit ours, in words for both ends; None if it does."""
    if theirs.node != ours.partner:
        return f"node {theirs.node} is not {ours.partner}, the partner of {ours.node}"
    if theirs.partner != ours.node:
        return f"{theirs.node} wants {theirs.partner}, and this is {ours.node}"
    if (theirs.rdev, theirs.partner_rdev) != (ours.partner_rdev, ours.rdev):
        return (
            f"{theirs.node} joins its {format_rdev(theirs.rdev)} to our "
            f"{format_rdev(theirs.partner_rdev)}, and {ours.node} joins its "
            f"{format_rdev(ours.rdev)} to {format_rdev(ours.partner_rdev)}"
        )
    if theirs.digest != ours.digest:
        return f"{theirs.node} and {ours.node} have different layouts"
    if theirs.dilation != ours.dilation:
        return f"{theirs.node} goes at pace {_pace(theirs)}, and {ours.node} at {_pace(ours)}"
    if theirs.capabilities != ours.capabilities:
        return f"one of {theirs.node} and {ours.node} verifies messages, and the other does not"
    if theirs.program != ours.program:
        return f"{theirs.node} and {ours.node} have different workloads"
    return None


def _pace(hello: Hello) -> str:
    return f"modelled with dilation {hello.dilation}" if hello.dilation else "none"


def encode_greeting(greeting: Greeting) -> bytes:
    """The bytes of a greeting, its length first."""
    if isinstance(greeting, Hello):
        node, partner, *others = astuple(greeting)
        kind, body = _HELLO_KIND, _HELLO.pack(node.encode(), partner.encode(), *others)
    elif isinstance(greeting, Accept):
        kind, body = _ACCEPT_KIND, b""
    else:
        kind, body = _REFUSAL_KIND, greeting.reason.encode()[:REASON_LENGTH_MAX]
    return _PREFIX.pack(_PREFIX.size - _LENGTH + len(body), _MAGIC, VERSION, kind) + body


def greeting_length(data: bytes | bytearray | memoryview) -> int | None:
    """How many bytes the greeting that ``data`` begins with has; None if that is not yet known.

    Raises `WireError` for what cannot become a greeting, as early as that shows.
    """
    expected = _MAGIC[: max(0, len(data) - _LENGTH)]
    if bytes(data[_LENGTH : _LENGTH + len(_MAGIC)]) != expected:
        raise WireError("no greeting", _LENGTH)
    if len(data) < _PREFIX.size:
        return None
    length = _LENGTH + int.from_bytes(data[:_LENGTH], "big")
    if not _PREFIX.size <= length <= GREETING_LENGTH_MAX:
        raise WireError(f"a greeting of {length} bytes", 0)
    return length


def decode_greeting(data: bytes | bytearray | memoryview) -> Greeting:
    """The one greeting that ``data`` is. Raises `WireError` for anything else."""
    if greeting_length(data) != len(data):
        raise WireError("a greeting whose length is wrong", 0)
    _, _, version, kind = _PREFIX.unpack_from(data)
    body = bytes(data[_PREFIX.size :])
    if kind == _REFUSAL_KIND:  # whatever version says so
        return Refusal(_printable(body.decode("utf-8", "replace")[:REASON_LENGTH_MAX]))
    if version != VERSION:
        raise WireError(f"the partner speaks version {version}, and we speak {VERSION}", _LENGTH)
    if kind == _ACCEPT_KIND and not body:
        return Accept()
    if kind == _HELLO_KIND and len(body) == _HELLO.size:
        node, partner, rdev, partner_rdev, *others = _HELLO.unpack(body)
        return Hello(_name(node), _name(partner), Rdev(rdev), Rdev(partner_rdev), *others)
    raise WireError(f"a greeting of kind {kind}, {len(body)} bytes long", _PREFIX.size)


def _name(field: bytes) -> str:
    return _printable(field.rstrip(b"\0").decode("ascii", "replace"))


def _printable(text: str) -> str:
    """What a partner says goes to a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)
