"""The heart both engines share."""

from collections.abc import Callable

from ctc.frame import Departure
from isfc.link.events import LinkEvent
from isfc.system.node import Node


def pump(
    node: Node,
    carry: Callable[[Departure], None],
    deliver: Callable[[LinkEvent], None],
) -> int | None:
    """Drain ``node`` after an input; return the time of its next deadline in ns, or None.

    Frames go to ``carry``, each with its RDEV and when it leaves, events to ``deliver``.
    """
    while (departure := node.poll_frame()) is not None:
        carry(departure)
    while (event := node.poll_event()) is not None:
        deliver(event)
    return node.next_deadline()
