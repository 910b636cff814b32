"""Live: one system with one link, and a connection for each of its CTCs.

The same system as in virtual time. Here frames go to sockets, deadlines to the loop's clock, and
a collision is a real race. The system itself never waits for anything: every input is followed
by one turn, in which its frames leave, its program hears what happened and the next deadline
is set.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from ctc.address import Rdev
from ctc.frame import Departure, Frame
from ctc.queues import Agenda
from isfc.engine.pump import Listener, Offers, Outlet, pump
from isfc.engine.wire import decode
from isfc.errors import RemoteProtocolError
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkEvent, LinkUp, Program, Severed
from isfc.link.message import Message
from isfc.link.state import DeviceState
from isfc.live.connection import (
    Attached,
    Connection,
    ConnectionRefused,
    Detached,
    LiveCounters,
    LiveEvent,
)
from isfc.live.memory import give_back
from isfc.live.pace import NS_PER_S, Clock, DeadlineTimer, EarlyData, Lag, Outbox, unpaced
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import (
    DEADLINE,
    Arrive,
    Connect,
    Disconnect,
    Input,
    Send,
    System,
    operated_like,
    system_of,
)

RECONNECT_S: Final = 30.0
"""How long a link may be down before its conversations are severed, in real seconds."""

MANY_COUNT: Final = 4
"""A package of so many messages is answered before the program has them: meanwhile the partner can
fill the next one. One of fewer is answered afterwards, so that the program has them sooner."""

MakeSystem = Callable[[LinkEndDefinition], System]
"""Makes a fresh system with one link: at the start, and after every `sever`."""


class LiveEngine(Outlet):
    """Drives a system with one link in real time on the running event loop.

    Connections come from `isfc.live.link_port`, which has made sure of the partner; `attach`
    and `detach` are the cable plugged in and pulled out.
    """

    def __init__(
        self,
        definition: LinkEndDefinition,
        program: Program,
        clock: Clock,
        *,
        reconnect_s: float = RECONNECT_S,
        make: MakeSystem = system_of,
    ) -> None:
        self.definition = definition
        self.counters = LiveCounters()
        self.lag = Lag()
        self.system = make(definition)
        self.end = self.system.ends[0]
        self.listeners: list[Listener[LiveEvent]] = []
        """Who is told of everything, before the program is."""
        self.fault: BaseException | None = None
        """What broke the system or its program: a bug, which `wait_closed` raises."""
        self.restarted: Callable[[], None] = lambda: None
        """Called when the link has restarted and knows nothing of what went before."""
        self._make = make
        self._program = program
        self._clock = clock
        self._reconnect_s = reconnect_s
        self._loop = asyncio.get_running_loop()
        self._closed = self._loop.create_future()
        self._connections: dict[Rdev, Connection] = {}
        self._arrived: deque[tuple[Rdev, Frame]] = deque()
        """Frames that have come, or were held, and are to reach the node."""
        self._paced = definition != unpaced(definition)
        self._early = EarlyData(self._arrived, sends=not self._paced)
        self._outbox = Outbox(self._loop, self._early, self._connections, paced=self._paced)
        self._departures: Agenda[tuple[int, Rdev, Frame, int]] = Agenda()
        self._offers = Offers()
        self._at_work = False
        """Whether a turn is under way: it looks for more to do until there is nothing."""
        self._timer = DeadlineTimer(self._loop, clock, self._turn)
        self._looked_ns = 0
        """The time of the turn: when it last looked at the clock."""
        self._down: asyncio.TimerHandle | None = None
        self._was_up = self._ever_up = False
        """Whether the link has been up since it last restarted, and at all: before, none severs."""
        self._reset_s = definition.parameters.mih_ns * clock.dilation / NS_PER_S
        self._resets: dict[Rdev, asyncio.TimerHandle] = {}
        """Of CTCs that are not usable, when that is looked at."""
        self._offers.extend(program.start(self.now_ns()))
        self._await_link()
        self._turn()

    def now_ns(self) -> int:
        """Model time, in ns since the engine's clock began."""
        return self._clock.now_ns()

    def send(self, messages: Sequence[Message]) -> None:
        """Hand messages to the link. Raises `Backpressure` when its backlog is full."""
        self.apply(Send(list(messages), beside=self._outbox.beside()))

    def apply(self, given: Input) -> None:
        """Let something happen to the system, and carry on what it leads to."""
        self.system.apply(given, self._look())
        self._turn()

    def attach(self, rdev: Rdev, connection: Connection) -> None:
        """The connection of one CTC is there; it replaces one that is there already."""
        self.detach(rdev, "replaced by a newer connection")
        self._connections[rdev] = connection
        connection.deliver_to(partial(self._take_frame, rdev), self._take_turn)
        self.counters.attached_count += 1
        self.tell(Attached(rdev))
        self.apply(Connect(rdev))

    def detach(self, rdev: Rdev, reason: str) -> None:
        """The connection of one CTC is gone, or to go."""
        if rdev in self._connections:
            self._forget(rdev, reason)
            del self._connections[rdev]
            self._outbox.drop(rdev)
            self._note_lost(rdev, reason)
            self._departures.drop(lambda departure: departure[1] == rdev)
            self.apply(Disconnect(rdev))

    @property
    def attached(self) -> bool:
        """Whether any CTC has a connection."""
        return bool(self._connections)

    def is_attached(self, rdev: Rdev, connection: Connection) -> bool:
        """Whether ``connection`` is the one that the CTC has."""
        return self._connections.get(rdev) is connection

    def hold(self) -> None:
        """One short message has come: let what says so wait for what the programs answer."""
        self._outbox.hold()

    def _take_frame(self, rdev: Rdev, data: bytes | memoryview) -> None:
        """One of the frames that were read together. Raises `WireError` if it is none."""
        self._arrived.append((rdev, decode(data, measured=True)))

    def _take_turn(self) -> None:
        """All that were read together are there: what they lead to leaves together."""
        if self._arrived:
            self._turn()

    def refuse(self, refused: ConnectionRefused) -> None:
        """Count a connection that was not let in."""
        self.counters.refused_count += 1
        self.tell(refused)

    def tell(self, event: LiveEvent) -> None:
        """Tell the listeners."""
        if not self.listeners:
            return
        now_ns = self.now_ns()
        for listener in self.listeners:
            listener(self.end, event, now_ns)

    def sever(self, reason: str) -> None:
        """Restart the link: connections go, a fresh system takes over, the program is told."""
        for rdev in self._connections:
            self._forget(rdev, reason)
            self._note_lost(rdev, reason)
        self._connections.clear()
        self._arrived.clear()
        self._outbox.clear()
        self._departures = Agenda()
        self._offers = Offers()
        self.counters.severed_count += 1
        fresh = self._make(self.definition)
        for given in operated_like(self.system):  # what an operator has done stays done
            fresh.apply(given, self._look())
        for queue in (self.end.frames, self.end.link.events):  # nothing comes of the old one
            while queue:
                queue.pop()
        self.system, self.end = fresh, fresh.ends[0]
        self._was_up = False
        self._await_link()
        self.restarted()
        try:
            self.deliver(Severed(reason))
        except Exception as error:
            self._break(error)
        else:
            self._turn()
        self._loop.call_soon(give_back)

    def _forget(self, rdev: Rdev, reason: str) -> None:
        """End the connection of one CTC, and forget what was under way on it."""
        self._connections[rdev].abort(reason)
        self._early.forget(rdev)
        self._end_reset(rdev)

    def _note_lost(self, rdev: Rdev, reason: str) -> None:
        self.counters.detached_count += 1
        self.tell(Detached(rdev, reason))

    def close(self) -> list[Connection]:
        """End: timers go, and `wait_closed` returns. The connections, each with a farewell."""
        self._outbox.close()
        parting = [*self._connections.values()]
        self._connections.clear()
        for connection in parting:
            connection.part("this node ends")
        for rdev in [*self._resets]:
            self._end_reset(rdev)
        self._timer.cancel()
        if self._down is not None:
            self._down.cancel()
        if not self._closed.done():
            self._closed.set_result(None)
        return parting

    async def wait_closed(self) -> None:
        """Wait until somebody closes it; raise what broke it, if something did."""
        await asyncio.shield(self._closed)
        if self.fault is not None:
            raise self.fault

    def _look(self) -> int:
        """The model time; within a turn it stands still until nothing is left to do."""
        if not self._at_work:
            self._looked_ns = self.now_ns()
        return self._looked_ns

    def _turn(self) -> None:
        """After every input: frames out, events to the program, what is due, the next timer."""
        if self._at_work:
            return
        self._at_work = True
        self._outbox.begin_turn()
        try:
            self._looked_ns = self.now_ns()
            due_ns = self._settle()
        except RemoteProtocolError as error:  # it was read already, and cannot be asked for again
            self._at_work = False
            self.sever(str(error))
        except Exception as error:
            self._break(error)
        else:
            self._timer.set(due_ns, self._looked_ns)
        finally:
            self._at_work = False
            self._outbox.end_turn()

    def _settle(self) -> int:
        """Do everything that is due; the model time of what is due next, `NEVER_NS` if none."""
        while True:
            while self._arrived:
                self._receive(*self._arrived.popleft())
            end = self.end
            pump(end, self)
            self._send_due()
            if self._arrived or end is not self.end or end.frames or end.link.events:
                continue
            deadline_ns = self.system.due_ns
            if deadline_ns <= self._looked_ns:
                now_ns = self._looked_ns
                self.lag.note(min(self._timer.set_ns, deadline_ns), deadline_ns, now_ns)
                self._timer.set_ns = now_ns
                self.system.apply(DEADLINE, now_ns)
                continue
            self._looked_ns = now_ns = self.now_ns()
            self._depart(now_ns)
            due_ns = min(deadline_ns, self._departures.due_ns, self._offers.due_ns)
            if due_ns > now_ns + 1:  # else it will have come when we look again
                return due_ns

    def _receive(self, rdev: Rdev, frame: Frame) -> None:
        """Let a frame reach the node, unless it came early."""
        if self._early.hold(self.end, rdev, frame):
            return
        try:
            self.system.apply(Arrive(rdev, frame), self._looked_ns)
        except RemoteProtocolError as error:
            self.detach(rdev, str(error))

    def _send_due(self) -> None:
        """Hand over what the program has offered by now, as far as the backlog has room."""
        offers = self._offers
        while offers.due_ns <= self._looked_ns:
            messages = offers.take(self.end.link.room)
            if messages:
                self.system.apply(Send(messages, beside=self._outbox.beside()), self._looked_ns)

    def carry(self, departure: Departure) -> None:
        """A frame leaves now, or when its time has come."""
        rdev, frame = departure.rdev, departure.frame
        # it is in the fibre here, and there in no time
        departure_ns = departure.at_ns + self.end.distances_ns[rdev]
        if departure_ns > self._looked_ns:  # else it has come, whatever the time is now
            self._looked_ns = now_ns = self.now_ns()
            if departure_ns > now_ns:
                self._departures.add(departure_ns, (departure_ns, rdev, frame, now_ns))
                return
        self._outbox.write(self.end, rdev, frame)

    def _depart(self, now_ns: int) -> None:
        departures = self._departures
        while departures.due_ns <= now_ns:
            departure_ns, rdev, frame, set_ns = departures.pop()
            self.lag.note(set_ns, departure_ns, now_ns)
            self._outbox.write(self.end, rdev, frame)

    def deliver(self, event: LinkEvent) -> None:
        """Tell everybody what has happened."""
        self._offers.resume()
        if isinstance(event, DeviceChanged):
            self._outbox.keeps = not self._paced and len(self.end.link.scheduler.order) > 1
            rdev = event.rdev
            if event.usable:
                self._end_reset(rdev)
            elif rdev in self._connections and rdev not in self._resets:
                self._resets[rdev] = self._loop.call_later(self._reset_s, self._check_reset, rdev)
        elif isinstance(event, LinkUp):
            self._was_up = self._ever_up = True
            if self._down is not None:
                self._down.cancel()
                self._down = None
        elif isinstance(event, LinkDown):
            self._await_link()
        elif isinstance(event, Delivered) and len(event.messages) >= MANY_COUNT:
            self._outbox.write_out()
        self.tell(event)
        self._offers.extend(self._program.receive(event, self._look()))

    def _await_link(self) -> None:
        """From now on the link has the reconnect time to come up."""
        if self._down is not None:
            self._down.cancel()
        self._down = self._loop.call_later(self._reconnect_s, self._give_up)

    def _give_up(self) -> None:
        if self._was_up or (self._ever_up and self.end.link.packager):
            self.sever(f"the link was down for {self._reconnect_s:g} s")
        else:  # there is nothing to lose
            self._await_link()

    def _end_reset(self, rdev: Rdev) -> None:
        """A CTC is usable, or its connection is gone."""
        timer = self._resets.pop(rdev, None)
        if timer is not None:
            timer.cancel()

    def _check_reset(self, rdev: Rdev) -> None:
        """A CTC has not been usable for a missing-interrupt interval."""
        del self._resets[rdev]
        if self.end.link.ctcs[rdev].state is DeviceState.RESETTING:
            self.detach(rdev, "a reset was not answered")

    def _break(self, error: BaseException) -> None:
        """An error that only a bug of ours can be: end, and let `wait_closed` raise it."""
        self.fault = self.fault or error
        self.close()
