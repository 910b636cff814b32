"""What both engines do after each input to a system: drain its link ends."""

from collections.abc import Callable

from ctc.frame import Departure
from isfc.link.events import LinkEvent
from isfc.system.link_end import LinkEnd


def pump(
    end: LinkEnd,
    carry: Callable[[Departure], None],
    deliver: Callable[[LinkEvent], None],
) -> None:
    """Drain a link end after an input to its system.

    Frames go to ``carry``, each with its RDEV and when it leaves, events to ``deliver``.
    """
    frames, events = end.frames, end.link.events
    while frames:
        carry(frames.pop(0))
    while events:
        deliver(events.pop(0))
