"""Two real Hercules joined by ``isfc ctce``, with a bare guest in each.

They are of the version that is on the machine, 3.13 or 4, which the names of the tests say.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import cycle, product
from pathlib import Path

import pytest

from ctc.adapter import Step
from ctc.address import Rdev
from ctc.features import EXPRESS4
from ctc.order import FibreKind
from ctc.subchannel import Command
from isfc.cli.live.loops import loop_factory
from isfc.live.ctce.exchange import ExchangeDefinition, OrderStep, Pulled, Restored
from isfc.live.ctce.join import CtcEnd, HostPort, JoinedCtc
from isfc.live.ctce.wire import CURRENT
from isfc.live.ctce_box import CtceBox
from tests.isfc.live.ctce.guest import AGAIN, GOOD
from tests.isfc.live.ctce.hercules import Hercules, is_older, needs_hercules, version
from tests.isfc.live.ctce.partner import Partner
from tests.isfc.live.ctce.ports import free_ports
from tests.isfc.live.test_ctce_box import LOST, NO_OP, Guest
from tests.lengthy import few_in_every_run
from tests.waiting import wait_until

pytestmark = [needs_hercules, pytest.mark.slow]
of_3_13 = pytest.mark.skipif(not is_older(), reason="of 3.13, which speaks the older form")

HOST = "127.0.0.1"
NUMBERS = range(1, 601)
"""Of blocks. With thousands a run meets pauses of 3.13, each of up to 21 s."""


@pytest.fixture(autouse=True, params=[version()])
def _of_version() -> None:
    """So that each test says of which it is."""


class Pair:
    """Two Hercules and the CTCs between them; ``joined`` by a box, or directly."""

    def __init__(
        self,
        folder: Path,
        definition: ExchangeDefinition | None = None,
        ctcs: int = 1,
        *,
        joined: bool = True,
    ) -> None:
        ports = iter(free_ports(4 * ctcs + 2))
        self.ctcs: list[JoinedCtc] = []
        statements: tuple[list[str], list[str]] = ([], [])
        for ctc in range(ctcs):
            a, b = (
                CtcEnd(
                    name, Rdev(rdev + ctc), HostPort(HOST, next(ports)), HostPort(HOST, next(ports))
                )
                for name, rdev in (("A", 0x500), ("B", 0x600))
            )
            self.ctcs.append((a, b))
            for lines, end, mate in zip(statements, (a, b), (b, a), strict=True):
                far = end if joined else end._replace(ours=mate.at)
                lines.append(str(far.statement))
        self.systems = [
            Hercules(folder, name, lines, next(ports))
            for name, lines in zip("AB", statements, strict=True)
        ]
        self.box = CtceBox(self.ctcs, definition)

    async def run(self, body: Callable[..., Awaitable[None]]) -> None:
        """Do something with all of them while the box runs, and end what runs then."""
        await self.box.start()
        try:
            await body(*self.systems)
        finally:
            await self.box.close()
            for system in self.systems:
                system.kill()


async def ended(*systems: Hercules) -> list[int]:
    """Where the guests' PSWs point when they have done everything."""
    return [await asyncio.to_thread(system.wait) for system in systems]


def test_every_block_arrives_once_both_ways_though_writes_collide(tmp_path: Path) -> None:
    """Each guest writes whenever it may, so that many writes meet the mate's."""
    pair = Pair(tmp_path)

    async def body(first: Hercules, second: Hercules) -> None:
        for system in (first, second):
            system.start(len(NUMBERS), NUMBERS)
        assert await ended(first, second) == [GOOD, GOOD]

    asyncio.run(pair.run(body))
    adapter = pair.box.exchange.adapters[0]
    assert adapter.collision_count > 0
    assert adapter.stale_count == 0


@pytest.mark.exhaustive  # on a busy machine none of so few may meet
def test_writes_that_meet_on_a_fibre_both_fail_and_are_written_again(tmp_path: Path) -> None:
    """Either guest hears BUSY and ATTENTION, finds nothing outstanding, and writes again."""
    pair = Pair(tmp_path, ExchangeDefinition((FibreKind(EXPRESS4),), (0,), both_fail=True))
    steps: Counter[Step] = Counter()
    pair.box.exchange.observers.append(
        lambda event: steps.update([event.step] if isinstance(event, OrderStep) else [])
    )

    async def body(first: Hercules, second: Hercules) -> None:
        for system in (first, second):
            system.start(200, range(1, 201))
        assert await ended(first, second) == [GOOD, GOOD]

    asyncio.run(pair.run(body))
    assert steps[Step.FAILS_BOTH] > 0


def test_a_write_waits_for_a_hercules_that_was_killed_and_comes_back(tmp_path: Path) -> None:
    """What was not read before is read after that, and nothing twice."""
    pair = Pair(tmp_path)

    async def body(first: Hercules, second: Hercules) -> None:
        first.start(len(NUMBERS), range(1, 1))
        second.start(0, NUMBERS[:300])
        assert await ended(second) == [GOOD]
        second.kill()
        await wait_until(lambda: not pair.box.exchange.adapters[0].ends[1].attached)
        second.start(0, NUMBERS[300:])
        assert await ended(first, second) == [GOOD, GOOD]

    asyncio.run(pair.run(body))


@of_3_13
def test_a_hercules_of_the_older_form_and_one_of_the_current_form_meet(tmp_path: Path) -> None:
    """The latter is ours, follows what was captured, and resets its end now and then."""
    pair = Pair(tmp_path)
    ((_, end),) = pair.ctcs
    ours = Guest(Partner(end, CURRENT), len(NUMBERS), wins=False, reset_every=50)
    steps: Counter[Step] = Counter()
    pair.box.exchange.observers.append(
        lambda event: steps.update([event.step] if isinstance(event, OrderStep) else [])
    )

    async def body(first: Hercules, _: Hercules) -> None:
        first.start(len(NUMBERS), NUMBERS)
        await ours.partner.start()
        await asyncio.gather(ours.run(len(NUMBERS)), ended(first))
        assert await ended(first) == [GOOD]
        await ours.partner.close()

    asyncio.run(pair.run(body))
    assert ours.read == list(NUMBERS)
    assert steps[Step.RESETS] >= len(NUMBERS) // 50
    assert steps[Step.CROSSES] > 0


@pytest.mark.parametrize(
    ("writes", "typed", "by_older", "by_current"),
    [
        (1, "detach 0500", True, False),
        pytest.param(0, "devinit 0500 {0} {1} {2}", True, True, marks=pytest.mark.exhaustive),
        pytest.param(1, "sysreset", False, True, marks=pytest.mark.exhaustive),
        pytest.param(1, "ipl 0500", False, None, marks=pytest.mark.exhaustive),
    ],
)
def test_what_an_operator_does_is_told_to_the_mate_or_not(
    tmp_path: Path, writes: int, typed: str, by_older: bool, by_current: bool | None
) -> None:
    """A WRITE that waits is gone then, or waits on: 3.13 says nothing of a reset of the system.

    Hercules 4 detaches no device that is busy, and its IPL over a CTC waits for what it reads.
    """
    told = by_older if is_older() else by_current
    if told is None:
        pytest.skip("Hercules 4 waits for its mate here")
    pair = Pair(tmp_path)
    ((end, far),) = pair.ctcs
    mate = Partner(far, CURRENT)
    adapter = pair.box.exchange.adapters[0]

    async def body(first: Hercules, _: Hercules) -> None:
        await mate.start()
        typed_now = typed.format(end.at.port, end.ours.host, end.ours.port)
        first.start(writes, range(1, 1), typed=(typed_now, "* done"))
        assert await mate.hear() == NO_OP
        while writes and (await mate.hear()).code != Command.WRITE:
            pass
        await wait_until(lambda: first.has_done("* done"))
        assert (adapter.ends[0].pending is None) == (told or not writes)
        heard = [await mate.hear() for _ in range(mate.unheard)]
        assert (LOST in heard) == told
        await mate.close()

    asyncio.run(pair.run(body))


@pytest.mark.exhaustive
def test_what_a_guest_writes_after_a_halt_takes_the_place_of_what_it_halted(
    tmp_path: Path,
) -> None:
    """HALT SUBCHANNEL ends it at its own end alone; the mate hears of no reset, and reads once."""
    pair = Pair(tmp_path)

    async def body(first: Hercules, second: Hercules) -> None:
        first.start(0, range(1, 1), program="halt")
        second.start(0, range(2, 3), pause_s=4)
        assert await ended(first, second) == [GOOD, GOOD]

    asyncio.run(pair.run(body))
    orders = pair.box.exchange.adapters[0]
    assert (orders.collision_count, orders.stale_count) == (0, 0)


async def pull_now_and_then(pair: Pair, pulled: list[int]) -> None:
    """Pull the fibre of one CTC after the other for a moment, again and again."""
    for ctc in cycle(range(len(pair.ctcs))):
        await asyncio.sleep(0.15)
        pair.box.apply(Pulled((ctc,), "fibre"))
        pulled.append(ctc)
        await asyncio.sleep(0.05)
        pair.box.apply(Restored("fibre"))


def exchange(folder: Path, blocks: int, ctcs: int = 1) -> int:
    """So many blocks each way, while the fibre is pulled now and then: how often it was.

    Guests write again what their mates have not read. With 3.13 there is nothing of that kind; with
    Hercules 4 there may be, as it has no acknowledgements and ends a WRITE that answers a READ
    before that has its data.
    """
    pair, pulled = Pair(folder, ctcs=ctcs), list[int]()

    async def body(*systems: Hercules) -> None:
        for system in systems:
            system.start(blocks, range(1, blocks + 1), patience=300)
        pulls = asyncio.create_task(pull_now_and_then(pair, pulled))
        assert {*await ended(*systems)} <= ({GOOD} if is_older() else {GOOD, AGAIN})
        pulls.cancel()

    asyncio.run(pair.run(body))
    assert all(adapter.collision_count for adapter in pair.box.exchange.adapters)
    return len(pulled)


@pytest.mark.parametrize(("ctcs", "blocks"), few_in_every_run([(1, 1_500), (8, 100)]))
def test_every_block_arrives_once_though_the_fibre_is_pulled(
    tmp_path: Path, ctcs: int, blocks: int
) -> None:
    """One guest at each end drives all its CTCs."""
    assert exchange(tmp_path, blocks, ctcs) > 1


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("ctcs", "blocks"),
    [(1, 12_500 + run) for run in range(4)] + [(8, 782 + run) for run in range(8)],
)
def test_a_hundred_thousand_blocks_arrive_once_though_the_fibre_is_pulled(
    tmp_path: Path, ctcs: int, blocks: int
) -> None:
    """So many either way of each CTC, which makes a hundred thousand over one and over eight.

    Runs are short, so that none meets many of 3.13's pauses, which come by chance; in all of them
    there are a hundred pulls.
    """
    assert exchange(tmp_path, blocks, ctcs) > 8


def seconds_of(
    folder: Path, blocks: int, *, joined: bool, ctcs: int = 1, length: int = 64
) -> float:
    """How long so many blocks take one way, joined by a box or directly; starting is in it."""
    folder.mkdir()
    pair = Pair(folder, ctcs=ctcs, joined=joined)

    async def body(first: Hercules, second: Hercules) -> None:
        first.start(blocks, range(1, 1), length)
        second.start(0, range(1, blocks + 1), length)
        assert await ended(first, second) == [GOOD, GOOD]

    begin_s = time.monotonic()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(pair.run(body))
    return time.monotonic() - begin_s


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("ctcs", "length", "few", "many"), [(1, 64, 100, 6_100), (8, 61_440, 50, 600)]
)
def test_blocks_take_at_most_twice_as_long_as_between_two_joined_directly(
    tmp_path: Path, ctcs: int, length: int, few: int, many: int
) -> None:
    """The best of three each, in turn, without the start.

    On two cores any relay takes 1.3 times as long and more: ``docs/ctce.md`` has the figures.
    """
    found: dict[tuple[bool, int], float] = {}
    for turn in range(3):
        for joined, blocks in product((False, True), (few, many)):
            folder = tmp_path / f"{turn}{joined}{blocks}"
            took_s = seconds_of(folder, blocks, joined=joined, ctcs=ctcs, length=length)
            found[joined, blocks] = min(took_s, found.get((joined, blocks), took_s))
    direct_s, joined_s = (found[joined, many] - found[joined, few] for joined in (False, True))
    assert joined_s < 2.0 * direct_s
