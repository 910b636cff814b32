"""Cuts what arrives on one connection into frames.

All are read into large buffers that the connections of a process take when bytes have come, and
that are free again as soon as nobody holds any of it. What is not yet a whole frame never holds
more than the longest one, and an idle connection holds nothing.
"""

from collections.abc import Callable
from typing import Final, final

from isfc.engine.wire import PREFIX_LENGTH, VIEWED_SHARE_MIN, frame_length
from isfc.errors import RemoteProtocolError, WireError
from isfc.live.memory import KEPT_LENGTH, read_buffers

BORROWED_LENGTH_MIN: Final = KEPT_LENGTH // VIEWED_SHARE_MIN
"""A frame of so many bytes is handed over where it lies; a shorter one is copied, so that a message
kept for long does not keep a buffer that is much larger."""

CARRIED_LENGTH_MAX: Final = 4_096
"""Bytes of the beginning of a frame that are worth no buffer. Greetings never get one."""

FAREWELL: Final = bytes(PREFIX_LENGTH)
"""A frame of no length, which no other is: the last of a partner who ends in good order."""

FAREWELL_REASON: Final = "the partner has ended"
"""Why a connection is gone on which that was said."""

Deliver = Callable[[bytes | memoryview], None]
"""Takes one whole frame, which is its to keep. May raise `RemoteProtocolError`."""


@final
class FrameCutter:
    """What is read of one connection, up to the end of a frame.

    ``measure`` says how long the frame that begins with some bytes is, or None while too few are
    there; it raises `WireError` for what cannot become a frame. ``deliver`` takes the frames.
    Both may change from one frame to the next. ``spoilt`` is told why nothing more can be read.
    """

    def __init__(
        self,
        measure: Callable[[memoryview], int | None],
        deliver: Deliver,
        spoilt: Callable[[str], None],
    ) -> None:
        self.measure = measure
        self.deliver = deliver
        self.delivered: Callable[[], None] | None = None
        """Called once all frames are delivered that were read together."""
        self.ended = False
        """Whether nothing is delivered any more."""
        self._spoilt = spoilt
        self._view: memoryview | None = None
        """What is being read into; nothing between frames."""
        self._begin = 0
        """Where the frame begins that is not yet whole."""
        self._end = 0
        """How far the buffer is filled."""
        self._carry = b""
        """The first bytes of a frame, for which no buffer is kept."""

    def release(self) -> None:
        """Nothing comes any more: release the buffer, and refer to nobody."""
        self.ended = True
        self._view, self._carry = None, b""
        self.deliver, self.delivered, self._spoilt = to_nobody, None, to_nobody

    def get_buffer(self, sizehint: int) -> memoryview:  # asyncio's signature
        """Where the next bytes go."""
        view = self._view
        if view is None:
            self._view = view = read_buffers.take(KEPT_LENGTH)
            self._begin, self._end = 0, len(self._carry)
            view[: self._end] = self._carry
        return view[self._end :] if self._end else view

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes are there: hand over every frame that is whole."""
        view, begin, end = self._view, self._begin, self._end + nbytes
        assert view is not None, "more than was asked for"
        length: int | None = None
        try:
            while begin < end and not self.ended:
                length = self.measure(view[begin:end])
                if length is None or begin + length > end:
                    break
                frame = view[begin : begin + length]
                begin += length
                self.deliver(frame if length >= BORROWED_LENGTH_MIN else frame.tobytes())
        except RemoteProtocolError as error:
            self._spoilt(str(error))
        finally:
            if self.delivered is not None:
                self.delivered()
        self._keep(view, begin, end, length or 0)

    def _keep(self, view: memoryview, begin: int, end: int, length: int) -> None:
        """Keep the beginning of a frame of ``length`` bytes; the buffer only if that is long."""
        self._view, self._carry = None, b""
        if self.ended or begin == end:
            return
        if end - begin < CARRIED_LENGTH_MAX:
            self._carry = view[begin:end].tobytes()
        elif begin + length <= len(view):
            self._view, self._begin, self._end = view, begin, end
        else:
            taken = read_buffers.take(length)
            self._view, self._begin, self._end = taken, 0, end - begin
            taken[: end - begin] = view[begin:end]


def to_nobody(_too_late: object) -> None:
    """For frames that come too late, and for what is wrong with them."""


def measure_frame(data: memoryview) -> int | None:
    """How many bytes the link's frame that ``data`` begins with has; None if not yet known.

    Raises `WireError` for what is none, and `RemoteProtocolError` for the partner's farewell.
    """
    if len(data) < PREFIX_LENGTH:
        return None
    try:
        return frame_length(data)
    except WireError:
        if data[:PREFIX_LENGTH] == FAREWELL:
            raise RemoteProtocolError(FAREWELL_REASON) from None
        raise
