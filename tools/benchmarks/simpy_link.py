"""A logical link as a SimPy user would write it: processes, resources, stores and timeouts.

The physics is that of `ctc` and `isfc`, with the same parameters; what those write as state
machines is told here as SimPy likes it. What a package brings is put into a `Store`, the lock of
what interrupts bring is a `PriorityResource`, and each I/O is a process that waits for the
partner's. Packages are made and put in order by isfc's own rules, which tests hold to others.
Nothing fails here but writes that collide, no CTC is lost, and messages are never cut.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import simpy
from msgspec import Struct
from simpy.events import Event, Process, ProcessGenerator

from isfc.engine.virtual import PROPAGATION_NS
from isfc.link.message import Message
from isfc.link.package import Package, Packager
from isfc.link.parameters import LinkCosts, LinkParameters
from isfc.link.segment import Resequencer
from tools.benchmarks.simpy_chpid import SimpyChpid

FOLLOWING: Final = 0
DATA: Final = 1
"""Priorities at the receive lock: what starts an I/O, or frees one of several CTCs, goes before
what is received; a single CTC is freed in the order of the interrupts."""


class SimpyTraffic(Struct):
    """What a system has written and read, and the time of all its I/Os; lengths in bytes."""

    packages: int = 0
    messages: int = 0
    length: int = 0
    collisions: int = 0
    busy_ns: float = 0.0

    def count(self, package: Package) -> None:
        """Add what was written or read."""
        self.packages += 1
        self.messages += package.message_count
        self.length += package.length


class Write(Struct):
    """A write that is outstanding: SSCH has been, the end or a collision is to come."""

    package: Package
    started_ns: float


@dataclass(slots=True, eq=False)
class SimpyCtc:
    """One system's end of one CTC."""

    chpid: SimpyChpid
    mate: "SimpyCtc" = field(init=False)
    write: Write | None = None
    held: Package | None = None
    """Collided, and to be written again here in its turn."""
    turn: bool = False
    attention: object | None = None
    """That of the mate's write, while it waits to be answered."""
    attended: bool = False
    """CP has been told of it."""
    recovery: Process | None = None
    """The CTC is left alone after a collision."""
    ending: Process | None = None
    """The wait for the interrupt of the last transfer."""
    buffer: Event | None = None
    """What was read last is handed over."""
    releasing: Event | None = None
    """What was written last is released."""


class SimpySystem:
    """One end of the logical link."""

    partner: "SimpySystem"

    def __init__(
        self,
        env: simpy.Environment,
        parameters: LinkParameters,
        ctcs: Sequence[SimpyCtc],
        write_order: Sequence[SimpyCtc],
        *,
        lesser: bool,
    ) -> None:
        self.ctcs = ctcs
        self.traffic = SimpyTraffic()
        self.arrivals = simpy.Store(env)
        """What is handed over to the guests: a list of messages for each package."""
        self._env = env
        self._parameters = parameters
        self._costs = LinkCosts(parameters)
        self._single_ctc = len(ctcs) == 1
        self._rule = parameters.opening_rule.of(len(write_order))
        self._lesser = lesser
        self._rx_lock = simpy.PriorityResource(env)
        self._tx_lock = simpy.Resource(env)
        self._write_order = write_order
        self._free = set(write_order)
        self._ours: set[SimpyCtc] = set()
        limit, _ = parameters.limits(single_ctc=self._single_ctc)
        self._packager = Packager(limit)
        self._resequencer = Resequencer()
        self._sent_serials: defaultdict[int, int] = defaultdict(int)
        self._sending = False

    def send(self, messages: Iterable[Message]) -> None:
        """Guests hand over messages, all at the same time."""
        for message in messages:
            message.serial = self._sent_serials[message.conversation]
            self._sent_serials[message.conversation] += 1
            self._packager.add(message)
        self._wake_sender()

    def _wake_sender(self) -> None:
        if not self._sending and self._opens():
            self._sending = True
            self._env.process(self._send_packages())

    def _opens(self) -> bool:
        """Whether a CTC is to be given to what waits."""
        backlog, count, rule = self._packager, len(self._ours), self._rule
        return (
            bool(self._free)
            and backlog.waits
            and (
                not count
                or backlog.redrives
                or int(backlog.ccw_count) >= rule.count
                or backlog.backlog_length >= rule.length
                or (count == 1 and backlog.head_length >= rule.message_length)
            )
        )

    def _send_packages(self) -> ProcessGenerator:
        """Build one package after the other."""
        while self._opens():
            with self._tx_lock.request() as turn:
                if not turn.triggered:
                    yield turn
                ctc = next(ctc for ctc in self._write_order if ctc in self._free)
                self._free.remove(ctc)
                self._ours.add(ctc)
                is_built = self._packager.redrives and not self._single_ctc
                package = self._packager.pack(len(self._free))
                yield self._env.timeout(1 if is_built else self._costs.build_ns(package))
            if ctc in self._ours:
                self._env.process(self._write(ctc, package))
            else:
                self._packager.add_again(package)  # the partner's write came first
        self._sending = False

    def _write(self, ctc: SimpyCtc, package: Package) -> ProcessGenerator:
        """Write a package; the partner reads it, unless it writes here too."""
        env, mate = self._env, ctc.mate
        write = Write(package, env.now)
        late = ctc.attention is not None
        ctc.attention, ctc.attended = None, False  # it is answered by a collision
        if not late:
            ctc.write = write
        yield from ctc.chpid.start_io()
        if late:
            self.collide(ctc, write)
        yield env.timeout(PROPAGATION_NS)
        if mate.write is not None:
            self.partner.collide(mate, mate.write)
            return
        if not (yield env.process(self.partner.read(mate, package))):
            return  # the partner was late, and wrote before it heard of ours
        yield env.timeout(PROPAGATION_NS)
        ctc.write = None
        self.traffic.busy_ns += env.now - write.started_ns
        if self._single_ctc:
            yield self._ending(ctc, ctc.chpid.interrupt_ns)
            priority, release_ns = DATA, self._costs.single_ctc_release_ns
        else:
            yield self._ending(ctc, ctc.chpid.write_interrupt_ns)
            priority, release_ns = FOLLOWING, self._costs.release_ns
        self.traffic.count(package)
        ctc.releasing = env.event()
        yield from self._hold(priority, release_ns, package, ctc.releasing)
        if ctc.turn or ctc.attended:
            ctc.turn = False  # the partner's package is next
        else:
            self._release(ctc)

    def _ending(self, ctc: SimpyCtc, interrupt_ns: int) -> Process:
        """The wait for the interrupt of a transfer that is over."""
        ctc.ending = self._env.process(self._wait(interrupt_ns))
        return ctc.ending

    def _wait(self, wait_ns: int) -> ProcessGenerator:
        """Wait, unless the mate goes on here."""
        with suppress(simpy.Interrupt):
            yield self._env.timeout(wait_ns)

    def _go_on(self) -> ProcessGenerator:
        """Hold the receive lock to start what follows an interrupt."""
        with self._rx_lock.request(FOLLOWING) as turn:
            yield turn
            yield self._env.timeout(self._costs.dispatch_ns)

    def _hold(
        self, priority: int, hold_ns: Callable[[Package], int], package: Package, done: Event
    ) -> ProcessGenerator:
        """Hold the receive lock for a package; who waits until it is ``done`` may have it next."""
        with self._rx_lock.request(priority) as turn:
            yield turn
            yield self._env.timeout(hold_ns(package))
            done.succeed()
            yield self._env.timeout(0)

    def read(self, ctc: SimpyCtc, package: Package) -> ProcessGenerator:
        """Answer the attention: SENSE COMMAND BYTE, then READ. Return whether it is read.

        It is not if a write of ours is started before it is our turn to answer.
        """
        env, chpid, ending = self._env, ctc.chpid, ctc.ending
        if ending is not None and ending.is_alive:
            ending.interrupt()
            yield ending
        attention = ctc.attention = object()
        if chpid.notice_ns:
            yield env.timeout(chpid.notice_ns)
        if ctc.attention is attention:
            ctc.attended = True
            if self._single_ctc:
                self._occupy(ctc)
            if ctc.buffer is not None and not ctc.buffer.triggered:
                yield ctc.buffer
        while ctc.attention is attention:
            yield from self._go_on()
            if ctc.releasing is None or ctc.releasing.triggered:
                break
            yield ctc.releasing
        if ctc.attention is not attention:
            return False
        ctc.attention, ctc.attended = None, False
        ctc.turn = False
        if ctc.recovery is not None and ctc.recovery.is_alive:
            ctc.recovery.interrupt()
        self._occupy(ctc)
        started_ns = env.now
        yield from chpid.start_io()
        self.traffic.busy_ns += env.now - started_ns
        if chpid.notice_ns:
            yield env.timeout(chpid.notice_ns)
        yield from self._go_on()
        start = chpid.start_io()
        chpid.observe(package, +1)
        started_ns = env.now
        yield from start
        yield env.timeout(PROPAGATION_NS)
        yield ctc.mate.chpid.transfer(package)
        yield env.timeout(PROPAGATION_NS)
        chpid.observe(package, -1)
        self.traffic.busy_ns += env.now - started_ns
        self._env.process(self._finish_read(ctc, package))
        return True

    def _finish_read(self, ctc: SimpyCtc, package: Package) -> ProcessGenerator:
        yield self._ending(ctc, ctc.chpid.interrupt_ns)
        self.traffic.count(package)
        ctc.buffer = self._env.event()
        self._env.process(self._receive(package, ctc.buffer))
        if ctc.held is None:
            self._release(ctc)
        else:
            package, ctc.held = ctc.held, None
            self._env.process(self._write(ctc, package))

    def _receive(self, package: Package, buffer: Event) -> ProcessGenerator:
        """Receive what was read, and hand the messages over in order."""
        yield from self._hold(DATA, self._costs.receive_ns, package, buffer)
        self.arrivals.put(self._resequencer.accept(package))

    def _occupy(self, ctc: SimpyCtc) -> None:
        """The partner writes here."""
        self._free.discard(ctc)
        self._ours.discard(ctc)
        self._wake_sender()  # there may be no write of ours any more

    def _release(self, ctc: SimpyCtc) -> None:
        self._ours.discard(ctc)
        if ctc in self._write_order:
            self._free.add(ctc)
        self._wake_sender()

    def collide(self, ctc: SimpyCtc, write: Write) -> None:
        """Our write fails: the package goes on another CTC, or here again, the lesser end's first.

        With several CTCs the greater end leaves this one alone longer.
        """
        recovery_ns = self._parameters.recovery_ns
        ctc.write = None
        self.traffic.busy_ns += self._env.now - write.started_ns
        self.traffic.collisions += 1
        if not self._single_ctc:
            wait_ns = recovery_ns * (1 if self._lesser else self._parameters.greater_recovery)
            ctc.recovery = self._env.process(self._leave_alone(ctc, wait_ns))
            self._packager.add_first(write.package)
            self._wake_sender()
            return
        ctc.held = write.package
        ctc.turn = self._lesser
        if ctc.turn:
            self._env.process(self._write_again(ctc, ctc.held, recovery_ns))

    def _leave_alone(self, ctc: SimpyCtc, wait_ns: int) -> ProcessGenerator:
        """Use a CTC again after a while, unless the partner writes there before."""
        with suppress(simpy.Interrupt):
            yield self._env.timeout(wait_ns)
            self._release(ctc)

    def _write_again(self, ctc: SimpyCtc, package: Package, delay_ns: int) -> ProcessGenerator:
        yield self._env.timeout(delay_ns)
        ctc.held = None
        yield from self._write(ctc, package)
