"""The states of a conversation, and what is possible in each.

`after_step` and `after_verb` look the next state up in a table, and raise on what it does not have.
"""

from enum import Enum
from typing import Final

from isfc.errors import LocalProtocolError, RemoteProtocolError
from isfc.programs.protocol import Verb


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


class Step(Enum):
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
_SEVERED: Final = {**_CLOSING, _S.SEVER_RECEIVED: _S.SEVER_RECEIVED, _S.OVER: _S.OVER}
"""What a program does that has not heard of the end yet changes nothing."""
_OPEN: Final = {_S.OPEN: _S.OPEN}
_ASKED: Final = {_S.ASKING: _S.ASKING, _S.CONNECTING: _S.CONNECTING}

_After = dict[ConversationState, ConversationState]

STEPS: Final[dict[Step, _After]] = {
    Step.ACCEPT: {_S.REQUESTED: _S.OPEN, **_SEVERED},
    Step.SEND: {**_ASKED, **_OPEN},
    Step.FINISH: {**_ASKED, **_OPEN, **_SEVERED},
    Step.END: {_S.OPEN: _S.SEVERING},
    Step.SEVER: {
        _S.ASKING: _S.OVER,  # the partner need not even hear of it
        _S.CONNECTING: _S.SEVERING,
        _S.REQUESTED: _S.SEVERING,
        _S.OPEN: _S.SEVERING,
        **_SEVERED,
    },
    Step.LOSE: {state: _S.OVER for state in _S if state is not _S.OVER},
    Step.CONNECT_SENT: {_S.ASKING: _S.CONNECTING},
    Step.SEVER_SENT: {_S.SEVERING: _S.SEVER_SENT, _S.SEVER_RECEIVED: _S.OVER},
}
"""What becomes of each state by a step of this end."""

VERBS: Final[dict[int, _After]] = {
    Verb.ACCEPT: {_S.CONNECTING: _S.OPEN, **_CLOSING},
    Verb.DATA: {**_OPEN, **_CLOSING},
    Verb.LAST: {**_OPEN, **_CLOSING},
    Verb.CREDIT: {**_OPEN, **_CLOSING},
    Verb.FINISH: {**_OPEN, **_CLOSING},
    Verb.SEVER: {
        _S.CONNECTING: _S.SEVER_RECEIVED,
        _S.REQUESTED: _S.SEVER_RECEIVED,
        _S.OPEN: _S.SEVER_RECEIVED,
        _S.SEVERING: _S.SEVER_RECEIVED,
        _S.SEVER_SENT: _S.OVER,
    },
}
"""What becomes of each state by a message of the partner's. (A CONNECT begins a conversation.)"""


def after_step(state: ConversationState, step: Step) -> ConversationState:
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
