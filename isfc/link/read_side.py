"""The read side of a CTC: what has become of the partner's write, until its package is handed over.

Nobody is shown these states: QUERY ISLINK has `isfc.link.state.DeviceState`, z/VM none of these.
`READ_SIDE` is the table that the link executes. While SENSE COMMAND BYTE or READ
is under way the read side waits for nothing; the write side says then that the CTC is taken.
"""

from enum import IntEnum
from typing import Final

from isfc.link.state import StateInput


class ReadState(IntEnum):
    """What the read side of a CTC waits for. From SENSE on that is the receive lock."""

    NONE = 0
    DEFERRED = 1
    """An attention, whose turn came during our write, waits for the end of that."""
    BUFFERED = 2
    """What was read waits to be handed over."""
    BUFFERED_SENSE = 3
    """The same, and an attention waits for that: a CTC has one buffer."""
    SENSE = 4
    """An attention waits for its turn."""
    READ = 5
    """SENSE is over, and READ waits for its turn."""
    DROPPED = 6
    """A turn is to come in which there is nothing to do any more."""


_S: Final = ReadState

ATTENTION: Final = StateInput(
    "the partner writes, or our write no longer keeps us from sensing that",
    {
        **dict.fromkeys((_S.NONE, _S.SENSE, _S.DEFERRED, _S.DROPPED), _S.SENSE),
        **dict.fromkeys((_S.BUFFERED, _S.BUFFERED_SENSE), _S.BUFFERED_SENSE),
    },
)
SENSED: Final = StateInput("SENSE has ended", {_S.NONE: _S.READ})
GRANTED: Final = StateInput(
    "the receive lock comes to it", dict.fromkeys((_S.SENSE, _S.READ, _S.DROPPED), _S.NONE)
)
GRANTED_IN_WRITE: Final = StateInput(
    "the receive lock comes to it during a write of ours",
    {_S.SENSE: _S.DEFERRED, _S.DROPPED: _S.NONE},
)
READ: Final = StateInput("READ has ended", {_S.NONE: _S.BUFFERED})
DELIVERED: Final = StateInput(
    "what was read is handed over", {_S.BUFFERED: _S.NONE, _S.BUFFERED_SENSE: _S.SENSE}
)
GIVEN_UP: Final = StateInput(
    "the partner's write has failed, by a collision, or because the CTC is lost",
    {
        **dict.fromkeys((_S.NONE, _S.DEFERRED), _S.NONE),
        **dict.fromkeys((_S.SENSE, _S.READ, _S.DROPPED), _S.DROPPED),
        **dict.fromkeys((_S.BUFFERED, _S.BUFFERED_SENSE), _S.BUFFERED),
    },
)

READ_SIDE: Final = (ATTENTION, SENSED, GRANTED, GRANTED_IN_WRITE, READ, DELIVERED, GIVEN_UP)
"""Everything that happens to the read side of a CTC."""

QUEUED: Final = int(_S.SENSE)
"""The first of the states in which a CTC waits for the receive lock."""
ATTENDED: Final = [state in (_S.SENSE, _S.DEFERRED, _S.BUFFERED_SENSE) for state in _S]
"""By state: whether a write of the partner's waits to be sensed."""
