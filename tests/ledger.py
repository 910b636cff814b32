"""The ledger: what two nodes did, kept as books that must balance at every step."""

from ctc.address import Rdev
from ctc.profiles import find_profile
from ctc.subchannel import Command
from isfc.link.schedule import CTCS_MAX
from isfc.link.segment import SEGMENT_LENGTH_MAX
from isfc.link.state import DeviceState, LinkState
from tests.pair import Pair, S, Side

_SSCH = frozenset(command.name for command in Command)
_END = frozenset(("Ended", "Collided", "DeviceLost"))
_UNUSABLE = (DeviceState.INACTIVE, DeviceState.DOWN, DeviceState.RESETTING)


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
                assert rdev not in self._started_ns, f"{rdev:04X}: two I/Os at once"
                self._started_ns[rdev] = now_ns
            elif verb in _END:
                assert rdev in self._started_ns or verb == "DeviceLost"
                self._ended_ns[Rdev(rdev)] += now_ns - self._started_ns.pop(rdev, now_ns)
                self.ended_count[Rdev(rdev)] += 1
        self._read_count = len(self.side.trace.records)

    def busy_ns(self, rdev: Rdev, now_ns: int) -> int:
        """From SSCH to the interrupt, of all I/Os of a device and the one in progress."""
        return self._ended_ns[rdev] + now_ns - self._started_ns.get(rdev, now_ns)


class Ledger:
    """Checks a pair after every step; each check has the name of its property."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._books = [_Books(side) for side in pair.sides]

    def check(self) -> None:
        """Everything that must hold at any time."""
        for books in self._books:
            books.update()
            self._p1_messages_arrive_once_and_in_order(books.side)
            self._p2_bytes_add_up(books.side)
            self._p5_service_times_are_how_long_the_ios_took(books)
            self._p11_link_knows_what_it_can_use(books.side)

    def check_end(self) -> None:
        """Everything arrives, the books are closed, and then nothing happens any more."""
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
            written, read = side.node.link.counters, pair.partner(side).node.link.counters
            assert written.write_length <= read.read_length
            assert written.write_package_count <= read.read_package_count
            snapshot = side.node.snapshot(pair.engine.now_ns)
            assert snapshot.tx_pend_count == 0
            states = {ctc.state for ctc in side.node.link.ctcs.values()}
            assert states == {DeviceState.IDLE}
            assert all(ctc.idle for ctc in side.node.ctcs.values())
        first, second = (side.node.link.scheduler.order[0] & 0xFF for side in pair.sides)
        assert first != second or pair.setup.ctc_count == 1, "both begin at the same CTC"

    def _p1_messages_arrive_once_and_in_order(self, side: Side) -> None:
        self._pair.expect_in_order(side)

    def _p2_bytes_add_up(self, side: Side) -> None:
        """Bytes sent are those that wait, those that were written and a few in between."""
        partner, link = self._pair.partner(side), side.node.link
        waiting = link.packager.backlog_length + link.appc.waiting_length
        in_flight = side.sent_length - waiting - side.written_length
        assert 0 <= in_flight <= (len(link.ctcs) + 1) * self._package_length_max()
        assert partner.arrived_length <= side.sent_length - waiting
        written, read = link.counters, partner.node.link.counters
        # the writer's interrupt may come before the reader's, once for each CTC
        untold = len(link.ctcs)
        assert written.write_length <= read.read_length + untold * self._package_length_max()
        assert written.write_package_count <= read.read_package_count + untold

    def _package_length_max(self) -> int:
        parameters = self._pair.setup.parameters
        limits = (parameters.package_limit, *parameters.limits(alone=True))
        return max(*(limit.length for limit in limits), SEGMENT_LENGTH_MAX)

    def _p5_service_times_are_how_long_the_ios_took(self, books: _Books) -> None:
        now_ns = self._pair.engine.now_ns
        for device in books.side.node.snapshot(now_ns).devices:
            assert min(device.pend_ns, device.disc_ns, device.conn_ns) >= 0
            serv_ns = device.pend_ns + device.disc_ns + device.conn_ns
            busy_ns = books.busy_ns(device.rdev, now_ns)
            profile = find_profile(self._pair.setup.feature)
            latest_ns = profile.interrupt_ns + CTCS_MAX * profile.interrupt_contention_ns
            late_ns = latest_ns * (books.ended_count[device.rdev] + 1)
            assert busy_ns - late_ns <= serv_ns <= busy_ns

    def _p11_link_knows_what_it_can_use(self, side: Side) -> None:
        link = side.node.link
        states = [ctc.state for ctc in link.ctcs.values()]
        usable_count = sum(state not in _UNUSABLE for state in states)
        assert (link.state is LinkState.DOWN) == (usable_count == 0)
        active_count = sum(state is not DeviceState.INACTIVE for state in states)
        assert (link.state is LinkState.UP) == (0 < usable_count == active_count)
        assert bool(link.scheduler.order) == bool(usable_count)
