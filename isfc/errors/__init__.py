"""What can go wrong with a logical link, and whose fault it is.

::

    IsfcError
      ConfigurationError     a definition is wrong: the user fixes a file or an argument
      LocalProtocolError     the caller asked for something illegal now
      RemoteProtocolError    the partner sent something illegal
        WireError            bytes do not decode
      Backpressure           a bounded queue is full
      AnswerRefused          an answer is not to be believed
      JournalError           a journal is damaged, or is none

An ``AssertionError`` is a bug of ours and is never caught. A collision is no error: it is
an interrupt, and counted.
"""

from typing import Self


class IsfcError(Exception):
    """Root of every error that ``isfc`` raises on purpose."""


class ConfigurationError(IsfcError):
    """A definition is wrong; the message names the place and the remedy."""


class LocalProtocolError(IsfcError):
    """The caller asked for something that is illegal in the present state."""


class RemoteProtocolError(IsfcError):
    """The partner sent something illegal."""


class _AtByte(Exception):
    """Something is wrong at a byte."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"{reason} (at byte {offset})")
        self.reason = reason
        self.offset = offset

    def __reduce__(self) -> tuple[type[Self], tuple[str, int]]:
        """Let it go to another process."""
        return type(self), (self.reason, self.offset)


class WireError(_AtByte, RemoteProtocolError):
    """Bytes that do not decode; ``offset`` is where reading stopped."""


class Backpressure(IsfcError):
    """A bounded queue is full: wait until it drains, then send again."""

    def __init__(self, queue: str, depth: int, limit: int) -> None:
        super().__init__(f"{queue} is full: {depth} of {limit}")
        self.queue = queue
        self.depth = depth
        self.limit = limit

    def __reduce__(self) -> tuple[type["Backpressure"], tuple[str, int, int]]:
        """Let it go to another process."""
        return Backpressure, (self.queue, self.depth, self.limit)


class AnswerRefused(IsfcError):
    """An answer that is not to be believed: it is ``answer``, and the message says why."""

    answer: object


class JournalError(_AtByte, IsfcError):
    """A journal is damaged, or is none; ``offset`` is the byte at which that was noticed."""
