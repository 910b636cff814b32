"""CTCs between real Hercules: each end of one is to its Hercules what its partner would be.

`CtceBox` has a `ctc.adapter.Adapter` for each CTC and two `EndPort` on it. Bytes come and go
here; what becomes of a command is the adapter's affair.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ctc.adapter import Adapter, Step
from ctc.order import Order
from ctc.order_fibre import OrderFibre
from isfc.ctce.join import CtcEnd, JoinedCtc
from isfc.live.clock import Alarm, Clock
from isfc.live.ctce_port import EndPort


@dataclass(frozen=True, slots=True)
class Carried:
    """One order that has come, and what became of it."""

    ctc: JoinedCtc
    end: int
    order: Order
    step: Step


@dataclass(frozen=True, slots=True)
class Happened:
    """Something else to be told of an end, in words."""

    end: CtcEnd
    text: str


Observe = Callable[[Carried | Happened], None]


CtcFibre = OrderFibre[EndPort]


class CtceBox:
    """CTCs, each with two Hercules. `start` listens; `close` ends all connections.

    ``fibres`` has the fibre of each CTC: those on the same one share its channels. Without them
    nothing takes time. What goes wrong is told by `lose` and `restore`, and to the fibres.
    """

    def __init__(
        self, ctcs: Sequence[JoinedCtc], observe: Observe, fibres: Sequence[CtcFibre] = ()
    ) -> None:
        fibres = fibres or [OrderFibre(None)] * len(ctcs)
        self.fibres = list(dict.fromkeys(fibres))
        self._clock = Clock()
        self._alarm: Alarm | None = None
        self.joints = [
            CtcJoint(ctc, fibre, self, observe) for ctc, fibre in zip(ctcs, fibres, strict=True)
        ]

    async def start(self) -> None:
        """Listen for every end, and look for its Hercules. Raises `OSError` for a port in use."""
        self._alarm = Alarm(asyncio.get_running_loop(), self._clock, self.go_on)
        try:
            for joint in self.joints:
                for port in joint.ports:
                    await port.start()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End everything; the guests see their partner gone."""
        for joint in self.joints:
            for port in joint.ports:
                await port.close()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def go_on(self) -> None:
        """Deliver what has arrived. Also to be called when a fibre is no longer stalled."""
        for fibre in self.fibres:
            self.deliver(fibre)

    def deliver(self, fibre: CtcFibre) -> None:
        """Deliver what has arrived over one fibre."""
        now_ns = self.now_ns()
        for port, order in fibre.advance(now_ns):
            port.send(order)
        if self._alarm is not None:
            self._alarm.set(fibre.due_ns, now_ns)

    def now_ns(self) -> int:
        """Since the box was made."""
        return self._clock.now_ns()

    def lose(self, ctcs: Iterable[int], why: str) -> None:
        """These CTCs carry nothing; either system hears that its partner is not ready."""
        for index in ctcs:
            self.joints[index].lose(why)

    def restore(self, why: str) -> None:
        """What was lost for that reason is there again."""
        for joint in self.joints:
            joint.restore(why)


class CtcJoint:
    """One CTC: its adapter, its fibre, and the ports at which its two ends are met."""

    def __init__(self, ctc: JoinedCtc, fibre: CtcFibre, box: CtceBox, observe: Observe) -> None:
        self.ctc = ctc
        self.adapter = Adapter()
        self.lost: set[str] = set()
        """Why it carries nothing now."""
        self._fibre = fibre
        self._box = box
        self._observe = observe
        self.ports = (EndPort(self, 0, ctc[0]), EndPort(self, 1, ctc[1]))

    def receive(self, end: int, order: Order) -> None:
        """An end has said something."""
        if self._refuses(end, order, 1 - end):
            return
        step = self.adapter.receive(end, order)
        self._observe(Carried(self.ctc, end, order, step))
        if step is Step.STALE and order.data:
            lost = (
                f"a WRITE of {len(order.data)} bytes answered nothing and is lost; a reset says so"
            )
            self.tell(self.ctc[end], lost)
        self._pass_on()

    def attach(self, end: int, wins: bool, holds: bool) -> None:
        """An end can be told things now."""
        waits = self.adapter.ends[1 - end].pending
        if waits is not None:
            self._refuses(1 - end, waits, end)
        self.adapter.attach(end, wins, holds)
        self._pass_on()

    def detach(self, end: int) -> None:
        """An end is gone."""
        self._fibre.drop(self.ports[end])
        self.adapter.detach(end)
        self._pass_on()

    def tell(self, end: CtcEnd, text: str) -> None:
        """Something else has happened to an end, in words."""
        self._observe(Happened(end, text))

    def now_ns(self) -> int:
        """The box's time."""
        return self._box.now_ns()

    def lose(self, why: str) -> None:
        """Carry nothing. What is under way is lost."""
        if not self.lost:
            for port in self.ports:
                self._fibre.drop(port)
            self.adapter.part()
        self.lost.add(why)
        self._pass_on()

    def restore(self, why: str) -> None:
        """Carry again, unless there is another reason not to."""
        if why in self.lost:
            self.lost.discard(why)
            if not self.lost:
                self.adapter.rejoin()
                self._pass_on()

    def _refuses(self, end: int, order: Order, to: int) -> bool:
        """Whether it is more than the other's buffer holds, which no Hercules checks in time."""
        outward = self.ports[to].outward
        length = len(order.data)
        if outward is None or length <= outward.form.data_length_max:
            return False
        reason = f"{self.ctc[to]} takes at most {outward.form.data_length_max}"
        self.tell(self.ctc[end], f"a WRITE of {length} bytes is not carried: {reason}")
        self.adapter.refuse(end)
        self._pass_on()
        return True

    def _pass_on(self) -> None:
        """Send what the adapter tells; while the CTC is lost its own channel tells each end."""
        now_ns = self.now_ns()
        for end, order in self.adapter.take():
            if self.lost:
                self.ports[end].send(order)
            else:
                self._fibre.send(self.ports[end], end, order, now_ns)
        self._box.deliver(self._fibre)
