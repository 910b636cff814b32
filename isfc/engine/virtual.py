"""Virtual time: systems, an agenda of frames, and a clock that jumps.

**The loop.** Nothing happens between two inputs: a system is a function of its inputs and their
times. So time need not pass, it can jump to the next moment at which there is an input for some
system. There are three kinds of such moments: a frame arrives (the agenda knows when), a deadline
of a system comes (`System.next_deadline`), a program sends what it has offered (its `Offers`). The
loop takes the earliest, applies that one input to one system, and then drains this system: its
frames go into the agenda, a propagation later than they leave; its events go to its programs, whose
offers join those that wait; and its next deadline is asked for. No other system can have changed,
as systems meet in frames only and a frame takes time; but where their channels are in one
fabric (`ctc.fabric`), transfers of others may have become slower or faster, and they are asked too
when their next deadline is. A fibre of no length would be no exception:
its frames arrive at the same time, but as inputs of their own.

**Ties are specified**, as two inputs at one time do not commute: whether a CTC hears of the
partner's write before its own starts decides if they collide. At equal times arrivals come first,
in the order of their departure, then one system after the other, deadlines before what its
programs offer. A run is therefore the same on every machine.

**What it leaves out.** While a link end is busy, a message of ISFC Transport can only wait. So it
is handed over when the end is next called for something else, which saves most calls and changes
nothing: the backlog is looked at when a link lock or a CTC comes free, and at no other time.
APPC/VM is handed over exactly, as what is sent of it depends on what is out at that moment.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ctc.address import ByRdev, Rdev
from ctc.fabric import Fabric
from ctc.frame import Departure, Frame
from ctc.queues import NEVER_NS, Agenda
from isfc.engine.pump import Listener, Offers, Outlet, pump
from isfc.errors import ConfigurationError
from isfc.link.events import LinkEvent, Offer, Program, Severed
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.system.link_end import LinkEnd
from isfc.system.system import DEADLINE, Arrive, Connect, Disconnect, Send, System

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
        if engine.roundtrip is not None:
            frame = engine.roundtrip(frame)
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


PROPAGATION_NS: Final = 1_000
"""One way through a fibre of a machine room: 200 m at 5 ns/m. Derived from the room's size."""

Transit = Callable[[NodeName, Departure], Iterable[Departure]]
"""What becomes of a frame that a system sends: what leaves in its place, nothing if it is lost."""


class VirtualEngine:
    """Runs systems and their programs in virtual time, from 0 ns on.

    There is a program for each link end, in the order of the systems and of their ends. All CTCs
    are plugged in at the start; `unplug` and `plug` change that between runs. Every frame passes
    through ``roundtrip``, as the wire's codec to prove that nothing is lost there; ``transit`` is
    asked about every frame, and may lose, delay or double it. ``listeners`` are told of everything,
    from the start on. Raises `ConfigurationError` if the other end of a link is at no system.
    """

    def __init__(
        self,
        systems: Sequence[System],
        programs: Sequence[Program],
        propagation_ns: int = PROPAGATION_NS,
        *,
        roundtrip: Callable[[Frame], Frame] | None = None,
        transit: Transit | None = None,
        listeners: Iterable[Listener[LinkEvent]] = (),
    ) -> None:
        self.systems = tuple(systems)
        self.listeners = list(listeners)
        self.now_ns = 0
        self.event_count = 0
        self.propagation_ns = propagation_ns
        self.roundtrip = roundtrip
        self.transit = transit
        self._hosts = [Host(system) for system in systems]
        for place, system in enumerate(systems):
            system.channels.deadlines.place = place
        self.frames: Agenda[Arrival] = Agenda()
        """Those in the fibres."""
        places = [(host, number) for host in self._hosts for number in range(len(host.system.ends))]
        self._ends = [
            HostEnd(self, host, place, number, program)
            for place, ((host, number), program) in enumerate(zip(places, programs, strict=True))
        ]
        by_names = {(end.link_end.name, end.link_end.partner): end for end in self._ends}
        for end in self._ends:
            name, partner = end.link_end.name, end.link_end.partner
            if (partner, name) not in by_names:
                raise ConfigurationError(f"{name} has a link to {partner}, which has none back")
            end.mate = by_names[partner, name]
            end.host.ends.append(end)
        for end in self._ends:
            if end.mate.place > end.place:
                for rdev in end.mates:
                    self._plug(end, rdev)
        for end in self._ends:
            end.offer(end.program.start(0))
            self._drain(end.host)

    @property
    def due_ns(self) -> int:
        """When something happens next, in ns; `NEVER_NS` if nothing does."""
        return min(self.frames.due_ns, *(host.due_ns for host in self._hosts))

    def run(self, until_ns: int) -> None:
        """Let everything happen that happens up to and including ``until_ns``."""
        frames, hosts, ends, deadline = self.frames, self._hosts, self._ends, DEADLINE
        last_ns: i64 = until_ns
        while True:
            host = hosts[0]
            now_ns: i64 = host.due_ns
            for other in hosts:
                if other.due_ns < now_ns:
                    host = other
                    now_ns = other.due_ns
            if frames.due_ns <= now_ns:
                now_ns = frames.due_ns
                if now_ns > last_ns:
                    break
                arrival = frames.pop()
                end = ends[arrival.place]
                host = end.host
                self.now_ns = now_ns
                end.hand_over(now_ns, now_ns)
                host.system.apply(arrival, now_ns)
                pump(end.link_end, end)  # no other link end has heard of it
            elif now_ns > last_ns:
                break
            elif host.timer_ns <= now_ns:
                self.now_ns = now_ns
                for end in host.ends:
                    end.hand_over(now_ns, now_ns)
                host.system.apply(deadline, now_ns)
                for end in host.ends:
                    pump(end.link_end, end)
            else:
                self.now_ns = now_ns
                end = host.first_sender()
                end.hand_over_first(now_ns)
                if not end.exact and not end.link_end.busy:  # it only waits: nothing to drain
                    host.set_due(now_ns)
                    continue
                pump(end.link_end, end)
            self.event_count += 1
            self._renew(host)
        self.now_ns = max(self.now_ns, until_ns)
        self._hand_over(until_ns + 1)

    def _hand_over(self, before_ns: i64) -> None:
        """Give links that were too busy what was due by now; what is stopped takes nothing."""
        for end in self._ends:
            if end.host.resume_ns < before_ns:
                end.hand_over(before_ns, self.now_ns)

    def drain(self) -> None:
        """Carry on what was asked of a system directly, between runs: a message, a command."""
        for host in self._hosts:
            self._drain(host)

    def offer(self, name: NodeName, partner: NodeName, messages: Sequence[Message]) -> None:
        """Let the end of the link from ``name`` to ``partner`` send these, as if its program did.

        Between runs. They wait for room in the link's backlog.
        """
        for end in self._ends:
            if (end.link_end.name, end.link_end.partner) == (name, partner):
                end.offer([(self.now_ns, messages)])
                end.host.set_due(self.now_ns)
                return
        raise ConfigurationError(f"{name} has no link to {partner}")

    def plug(self, rdev: Rdev, name: NodeName | None = None) -> None:
        """Connect one CTC, by its number at the system called ``name``; at the first if None."""
        self._plug(self._end_of(rdev, name), rdev)

    def unplug(self, rdev: Rdev, name: NodeName | None = None) -> None:
        """Cut one CTC, named as for `plug`; what is in its fibre is lost."""
        end = self._end_of(rdev, name)
        lost = ((end, rdev), (end.mate, end.mates[rdev]))
        lost_places = [(its_end.place, its_rdev) for its_end, its_rdev in lost]
        self.frames.drop(lambda arrival: (arrival.place, arrival.rdev) in lost_places)
        for its_end, its_rdev in lost:
            its_end.host.system.apply(Disconnect(its_rdev), self.now_ns)
        self.drain()

    def set_trunk(self, trunk: str, ns_per_byte: float) -> None:
        """Let a byte take so much of inter-switch links, by their name in the fabric."""
        fabric = self.systems[0].channels.fabric
        assert fabric is not None, "inter-switch links are in one"
        fabric.set_trunk(trunk, ns_per_byte, self.now_ns)
        self.drain()

    def replace(self, system: System, reason: str) -> None:
        """Let a fresh system take the place of the one with its name, and tell its programs.

        They are told `Severed`: what was on its way is lost. Its CTCs are to be plugged in again.
        """
        (host,) = (host for host in self._hosts if host.system.name == system.name)
        for end in host.ends:
            for rdev in end.mates:
                self.unplug(rdev, system.name)
        system.channels.deadlines.place = host.system.channels.deadlines.place
        host.system = system
        self.systems = tuple(each.system for each in self._hosts)
        for end in host.ends:
            end.link_end = system.ends[end.number]
            end.offers = Offers()
            end.deliver(Severed(reason))
        self._drain(host)

    def restart_end(self, name: NodeName, partner: NodeName, reason: str) -> None:
        """Let a system's end of one link begin again, as `replace` does with all of its ends."""
        (end,) = (
            end
            for end in self._ends
            if (end.link_end.name, end.link_end.partner) == (name, partner)
        )
        for rdev in end.mates:
            self.unplug(rdev, name)
        end.link_end = end.host.system.restart_end(partner)
        end.offers = Offers()
        end.deliver(Severed(reason))
        self._drain(end.host)

    def stop(self, name: NodeName, until_ns: int) -> None:
        """Let one system stand still until then; what arrives waits for it."""
        for host in self._hosts:
            if host.system.name == name:
                host.resume_ns = until_ns
                self._delay_arrivals(host, until_ns)
                host.set_due(self.now_ns)

    def _delay_arrivals(self, host: Host, until_ns: int) -> None:
        """Let what would arrive at ``host`` before ``until_ns`` arrive then."""
        ends = self._ends
        taken = self.frames.take(lambda arrival: ends[arrival.place].host is host)
        for at_ns, arrival in taken:
            self.frames.add(max(at_ns, until_ns), arrival)

    def _end_of(self, rdev: Rdev, name: NodeName | None) -> HostEnd:
        system = self._hosts[0].system.name if name is None else name
        for end in self._ends:
            if end.link_end.name == system and rdev in end.mates:
                return end
        raise ConfigurationError(f"{rdev:04X} is no CTC of {system}")

    def _plug(self, end: HostEnd, rdev: Rdev) -> None:
        end.host.system.apply(Connect(rdev), self.now_ns)
        end.mate.host.system.apply(Connect(end.mates[rdev]), self.now_ns)
        for host in self._hosts:
            if host is end.host or host is end.mate.host:
                self._drain(host)

    def _drain(self, host: Host) -> None:
        """Carry what the system has for its partners, tell its programs, find when it is due."""
        for end in host.ends:
            pump(end.link_end, end)
        self._renew(host)

    def _renew(self, host: Host) -> None:
        """Find when a system is due, and others whose transfers it has made slower or faster."""
        host.renew(self.now_ns)
        fabric = host.system.channels.fabric
        if fabric is not None and fabric.changed:
            self._follow(fabric, host)

    def _follow(self, fabric: Fabric, renewed: Host) -> None:
        for deadlines in fabric.changed:
            deadlines.changed = False
            host = self._hosts[deadlines.place]
            if host is not renewed:
                host.follow_channels(self.now_ns)
        fabric.changed.clear()
