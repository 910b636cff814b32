"""The messages between the two ends of a conversation, how they look as bytes, and its states.

Every message of a conversation is a verb (1 byte) and a body; numbers are big-endian and
unsigned. A `WireError` names what does not decode.

`after_step` and `after_verb` look the next state up in a table, and raise on what it does not have.
"""

import struct
from dataclasses import dataclass, fields
from enum import Enum, IntEnum
from typing import Final

from ctc.address import Record
from isfc.errors import (
    ConfigurationError,
    IsfcError,
    LocalProtocolError,
    RemoteProtocolError,
    WireError,
)

SERVICE_LENGTH_MAX: Final = 8
"""Characters of a service's name, as APPC/VM has it for resources."""

SEVER_TEXT_LENGTH_MAX: Final = 200
"""Bytes of the words that go with a SEVER."""

ROOM_LENGTH_MAX: Final = 2**32 - 1
"""Most bytes that one end can have room for."""

OPENINGS: Final = 2**32
"""A node's openings are counted modulo this."""

_SERVICE_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_")
_NUMBER: Final = struct.Struct(">I")
_SEVER: Final = struct.Struct(">BBQ")
_SEVERED: Final = _SEVER.size - 1


class Verb(IntEnum):
    """The first byte of a message."""

    CONNECT = 1
    """Asks for a service: how many bytes we have room for (4 bytes), how many times this node has
    asked before (4), and the service's name."""
    ACCEPT = 2
    """The service takes the conversation up: how many bytes it has room for (4)."""
    DATA = 3
    """Bytes, at least one."""
    LAST = 4
    """Bytes, maybe none, after which it is the partner's turn (APPC/VM)."""
    CREDIT = 5
    """There is room for so many more bytes (4)."""
    FINISH = 6
    """No more data will come."""
    SEVER = 7
    """Each end's last message: why the conversation is over (1), how many of the partner's bytes
    have been received (8), and words for people."""
    LIMIT = 8
    """Short messages come beside bulk: so many bytes of bulk (4) may be in the link, for the next
    `isfc.programs.register.TOLD_LENGTH`."""


class SeverCode(IntEnum):
    """Why a conversation is over."""

    ENDED = 0
    """Both ends have finished."""
    CLOSED = 1
    """The program that had it ended it."""
    REFUSED = 2
    """The service did not take it up."""
    NO_SERVICE = 3
    """There is no service of that name."""
    BUSY = 4
    """The node has too many conversations."""
    PROTOCOL = 5
    """The partner broke the rules."""
    LINK = 6
    """The link restarted: what was on its way may not have arrived."""
    FAILED = 7
    """The program that had it failed."""

    def __str__(self) -> str:
        """Its name, as the pages have it."""
        return self.name


class ConversationSevered(IsfcError):
    """The conversation is over; ``code`` and ``text`` say why."""

    def __init__(self, code: SeverCode, text: str = "") -> None:
        super().__init__(f"{code.name}: {text}" if text else code.name)
        self.code = code
        self.text = text

    def __reduce__(self) -> tuple[type["ConversationSevered"], tuple[SeverCode, str]]:
        """Let it go to another process."""
        return ConversationSevered, (self.code, self.text)


def check_service(service: str) -> str:
    """Return ``service``; raise `LocalProtocolError` unless it can be a service's name."""
    if not _names_service(service):
        raise LocalProtocolError(
            f"{service[:40]!r} is not a service's name: expected 1 to 8 of A-Z 0-9 $ # @ _"
        )
    return service


def connect(room_length: int, service: str, opening: int = 0) -> bytes:
    """The message that asks for ``service``, after ``opening`` others of this node's."""
    name = service.encode("ascii")
    return _verb_and_room(Verb.CONNECT, room_length) + _NUMBER.pack(opening % OPENINGS) + name


def accept(room_length: int) -> bytes:
    """The message that takes a conversation up."""
    return _verb_and_room(Verb.ACCEPT, room_length)


def credit(room_length: int) -> bytes:
    """The message that grants room for more."""
    return _verb_and_room(Verb.CREDIT, room_length)


def limit(length: int) -> bytes:
    """The message that says how many bytes of bulk may be in the link."""
    return _verb_and_room(Verb.LIMIT, length)


def sever(reason: ConversationSevered, received_length: int = 0) -> bytes:
    """The message that ends a conversation, in which so many bytes have been received."""
    text = reason.text.encode("utf-8", "replace")[:SEVER_TEXT_LENGTH_MAX]
    return _SEVER.pack(Verb.SEVER, reason.code, received_length) + text


def parse_connect(body: bytes | memoryview) -> tuple[int, int, str]:
    """The room, the count of openings and the service of a CONNECT's body."""
    name_start = 2 * _NUMBER.size
    service = bytes(body[name_start:]).decode("ascii", "replace")
    if not _names_service(service):
        raise WireError("not the name of a service", 1 + name_start)
    room_length = parse_room(body[: _NUMBER.size])
    return room_length, int(_NUMBER.unpack_from(body, _NUMBER.size)[0]), service


def parse_room(body: bytes | memoryview) -> int:
    """The room that the body of an ACCEPT, a CREDIT or a LIMIT grants."""
    if len(body) != _NUMBER.size:
        raise WireError("a number of the wrong length", 1)
    return int(_NUMBER.unpack(body)[0])


def parse_sever(body: bytes | memoryview) -> tuple[ConversationSevered, int]:
    """The reason in a SEVER's body, and how many bytes were received; every body has both."""
    code = body[0] if len(body) else SeverCode.PROTOCOL
    text = bytes(body[_SEVERED:][:SEVER_TEXT_LENGTH_MAX]).decode("utf-8", "replace")
    reason = ConversationSevered(SeverCode(code) if code in _CODES else SeverCode.PROTOCOL, text)
    return reason, int.from_bytes(body[1:_SEVERED], "big")


_CODES: Final = frozenset(SeverCode)


def _names_service(service: str) -> bool:
    fits = 0 < len(service) <= SERVICE_LENGTH_MAX
    return fits and _SERVICE_CHARACTERS.issuperset(service)


def _verb_and_room(verb: Verb, room_length: int) -> bytes:
    return bytes((verb,)) + _NUMBER.pack(room_length)


WINDOWS_LENGTH: Final = 64 * 2**20
SENDS_LENGTH: Final = 32 * 2**20
"""Bytes for all conversations of a node together, which share them evenly: what may arrive before
it is taken, and what may wait to be sent."""

LINK_LENGTH: Final = 8 * 2**20
"""Bytes of all conversations in the link: enough for nine full packages, and far below what the
backlog holds, so that it is never full. Beside those who send little, bulk has less of it
(`isfc.programs.register`)."""

WINDOW_LENGTH_MIN: Final = 65_536
"""The least window of a conversation; less where there may be so many that the least windows of all
would take more than half of `WINDOWS_LENGTH`: the rest is for those that there are."""

SHARE_LENGTH_MIN: Final = 131_072
"""A conversation's share is never less than so many bytes, or the limit, if that is less."""

GATHERED_LENGTH: Final = 65_536
"""Fewer bytes than this wait while messages of their conversation are in the link, and go together
with what comes meanwhile: each message costs as much as tens of kilobytes. (Nagle's rule.)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationLimits(Record):
    """What a node's conversations may take: bytes, and how many of them.

    ``window_length`` is the most that arrives before it is taken, ``send_length`` the most that
    waits to be sent; where there are many conversations, each has a share of less
    (`WINDOWS_LENGTH`, `SENDS_LENGTH`). Each end may open ``conversations_max``. ``link_length`` is
    the most of all conversations that may wait in the link's backlog or be on its way. Raises
    `ConfigurationError` for less than 1 of any: nothing would ever be sent.
    """

    window_length: int = 4 * 2**20
    send_length: int = 2**20
    conversations_max: int = 256
    link_length: int = LINK_LENGTH

    def __post_init__(self) -> None:
        for part in fields(self):
            if (value := getattr(self, part.name)) < 1:
                raise ConfigurationError(f"{part.name} {value}: expected 1 at least")

    @property
    def window_min(self) -> int:
        """The least window of a conversation, in bytes."""
        least = WINDOWS_LENGTH // (4 * self.conversations_max)  # each end may open so many
        return max(1, min(self.window_length, WINDOW_LENGTH_MIN, least))

    @property
    def raised_length_max(self) -> int:
        """Bytes that all windows together may have beyond those."""
        return max(0, WINDOWS_LENGTH - 2 * self.conversations_max * self.window_min)

    def window_share(self, count: int) -> int:
        """The window of each of ``count`` conversations."""
        return min(self.window_length, max(SHARE_LENGTH_MIN, WINDOWS_LENGTH // max(1, count)))

    def send_share(self, count: int) -> int:
        """What may wait to be sent of each of ``count`` conversations."""
        return min(self.send_length, max(SHARE_LENGTH_MIN, SENDS_LENGTH // max(1, count)))


class ConversationState(Enum):
    """The state of a conversation, as one end knows it."""

    ASKING = "asking"
    """Our CONNECT waits to be sent. Bytes may be sent and wait for the answer."""
    CONNECTING = "connecting"
    """Our CONNECT is sent. Bytes may be sent and wait for the answer."""
    REQUESTED = "requested"
    """The partner asks for a service: `ConversationEnd.accept` or `ConversationEnd.sever`."""
    OPEN = "open"
    SEVERING = "severing"
    """It has ended here, and our SEVER waits to be sent. What arrived before can be taken."""
    SEVER_SENT = "sever-sent"
    """The partner's SEVER has still to come."""
    SEVER_RECEIVED = "sever-received"
    """Ours waits to be sent. What arrived before can be taken."""
    OVER = "over"
    """Both SEVERs are sent, or the link is lost: its number belongs to it no more."""


class ConversationStep(Enum):
    """What one end does of its own accord."""

    ACCEPT = "be accepted: it has not been asked for"
    SEND = "send: it has not been accepted"
    FINISH = "be finished: it has not been accepted"
    END = "end: both ends have not finished"
    SEVER = "be severed"
    LOSE = "be lost"
    CONNECT_SENT = "send CONNECT"
    SEVER_SENT = "send SEVER"


_S = ConversationState
_CLOSING: Final = {_S.SEVERING: _S.SEVERING, _S.SEVER_SENT: _S.SEVER_SENT}
"""What the partner sent before it heard of our SEVER is dropped."""
_UNCHANGED: Final = {**_CLOSING, _S.SEVER_RECEIVED: _S.SEVER_RECEIVED, _S.OVER: _S.OVER}
"""What a program does that has not heard of the end yet changes nothing."""
_OPEN: Final = {_S.OPEN: _S.OPEN}
_ASKED: Final = {_S.ASKING: _S.ASKING, _S.CONNECTING: _S.CONNECTING}

_After = dict[ConversationState, ConversationState]

STEPS: Final[dict[ConversationStep, _After]] = {
    ConversationStep.ACCEPT: {_S.REQUESTED: _S.OPEN, **_UNCHANGED},
    ConversationStep.SEND: {**_ASKED, **_OPEN},
    ConversationStep.FINISH: {**_ASKED, **_OPEN, **_UNCHANGED},
    ConversationStep.END: {_S.OPEN: _S.SEVERING},
    ConversationStep.SEVER: {
        _S.ASKING: _S.OVER,  # the partner need not even hear of it
        _S.CONNECTING: _S.SEVERING,
        _S.REQUESTED: _S.SEVERING,
        _S.OPEN: _S.SEVERING,
        **_UNCHANGED,
    },
    ConversationStep.LOSE: {state: _S.OVER for state in _S if state is not _S.OVER},
    ConversationStep.CONNECT_SENT: {_S.ASKING: _S.CONNECTING},
    ConversationStep.SEVER_SENT: {_S.SEVERING: _S.SEVER_SENT, _S.SEVER_RECEIVED: _S.OVER},
}
"""What becomes of each state by a step of this end."""

VERBS: Final[dict[int, _After]] = {
    Verb.ACCEPT: {_S.CONNECTING: _S.OPEN, **_CLOSING},
    Verb.DATA: {**_OPEN, **_CLOSING},
    Verb.LAST: {**_OPEN, **_CLOSING},
    Verb.CREDIT: {**_OPEN, **_CLOSING},
    Verb.FINISH: {**_OPEN, **_CLOSING},
    Verb.LIMIT: {**_OPEN, **_CLOSING},
    Verb.SEVER: {
        _S.CONNECTING: _S.SEVER_RECEIVED,
        _S.REQUESTED: _S.SEVER_RECEIVED,
        _S.OPEN: _S.SEVER_RECEIVED,
        _S.SEVERING: _S.SEVER_RECEIVED,
        _S.SEVER_SENT: _S.OVER,
    },
}
"""What becomes of each state by a message of the partner's. (A CONNECT begins a conversation.)"""


def after_step(state: ConversationState, step: ConversationStep) -> ConversationState:
    """The state after a step of this end. Raises `LocalProtocolError` where it cannot be."""
    after = STEPS[step].get(state)
    if after is None:
        raise LocalProtocolError(f"a conversation that is {state.value} cannot {step.value}")
    return after


def after_verb(state: ConversationState, verb: int) -> ConversationState:
    """The state after a message of the partner's with this verb.

    Raises `RemoteProtocolError` for one that must not come.
    """
    after = VERBS[verb].get(state) if verb in VERBS else None
    if after is None:
        raise RemoteProtocolError(f"verb {verb} in a conversation that is {state.value}")
    return after
