"""Hostile: one system, and a partner who sends whatever decodes."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Final

from ctc.address import ChpidId, Rdev
from ctc.frame import CommandFrame, DataFrame, Departure, Frame
from isfc.engine.virtual import VirtualEngine
from isfc.engine.wire import decode, encode
from isfc.errors import Backpressure, RemoteProtocolError
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkEvent, LinkUp, Offer
from isfc.link.message import Message, Traffic
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from isfc.system.system import (
    DEADLINE,
    Activate,
    Arrive,
    Connect,
    Deactivate,
    Disconnect,
    Send,
    System,
    VaryChpid,
)
from isfc.testing.pair import S, Setup

UNUSABLE: Final = (DeviceState.INACTIVE, DeviceState.DOWN, DeviceState.RESETTING)
FRESH: Final = 10_000
"""Packages and conversations from here on are a good partner's: nobody has used the numbers."""


def message(
    conversation: int,
    serial: int,
    length: int = 10,
    *,
    more: bool = False,
    acknowledges: bool = False,
    traffic: Traffic = Traffic.TRANSPORT,
) -> Message:
    """A message as a partner may number it."""
    made = Message(conversation, length, traffic)
    made.serial, made.more, made.acknowledges = serial, more, acknowledges
    return made


def data(serial: int, number: int, *messages: Message) -> DataFrame:
    """The data of a write: a package of a partner's making."""
    return DataFrame(Package(number, list(messages), sum(m.length for m in messages)), serial)


class Hostile:
    """The node and its clock. Only `RemoteProtocolError` may come out of what the partner sends."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.system = System([setup.definition(0)])
        self.end = self.system.ends[0]
        self.now_ns = 0
        self.rdevs = tuple(self.end.link.ctcs)
        self.serials = dict.fromkeys(self.rdevs, 0)
        """The serial of the node's last command on each CTC: a partner has seen it."""
        self.error_count = 0
        self.up = False
        self.usable: set[Rdev] = set()
        self.carried: list[Departure] = []
        for rdev in self.rdevs:
            self.connect(rdev)

    def connect(self, rdev: Rdev) -> None:
        """Let the connection of a CTC come."""
        self.system.apply(Connect(rdev), self.now_ns)
        self.drain()

    def disconnect(self, rdev: Rdev) -> None:
        """Let it go."""
        self.system.apply(Disconnect(rdev), self.now_ns)
        self.drain()

    def frame(self, rdev: Rdev, frame: Frame) -> None:
        """Let the partner send; the connection goes when the node objects, as live."""
        try:
            self.system.apply(Arrive(rdev, decode(encode(frame))), self.now_ns)
        except RemoteProtocolError:
            self.error_count += 1
            self.disconnect(rdev)
            self.connect(rdev)
        self.drain()

    def run(self, duration_ns: int) -> None:
        """Let time pass."""
        until_ns = self.now_ns + duration_ns
        for turns in count():
            due_ns = self.system.next_deadline()
            if due_ns is None or due_ns > until_ns:
                break
            assert turns < 200_000, "the node is never done"
            self.now_ns = max(self.now_ns, due_ns)
            try:
                self.system.apply(DEADLINE, self.now_ns)
            except RemoteProtocolError:
                self.error_count += 1
            self.drain()
        self.now_ns = until_ns

    def send(
        self, *lengths: int, conversation: int = 0, traffic: Traffic = Traffic.TRANSPORT
    ) -> None:
        """Let the node's own program send."""
        try:
            self.system.apply(
                Send([Message(conversation, n, traffic) for n in lengths]), self.now_ns
            )
        except Backpressure:
            return
        self.drain()

    def operate(self, index: int) -> None:
        """Let an operator do something."""
        rdev = self.rdevs[index % len(self.rdevs)]
        state = self.end.link.ctcs[rdev].state
        if index % 3 == 0:
            online = ChpidId(0x40) in self.system.channels.offline_chpids
            self.system.apply(VaryChpid(ChpidId(0x40), online=online), self.now_ns)
        elif state is DeviceState.INACTIVE:
            self.system.apply(Activate(rdev), self.now_ns)
        else:
            self.system.apply(Deactivate(rdev), self.now_ns)
        self.drain()

    def drain(self) -> None:
        """Take what the node has to say, and see whether it makes sense."""
        while (departure := self.end.poll_frame()) is not None:
            rdev, frame = departure.rdev, departure.frame
            assert decode(encode(frame)) is not None
            if isinstance(frame, CommandFrame):
                self.serials[rdev] = frame.serial
            self.carried.append(departure)
        while (event := self.end.poll_event()) is not None:
            self.hear(event)
        self.check()

    def check(self) -> None:
        """What the node says of itself fits what it has told."""
        states = {rdev: ctc.state for rdev, ctc in self.end.link.ctcs.items()}
        assert self.usable == {rdev for rdev, state in states.items() if state not in UNUSABLE}
        assert self.up == bool(self.usable) == (self.end.link.state is not LinkState.DOWN)
        snapshot = self.end.snapshot(self.now_ns)
        for device in snapshot.devices:
            assert min(device.pend_ns, device.disc_ns, device.conn_ns) >= 0

    def hear(self, event: LinkEvent) -> None:
        """Events tell a story without gaps."""
        if isinstance(event, DeviceChanged):
            assert event.usable == (event.rdev not in self.usable)
            self.usable ^= {event.rdev}
        elif isinstance(event, LinkUp | LinkDown):
            assert self.up == isinstance(event, LinkDown)
            self.up = not self.up

    def expect_to_work_with_a_good_partner(self) -> None:
        """All connections go and come back, to a partner who keeps to the rules."""
        for rdev in self.rdevs:
            self.disconnect(rdev)
        for chpid in sorted(self.system.channels.offline_chpids):
            self.system.apply(VaryChpid(chpid, online=True), self.now_ns)
        for rdev in self.rdevs:
            if self.end.link.ctcs[rdev].state is DeviceState.INACTIVE:
                self.system.apply(Activate(rdev), self.now_ns)
        self.drain()
        self.carried.clear()
        partner = System([self.setup.definition(1)])
        setattr(partner.ends[0].link.packager, "_number", FRESH)  # noqa: B010  # private
        here, there = Ears(self.hear), Ears()
        engine = VirtualEngine([System([self.setup.definition(0)]), partner], [here, there])
        engine.run(self.now_ns)
        engine.replace(self.system, "the node meets its partner")
        for rdev in self.rdevs:
            engine.plug(rdev)
        self.run_with(engine, 40 * S)  # what the node still has to do, and to send
        assert self.end.link.state is LinkState.UP
        here.arrived.clear()
        there.arrived.clear()
        sizes = [100, 30_000, 300_000] * 4
        for conversation in (FRESH, FRESH + 1):
            for system in engine.systems:
                system.apply(Send([Message(conversation, n) for n in sizes]), engine.now_ns)
            partner.apply(Send([Message(conversation + 2, 50_000, Traffic.LEGACY)]), engine.now_ns)
        engine.drain()
        self.run_with(engine, 5 * S)
        for conversation in (FRESH, FRESH + 1):
            for ears in (here, there):
                assert [m.length for m in ears.arrived if m.conversation == conversation] == sizes
            assert sum(m.conversation == conversation + 2 for m in here.arrived) == 1

    def run_with(self, engine: VirtualEngine, duration_ns: int) -> None:
        """Let time pass with the partner, and see meanwhile whether all makes sense."""
        until_events = engine.event_count + 200_000
        for _ in range(1000):
            engine.run(engine.now_ns + duration_ns // 1000)
            assert engine.event_count < until_events, "the two are never done"
            self.now_ns = engine.now_ns
            self.check()


class Ears:
    """A program that sends nothing and hears what comes."""

    def __init__(self, hear: Callable[[LinkEvent], None] | None = None) -> None:
        self.arrived: list[Message] = []
        self._hear = hear

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Send nothing."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Keep what has come."""
        if isinstance(event, Delivered):
            self.arrived += event.messages
        if self._hear is not None:
            self._hear(event)
        return ()
