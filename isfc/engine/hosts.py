"""The systems of a virtual engine as it calls them: when each is due, and where its frames go."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ctc.address import ByRdev, Rdev
from ctc.agenda import NEVER_NS
from ctc.frame import Departure, Frame
from isfc.engine.program import Offer, Program
from isfc.engine.pump import Offers, Outlet
from isfc.engine.wire import decode, encode
from isfc.link.events import LinkEvent
from isfc.link.message import Message, Traffic
from isfc.system.inputs import Arrive, Send
from isfc.system.link_end import LinkEnd
from isfc.system.system import System

if TYPE_CHECKING:
    from isfc.engine.virtual import VirtualEngine

_TRANSPORT: Final = Traffic.TRANSPORT


@final
class _Way:
    """Where the frames of one CTC arrive, and how long that takes them."""

    __slots__ = ("mate_rdev", "ns")

    def __init__(self, mate_rdev: Rdev, ns: i64) -> None:
        self.mate_rdev = mate_rdev
        self.ns = ns


@final
class Host:
    """One system in the engine, and when it is to be called if no frame comes before."""

    __slots__ = ("due_ns", "ends", "links_due_ns", "resume_ns", "system", "timer_ns")

    def __init__(self, system: System) -> None:
        self.system = system
        self.ends: list[HostEnd] = []
        self.resume_ns: i64 = 0
        """Until when it is stopped."""
        self.links_due_ns: i64 = NEVER_NS
        self.timer_ns: i64 = NEVER_NS
        self.due_ns: i64 = NEVER_NS

    def renew(self, now_ns: i64) -> None:
        """Find when the system is next to be called, after an input to it."""
        self.links_due_ns = self.system.links_due_ns
        self.follow_channels(now_ns)

    def follow_channels(self, now_ns: i64) -> None:
        """The same, where no more than its channels' deadlines can have changed."""
        channels_due_ns = self.system.channels.due_ns
        links_due_ns = self.links_due_ns
        self.timer_ns = channels_due_ns if channels_due_ns < links_due_ns else links_due_ns
        self.set_due(now_ns)

    def set_due(self, now_ns: i64) -> None:
        """The same, where only what programs offer can have changed, from ``now_ns`` on."""
        due_ns = self.timer_ns
        for end in self.ends:
            offer_ns = end.offers.due_ns
            if offer_ns < due_ns and (end.exact or not end.link_end.busy):
                due_ns = offer_ns
        if due_ns < now_ns:
            due_ns = now_ns
        if due_ns < self.resume_ns:
            due_ns = self.resume_ns
        self.due_ns = due_ns

    def first_sender(self) -> "HostEnd":
        """The end whose program's offer made the system due."""
        for end in self.ends:
            if end.offers.due_ns <= self.due_ns and (end.exact or not end.link_end.busy):
                return end
        raise AssertionError("nothing is due")


@final
class HostEnd(Outlet):
    """One link end in the engine with its program: what that offers, and where frames go."""

    __slots__ = (
        "_way_of", "engine", "exact", "host", "link_end", "mate", "mates", "number", "offers",
        "place", "program",
    )  # fmt: skip

    def __init__(
        self, engine: "VirtualEngine", host: Host, place: int, number: int, program: Program
    ) -> None:
        self.engine = engine
        self.host = host
        self.place: i64 = place
        self.number: i64 = number
        self.program = program
        self.link_end: LinkEnd = host.system.ends[number]
        self.mate = self
        self.mates = {
            rdev: ctc.device.partner_rdev for rdev, ctc in self.link_end.link.ctcs.items()
        }
        self._way_of = ByRdev(
            {
                rdev: _Way(mate, engine.propagation_ns + self.link_end.distances_ns[rdev])
                for rdev, mate in self.mates.items()
            }
        )
        self.offers = Offers()
        self.exact = False
        """Whether every offer is handed over at its own time, whatever the link end is doing."""

    def hand_over(self, before_ns: i64, now_ns: i64) -> None:
        """Give the link the messages of before ``before_ns``, for which it was too busy."""
        if self.offers.due_ns < before_ns:
            messages = self.offers.take_before(before_ns, self.link_end.link.room)
            if messages:
                self.host.system.apply(Send(messages, self.number), now_ns)

    def hand_over_first(self, now_ns: i64) -> None:
        """Give the link the first offer."""
        messages = self.offers.take(self.link_end.link.room)
        if messages:
            self.host.system.apply(Send(messages, self.number), now_ns)

    def carry(self, departure: Departure) -> None:
        """Send a frame on its way to the mate, and whatever else the transit makes of it."""
        transit = self.engine.transit
        if transit is None:
            self._send(departure)
        else:
            for each in transit(self.link_end.name, departure):
                self._send(each)

    def _send(self, departure: Departure) -> None:
        engine, mate = self.engine, self.mate
        frame = departure.frame
        if engine.roundtrip:
            frame = decode(encode(frame))
        way = self._way_of[departure.rdev]
        arrival_ns: i64 = departure.at_ns + way.ns
        if arrival_ns < mate.host.resume_ns:
            arrival_ns = mate.host.resume_ns
        engine.frames.add(arrival_ns, Arrival(way.mate_rdev, frame, mate.place, mate.number))

    def deliver(self, event: LinkEvent) -> None:
        """Tell the listeners, and then the program, what has happened."""
        engine = self.engine
        self.offers.resume()
        for listener in engine.listeners:
            listener(self.link_end, event, engine.now_ns)
        self.offer(self.program.receive(event, engine.now_ns))

    def offer(self, offers: Iterable[Offer]) -> None:
        """Note what the program is to send."""
        listed: list[Offer] = offers if isinstance(offers, list) else list(offers)
        for at_ns, offered in listed:
            messages: list[Message] = offered if isinstance(offered, list) else list(offered)
            self.offers.add(at_ns, messages)
            if messages[0].traffic is not _TRANSPORT:
                self.exact = True


@final
@mypyc_attr(acyclic=True)
class Arrival(Arrive):
    """A frame in a fibre, and at which link end it will arrive.

    It knows that by numbers. With the end itself it would be in a cycle, as the end knows the
    engine and that all arrivals, and every one of them would be the garbage collector's.
    """

    __slots__ = ("number", "place")

    def __init__(self, rdev: Rdev, frame: Frame, place: i64, number: i64) -> None:
        super().__init__(rdev, frame)
        self.place = place
        """Of the end among all of the engine."""
        self.number = number
        """Of the end at its system."""

    def reach(self, system: System, now_ns: i64) -> None:
        """Let the CTC have it, without looking for its link end."""
        system.ends[self.number].receive_frame(self.rdev, self.frame, now_ns)
