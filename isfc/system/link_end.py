"""A link end: one end of a logical link to one partner; and the chpids that all of a system share.

The only module that knows both software (`isfc.link.logical_link`) and hardware (`ctc.device`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import final

from mypy_extensions import i64

from ctc.address import ByRdev, ChpidId, Rdev, Record, format_chpid, format_rdev
from ctc.channel import NOTHING, ChannelUse
from ctc.chpid import Chpid
from ctc.device import Arbitration, Ctc
from ctc.fabric import DeadlinesChanged, Fabric, FabricRoute
from ctc.features import ChpidProfile
from ctc.frame import Departure, Frame
from ctc.queues import NEVER_NS, Fifo
from ctc.state import State
from ctc.subchannel import Interrupt, Ssch
from isfc.errors import ConfigurationError, LocalProtocolError
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.events import InterruptListener, LinkEvent, Sink
from isfc.link.lock import SystemLock
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters, LinkRules
from isfc.link.scan import LinkDevice
from isfc.link.state import DeviceState


@dataclass(frozen=True, slots=True)
class CtcDefinition(Record):
    """One CTC as one system defines it.

    ``disks`` is what else holds up what crosses its fibre, ``way_ns`` how long light takes for the
    length of the fibre, one way. ``route`` is its path in a fabric, None if its fibre
    shares nothing.
    """

    device: LinkDevice
    chpid: ChpidId
    profile: ChpidProfile
    disks: ChannelUse = NOTHING
    way_ns: int = 0
    route: FabricRoute | None = None


@final
class ChannelSubsystem:
    """The chpids of one system, which all of its link ends share, and what is varied off.

    In a ``fabric`` a chpid has an end for each of its paths; without one, it is one end.
    """

    def __init__(self, definitions: Iterable[CtcDefinition], fabric: Fabric | None = None) -> None:
        self.fabric = fabric
        self.deadlines = DeadlinesChanged()
        """Says when the fabric has changed the pace of a path that begins here."""
        self.chpids: dict[ChpidId, list[Chpid[Ctc]]] = {}
        """The ends of each chpid."""
        self.end_of: dict[Rdev, Chpid[Ctc]] = {}
        """The chpid's end that each CTC is on."""
        self.chpid_of: dict[Rdev, ChpidId] = {}
        """The chpid of each CTC."""
        self.offline_rdevs: set[Rdev] = set()
        self.offline_chpids: set[ChpidId] = set()
        profiles: dict[ChpidId, ChpidProfile] = {}
        disks: dict[ChpidId, ChannelUse] = {}
        fastest: dict[tuple[ChpidId, FabricRoute | None], ChpidProfile] = {}
        ctcs = list(definitions)
        for ctc in ctcs:
            rdev = ctc.device.rdev
            if rdev in self.chpid_of:
                raise ConfigurationError(
                    f"device {format_rdev(rdev)} is defined twice; expected it in one link"
                )
            known = profiles.setdefault(ctc.chpid, ctc.profile)
            if (known.feature, known.link_gbps) != (ctc.profile.feature, ctc.profile.link_gbps):
                raise ConfigurationError(
                    f"chpid {format_chpid(ctc.chpid)} has two kinds of feature or speed; "
                    "expected one for all links"
                )
            end = ctc.chpid, None if fabric is None else ctc.route
            if ctc.profile.line_ns_per_byte < fastest.setdefault(end, ctc.profile).line_ns_per_byte:
                fastest[end] = ctc.profile
            self.chpid_of[rdev] = ctc.chpid
            disks[ctc.chpid] = disks.get(ctc.chpid, NOTHING).joined(ctc.disks)
        ends: dict[tuple[ChpidId, FabricRoute | None], Chpid[Ctc]] = {}
        for ctc in ctcs:
            chpid, route = ctc.chpid, None if fabric is None else ctc.route
            if (chpid, route) not in ends:
                profile = fastest[chpid, route]
                ends[chpid, route] = self._make_end(chpid, profile, disks[chpid], route)
                self.chpids.setdefault(chpid, []).append(ends[chpid, route])
            self.end_of[ctc.device.rdev] = ends[chpid, route]
        self._each = list(ends.values())

    def _make_end(
        self,
        chpid: ChpidId,
        profile: ChpidProfile,
        disks: ChannelUse,
        route: FabricRoute | None,
    ) -> Chpid[Ctc]:
        """``profile`` is that of its fastest fibre: one end for all of them goes by it."""
        fabric = self.fabric
        if fabric is None or route is None:
            return Chpid(chpid, profile, disks)
        end: Chpid[Ctc] = Chpid(chpid, profile, disks, fabric.queue(route.here))
        end.join(fabric, fabric.path(route), self.deadlines)
        return end

    @property
    def due_ns(self) -> i64:
        """When the next I/O ends on any chpid, in ns; `NEVER_NS` when all are idle."""
        earliest_ns: i64 = NEVER_NS
        for chpid in self._each:
            due_ns = chpid.due_ns
            if due_ns < earliest_ns:
                earliest_ns = due_ns
        return earliest_ns

    def handle_deadline(self, now_ns: i64) -> None:
        """End what is over on any chpid by ``now_ns``: the CTCs' link ends have the interrupts."""
        for chpid in self._each:
            if chpid.due_ns <= now_ns:
                while (ctc := chpid.poll_ended(now_ns)) is not None:
                    ctc.end(now_ns)
                while (ctc := chpid.poll_completed(now_ns)) is not None:
                    ctc.complete(now_ns)

    def is_online(self, rdev: Rdev) -> bool:
        """Whether neither the device nor its chpid is varied off."""
        return rdev not in self.offline_rdevs and self.chpid_of[rdev] not in self.offline_chpids

    def vary_rdev(self, rdev: Rdev, *, online: bool) -> None:
        """Note that one device is varied on or off."""
        if rdev not in self.chpid_of:
            raise LocalProtocolError(f"{rdev:04X} is not a device of this system")
        (self.offline_rdevs.discard if online else self.offline_rdevs.add)(rdev)

    def vary_chpid(self, chpid: ChpidId, *, online: bool) -> None:
        """Note that one chpid, and so the path of every device on it, is varied on or off."""
        if chpid not in self.chpids:
            raise LocalProtocolError(f"{chpid:02X} is not a chpid of this system")
        (self.offline_chpids.discard if online else self.offline_chpids.add)(chpid)

    def rdevs_on(self, chpid: ChpidId) -> list[Rdev]:
        """The devices on one chpid."""
        return [rdev for rdev, own in self.chpid_of.items() if own == chpid]


@dataclass(frozen=True, slots=True)
class LinkEndDefinition(Record):
    """Everything that makes one end of a logical link what it is.

    ``name`` is that of the system it is an end at, ``partner`` that of the system at the other
    end. A system has at most one link to each partner.
    """

    name: NodeName
    partner: NodeName
    ctcs: tuple[CtcDefinition, ...]
    parameters: LinkParameters = field(default_factory=LinkParameters)
    arbitration: Arbitration = Arbitration.BOTH_FAIL


class LinkEnd:
    """One end of one logical link: a pure function of its inputs and their times.

    It is part of an `isfc.system.system.System`, whose inputs reach it: whoever drives a system
    looks at its link ends, and takes their frames and events with `poll_frame` and
    `poll_event`.
    """

    def __init__(
        self,
        definition: LinkEndDefinition,
        channels: ChannelSubsystem,
        trace: Sink | None = None,
        watch: InterruptListener | None = None,
        rules: LinkRules | None = None,
        system_lock: SystemLock | None = None,
    ) -> None:
        self.name = definition.name
        """The system it is an end at."""
        self.partner = definition.partner
        """The system at the other end."""
        self.frames: Fifo[Departure] = Fifo()
        """What `poll_frame` has yet to give."""
        self.ctcs: dict[Rdev, Ctc] = {}
        """The hardware's ends of the CTCs; only to be read."""
        self.distances_ns = {ctc.device.rdev: ctc.way_ns for ctc in definition.ctcs}
        """How long a frame of each CTC is on its way, beyond what every frame takes."""
        self.link = LogicalLink(
            [ctc.device for ctc in definition.ctcs],
            lesser=definition.name.precedes(definition.partner),
            parameters=definition.parameters,
            rules=rules,
            system_lock=system_lock,
        )
        """The software's end of the link; only to be read."""
        self._channels = channels
        self._trace = trace
        self._watch = watch
        self._watched = trace is not None or watch is not None
        self._interrupts: Fifo[Interrupt] = Fifo()
        self._paths: set[Rdev] = set()
        for ctc in definition.ctcs:
            rdev, chpid = ctc.device.rdev, channels.end_of[ctc.device.rdev]
            self.ctcs[rdev] = Ctc(
                rdev, chpid, definition.arbitration, self.frames, self._interrupts
            )
        self._ctc_of = ByRdev(self.ctcs)

    @property
    def busy(self) -> bool:
        """Whether messages of ISFC Transport would only wait: the lock or no CTC is free."""
        link = self.link
        return not (link.tx_lock.free and link.scheduler.has_free)

    def send(self, messages: list[Message], now_ns: i64, beside: Rdev | None = None) -> None:
        """Hand messages to the link. Raises `Backpressure` when its backlog is full."""
        self.link.send(messages, now_ns, beside)
        self._settle(now_ns)

    def receive_frame(self, rdev: Rdev, frame: Frame, now_ns: i64) -> None:
        """A frame has arrived for one of our CTCs."""
        self._ctc_of[rdev].receive_frame(frame, now_ns)
        self._settle(now_ns)

    def is_due(self, now_ns: i64) -> bool:
        """Whether there is anything to do, once the system's chpids have ended what is over."""
        return self.link.due_ns <= now_ns or len(self._interrupts) > 0

    def handle_deadline(self, now_ns: i64) -> None:
        """Do what is due, once the system's chpids have ended what is over.

        Raises `RemoteProtocolError` when what the partner has sent breaks a rule, so that a
        package that it believes to have arrived is lost. The link goes on; one that must lose
        nothing has to be restarted.
        """
        try:
            self.link.handle_deadline(now_ns)
        finally:
            self._settle(now_ns)

    def connect(self, rdev: Rdev, now_ns: i64) -> None:
        """The path of one CTC to the partner is there; it is used if it is active and online."""
        self._paths.add(rdev)
        self.follow(rdev, now_ns)

    def disconnect(self, rdev: Rdev, now_ns: i64) -> None:
        """The path of one CTC to the partner is gone."""
        self._paths.discard(rdev)
        self.link.stand_by(rdev)
        self.ctcs[rdev].disconnect(now_ns)
        self._settle(now_ns)

    def activate(self, rdev: Rdev, now_ns: i64) -> None:
        """ACTIVATE ISLINK for one CTC; it is used as soon as its path is there."""
        self.link.activate(rdev)
        self.follow(rdev, now_ns)

    def deactivate(self, rdev: Rdev, now_ns: i64) -> None:
        """DEACTIVE ISLINK for one CTC; what it was writing goes to another."""
        self.link.deactivate(rdev)
        self.follow(rdev, now_ns)

    def follow(self, rdev: Rdev, now_ns: i64) -> None:
        """Make the hardware ready, or not, as it should be after what was asked for."""
        ctc = self.ctcs[rdev]
        active = self.link.ctcs[rdev].state is not DeviceState.INACTIVE
        if rdev in self._paths and active and self._channels.is_online(rdev):
            if ctc.state is State.NOT_READY:
                ctc.connect(now_ns)
                self.link.start_up(rdev, now_ns)
        elif ctc.state is not State.NOT_READY:
            self.link.stand_by(rdev)
            ctc.retire(now_ns)
        self._settle(now_ns)

    def poll_frame(self) -> Departure | None:
        """The next frame to carry to the mate: when it leaves (maybe later), RDEV, frame."""
        return self.frames.pop() if self.frames else None

    def poll_event(self) -> LinkEvent | None:
        """The next thing to tell the client."""
        return self.link.poll_event()

    def snapshot(self, now_ns: i64) -> LinkEndSnapshot:
        """All counters as they are at ``now_ns``."""
        link = self.link
        counters = link.counters
        return LinkEndSnapshot(
            name=self.name,
            partner=self.partner,
            state=link.state,
            now_ns=now_ns,
            write_package_count=counters.write_package_count,
            write_message_count=counters.write_message_count,
            write_length=counters.write_length,
            read_package_count=counters.read_package_count,
            read_message_count=counters.read_message_count,
            read_length=counters.read_length,
            collision_count=counters.collision_count,
            tx_pend_count=link.packager.backlog_count,
            tx_pend_length=link.packager.backlog_length,
            cpu_ns=link.cpu_ns(),
            write_order=link.scheduler.order,
            devices=tuple(self._device_snapshot(rdev, now_ns) for rdev in self.ctcs),
        )

    def _device_snapshot(self, rdev: Rdev, now_ns: i64) -> DeviceSnapshot:
        """Times of I/Os that have ended and of the one in progress: busy is never above 100 %."""
        ctc = self.link.ctcs[rdev]
        counters = ctc.counters
        running = self.ctcs[rdev].times_so_far(now_ns)
        return DeviceSnapshot(
            rdev=rdev,
            partner_rdev=ctc.device.partner_rdev,
            state=ctc.state,
            io_count=counters.io_count,
            pend_ns=counters.pend_ns + running.pend_ns,
            disc_ns=counters.disc_ns + running.disc_ns,
            conn_ns=counters.conn_ns + running.conn_ns,
            write_package_count=counters.write_package_count,
            write_length=counters.write_length,
            moved_length=self.ctcs[rdev].moved_length(now_ns),
            read_package_count=counters.read_package_count,
            read_length=counters.read_length,
            collision_count=counters.collision_count,
            stale_count=self.ctcs[rdev].stale_count,
            write_serv_ns=counters.write_serv_ns,
            write_serv_counts=tuple(counters.write_serv_counts),
        )

    def _settle(self, now_ns: i64) -> None:
        """Carry interrupts up and instructions down until neither side has any left."""
        link, interrupts = self.link, self._interrupts
        while True:
            while interrupts:
                interrupt = interrupts.pop()
                if self._watched:
                    self._show(interrupt, now_ns)
                link.receive_interrupt(interrupt, now_ns)
            instruction = link.poll_instruction()
            if instruction is None:
                return
            ctc = self._ctc_of[instruction.rdev]
            if isinstance(instruction, Ssch):
                trace = self._trace
                if trace is not None:
                    command = instruction.command
                    trace((now_ns, self.name, instruction.rdev, command.name, command.value))
                ctc.start(instruction, now_ns)
            elif ctc.state is not State.NOT_READY:  # else nobody is to hear of it
                ctc.reset(now_ns)

    def _show(self, interrupt: Interrupt, now_ns: i64) -> None:
        """Show an interrupt to whoever watches, before the link hears of it."""
        if self._trace is not None:
            self._trace((now_ns, self.name, interrupt.rdev, type(interrupt).__name__, 0))
        if self._watch is not None:
            self._watch(now_ns, self.name, interrupt)
