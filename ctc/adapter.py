"""A CTC between two real systems, each of which drives the end that it sees by itself.

Each system knows its own command and what it has been told of the mate's; the adapter carries the
commands between them, and settles what crosses on the way. It does no I/O: orders come in
(`Adapter.receive`), with `Adapter.attach` and `Adapter.detach`, and orders for either end come out
(`Adapter.take`). `ctc.state.TRANSITIONS` says what two commands become together; the tables here
say what is to be told then, and to whom.
"""

from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Final

from ctc.order import COLLISION, RESET, Order, command_of
from ctc.state import TRANSITIONS, CommandClass, CommandOutcome, State, class_of
from ctc.subchannel import Command


class Step(Enum):
    """What becomes of an order that has come."""

    PENDS = "waits: the mate is told of it"
    HELD = "waits: there is no mate to be told of it"
    ENDS_BOTH = "meets the mate's command: the mate is told, and both end"
    RELEASES = "ends the mate's PREPARE, and waits"
    CROSSES = "crosses a command that it cannot pass: one of the two fails"
    FAILS_BOTH = "meets the mate's WRITE on the way: neither succeeds"
    ENDS_ALONE = "ends at its own end, which has been told of the mate's command"
    TELLS = "has ended: the mate is told of it"
    UNNOTICED = "has ended: the mate notices nothing"
    STALE = "answers nothing that is outstanding: it is not carried"
    RESETS = "ends whatever is outstanding at both ends"


_O = CommandOutcome
WAITING: Final[dict[CommandOutcome, Step]] = {
    _O.WAIT: Step.PENDS,
    _O.ATTEND: Step.PENDS,
    _O.CHECK: Step.HELD,
    _O.MATCH_WAIT: Step.RELEASES,
    _O.MATCH: Step.ENDS_BOTH,
    _O.TRANSFER: Step.ENDS_BOTH,
    _O.BUSY: Step.CROSSES,
    _O.END: Step.ENDS_ALONE,
}
"""What becomes of a command that waits at its end, by `ctc.state.TRANSITIONS`.

An end that knew of the mate's command would not wait for what it meets, nor send what it cannot
pass. So where the two fit or clash, they have crossed.
"""

ENDED: Final[dict[CommandOutcome, Step]] = {
    _O.WAIT: Step.STALE,
    _O.ATTEND: Step.STALE,
    _O.CHECK: Step.STALE,
    _O.MATCH_WAIT: Step.ENDS_BOTH,
    _O.MATCH: Step.ENDS_BOTH,
    _O.TRANSFER: Step.ENDS_BOTH,
    _O.BUSY: Step.STALE,
    _O.END: Step.TELLS,
}
"""The same for a command that has ended at its end already."""

_UNMOVED: Final = (CommandClass.NO_OP, CommandClass.WRITE_EOF, CommandClass.SENSE_COMMAND_BYTE)
"""Commands that may end immediately, whatever the mate does."""


@cache
def step_for(code: int, state: State, mate: State) -> Step:
    """What becomes of an order, given what the mate has outstanding."""
    if code == RESET or state is State.NOT_READY:
        return Step.RESETS
    command = command_of(code)
    if command is None:
        return Step.STALE
    command_class = class_of(command)
    if command is Command.WRITE_EOF and state is State.WRITE:
        command_class = CommandClass.WRITE  # basic mode has no WRITE EOF
    outcome = TRANSITIONS[command_class][mate]
    if state is not State.AVAILABLE:
        return WAITING[outcome]
    step = ENDED[outcome]
    if step is Step.STALE and command_class in _UNMOVED and mate is not State.NOT_READY:
        step = Step.TELLS
    if step is Step.TELLS and command_class is CommandClass.WRITE_EOF:
        return Step.UNNOTICED  # if it were told, it would end a READ that is on its way
    return step


class AdapterEnd:
    """What the adapter knows of one end."""

    __slots__ = ("attached", "holds", "pending", "state", "told", "wins")

    def __init__(self) -> None:
        self.attached = False
        """Whether there is a system to tell anything."""
        self.state = State.NOT_READY
        """What it has outstanding."""
        self.pending: Order | None = None
        """The order that waits, if one does."""
        self.told = False
        """Whether the mate has been told of it."""
        self.wins = False
        """Whether it keeps its own command when it is told of one that crosses it."""
        self.holds = False
        """Whether its command goes on waiting when it is told of a reset, as in Hercules 3.13."""


class Adapter:
    """Both ends of one CTC. Ends are numbered 0 and 1, and start with no system attached."""

    def __init__(self) -> None:
        self.ends = (AdapterEnd(), AdapterEnd())
        self.collision_count = 0
        """Commands that failed because they crossed another."""
        self.stale_count = 0
        """Orders that answered nothing."""
        self._parted = False
        self._out: list[tuple[int, Order]] = []

    def take(self) -> list[tuple[int, Order]]:
        """What is to be told, and to which end, in this order; each is taken once."""
        out, self._out = self._out, []
        return out

    def attach(self, end: int, wins: bool = False, holds: bool = False) -> None:
        """A system is there. It and its mate hear that the other is ready, and what waits."""
        here, mate = self.ends[end], self.ends[1 - end]
        here.attached = True
        here.wins = wins
        here.holds = holds
        here.state = State.AVAILABLE
        here.pending = None
        mate.told = False
        if not mate.attached or self._parted:
            return
        for each in (0, 1):
            self._tell(each, Order(Command.NO_OP, State.AVAILABLE))
        if mate.pending is not None:
            mate.told = True
            self._tell(end, mate.pending)

    def detach(self, end: int) -> None:
        """Its system is gone. What the mate has outstanding ends with unit check, or is held."""
        here = self.ends[end]
        if not here.attached:
            return
        here.attached = False
        self._reset(end)
        here.state = State.NOT_READY

    def part(self, lost: Sequence[Order] = ()) -> None:
        """Nothing passes between the ends: either hears that the other is not ready.

        Not two that go on waiting whatever they hear: either would know nothing of what it had been
        told, and take that for new when it is told again. ``lost`` never came to an end.
        """
        if self._parted:
            return
        for here in self.ends:
            if here.pending is not None and any(order is here.pending for order in lost):
                here.told = False
        both_hold = self.ends[0].holds and self.ends[1].holds
        for end in (0, 1):
            if not self.ends[end].holds:
                self._clear(self.ends[end])
            if not both_hold:
                self._tell(end, Order(RESET, State.NOT_READY))
        self._parted = True

    def rejoin(self) -> None:
        """The ends have each other again, and hear what waits, as if it came now."""
        if not self._parted:
            return
        self._parted = False
        if not (self.ends[0].attached and self.ends[1].attached):
            return
        new: list[tuple[int, Order]] = []
        for end in (0, 1):
            here, mate = self.ends[end], self.ends[1 - end]
            if here.pending is not None and not (here.told and mate.holds):
                new.append((end, here.pending))
                self._clear(here)
            if not (here.holds and mate.holds and mate.pending is not None and mate.told):
                self._tell(end, Order(Command.NO_OP, State.AVAILABLE))
        for end, order in new:
            self.receive(end, order)

    def refuse(self, end: int) -> None:
        """What an end has begun cannot be carried: it hears of a reset, and its mate of nothing."""
        mate = self.ends[1 - end]
        self._clear(self.ends[end])
        self._tell(end, Order(RESET, State.NOT_READY))
        if not self._parted:
            self._tell(end, mate.pending or Order(Command.NO_OP, State.AVAILABLE))

    def receive(self, end: int, order: Order) -> Step:
        """Settle what an end has said; return what became of it."""
        here, mate = self.ends[end], self.ends[1 - end]
        step = step_for(order.code, order.state, self._seen_of(end, order))
        waited = here.pending is not None
        if step is Step.RESETS:
            self._reset(end)
        elif step is Step.PENDS or step is Step.HELD:
            self._pend(here, order)
            here.told = step is Step.PENDS
        elif step is Step.RELEASES:
            self._pend(here, order)
            here.told = True
            self._clear(mate)
        elif step is Step.CROSSES:
            self._settle(end, order)
        else:
            self._clear(here)
        if step is Step.ENDS_BOTH:
            self._clear(mate)
            order = Order(order.code, State.AVAILABLE, order.count, order.data, order.eof)
        if step in (Step.PENDS, Step.RELEASES, Step.ENDS_BOTH, Step.TELLS):
            self._tell(1 - end, order)
            if step is Step.ENDS_BOTH and command_of(order.code) is Command.WRITE_EOF:
                # it may have ended before its end heard of the READ that it ends
                self._tell(end, Order(Command.NO_OP, State.AVAILABLE))
        if step is Step.STALE:
            self.stale_count += 1
            if waited and not self._parted:  # it has ended at its end, and the mate has not heard
                self._tell(1 - end, Order(Command.NO_OP, State.AVAILABLE))
            if order.data:  # its end takes it for written
                self.refuse(end)
        return step

    def meets_write(self, end: int, order: Order) -> Order | None:
        """The mate's WRITE that this one crosses, if both can be told to have failed.

        That cannot be told to an end that keeps its own command whatever it hears.
        """
        here, mate = self.ends[end], self.ends[1 - end]
        both = order.state is State.WRITE and mate.state is State.WRITE
        return mate.pending if both and not (here.wins or mate.wins or self._parted) else None

    def fail_both(self, end: int) -> Step:
        """Two WRITEs have met before either end had heard of the other's: neither succeeds.

        To be called instead of `receive`, after the mate's WRITE was kept from going on to ``end``.
        """
        self.collision_count += 2
        for each in (end, 1 - end):
            self._clear(self.ends[each])
            self._tell(each, COLLISION)
        return Step.FAILS_BOTH

    def _seen_of(self, end: int, order: Order) -> State:
        """What an order meets: while the ends are parted, only what its end knows that waits on."""
        here, mate = self.ends[end], self.ends[1 - end]
        if self._parted:
            knows = order.state is State.AVAILABLE or (here.holds and mate.told)
            if not (mate.holds and knows):
                return State.NOT_READY
        return mate.state

    def _settle(self, end: int, order: Order) -> None:
        """Two commands have crossed that cannot pass each other: the first to come here stays.

        An end that loses has ended its own with BUSY+ATTENTION when it was told of the mate's. One
        that wins has not heard of the mate's; then the mate has to lose, if need be by a reset.
        """
        here, mate = self.ends[end], self.ends[1 - end]
        self.collision_count += 1
        if not here.wins:
            self._clear(here)
            return
        if mate.wins:  # so it does not hold: who holds always loses
            self._tell(1 - end, Order(RESET, State.NOT_READY))
        self._clear(mate)
        self._pend(here, order)
        here.told = True
        self._tell(1 - end, order)

    def _reset(self, end: int) -> None:
        mate = self.ends[1 - end]
        self._clear(self.ends[end])
        if self._parted:
            return
        if not mate.holds:
            if mate.pending is not None:  # its end takes it for waiting still
                self._tell(end, Order(Command.NO_OP, State.AVAILABLE))
            self._clear(mate)
        self._tell(1 - end, Order(RESET, State.NOT_READY))

    def _pend(self, here: AdapterEnd, order: Order) -> None:
        here.state = order.state
        here.pending = order

    def _clear(self, here: AdapterEnd) -> None:
        here.pending = None
        here.state = State.AVAILABLE if here.attached else State.NOT_READY

    def _tell(self, end: int, order: Order) -> None:
        if self.ends[end].attached:
            self._out.append((end, order))
