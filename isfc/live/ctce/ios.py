"""The I/Os of CTCs between real systems: PEND, DISC and CONN of each, and what each end has done.

An I/O begins when its command comes here and is over when its system has been told so, or has
ended it by itself. PEND is the time until the channel has started it, CONN that in which data move,
and DISC the rest, in which it waits for the mate. Without a pace only DISC is left.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Final, final

from ctc.adapter import Adapter, AdapterEnd, Step
from ctc.order import COLLISION, RESET, Order, command_of
from ctc.queues import NEVER_NS
from ctc.state import CommandClass, CommandOutcome, State, class_of, rule_of
from isfc.live.ctce.exchange import CtcPlace, ExchangeEvent, OrderStep, Told

_WAITS: Final = (Step.PENDS, Step.HELD, Step.RELEASES, Step.FAILS_BOTH)
_ENDS: Final = (CommandOutcome.MATCH, CommandOutcome.MATCH_WAIT, CommandOutcome.TRANSFER)
_OUTCOMES: Final = {Step.CROSSES: "collided", Step.STALE: "stale", Step.RESETS: "reset"}


@final
class CommandIo:
    """One I/O; times are ns. ``outcome``: ended, collided, lost, stale, reset, or waits.

    ``pend_ns`` and ``conn_ns`` are 0 without a pace.
    """

    __slots__ = ("at", "begin_ns", "conn_ns", "end_ns", "order", "outcome", "pend_ns", "told")

    def __init__(self, at: CtcPlace, order: Order, begin_ns: int) -> None:
        self.at = at
        self.order = order
        self.begin_ns = begin_ns
        self.pend_ns = self.conn_ns = self.end_ns = 0
        self.outcome = "waits"
        self.told = False
        """Whether the mate has been told of it."""

    @property
    def disc_ns(self) -> int:
        """All but PEND and CONN."""
        return max(0, self.end_ns - self.begin_ns - self.pend_ns - self.conn_ns)


@dataclass(slots=True)
class EndTally:
    """What one end has done so far; times are sums in ns."""

    codes: dict[int, int] = field(default_factory=dict)
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

    def since(self, before: "EndTally") -> "EndTally":
        """What it has done since it was ``before``."""
        codes = {code: n - before.codes.get(code, 0) for code, n in self.codes.items()}
        counts = [each.name for each in fields(self) if each.name != "codes"]
        return EndTally(codes, *(getattr(self, name) - getattr(before, name) for name in counts))

    def copy(self) -> "EndTally":
        """As it is now."""
        return self.since(EndTally())


@final
class _EndBook:
    """What is known of one end."""

    __slots__ = ("answer", "attended_ns", "end", "open", "tally")

    def __init__(self, end: AdapterEnd) -> None:
        self.end = end
        self.tally = EndTally()
        self.open: CommandIo | None = None
        """That waits."""
        self.answer: CommandIo | None = None
        """That has ended at its own end, and the mate has not heard of."""
        self.attended_ns = NEVER_NS
        """When it had an attention that it has not followed yet."""


class IoBook:
    """Hears of all that an exchange does; ``ended`` are called with each I/O that is over."""

    def __init__(self, adapters: Sequence[Adapter]) -> None:
        self.ended: list[Callable[[CommandIo], None]] = []
        self._ends = [[_EndBook(end) for end in adapter.ends] for adapter in adapters]
        self.tallies = {
            CtcPlace(ctc, end): each.tally
            for ctc, pair in enumerate(self._ends)
            for end, each in enumerate(pair)
        }

    def __call__(self, event: ExchangeEvent) -> None:
        """Take one event."""
        if isinstance(event, OrderStep):
            self._order_step(event)
        elif isinstance(event, Told):
            self._told(event)

    def finish(self, now_ns: int) -> None:
        """No more will come: what is outstanding waits."""
        for here in (here for pair in self._ends for here in pair):
            for io in (here.open, here.answer):
                if io is not None:
                    self._end(here, io, now_ns, "waits")
            here.open = here.answer = None

    def _order_step(self, event: OrderStep) -> None:
        at, order, now_ns = event.at, event.order, event.at_ns
        here = self._ends[at.ctc][at.end]
        tally = here.tally
        tally.order_count += 1
        tally.written_length += len(order.data)
        tally.codes[order.code] = tally.codes.get(order.code, 0) + 1
        if here.attended_ns != NEVER_NS:
            tally.answer_count += 1
            tally.answer_ns += now_ns - here.attended_ns
            here.attended_ns = NEVER_NS
        for earlier in (here.open, here.answer):
            if earlier is not None:  # its own system has ended it
                self._end(here, earlier, now_ns, "ended" if earlier.told else "lost")
        here.open = here.answer = None
        io = CommandIo(at, order, now_ns)
        if event.step in _WAITS or here.end.pending is order:
            here.open = io
        elif event.step in (Step.ENDS_BOTH, Step.TELLS):
            here.answer = io
        else:
            self._end(here, io, now_ns, _OUTCOMES.get(event.step, "ended"))

    def _told(self, event: Told) -> None:
        at, order, flight = event.at, event.order, event.flight
        pair = self._ends[at.ctc]
        here, mate = pair[at.end], pair[1 - at.end]
        sender = mate.answer or mate.open
        if sender is not None and not sender.told and sender.order.code == order.code:
            sender.told = True
            if flight is not None:
                sender.pend_ns = flight.started_ns - flight.sent_ns
                sender.conn_ns = flight.moved_ns - flight.started_ns
            if mate.answer is not None:
                mate.answer = None
                self._end(mate, sender, event.at_ns, "ended")
        io = here.open
        outcome = None if io is None else _outcome(here.end, io, order)
        if io is not None and outcome is not None:
            here.open = None
            if flight is not None and flight.order.data:
                io.conn_ns += flight.moved_ns - flight.started_ns
            self._end(here, io, event.at_ns, outcome)
        elif order.state not in (State.AVAILABLE, State.NOT_READY):
            here.attended_ns = event.at_ns

    def _end(self, here: _EndBook, io: CommandIo, now_ns: int, outcome: str) -> None:
        io.end_ns, io.outcome = now_ns, outcome
        tally = here.tally
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


def _outcome(here: AdapterEnd, io: CommandIo, order: Order) -> str | None:
    """How an I/O ends that waits when its system is told an order; None if it waits on."""
    if order.code == RESET:
        return None if here.holds else "lost"
    if order is COLLISION and io.order.state is State.WRITE:
        return "collided"
    command = command_of(order.code)
    if command is None:
        return None
    outcome = rule_of(command).outcome(io.order.state)
    if outcome in _ENDS:
        return "ended"
    crosses = outcome is CommandOutcome.BUSY and order.state is not State.AVAILABLE
    return "collided" if crosses and not here.wins else None
