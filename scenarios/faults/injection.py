"""Faults brought about in an engine, and undone when their time is over."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from ctc.address import Rdev, format_rdev
from ctc.queues import NEVER_NS, Agenda
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.loss import OneOfSeveral
from isfc.link.name import NodeName
from isfc.link.state import DeviceState
from isfc.system.link_end import LinkEnd
from isfc.system.system import Activate, Deactivate, System
from scenarios.faults.disturbance import Disturbance, Throttled
from scenarios.faults.fault import FRAME_FAULTS, Fault, FaultKind
from scenarios.runs.operation import Trunks

REPAIR_NS: Final = 5_000_000
"""How long a CTC stays down whose frame was damaged, unless the fault says otherwise. Chosen."""
_PHASE_LIMIT_NS: Final = 1_000_000_000
"""How long a fault waits for an I/O to be as far as it wants."""
_SLICE_NS: Final = 100_000
"""How soon a damaged frame is noticed."""

Renew = Callable[[NodeName], System]
"""Makes the fresh system that takes another's place."""


_Place = tuple[NodeName, Rdev]
"""One end of a CTC: its system and its number there."""

_Course = Iterator[None]
"""A fault as it runs: up to where it yields it is brought about, and what follows undoes it."""


class Injection:
    """The faults of one run over the links of some systems. It drives the engine: see `run`.

    A system that crashes takes its end of every link with it; of its partners' ends, those that
    lead to it restart. Of two systems each restarts as a whole.
    """

    def __init__(
        self,
        engine: VirtualEngine,
        disturbance: Disturbance,
        throttles: Mapping[NodeName, Sequence[Throttled]],
        renew: Renew,
        faults: Iterable[Fault],
    ) -> None:
        self.begun: list[tuple[int, Fault]] = []
        """The faults that have begun, and when (ns)."""
        self.over: list[tuple[int, Fault]] = []
        self._engine = engine
        self._disturbance = disturbance
        self._throttles = throttles
        self._renew = renew
        self._acts: Agenda[Callable[[], None]] = Agenda()
        self._trunks = Trunks(engine)
        self._cut: dict[str, _Course] = {}
        """Of each path that has lost all inter-switch links, the loss of its CTCs."""
        self._holds: dict[_Place, int] = {}
        """How many faults keep a CTC down, by its number at the first of its systems."""
        self._names = tuple(system.name for system in engine.systems)
        self._homes: dict[_Place, _Place] = {}
        """Either end of each CTC, and its end at the first of its systems."""
        ends = [(system.name, end) for system in engine.systems for end in system.ends]
        for name, end in ends:
            for ctc in end.link.ctcs.values():
                here = (name, ctc.device.rdev)
                home = self._homes.setdefault(here, here)
                self._homes[end.partner, ctc.device.partner_rdev] = home
        disturbance.know({(name, rdev): end.partner for name, end in ends for rdev in end.ctcs})
        self._courses: Mapping[FaultKind, Callable[[Fault], _Course]] = {
            FaultKind.CTC_LOST: self._lose_ctc,
            FaultKind.CHPID_LOST: self._lose_chpid,
            FaultKind.CRASH: self._crash,
            FaultKind.PARTITION: lambda fault: self._lose_all(fault.node),
            FaultKind.DELAY: self._delay,
            FaultKind.SLOW: self._slow,
            FaultKind.STOPPED: self._stop,
            FaultKind.THROTTLED: self._throttle,
            **dict.fromkeys(FRAME_FAULTS, self._arm),
            FaultKind.OLDER_PARTNER: self._make_older,
            FaultKind.GAP: self._gap,
            FaultKind.PIECE_LOST: self._lose_piece,
        }
        for fault in faults:
            self._check(fault)
            self._acts.add(fault.at_ns, partial(self._begin, fault))

    def run(self, until_ns: int) -> None:
        """Let everything happen, faults included, up to and including ``until_ns``."""
        engine, acts = self._engine, self._acts
        while engine.now_ns < until_ns or acts.due_ns <= until_ns:
            next_ns = min(until_ns, acts.due_ns)
            if self._disturbance.will_damage:
                next_ns = min(next_ns, engine.now_ns + _SLICE_NS)
            engine.run(max(next_ns, engine.now_ns))
            self._close_broken()
            while acts.due_ns <= engine.now_ns:
                acts.pop()()

    @property
    def due_ns(self) -> int | None:
        """When something happens next, a fault or anything else; None if nothing does."""
        due_ns = min(self._acts.due_ns, self._engine.due_ns)
        return due_ns if due_ns < NEVER_NS else None

    def finish(self) -> None:
        """Let time pass until all faults are over."""
        while self._acts.due_ns < NEVER_NS:
            self.run(self._acts.due_ns)

    def system(self, name: NodeName) -> System:
        """The system of that name, as it is now."""
        (found,) = (system for system in self._engine.systems if system.name == name)
        return found

    def end(self, name: NodeName) -> LinkEnd:
        """A system's first link end, as it is now."""
        return self.system(name).ends[0]

    def _check(self, fault: Fault) -> None:
        """Raise `ConfigurationError` unless the fault's system and CTC are of the link."""
        if fault.node not in self._names:
            raise ConfigurationError(
                f"fault {fault.kind.value}: {fault.node} is no system of "
                f"{'this link' if len(self._names) == 2 else 'these links'}; "
                f"expected {' or '.join(self._names)}"
            )
        if fault.rdev is not None and (fault.node, fault.rdev) not in self._homes:
            raise ConfigurationError(
                f"fault {fault.kind.value}: {format_rdev(fault.rdev)} is no CTC of {fault.node}"
            )

    def _begin(self, fault: Fault) -> None:
        if fault.phase is not None:
            self._await_phase(fault)
        now_ns = self._engine.now_ns
        self.begun.append((now_ns, fault))
        course = self._courses[fault.kind](fault)
        next(course)
        self._acts.add(now_ns + fault.for_ns, partial(self._undo, fault, course))

    def _undo(self, fault: Fault, course: _Course) -> None:
        next(course, None)
        self.over.append((self._engine.now_ns, fault))

    def _await_phase(self, fault: Fault) -> None:
        """Go on, event by event, until the CTC's I/O is as far as the fault wants."""
        engine, limit_ns = self._engine, self._engine.now_ns + _PHASE_LIMIT_NS
        assert fault.rdev is not None
        while self._phase(fault) != fault.phase and engine.due_ns < limit_ns:
            engine.run(engine.due_ns)

    def _phase(self, fault: Fault) -> str:
        assert fault.rdev is not None
        ctc = self.system(fault.node).end_of(fault.rdev).ctcs[fault.rdev]
        if ctc.idle:
            return "idle"
        times = ctc.times_so_far(self._engine.now_ns)
        if times.conn_ns:
            return "CONN"
        return "DISC" if times.disc_ns else "PEND"

    def _lose(self, places: Iterable[_Place]) -> _Course:
        """Cut CTCs, named by either end."""
        homes = list(dict.fromkeys(self._homes[place] for place in places))
        for home in homes:
            self._holds[home] = self._holds.get(home, 0) + 1
            if self._holds[home] == 1:
                self._engine.unplug(home[1], home[0])
        yield
        for home in homes:
            self._holds[home] -= 1
            if not self._holds[home]:
                self._engine.plug(home[1], home[0])

    def _lose_ctc(self, fault: Fault) -> _Course:
        assert fault.rdev is not None
        return self._lose([(fault.node, fault.rdev)])

    def _lose_piece(self, fault: Fault) -> _Course:
        return self._lose(fault.places) if fault.isl is None else self._lose_isl(fault, fault.isl)

    def _lose_isl(self, fault: Fault, isl: OneOfSeveral) -> _Course:
        if not self._trunks.change(isl, 1) and isl.path not in self._cut:
            self._cut[isl.path] = self._lose(fault.places)
            next(self._cut[isl.path])
        yield
        if self._trunks.change(isl, -1) and isl.path in self._cut:
            next(self._cut.pop(isl.path), None)

    def _lose_chpid(self, fault: Fault) -> _Course:
        if fault.places:  # the whole channel, whichever systems have it
            return self._lose(fault.places)
        system = self.system(fault.node)
        chpid = fault.chpid
        if chpid is None:  # drawn: that of the first device
            chpid = system.channels.chpid_of[next(iter(self.end(fault.node).link.ctcs))]
        return self._lose([(fault.node, rdev) for rdev in system.channels.rdevs_on(chpid)])

    def _lose_all(self, name: NodeName) -> _Course:
        """Cut every CTC of a system, as its first system lists them."""
        own = {self._homes[name, rdev] for end in self.system(name).ends for rdev in end.ctcs}
        return self._lose([home for home in dict.fromkeys(self._homes.values()) if home in own])

    def _crash(self, fault: Fault) -> _Course:
        lost = self._lose_all(fault.node)
        next(lost)
        partners = {end.partner for end in self.system(fault.node).ends}
        yield
        reason = f"{fault.node} has restarted"
        for name in self._names:  # a partner sees that it is another one, and restarts
            if name == fault.node:
                self._engine.replace(self._renew(name), reason)
            elif name in partners:
                self._restart_end(name, fault.node, reason)
        next(lost, None)

    def _restart_end(self, name: NodeName, partner: NodeName, reason: str) -> None:
        """Let a system's end of its link to ``partner`` begin again, and nothing of its others."""
        if len(self.system(name).ends) == 1:
            self._engine.replace(self._renew(name), reason)
        else:
            self._engine.restart_end(name, partner, reason)

    def _delay(self, fault: Fault) -> _Course:
        self._disturbance.delay_ns += fault.amount
        self._disturbance.jitter_ns += fault.jitter_ns
        yield
        self._disturbance.delay_ns -= fault.amount
        self._disturbance.jitter_ns -= fault.jitter_ns

    def _slow(self, fault: Fault) -> _Course:
        slow_ns = self._disturbance.slow_ns
        slow_ns[fault.node] = slow_ns.get(fault.node, 0) + fault.amount
        yield
        slow_ns[fault.node] -= fault.amount

    def _stop(self, fault: Fault) -> _Course:
        self._engine.stop(fault.node, self._engine.now_ns + fault.for_ns)
        yield

    def _throttle(self, fault: Fault) -> _Course:
        throttles = self._throttles[fault.node]
        for throttle in throttles:
            throttle.limit = fault.amount
        yield
        for throttle in throttles:
            throttle.limit = None

    def _arm(self, fault: Fault) -> _Course:
        """Damage the next frame; a fault that lasts a time is over with it, hit or miss."""
        assert fault.rdev is not None
        of = (fault.kind.value.rpartition(" ")[2], fault.node, fault.rdev)
        self._disturbance.arm(*of)
        yield
        if fault.for_ns:
            self._disturbance.disarm(*of)

    def _make_older(self, fault: Fault) -> _Course:
        """A partner that knows links of one CTC only: the others are inactive at its ends."""
        engine = self._engine
        system = self.system(fault.node)
        changed = []
        for end in system.ends:
            for rdev in [*end.link.ctcs][1:]:
                if end.link.ctcs[rdev].state is not DeviceState.INACTIVE:
                    system.apply(Deactivate(rdev), engine.now_ns)
                    changed.append(rdev)
        engine.drain()
        yield
        now = self.system(fault.node)
        for rdev in changed:
            if now.end_of(rdev).link.ctcs[rdev].state is DeviceState.INACTIVE:
                now.apply(Activate(rdev), engine.now_ns)
        engine.drain()

    def _gap(self, fault: Fault) -> _Course:
        """APAR VM66886: a message is gone, its successors wait for it until the link is bounced."""
        armed = self._arm(fault)
        next(armed)
        assert fault.rdev is not None
        end = self.system(fault.node).end_of(fault.rdev)
        ends = ((end.name, end.partner), (end.partner, end.name))
        names = {end.name, end.partner}
        of_link = [
            home
            for home in dict.fromkeys(self._homes.values())
            if {home[0], self.system(home[0]).end_of(home[1]).partner} == names
        ]
        yield
        next(armed, None)
        for _ in self._lose(of_link):
            for name, partner in sorted(ends, key=lambda each: self._names.index(each[0])):
                self._restart_end(name, partner, "the link was bounced")

    def _close_broken(self) -> None:
        """A frame was damaged: its CTC goes down, as a connection is closed, and comes back."""
        broken, self._disturbance.broken = self._disturbance.broken, []
        for place in broken:
            lost = self._lose([place])
            next(lost)
            self._acts.add(self._engine.now_ns + REPAIR_NS, partial(next, lost, None))
