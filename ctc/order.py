"""What the channels of two real systems say to each other through a CTC, and the time that takes.

A system that drives its own end of a CTC by SA22-7203 (as Hercules does) tells the other end each
command that it has begun or ended, and in which state that leaves it: an `Order`.

Each order is an I/O: the channel at its end starts it, after those that it has queued, and after a
turn of what is under way (`ctc.chpid.Chpid.admit`). The data of a WRITE are then a transfer on that
channel, which shares its line and its processor with those of the other CTCs, on other fibres of
the channel too (`ctc.fabric`). All of it crosses the fibre (``way_ns``). What tells that a command
has ended comes as late as an interrupt does.

So a mate hears of a WRITE when its data are there, as the system that has them lets a READ end
immediately. On a real channel the attention comes first and the data follow the READ: what the
guests wait for in all is the same but for the SENSE between them, which is an order of its own.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, final

from ctc.address import ChpidId, Record
from ctc.channel import NOTHING, ChannelUse
from ctc.chpid import Chpid
from ctc.fabric import DeadlinesChanged, Fabric, FabricRoute
from ctc.features import ChpidProfile
from ctc.queues import NEVER_NS, Agenda
from ctc.state import State
from ctc.subchannel import Command, Payload

RESET: Final = 0x00
"""The code of a reset (HSCH, CSCH, system reset), which is no channel command."""

_LOW_TWO: Final = 0x03
_LOW_THREE: Final = 0x07
_HIGH: Final = 0x80
_WRITES: Final = 0x01
_READS: Final = 0x02
_EXACT: Final = {
    int(command): command
    for command in Command
    if command not in (Command.WRITE, Command.WRITE_EOF, Command.READ, Command.CONTROL)
}
"""Commands with one code; the others leave bits of theirs to the program (SA22-7203, 2.13)."""


class Order:
    """One command as its end tells it: its code, the state after it, the count of its CCW.

    ``data`` are those of a WRITE, perhaps where they were read. An order is not changed once it is
    made.
    """

    __slots__ = ("code", "count", "data", "eof", "state")

    def __init__(
        self,
        code: int,
        state: State,
        count: int = 0,
        data: bytes | memoryview = b"",
        eof: bool = False,
    ) -> None:
        self.code = code
        self.state = state
        self.count = count
        """Of the CCW: bytes that a READ asks for, or a WRITE has."""
        self.data = data
        self.eof = eof
        """Whether its end says besides that it has had a WRITE EOF."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Order) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, State, int, bytes, bool]:
        return self.code, self.state, self.count, bytes(self.data), self.eof

    def __repr__(self) -> str:
        return f"Order({name_of(self.code)} {self.state.name} {self.count} {self.data[:8].hex()})"


COLLISION: Final = Order(Command.CONTROL, State.AVAILABLE)
"""What tells an end that its WRITE has failed and that the mate has nothing outstanding.

No WRITE passes a CONTROL, so it ends with BUSY and ATTENTION. This one waits for nothing. Seen of
Hercules 3.13, which does as the table says."""


def command_of(code: int) -> Command | None:
    """The command that a CCW's code means; None for one that a CTC does not have."""
    exact = _EXACT.get(code)
    if exact is not None:
        return exact
    if code & _LOW_TWO == _WRITES:
        return Command.WRITE_EOF if code & _HIGH else Command.WRITE
    if code & _LOW_TWO == _READS:
        return Command.READ
    if code & _LOW_THREE == Command.CONTROL:
        return Command.CONTROL
    return None


def name_of(code: int) -> str:
    """The command's name in capitals; the code where there is none."""
    if code == RESET:
        return "RESET"
    command = command_of(code)
    return f"X'{code:02X}'" if command is None else command.name.replace("_", " ")


Receiver = TypeVar("Receiver")
"""Whom orders go to: one end of one CTC. It is stored and returned, and none of its methods is
called."""


@dataclass(frozen=True, slots=True)
class FibreKind(Record):
    """What makes a fibre as fast as it is; without ``profile`` only its way takes time.

    ``disks`` is what else crosses its channels, ``route`` the path of what its first end sends,
    where its channels or inter-switch links have other fibres besides.
    """

    profile: ChpidProfile | None = None
    way_ns: int = 0
    disks: tuple[ChannelUse, ChannelUse] = (NOTHING, NOTHING)
    route: FabricRoute | None = None


@final
class Flight(Generic[Receiver]):
    """An order that is or was under way: when it was sent, had been started, and its data moved."""

    __slots__ = ("gone", "moved_ns", "order", "receiver", "sent_ns", "started_ns")

    def __init__(self, receiver: Receiver, order: Order, now_ns: int) -> None:
        self.receiver = receiver
        self.order = order
        self.gone = False
        """Whether it is not to arrive."""
        self.sent_ns = self.started_ns = self.moved_ns = now_ns


@final
class OrderWay(Generic[Receiver]):
    """One way of one CTC: its orders go one after the other."""

    __slots__ = ("flights", "payload", "receiver", "to")

    def __init__(self, receiver: Receiver, to: int) -> None:
        self.receiver = receiver
        self.to = to
        """The end of the fibre where the receiver is: 0 or 1."""
        self.flights: deque[Flight[Receiver]] = deque()
        self.payload: Payload | None = None
        """Of the first order, while its data move."""


class OrderFibre(Generic[Receiver]):
    """One fibre with a channel at each end, and the CTCs that are on it.

    Fibres that share channels or inter-switch links have one ``fabric``.
    """

    def __init__(self, kind: FibreKind, fabric: Fabric | None = None) -> None:
        self.late_ns = 0
        """What each order takes more, as a fault."""
        self.stalled = False
        """Whether nothing moves, as a fault: what is sent waits."""
        self._way_ns = kind.way_ns
        self._ways: dict[Receiver, OrderWay[Receiver]] = {}
        self._agenda: Agenda[OrderWay[Receiver]] = Agenda()
        self._chpids: tuple[Chpid[OrderWay[Receiver]], ...] = ()
        profile, route = kind.profile, kind.route
        if profile is None:
            return
        ends = (None, None) if route is None else (route, route.back)
        for end in (0, 1):
            disks = kind.disks[end].across(kind.disks[1 - end])
            way = ends[end]
            if way is None or fabric is None:
                chpid = Chpid[OrderWay[Receiver]](ChpidId(end), profile, disks)
            else:
                queue = fabric.queue(way.here)
                chpid = Chpid[OrderWay[Receiver]](ChpidId(end), profile, disks, queue)
                chpid.join(fabric, fabric.path(way), DeadlinesChanged())
            self._chpids = (*self._chpids, chpid)

    def drop(self, receiver: Receiver, now_ns: int) -> list[Order]:
        """What is on its way there is lost; which orders these were."""
        way = self._ways.pop(receiver, None)
        if way is None:
            return []
        if self._chpids:
            self._chpids[1 - way.to].abandon(way, way.payload, now_ns)
            if way.payload is not None:
                self._chpids[way.to].observe(-1, way.payload, now_ns)
        return [flight.order for flight in way.flights if not flight.gone]

    def retract(self, receiver: Receiver, order: Order) -> bool:
        """Let an order not arrive that is on its way there; whether it was."""
        way = self._ways.get(receiver)
        for flight in () if way is None else way.flights:
            if flight.order is order:
                flight.gone = True
                return True
        return False

    @property
    def takes_no_time(self) -> bool:
        """Whether what is sent now has arrived."""
        waits = self.stalled or self.late_ns or self._way_ns or self._chpids
        return not waits and self._agenda.due_ns == NEVER_NS

    @property
    def due_ns(self) -> int:
        """When something happens next; `ctc.queues.NEVER_NS` if nothing does."""
        if self.stalled:
            return NEVER_NS
        due_ns: int = self._agenda.due_ns
        for chpid in self._chpids:
            due_ns = min(due_ns, chpid.due_ns)
        return due_ns

    def send(self, receiver: Receiver, to: int, order: Order, now_ns: int) -> None:
        """An order leaves for end ``to`` of the fibre, once those before it have arrived."""
        way = self._ways.get(receiver)
        if way is None:
            way = self._ways[receiver] = OrderWay(receiver, to)
        way.flights.append(Flight(receiver, order, now_ns))
        if len(way.flights) == 1:
            self._start(way, now_ns)

    def advance(self, now_ns: int) -> list[Flight[Receiver]]:
        """What has arrived by now, in order."""
        arrived: list[Flight[Receiver]] = []
        while (at_ns := self.due_ns) <= now_ns:
            self.happen(at_ns, arrived)
        return arrived

    def happen(self, at_ns: int, arrived: list[Flight[Receiver]]) -> None:
        """Let happen what is due; add to ``arrived``."""
        for chpid, mate in zip(self._chpids, self._chpids[::-1], strict=True):
            while (way := chpid.poll_ended(at_ns)) is not None:
                flight = way.flights[0]
                flight.started_ns = flight.moved_ns = at_ns
                if flight.order.data and not flight.gone:
                    way.payload = Payload(len(flight.order.data), 1)
                    chpid.begin(way, way.payload, at_ns)
                    mate.observe(1, way.payload, at_ns)
                else:
                    self._depart(way, at_ns)
            while (way := chpid.poll_completed(at_ns)) is not None:
                payload, way.payload = way.payload, None
                assert payload is not None, "a transfer without data"
                chpid.finish(payload, at_ns)
                mate.observe(-1, payload, at_ns)
                way.flights[0].moved_ns = at_ns
                self._depart(way, at_ns)
        while self._agenda.due_ns <= at_ns:
            way = self._agenda.pop()
            if self._ways.get(way.receiver) is not way:
                continue  # dropped
            flight = way.flights.popleft()
            if not flight.gone:
                arrived.append(flight)
            if way.flights:
                self._start(way, at_ns)

    def _start(self, way: OrderWay[Receiver], now_ns: int) -> None:
        if self._chpids:
            chpid = self._chpids[1 - way.to]
            chpid.end_later(way, chpid.admit(now_ns))
        else:
            way.flights[0].started_ns = way.flights[0].moved_ns = now_ns
            self._depart(way, now_ns)

    def _depart(self, way: OrderWay[Receiver], now_ns: int) -> None:
        arrives_ns = now_ns + self._way_ns + self.late_ns
        if self._chpids and way.flights[0].order.state is State.AVAILABLE:
            arrives_ns += self._chpids[way.to].interrupt_ns(prompt=True)
        self._agenda.add(arrives_ns, way)
