"""What both engines do after each input to a system: drain its link ends."""

from ctc.frame import Departure
from isfc.link.events import LinkEvent
from isfc.system.link_end import LinkEnd


class Outlet:
    """Where what a link end has for others goes."""

    def carry(self, departure: Departure) -> None:
        """A frame, with its RDEV and when it leaves."""
        raise NotImplementedError

    def deliver(self, event: LinkEvent) -> None:
        """Something to tell the program."""
        raise NotImplementedError


def pump(end: LinkEnd, outlet: Outlet) -> None:
    """Drain a link end after an input to its system: frames first, then events."""
    frames, events = end.frames, end.link.events
    while frames:
        outlet.carry(frames.pop())
    while events:
        outlet.deliver(events.pop())
