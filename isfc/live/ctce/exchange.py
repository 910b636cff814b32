"""CTCs between real systems: what their ends say, what they are told, and when; no I/O.

An `Exchange` is a pure function of its inputs and their times, so that what was recorded of one
can be fed to another (`isfc.live.ctce.journal`). Inputs are records that are `Exchange.apply`-ed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from ctc.adapter import Adapter, Step
from ctc.address import Record
from ctc.fabric import Fabric
from ctc.order import FibreKind, Flight, Order, OrderFibre
from ctc.queues import NEVER_NS
from ctc.state import State


class CtcPlace(NamedTuple):
    """One end of one CTC, by numbers."""

    ctc: int
    end: int

    @property
    def mate(self) -> "CtcPlace":
        """The other end."""
        return CtcPlace(self.ctc, 1 - self.end)


@final
class Said:
    """An end has said something."""

    __slots__ = ("at", "order")

    def __init__(self, at: CtcPlace, order: Order) -> None:
        self.at = at
        self.order = order


class EndAttached(NamedTuple):
    """An end can be told things now; see `Adapter.attach` for ``wins`` and ``holds``."""

    at: CtcPlace
    wins: bool
    holds: bool
    length_max: int
    """Bytes of the longest WRITE that its system takes."""


class EndDetached(NamedTuple):
    """An end is gone."""

    at: CtcPlace


class Pulled(NamedTuple):
    """These CTCs carry nothing, for a reason."""

    ctcs: tuple[int, ...]
    why: str


class Restored(NamedTuple):
    """What was lost for that reason is there again."""

    why: str


class Delayed(NamedTuple):
    """Each order takes so much longer from now on."""

    late_ns: int


class Stalled(NamedTuple):
    """Nothing moves from now on, or moves again."""

    stalled: bool


class Noted(NamedTuple):
    """Something else has happened to an end, in words: nothing comes of it."""

    at: CtcPlace
    text: str


ExchangeInput = Said | EndAttached | EndDetached | Pulled | Restored | Delayed | Stalled | Noted


@final
class OrderStep:
    """One order that has come, and what became of it."""

    __slots__ = ("at", "at_ns", "order", "step")

    def __init__(self, at_ns: int, at: CtcPlace, order: Order, step: Step) -> None:
        self.at_ns = at_ns
        self.at = at
        self.order = order
        self.step = step


@final
class Told:
    """An end is told an order; ``flight`` says how it came there, if that was over a fibre."""

    __slots__ = ("at", "at_ns", "flight", "order")

    def __init__(
        self, at_ns: int, at: CtcPlace, order: Order, flight: Flight[CtcPlace] | None
    ) -> None:
        self.at_ns = at_ns
        self.at = at
        self.order = order
        self.flight = flight


class Changed(NamedTuple):
    """An end of a CTC is there or gone, or what joins it to its mate is; in words."""

    at_ns: int
    at: CtcPlace
    text: str


ExchangeEvent = OrderStep | Told | Noted | Changed
Observe = Callable[[ExchangeEvent], None]


@dataclass(frozen=True, slots=True)
class ExchangeDefinition(Record):
    """The fibres there are, and on which of them each CTC is; ``turned``: its ends the other way.

    With ``both_fail`` neither of two WRITEs succeeds that meet on their way.
    """

    kinds: tuple[FibreKind, ...] = (FibreKind(),)
    on: tuple[int, ...] = (0,)
    turned: tuple[bool, ...] = ()
    both_fail: bool = False


class Exchange:
    """CTCs, each with two ends. ``tell`` is called with whatever an end is told."""

    def __init__(
        self,
        definition: ExchangeDefinition,
        tell: Callable[[CtcPlace, Order], None],
    ) -> None:
        fabric = Fabric()
        self.adapters = [Adapter() for _ in definition.on]
        self.lost: list[set[str]] = [set() for _ in definition.on]
        """Why each CTC carries nothing now."""
        self.observers: Final[list[Observe]] = []
        self.fibres: list[OrderFibre[CtcPlace]] = [
            OrderFibre(kind, fabric) for kind in definition.kinds
        ]
        self._on = [self.fibres[index] for index in definition.on]
        self._places = [(CtcPlace(ctc, 0), CtcPlace(ctc, 1)) for ctc in range(len(definition.on))]
        self._turned = definition.turned or (False,) * len(definition.on)
        self._both_fail = definition.both_fail
        self._tell = tell
        self._length_max: dict[CtcPlace, int] = {}
        self._now_ns = 0
        self._events: list[ExchangeEvent] = []
        self._is_timed = False
        """Whether anything may be under way."""

    @property
    def due_ns(self) -> int:
        """When something arrives or moves next; `ctc.queues.NEVER_NS` if nothing does."""
        due_ns = NEVER_NS
        for fibre in self.fibres if self._is_timed else ():
            due_ns = min(due_ns, fibre.due_ns)
        return due_ns

    def advance(self, now_ns: int) -> None:
        """Tell what has arrived by now."""
        while self._is_timed:
            first, due_ns = None, NEVER_NS
            for fibre in self.fibres:
                if fibre.due_ns < due_ns:
                    first, due_ns = fibre, fibre.due_ns
            if first is None or due_ns > now_ns:
                self._is_timed = first is not None
                break
            arrived: list[Flight[CtcPlace]] = []
            first.happen(due_ns, arrived)
            for flight in arrived:
                # what has waited through a stall arrives after it
                self._told(max(due_ns, self._now_ns), flight.receiver, flight.order, flight)
        self._now_ns = max(self._now_ns, now_ns)
        self._say()

    def apply(self, given: ExchangeInput, now_ns: int) -> None:
        """Take one input; what had arrived before is told first."""
        self.advance(now_ns)
        if isinstance(given, Said):
            self._said(given.at, given.order)
        elif isinstance(given, EndAttached):
            self._attach(given)
        elif isinstance(given, EndDetached):
            self._on[given.at.ctc].drop(given.at, now_ns)
            self.adapters[given.at.ctc].detach(given.at.end)
            self._length_max.pop(given.at, None)
            self._change(given.at, "gone")
            self._pass_on(given.at.ctc)
        elif isinstance(given, Pulled):
            for ctc in given.ctcs:
                self._pull(ctc, given.why)
        elif isinstance(given, Restored):
            for ctc in range(len(self.lost)):
                self._restore(ctc, given.why)
        elif isinstance(given, Delayed):
            for fibre in self.fibres:
                fibre.late_ns = given.late_ns
        elif isinstance(given, Stalled):
            self._is_timed = True
            for fibre in self.fibres:
                fibre.stalled = given.stalled
        else:
            self._events.append(given)
        self.advance(now_ns)

    def _note(self, at: CtcPlace, text: str) -> None:
        self._events.append(Noted(at, text))

    def _change(self, at: CtcPlace, text: str) -> None:
        self._events.append(Changed(self._now_ns, at, text))

    def _say(self) -> None:
        """Let observers have what has happened: after the ends, which wait for it."""
        if self._events:
            events, self._events = self._events, []
            for event in events:
                for observe in self.observers:
                    observe(event)

    def _told(
        self, at_ns: int, at: CtcPlace, order: Order, flight: Flight[CtcPlace] | None
    ) -> None:
        self._tell(at, order)
        self._events.append(Told(at_ns, at, order, flight))

    def _said(self, at: CtcPlace, order: Order) -> None:
        ctc, end = at.ctc, at.end
        adapter = self.adapters[ctc]
        if order.data and self._refuses(at, order, self._places[ctc][1 - end]):
            return
        step = None
        if self._both_fail and order.state is State.WRITE:
            met = adapter.meets_write(end, order)
            if met is not None and self._on[ctc].retract(at, met):
                step = adapter.fail_both(end)
        if step is None:
            step = adapter.receive(end, order)
        self._events.append(OrderStep(self._now_ns, at, order, step))
        if step is Step.STALE and order.data:
            self._note(
                at,
                f"a WRITE of {len(order.data)} bytes answered nothing and is lost; a reset says so",
            )
        self._pass_on(ctc)

    def _attach(self, given: EndAttached) -> None:
        at = given.at
        adapter = self.adapters[at.ctc]
        self._length_max[at] = given.length_max
        self._change(at, "attached")
        waits = adapter.ends[1 - at.end].pending
        if waits is not None:
            self._refuses(at.mate, waits, at)
        adapter.attach(at.end, given.wins, given.holds)
        self._pass_on(at.ctc)

    def _pull(self, ctc: int, why: str) -> None:
        """Carry nothing. What is under way is lost."""
        if not self.lost[ctc]:
            adapter = self.adapters[ctc]
            gone: list[Order] = []
            for end, here in enumerate(adapter.ends):
                at = self._places[ctc][end]
                self._change(at, f"lost: {why}")
                for order in self._on[ctc].drop(at, self._now_ns):
                    if here.holds and order.state is State.AVAILABLE:
                        # its command is over for its mate, and it would wait for ever
                        self._told(self._now_ns, at, order, None)
                    else:
                        gone.append(order)
            adapter.part(gone)
        self.lost[ctc].add(why)
        self._pass_on(ctc)

    def _restore(self, ctc: int, why: str) -> None:
        """Carry again, unless there is another reason not to."""
        if why in self.lost[ctc]:
            self.lost[ctc].discard(why)
            if not self.lost[ctc]:
                for at in self._places[ctc]:
                    self._change(at, "restored")
                self.adapters[ctc].rejoin()
                self._pass_on(ctc)

    def _refuses(self, at: CtcPlace, order: Order, to: CtcPlace) -> bool:
        """Whether it is more than the other's buffer holds, which no Hercules checks in time."""
        most = self._length_max.get(to)
        if most is None or len(order.data) <= most:
            return False
        self._note(
            at,
            f"a WRITE of {len(order.data)} bytes is not carried: its mate takes at most {most}",
        )
        self.adapters[at.ctc].refuse(at.end)
        self._pass_on(at.ctc)
        return True

    def _pass_on(self, ctc: int) -> None:
        """Send what the adapter tells; while the CTC is lost its own channel tells each end."""
        fibre, now_ns = self._on[ctc], self._now_ns
        for end, order in self.adapters[ctc].take():
            at = self._places[ctc][end]
            if self.lost[ctc] or fibre.takes_no_time:
                self._told(now_ns, at, order, None)
            else:
                self._is_timed = True
                fibre.send(at, end ^ self._turned[ctc], order, now_ns)
