"""What must hold of a pair: each invariant a callable, and a ledger that calls them all.

The numbers are those of the properties that docs/reliability.md lists. An invariant raises
``AssertionError`` with what is wrong.
"""

from collections.abc import Callable
from typing import Final

from ctc.address import Rdev
from ctc.features import find_profile
from ctc.subchannel import Command
from isfc.link.scan import CTCS_MAX, stop_short
from isfc.link.segment import SEGMENT_LENGTH_MAX
from isfc.link.state import DeviceState, LinkState
from isfc.testing.pair import Pair, S
from isfc.testing.side import Side

Invariant = Callable[[Pair], None]

_SSCH: Final = frozenset(command.name for command in Command)
_END: Final = frozenset(("Ended", "Collided", "DeviceLost"))
_UNUSABLE: Final = (DeviceState.INACTIVE, DeviceState.DOWN, DeviceState.RESETTING)


def messages_arrive_once_and_in_order(pair: Pair) -> None:
    """P1: of each conversation and direction, exactly a beginning of what was sent has arrived."""
    for side in pair.sides:
        pair.expect_in_order(side)


def bytes_add_up(pair: Pair) -> None:
    """P2: bytes sent are those that wait, those that were written and a few in between."""
    length_max = _package_length_max(pair)
    for side in pair.sides:
        partner, link = pair.partner(side), side.end.link
        waiting = link.packager.backlog_length + link.conversations.appc.waiting_length
        waiting += pair.held_length(side)
        in_flight = side.sent_length - waiting - side.written_length
        assert 0 <= in_flight <= (len(link.ctcs) + 1) * length_max, (
            f"{side}: {in_flight} bytes are neither waiting nor written"
        )
        assert partner.arrived_length <= side.sent_length - waiting, (
            f"{partner} has more than {side} has released"
        )
        book, counters = pair.book(side), link.counters
        assert counters.write_length == book.written_length, f"{side}: bytes written"
        assert counters.read_length == book.read_length, f"{side}: bytes read"
        unread_length = book.unread_length(pair.book(partner))
        assert counters.write_length - unread_length <= partner.end.link.counters.read_length


def each_end_keeps_ctcs_to_itself(pair: Pair) -> None:
    """P10: with several CTCs the ends begin at different ones, and each leaves some to the other.

    Of what is usable at both ends: while one end knows of a loss and the other does not, the rule
    says nothing.
    """
    usable = [
        {ctc.device.rdev for ctc in side.end.link.ctcs.values() if ctc.state not in _UNUSABLE}
        for side in pair.sides
    ]
    mates = {ctc.device.partner_rdev: rdev for rdev, ctc in pair.second.end.link.ctcs.items()}
    if {mates[rdev] for rdev in usable[0]} != usable[1] or len(usable[0]) < 2:
        return
    first, second = (side.end.link.scheduler.order for side in pair.sides)
    count = len(usable[0])
    assert len(first) == len(second) == count - stop_short(count)
    assert mates[first[0]] != second[0], "both begin at the same CTC"
    assert {mates[rdev] for rdev in first} - {*second}, "the first has no CTC of its own"
    assert {*second} - {mates[rdev] for rdev in first}, "the second has no CTC of its own"


def link_knows_what_it_can_use(pair: Pair) -> None:
    """P11: the link is up, degraded or down as its CTCs are, and writes while it has any."""
    for side in pair.sides:
        link = side.end.link
        states = [ctc.state for ctc in link.ctcs.values()]
        usable_count = sum(state not in _UNUSABLE for state in states)
        active_count = sum(state is not DeviceState.INACTIVE for state in states)
        shown = f"{side.system.name} is {link.state} with {states}"
        assert (link.state is LinkState.DOWN) == (usable_count == 0), shown
        assert (link.state is LinkState.UP) == (0 < usable_count == active_count), shown
        assert bool(link.scheduler.order) or not usable_count, shown
        assert usable_count or not link.scheduler.has_free, shown


INVARIANTS: Final[tuple[Invariant, ...]] = (
    messages_arrive_once_and_in_order,
    bytes_add_up,
    each_end_keeps_ctcs_to_itself,
    link_knows_what_it_can_use,
)
"""What holds at any time, and can be seen by looking once."""


class Ledger:
    """The books of a pair, kept from its beginning: call it after every step.

    It checks `INVARIANTS`, and what only a history shows: P3 (one I/O at a time on a device), P5
    (the times of I/Os are how long they took) and P12 (time never runs backwards). ``stopped_ns``
    is how long a system stood still, so that interrupts may have been late.
    """

    def __init__(self, pair: Pair, stopped_ns: int = 0) -> None:
        self._pair = pair
        self._stopped_ns = stopped_ns
        self._books = [_Books(side) for side in pair.sides]

    def check(self) -> None:
        """Check everything that must hold at any time."""
        for books in self._books:
            books.update()
            self._service_times_are_how_long_the_ios_took(books)
        for invariant in INVARIANTS:
            invariant(self._pair)

    __call__ = check

    def check_end(self) -> None:
        """P4: everything arrives, the books are closed, and then nothing happens any more."""
        pair = self._pair
        pair.expect_all_arrived()
        self.check()
        pair.run(2 * pair.setup.parameters.mih_ns)
        event_count = pair.engine.event_count
        pair.run(1_000 * S)
        assert pair.engine.event_count == event_count, "perpetual motion"
        pair.expect_state(LinkState.UP)
        for side in pair.sides:
            assert side.written_length == side.sent_length
            assert not pair.book(side).unread_length(pair.book(pair.partner(side)))
            snapshot = side.end.snapshot(pair.engine.now_ns)
            assert snapshot.tx_pend_count == 0
            states = {ctc.state for ctc in side.end.link.ctcs.values()}
            assert states == {DeviceState.IDLE}, f"{side.system.name} has CTCs that are {states}"
            assert all(ctc.idle for ctc in side.end.ctcs.values())

    def _service_times_are_how_long_the_ios_took(self, books: "_Books") -> None:
        now_ns = self._pair.engine.now_ns
        for device in books.side.end.snapshot(now_ns).devices:
            assert min(device.pend_ns, device.disc_ns, device.conn_ns) >= 0
            serv_ns = device.pend_ns + device.disc_ns + device.conn_ns
            busy_ns = books.busy_ns(device.rdev, now_ns)
            profile = find_profile(self._pair.setup.feature)
            latest_ns = profile.interrupt_ns + CTCS_MAX * profile.turn_ns
            late_ns = self._stopped_ns + latest_ns * (books.ended_count[device.rdev] + 1)
            assert busy_ns - late_ns <= serv_ns <= busy_ns, (
                f"{device.rdev:04X}: {serv_ns} ns of service in {busy_ns} ns"
            )


class _Books:
    """One side's I/Os, as its trace tells them."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self._ended_ns = dict.fromkeys(side.rdevs, 0)
        self.ended_count = dict.fromkeys(side.rdevs, 0)
        self._started_ns: dict[int, int] = {}
        self._read_count = 0
        self._now_ns = 0

    def update(self) -> None:
        """Read on in the trace. P3: one I/O at a time on a device; P12: time goes forward."""
        for now_ns, _, rdev, verb, _ in self.side.trace.records[self._read_count :]:
            assert now_ns >= self._now_ns, "time ran backwards"
            self._now_ns = now_ns
            if verb in _SSCH:
                assert rdev not in self._started_ns, f"{rdev:04X}: two I/Os at the same time"
                self._started_ns[rdev] = now_ns
            elif verb in _END:
                assert rdev in self._started_ns or verb == "DeviceLost", f"{rdev:04X}: no I/O ended"
                self._ended_ns[Rdev(rdev)] += now_ns - self._started_ns.pop(rdev, now_ns)
                self.ended_count[Rdev(rdev)] += 1
        self._read_count = len(self.side.trace.records)

    def busy_ns(self, rdev: Rdev, now_ns: int) -> int:
        """From SSCH to the interrupt, of all I/Os of a device and the one in progress."""
        return self._ended_ns[rdev] + now_ns - self._started_ns.get(rdev, now_ns)


def _package_length_max(pair: Pair) -> int:
    parameters = pair.setup.parameters
    limits = (parameters.package_limit, *parameters.limits(single_ctc=True))
    return max(*(limit.length for limit in limits), SEGMENT_LENGTH_MAX)
