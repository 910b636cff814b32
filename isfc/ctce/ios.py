"""The I/Os of CTCs between real systems: PEND, DISC and CONN of each, and what each end has done.

An I/O begins when its command comes here and is over when its system has been told so, or has
ended it by itself. PEND is the time until the channel has started it, CONN that in which data move,
and DISC the rest, in which it waits for the mate. Without a pace only DISC is left.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ctc.adapter import Adapter, Step
from ctc.order import COLLISION, RESET, Order, command_of
from ctc.order_fibre import Flight
from ctc.state import TRANSITIONS, CommandClass, CommandOutcome, State, class_of
from isfc.ctce.exchange import Carried, CtcPlace, ExchangeEvent, Told

_WAITS: Final = (Step.PENDS, Step.HELD, Step.RELEASES, Step.FAILS_BOTH)
_ENDS: Final = (CommandOutcome.MATCH, CommandOutcome.MATCH_WAIT, CommandOutcome.TRANSFER)
_OUTCOMES: Final = {Step.CROSSES: "collided", Step.STALE: "stale", Step.RESETS: "reset"}


@dataclass(slots=True)
class CommandIo:
    """One I/O; times are ns. ``outcome``: ended, collided, lost, stale, reset, or waits.

    ``pend_ns`` and ``conn_ns`` are 0 without a pace.
    """

    at: CtcPlace
    order: Order
    begin_ns: int
    pend_ns: int = 0
    conn_ns: int = 0
    end_ns: int = 0
    outcome: str = "waits"
    told: bool = False
    """Whether the mate has been told of it."""

    @property
    def disc_ns(self) -> int:
        """All but PEND and CONN."""
        return max(0, self.end_ns - self.begin_ns - self.pend_ns - self.conn_ns)


@dataclass(slots=True)
class EndTally:
    """What one end has done so far; times are sums in ns."""

    codes: Counter[int] = field(default_factory=Counter)
    """Commands by their codes."""
    order_count: int = 0
    written_length: int = 0
    io_count: int = 0
    pend_ns: int = 0
    disc_ns: int = 0
    conn_ns: int = 0
    collision_count: int = 0
    stale_count: int = 0
    """Commands that answered nothing."""
    write_count: int = 0
    """WRITEs that have ended because the mate has read them."""
    write_ns: int = 0
    """How long these took."""
    answer_count: int = 0
    """Attentions that its next command has followed."""
    answer_ns: int = 0
    """How long that took."""

    @property
    def kinds(self) -> Counter[CommandClass]:
        """Commands by kind; those that no CTC has are not among them."""
        found: Counter[CommandClass] = Counter()
        for code, count in self.codes.items():
            command = command_of(code)
            if command is not None and code != RESET:
                found[class_of(command)] += count
        return found

    def copy(self) -> "EndTally":
        """As it is now."""
        return EndTally(
            Counter(self.codes),
            *(getattr(self, name) for name in self.__slots__ if name != "codes"),
        )

    def since(self, before: "EndTally") -> "EndTally":
        """What it has done since it was ``before``."""
        return EndTally(
            self.codes - before.codes,
            *(
                getattr(self, name) - getattr(before, name)
                for name in self.__slots__
                if name != "codes"
            ),
        )


class IoBook:
    """Hears of all that an exchange does; ``ended`` are called with each I/O that is over."""

    def __init__(self, adapters: Sequence[Adapter]) -> None:
        self.ended: list[Callable[[CommandIo], None]] = []
        self.tallies = {
            CtcPlace(ctc, end): EndTally() for ctc in range(len(adapters)) for end in (0, 1)
        }
        self._adapters = adapters
        self._open: dict[CtcPlace, CommandIo] = {}
        """I/Os that wait."""
        self._answers: dict[CtcPlace, CommandIo] = {}
        """I/Os that have ended at their own end, and the mate has not heard of."""
        self._attended_ns: dict[CtcPlace, int] = {}

    def __call__(self, event: ExchangeEvent) -> None:
        """Take one event."""
        if isinstance(event, Carried):
            self._carried(event)
        elif isinstance(event, Told):
            self._told(event)

    def finish(self, now_ns: int) -> None:
        """No more will come: what is outstanding waits."""
        for io in [*self._open.values(), *self._answers.values()]:
            self._end(io, now_ns, "waits")
        self._open, self._answers = {}, {}

    def _carried(self, event: Carried) -> None:
        at, order, now_ns = event.at, event.order, event.at_ns
        tally = self.tallies[at]
        tally.order_count += 1
        tally.written_length += len(order.data)
        tally.codes[order.code] += 1
        attended_ns = self._attended_ns.pop(at, None)
        if attended_ns is not None:
            tally.answer_count += 1
            tally.answer_ns += now_ns - attended_ns
        for earlier in (self._open.pop(at, None), self._answers.pop(at, None)):
            if earlier is not None:  # its own system has ended it
                self._end(earlier, now_ns, "ended" if earlier.told else "lost")
        io = CommandIo(at, order, now_ns)
        kept = self._adapters[at.ctc].ends[at.end].pending is order
        if event.step in _WAITS or kept:
            self._open[at] = io
        elif event.step in _OUTCOMES:
            self._end(io, now_ns, _OUTCOMES[event.step])
        elif event.step in (Step.ENDS_BOTH, Step.TELLS):
            self._answers[at] = io
        else:
            self._end(io, now_ns, "ended")

    def _told(self, event: Told) -> None:
        at, order, flight = event.at, event.order, event.flight
        sender = self._answers.get(at.mate) or self._open.get(at.mate)
        if sender is not None and not sender.told and sender.order.code == order.code:
            sender.told = True
            if flight is not None:
                sender.pend_ns = flight.started_ns - flight.sent_ns
                sender.conn_ns = flight.moved_ns - flight.started_ns
            if self._answers.pop(at.mate, None) is not None:
                self._end(sender, event.at_ns, "ended")
        io = self._open.get(at)
        outcome = None if io is None else self._outcome(io, order)
        if io is not None and outcome is not None:
            del self._open[at]
            io.conn_ns += 0 if flight is None else _data_ns(flight)
            self._end(io, event.at_ns, outcome)
        elif order.state not in (State.AVAILABLE, State.NOT_READY):
            self._attended_ns[at] = event.at_ns

    def _outcome(self, io: CommandIo, order: Order) -> str | None:
        """How an I/O ends that waits when its system is told an order; None if it waits on."""
        here = self._adapters[io.at.ctc].ends[io.at.end]
        if order.code == RESET:
            return None if here.holds else "lost"
        if order == COLLISION and io.order.state is State.WRITE:
            return "collided"
        command = command_of(order.code)
        if command is None:
            return None
        outcome = TRANSITIONS[class_of(command)][io.order.state]
        if outcome in _ENDS:
            return "ended"
        crosses = outcome is CommandOutcome.BUSY and order.state is not State.AVAILABLE
        return "collided" if crosses and not here.wins else None

    def _end(self, io: CommandIo, now_ns: int, outcome: str) -> None:
        io.end_ns, io.outcome = now_ns, outcome
        tally = self.tallies[io.at]
        tally.io_count += 1
        tally.pend_ns += io.pend_ns
        tally.conn_ns += io.conn_ns
        tally.disc_ns += io.disc_ns
        if outcome == "collided":
            tally.collision_count += 1
        elif outcome == "stale":
            tally.stale_count += 1
        elif outcome == "ended" and io.order.data and io.order.state is State.WRITE:
            tally.write_count += 1
            tally.write_ns += now_ns - io.begin_ns
        for ended in self.ended:
            ended(io)


def _data_ns(flight: Flight[CtcPlace]) -> int:
    return flight.moved_ns - flight.started_ns if flight.order.data else 0
