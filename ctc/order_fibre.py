"""The time that orders take over a fibre, from one end of a CTC to the other.

Each order is an I/O: the channel at its end starts it, after those that it has queued, and after a
turn of what is under way (`ctc.chpid.Chpid.admit`). The data of a WRITE are then a transfer on that
channel, which shares its line and its processor with those of the other CTCs. All of it crosses the
fibre (``way_ns``). What tells that a command has ended comes as late as an interrupt does.

So a mate hears of a WRITE when its data are there, as the system that has them lets a READ end
immediately. On a real channel the attention comes first and the data follow the READ: what the
guests wait for in all is the same but for the SENSE between them, which is an order of its own.
"""

from collections import deque
from typing import Generic, TypeVar, final

from ctc.address import ChpidId
from ctc.agenda import NEVER_NS, Agenda
from ctc.chpid import Chpid
from ctc.order import Order
from ctc.profiles import ChpidProfile
from ctc.state import State
from ctc.subchannel import Payload

Receiver = TypeVar("Receiver")
"""Whom orders go to: one end of one CTC. It is stored and returned, and none of its methods is
called."""


@final
class OrderWay(Generic[Receiver]):
    """One way of one CTC: its orders go one after the other."""

    __slots__ = ("orders", "payload", "receiver", "to")

    def __init__(self, receiver: Receiver, to: int) -> None:
        self.receiver = receiver
        self.to = to
        """The end of the fibre where the receiver is: 0 or 1."""
        self.orders: deque[Order] = deque()
        self.payload = Payload(0, 1)
        """Of the first order."""


class OrderFibre(Generic[Receiver]):
    """One fibre with a channel of ``profile`` at each end, and the CTCs that are on it.

    Without a profile nothing takes time but the way and what a fault adds.
    """

    def __init__(self, profile: ChpidProfile | None, way_ns: int = 0) -> None:
        self.late_ns = 0
        """What each order takes more, as a fault."""
        self.stalled = False
        """Whether nothing moves, as a fault: what is sent waits."""
        self._way_ns = way_ns
        self._ways: dict[Receiver, OrderWay[Receiver]] = {}
        self._flights: Agenda[OrderWay[Receiver]] = Agenda()
        self._chpids: tuple[Chpid[OrderWay[Receiver]], ...] = ()
        if profile is not None:
            self._chpids = (Chpid(ChpidId(0), profile), Chpid(ChpidId(1), profile))

    def drop(self, receiver: Receiver) -> None:
        """What is on its way there is lost."""
        self._ways.pop(receiver, None)

    @property
    def due_ns(self) -> int:
        """When something happens next; `ctc.agenda.NEVER_NS` if nothing does."""
        due_ns: int = self._flights.due_ns
        for chpid in self._chpids:
            due_ns = min(due_ns, chpid.due_ns)
        return NEVER_NS if self.stalled else due_ns

    def send(self, receiver: Receiver, to: int, order: Order, now_ns: int) -> None:
        """An order leaves for end ``to`` of the fibre, once those before it have arrived."""
        way = self._ways.get(receiver)
        if way is None:
            way = self._ways[receiver] = OrderWay(receiver, to)
        way.orders.append(order)
        if len(way.orders) == 1:
            self._start(way, now_ns)

    def advance(self, now_ns: int) -> list[tuple[Receiver, Order]]:
        """What has arrived by now, in order, and for whom."""
        arrived: list[tuple[Receiver, Order]] = []
        while (at_ns := self.due_ns) <= now_ns:
            self._happen(at_ns, arrived)
        return arrived

    def _happen(self, at_ns: int, arrived: list[tuple[Receiver, Order]]) -> None:
        for chpid, mate in zip(self._chpids, self._chpids[::-1], strict=True):
            while (way := chpid.poll_ended(at_ns)) is not None:
                order = way.orders[0]
                if order.data:
                    way.payload = Payload(len(order.data), 1)
                    chpid.begin(way, way.payload, at_ns)
                    mate.observe(1, way.payload, at_ns)
                else:
                    self._depart(way, at_ns)
            while (way := chpid.poll_completed(at_ns)) is not None:
                chpid.finish(way.payload, at_ns)
                mate.observe(-1, way.payload, at_ns)
                self._depart(way, at_ns)
        while self._flights.due_ns <= at_ns:
            way = self._flights.pop()
            if self._ways.get(way.receiver) is not way:
                continue  # dropped
            arrived.append((way.receiver, way.orders.popleft()))
            if way.orders:
                self._start(way, at_ns)

    def _start(self, way: OrderWay[Receiver], now_ns: int) -> None:
        if self._chpids:
            chpid = self._chpids[1 - way.to]
            chpid.end_later(way, chpid.admit(now_ns))
        else:
            self._depart(way, now_ns)

    def _depart(self, way: OrderWay[Receiver], now_ns: int) -> None:
        arrives_ns = now_ns + self._way_ns + self.late_ns
        if self._chpids and way.orders[0].state is State.AVAILABLE:
            arrives_ns += self._chpids[way.to].interrupt_ns(prompt=True)
        self._flights.add(arrives_ns, way)
