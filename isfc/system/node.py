"""A node: one system's logical link on its CTCs. What an engine drives.

The only module that knows both software (`isfc.link.logical_link`) and hardware (`ctc.device`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ctc.address import ChpidId, Rdev
from ctc.agenda import NEVER_NS
from ctc.chpid import Chpid
from ctc.device import Arbitration, Ctc
from ctc.frame import Departure, Frame
from ctc.profiles import ChpidProfile
from ctc.state import State
from ctc.subchannel import Interrupt, Ssch
from isfc.errors import LocalProtocolError
from isfc.link.counters import DeviceSnapshot, NodeSnapshot
from isfc.link.events import LinkEvent
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import LinkDevice
from isfc.link.state import DeviceState
from isfc.link.trace import Sink, Watch


@dataclass(frozen=True, slots=True)
class CtcDefinition:
    """One CTC as one system defines it."""

    device: LinkDevice
    chpid: ChpidId
    profile: ChpidProfile


@dataclass(frozen=True, slots=True)
class NodeDefinition:
    """Everything that makes one end of a logical link what it is."""

    name: NodeName
    partner: NodeName
    ctcs: tuple[CtcDefinition, ...]
    parameters: LinkParameters = field(default_factory=LinkParameters)
    arbitration: Arbitration = Arbitration.BOTH_FAIL


class Node:
    """One end of one logical link: a pure function of (time, frame, message).

    No I/O, no clock, no randomness. After every input drain `poll_frame` and `poll_event`
    and ask `next_deadline`; `isfc.engine.pump` does it.
    """

    def __init__(
        self, definition: NodeDefinition, trace: Sink | None = None, watch: Watch | None = None
    ) -> None:
        self.name = definition.name
        self.partner = definition.partner
        self._trace = trace
        self._watch = watch
        self._frames: list[Departure] = []
        self._interrupts: list[Interrupt] = []
        self._chpids: dict[ChpidId, Chpid[Ctc]] = {}
        self._ctcs: dict[Rdev, Ctc] = {}
        for ctc in definition.ctcs:
            chpid = self._chpids.setdefault(ctc.chpid, Chpid(ctc.chpid, ctc.profile))
            rdev = ctc.device.rdev
            self._ctcs[rdev] = Ctc(
                rdev, chpid, definition.arbitration, self._frames, self._interrupts
            )
        self._paths: set[Rdev] = set()
        self._chpid_of = {ctc.device.rdev: ctc.chpid for ctc in definition.ctcs}
        self._offline_rdevs: set[Rdev] = set()
        self._offline_chpids: set[ChpidId] = set()
        self._each_chpid = tuple(self._chpids.values())
        self._link = LogicalLink(
            [ctc.device for ctc in definition.ctcs],
            lesser=definition.name.precedes(definition.partner),
            parameters=definition.parameters,
        )

    @property
    def link(self) -> LogicalLink:
        """The software's end of the link, to look at."""
        return self._link

    @property
    def ctcs(self) -> dict[Rdev, Ctc]:
        """The hardware's ends of the CTCs, to look at."""
        return self._ctcs

    @property
    def chpids(self) -> dict[Rdev, ChpidId]:
        """The chpid of each CTC."""
        return self._chpid_of

    @property
    def offline_rdevs(self) -> set[Rdev]:
        """The devices that are varied off."""
        return self._offline_rdevs

    @property
    def offline_chpids(self) -> set[ChpidId]:
        """The chpids that are varied off."""
        return self._offline_chpids

    def is_online(self, rdev: Rdev) -> bool:
        """Whether neither the device nor its chpid is varied off."""
        return rdev not in self._offline_rdevs and self._chpid_of[rdev] not in self._offline_chpids

    @property
    def busy(self) -> bool:
        """Whether messages of ISFC Transport would only wait: no link lock or no CTC is free."""
        link = self._link
        return not (link.lock.free and link.scheduler.has_free)

    def send(self, messages: Sequence[Message], now_ns: int) -> None:
        """Hand messages to the link. Raises `Backpressure` when its backlog is full."""
        self._link.send(messages, now_ns)
        self._settle(now_ns)

    def receive_frame(self, rdev: Rdev, frame: Frame, now_ns: int) -> None:
        """A frame has arrived for one of our CTCs."""
        self._ctcs[rdev].receive_frame(frame, now_ns)
        self._settle(now_ns)

    def handle_deadline(self, now_ns: int) -> None:
        """Time has come to what `next_deadline` promised; calling early does nothing.

        Raises `RemoteProtocolError` when what the partner has sent breaks a rule, so that a
        package that it believes to have arrived is lost. The node goes on; a link that must lose
        nothing has to begin anew.
        """
        for chpid in self._each_chpid:
            if chpid.due_ns <= now_ns:
                while (ctc := chpid.poll_ended(now_ns)) is not None:
                    ctc.end(now_ns)
                while (ctc := chpid.poll_completed(now_ns)) is not None:
                    ctc.complete(now_ns)
        try:
            self._link.handle_deadline(now_ns)
        finally:
            self._settle(now_ns)

    def next_deadline(self) -> int | None:
        """When `handle_deadline` must be called next, in ns; None when nothing is pending."""
        earliest_ns = self._link.due_ns
        for chpid in self._each_chpid:
            if chpid.due_ns < earliest_ns:
                earliest_ns = chpid.due_ns
        return earliest_ns if earliest_ns < NEVER_NS else None

    def poll_frame(self) -> Departure | None:
        """The next frame to carry to the mate: when it leaves (maybe later), RDEV, frame."""
        return self._frames.pop(0) if self._frames else None

    def poll_event(self) -> LinkEvent | None:
        """The next thing to tell the client."""
        return self._link.poll_event()

    def connect(self, rdev: Rdev, now_ns: int) -> None:
        """The path of one CTC to the partner is there; it is used if it is active and online."""
        self._paths.add(rdev)
        self._follow(rdev, now_ns)

    def disconnect(self, rdev: Rdev, now_ns: int) -> None:
        """The path of one CTC to the partner is gone."""
        self._paths.discard(rdev)
        self._ctcs[rdev].disconnect(now_ns)
        self._settle(now_ns)

    def activate(self, rdev: Rdev, now_ns: int) -> None:
        """ACTIVATE ISLINK for one CTC; it is used as soon as its path is there."""
        self._link.activate(rdev)
        self._follow(rdev, now_ns)

    def deactivate(self, rdev: Rdev, now_ns: int) -> None:
        """DEACTIVE ISLINK for one CTC; what it was writing goes to another."""
        self._link.deactivate(rdev)
        self._follow(rdev, now_ns)

    def vary_rdev(self, rdev: Rdev, now_ns: int, *, online: bool) -> None:
        """VARY ON or OFF one device. Off, an active CTC is down, and the partner sees it."""
        if rdev not in self._ctcs:
            raise LocalProtocolError(f"{rdev:04X} is not a device of this node")
        if online:
            self._offline_rdevs.discard(rdev)
        else:
            self._offline_rdevs.add(rdev)
        self._follow(rdev, now_ns)

    def vary_chpid(self, chpid: ChpidId, now_ns: int, *, online: bool) -> None:
        """VARY ON or OFF one chpid, and so the path of every device on it."""
        if chpid not in self._chpids:
            raise LocalProtocolError(f"{chpid:02X} is not a chpid of this node")
        if online:
            self._offline_chpids.discard(chpid)
        else:
            self._offline_chpids.add(chpid)
        for rdev, device_chpid in self._chpid_of.items():
            if device_chpid == chpid:
                self._follow(rdev, now_ns)

    def operate_like(self, other: "Node", now_ns: int) -> None:
        """Deactivate and vary off what is so at ``other``: for a node that takes its place."""
        for chpid in sorted(other.offline_chpids):
            self.vary_chpid(chpid, now_ns, online=False)
        for rdev in sorted(other.offline_rdevs):
            self.vary_rdev(rdev, now_ns, online=False)
        for rdev, ctc in other.link.ctcs.items():
            if ctc.state is DeviceState.INACTIVE:
                self.deactivate(rdev, now_ns)

    def snapshot(self, now_ns: int) -> NodeSnapshot:
        """All counters as they are at ``now_ns``."""
        counters = self._link.counters
        devices = tuple(self._device_snapshot(rdev, now_ns) for rdev in self._ctcs)
        return NodeSnapshot(
            name=self.name,
            partner=self.partner,
            state=self._link.state,
            now_ns=now_ns,
            write_package_count=counters.write_package_count,
            write_message_count=counters.write_message_count,
            write_length=counters.write_length,
            read_package_count=counters.read_package_count,
            read_message_count=counters.read_message_count,
            read_length=counters.read_length,
            collision_count=counters.collision_count,
            tx_pend_count=self._link.packager.backlog_count,
            tx_pend_length=self._link.packager.backlog_length,
            cpu_ns=self._link.cpu_ns(),
            write_order=self._link.scheduler.order,
            devices=devices,
        )

    def _follow(self, rdev: Rdev, now_ns: int) -> None:
        """Make the hardware ready, or not, as it should be after what was asked for."""
        ctc = self._ctcs[rdev]
        active = self._link.ctcs[rdev].state is not DeviceState.INACTIVE
        if rdev in self._paths and active and self.is_online(rdev):
            if ctc.state is State.NOT_READY:
                ctc.connect(now_ns)
        elif ctc.state is not State.NOT_READY:
            ctc.retire(now_ns)
        self._settle(now_ns)

    def _device_snapshot(self, rdev: Rdev, now_ns: int) -> DeviceSnapshot:
        """Times of I/Os that have ended and of the one in progress: busy is never above 100 %."""
        ctc = self._link.ctcs[rdev]
        counters = ctc.counters
        running = self._ctcs[rdev].times_so_far(now_ns)
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
            read_package_count=counters.read_package_count,
            read_length=counters.read_length,
            collision_count=counters.collision_count,
            stale_count=self._ctcs[rdev].stale_count,
            write_serv_ns=counters.write_serv_ns,
            write_serv_counts=tuple(counters.write_serv_counts),
        )

    def _settle(self, now_ns: int) -> None:
        """Carry interrupts up and instructions down until both ends of the door are quiet."""
        link, interrupts, trace = self._link, self._interrupts, self._trace
        watch = self._watch
        while True:
            while interrupts:
                interrupt = interrupts.pop(0)
                if trace is not None:
                    trace((now_ns, self.name, interrupt.rdev, type(interrupt).__name__, 0))
                if watch is not None:
                    watch(now_ns, self.name, interrupt)
                link.receive_interrupt(interrupt, now_ns)
            instruction = link.poll_instruction()
            if instruction is None:
                return
            ctc = self._ctcs[instruction.rdev]
            if isinstance(instruction, Ssch):
                if trace is not None:
                    command = instruction.command
                    trace((now_ns, self.name, instruction.rdev, command.name, command.value))
                ctc.start(instruction, now_ns)
            elif ctc.state is not State.NOT_READY:  # else nobody is to hear of it
                ctc.reset(now_ns)
