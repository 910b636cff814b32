"""Oracles: what the scheduler, the packager and a queue do, said again in a few lines."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ctc.address import Rdev
from ctc.features import find_profile
from isfc.engine.virtual import VirtualEngine
from isfc.link.events import Delivered, LinkEvent, Offer
from isfc.link.message import Message
from isfc.link.package import PackageLimit, Packager
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX, stop_short
from isfc.link.schedule import WriteScheduler
from isfc.system.system import System
from isfc.testing.pair import S, Setup
from isfc.testing.strategies import lengths
from scenarios.figures.collide import Source
from scenarios.runs.result import MIB

RULE = LinkParameters().opening_rule

deeds = st.lists(
    st.tuples(st.sampled_from(["acquire", "release", "occupy", "arrange"]), st.integers(0, 15)),
    max_size=40,
)


@given(st.integers(1, CTCS_MAX), deeds)
def test_scheduler_is_a_list_in_scan_order_of_which_the_first_free_one_is_taken(
    count: int, plan: list[tuple[str, int]]
) -> None:
    scan = [Rdev(0x6000 + index) for index in range(count)]
    scheduler = WriteScheduler(scan, RULE)
    ours, free = scan, set[Rdev]()
    for deed, index in plan:
        rdev = scan[index % count]
        if deed == "release":
            scheduler.release(rdev)
            free.add(rdev)
        elif deed == "occupy":
            scheduler.occupy(rdev)
            free.discard(rdev)
        elif deed == "arrange":
            usable = [each for place, each in enumerate(scan) if (index >> place % 4) & 1]
            scheduler.arrange(usable)
            ours = usable[: len(usable) - stop_short(len(usable))]
        elif any(each in free for each in ours):
            first = next(each for each in ours if each in free)
            assert scheduler.acquire() == first
            free.discard(first)
        assert scheduler.order == tuple(ours)
        assert scheduler.has_free == any(each in free for each in ours)


@given(
    st.lists(lengths, min_size=1, max_size=30),
    st.integers(1, 300_000),
    st.sampled_from([0, 20_000]),
)
def test_package_is_the_longest_beginning_of_what_waits_that_fits(
    sizes: list[int], limit: int, each_costs: int
) -> None:
    packager = Packager(PackageLimit(limit, each_costs))
    for size in sizes:
        packager.add(Message(0, size))
    waiting = [*sizes]
    while waiting:
        fits = [
            count
            for count in range(1, len(waiting) + 1)
            if sum(waiting[:count]) + count * each_costs <= limit
        ]
        count = max(fits, default=1)  # never empty, whatever the limit
        package = packager.pack()
        assert [message.length for message in package.messages] == waiting[:count]
        del waiting[:count]
        assert packager.backlog_length == sum(waiting)
        assert packager.backlog_count == len(waiting)
    assert not packager


class Arrivals:
    """A program that notes when messages have arrived."""

    def __init__(self) -> None:
        self.at_ns: list[int] = []

    def start(self, now_ns: int) -> Iterable[Offer]:
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        if isinstance(event, Delivered):
            self.at_ns += [now_ns] * len(event.messages)
        return ()


LENGTH = 200_000
LOOK_NS = 200_000
"""The system is looked at five times in a message's service."""
FREE_OF_COSTS = replace(
    LinkParameters(),
    build_package_ns=0,
    receive_ns_per_byte=0.0,
    single_ctc_release_ns_per_byte=0.0,
    dispatch_ns=0,
    package_limit=PackageLimit(1),
    single_ctc_length=1,
    single_ctc_message_length=0,
)
PROFILE = structs.replace(
    find_profile("FICON Express2"),
    processor_ns_per_byte=0.0,
    processor_bits_per_ccw=0.0,
    latency_ns_per_ccw=0.0,
    io_ns=0,
    interrupt_ns=0,
    turn_ns=0,
)


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize("utilisation", [0.3, 0.7])
def test_one_ctc_without_overhead_is_the_queue_that_textbooks_have(utilisation: float) -> None:
    """Utilisation is rate by service time; Little's law holds; M/D/1's wait is as it should be."""
    setup = Setup(ctc_count=1, parameters=FREE_OF_COSTS, propagation_ns=1)
    systems = []
    for here in (0, 1):
        definition = setup.definition(here)
        ctcs = tuple(replace(ctc, profile=PROFILE) for ctc in definition.ctcs)
        systems.append(System([replace(definition, ctcs=ctcs)]))
    service_ns = (LENGTH + 27 + 7 * 85) * PROFILE.line_ns_per_byte  # headers of seven blocks
    rate_mb = utilisation / service_ns * LENGTH * 1e9 / MIB
    duration_ns = 20 * S
    offers = [at_ns for at_ns, _ in Source(rate_mb, LENGTH, duration_ns, Random(5)).start(0)]
    arrivals = Arrivals()
    engine = VirtualEngine(systems, [Source(rate_mb, LENGTH, duration_ns, Random(5)), arrivals], 1)
    (sending,) = systems[0].ends[0].ctcs.values()
    link = systems[0].ends[0].link
    seen = []  # messages in the system: those that wait, and the one that is served
    for at_ns in range(LOOK_NS, duration_ns + 1, LOOK_NS):
        engine.run(at_ns)
        seen.append(link.packager.backlog_count + (not sending.idle or not link.tx_lock.free))
    engine.run(duration_ns + S)
    device = systems[0].ends[0].snapshot(engine.now_ns).devices[0]
    assert len(arrivals.at_ns) == len(offers)
    carried = len(offers) * service_ns / duration_ns
    assert device.conn_ns / duration_ns == pytest.approx(carried, rel=0.01)
    waits = [there - here for here, there in zip(offers, arrivals.at_ns, strict=True)]
    mean_ns = sum(waits) / len(waits)
    assert sum(seen) / len(seen) == pytest.approx(len(offers) / duration_ns * mean_ns, rel=0.01)
    expected_ns = service_ns * (1 + carried / (2 * (1 - carried)))
    assert mean_ns == pytest.approx(expected_ns, rel=0.05)  # chance: 20 s have 6,000 or 14,000
