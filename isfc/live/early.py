"""Early data: where time does not matter, a write's data go with its command.

The data of a write go when the mate's READ has come. On a connection that costs each package two
more trips, and two more waits for a process. So the sender may send them immediately, in one piece
with the command, and the receiver holds them until its own READ has gone out. The two ends of
the CTC notice nothing: it is as if the connection were very fast. When the write fails, as in a
collision, what is held of it is dropped, and the data go again with the next command.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from ctc.address import Rdev
from ctc.frame import CommandFrame, DataFrame, Frame
from ctc.subchannel import Command
from isfc.system.link_end import LinkEnd

# An enumeration's members are slow to reach, and these are needed for every frame.
_WRITE: Final = Command.WRITE
_READ: Final = Command.READ


class EarlyData:
    """What has been sent early and what is held, by CTC: at most one write each way.

    ``sends`` says whether this end sends early; every end holds what comes early. What was held and
    is now to reach the node goes into ``arrived``, which it shares with the engine.
    """

    def __init__(self, arrived: "deque[tuple[Rdev, Frame]]", *, sends: bool) -> None:
        self._arrived = arrived
        self._sends = sends
        self._sent: dict[Rdev, int] = {}
        self._held: dict[Rdev, DataFrame] = {}

    def leave(self, end: LinkEnd, rdev: Rdev, frame: Frame) -> Sequence[Frame]:
        """What is to be sent for a frame that leaves the node now."""
        if isinstance(frame, CommandFrame):
            if frame.command is _WRITE and self._sends:
                data = end.ctcs[rdev].data_of(frame.serial)
                if data is not None:
                    self._sent[rdev] = frame.serial
                    return (frame, data)
            elif frame.command is _READ and rdev in self._held:
                self._arrived.append((rdev, self._held.pop(rdev)))
        elif isinstance(frame, DataFrame) and self._sent.get(rdev) == frame.serial:
            return ()
        return (frame,)

    def hold(self, end: LinkEnd, rdev: Rdev, frame: Frame) -> bool:
        """Whether a frame that has come is held; else it is to reach the node now."""
        if isinstance(frame, DataFrame):
            if end.ctcs[rdev].reads:
                return False
            self._held[rdev] = frame
            return True
        if self._held:
            self._held.pop(rdev, None)  # the mate speaks of something else: that write is over
        return False

    def forget(self, rdev: Rdev) -> None:
        """The connection of this CTC is gone, and with it what came over it."""
        for entry in [entry for entry in self._arrived if entry[0] == rdev]:
            self._arrived.remove(entry)
        self._sent.pop(rdev, None)
        self._held.pop(rdev, None)
