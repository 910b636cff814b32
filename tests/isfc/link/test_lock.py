"""A link lock: one holder; what follows interrupts first, then the rest, each in its order."""

from dataclasses import replace
from itertools import pairwise

import pytest

from ctc.queues import NEVER_NS
from ctc.subchannel import Command
from isfc.link.events import Delivered
from isfc.link.lock import (
    BuildPackage,
    LinkLock,
    LockWork,
    ReceivePackage,
    ReleasePackage,
    StartNext,
    SystemLock,
)
from isfc.link.message import Message, Traffic
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts
from tests.isfc.link.link_harness import PARAMETERS, A, B, C, Door, theirs

PACKAGE = Package(0, [Message(0, 10)], 10)
APPC = Package(0, [Message(0, 10), Message(1, 20, Traffic.LEGACY)], 30)


def test_free_lock_has_no_deadline() -> None:
    lock = LinkLock()
    assert lock.free
    assert lock.due_ns == NEVER_NS
    assert lock.poll_released(10**9) is None
    assert lock.next is None


def test_lock_is_held_for_its_time() -> None:
    lock = LinkLock()
    work = BuildPackage(A, PACKAGE)
    lock.hold(work, 500, 1_000)
    with pytest.raises(AssertionError, match=r"^a link lock has one holder"):
        lock.hold(ReceivePackage(B, PACKAGE), 500, 1_000)
    assert lock.due_ns == 1_500
    assert [lock.busy_ns(now_ns) for now_ns in (1_000, 1_200)] == [0, 200]
    assert lock.poll_released(1_499) is None
    states = [lock.free]
    assert lock.poll_released(1_500) is work
    assert [*states, lock.free] == [False, True]
    assert lock.due_ns == NEVER_NS
    assert lock.busy_ns(9_000) == 500
    lock.hold(work, 300, 9_000)
    assert lock.busy_ns(9_300) == 500 + 300


def served(lock: LinkLock) -> list[LockWork]:
    """All that waits, in the order in which the lock lets it begin."""
    works: list[LockWork] = []
    while (work := lock.next) is not None:
        lock.begin(10, 0)
        assert lock.poll_released(10) is work
        works.append(work)
    return works


def test_what_waits_is_served_in_the_order_in_which_it_came() -> None:
    lock = LinkLock()
    works: list[LockWork] = [
        ReceivePackage(A, PACKAGE),
        ReleasePackage(C, PACKAGE, False),
        ReceivePackage(B, APPC),
    ]
    for work in works[:2]:
        lock.want(work)
    lock.begin(10, 0)
    assert (lock.due_ns, lock.poll_released(10)) == (10, works[0])
    lock.want(works[2])  # behind what waits already
    assert served(lock) == works[1:]
    assert lock.next is None


def test_what_goes_first_is_served_before_all_that_waits_and_in_its_own_order() -> None:
    lock = LinkLock()
    waiting: list[LockWork] = [ReceivePackage(A, PACKAGE), ReleasePackage(C, PACKAGE, False)]
    first: list[LockWork] = [StartNext(C), StartNext(A), StartNext(B)]
    lock.want(waiting[0])
    following = [lock.next]
    lock.want_first(first[0])
    following.append(lock.next)
    assert following == [waiting[0], first[0]]
    lock.want(waiting[1])
    lock.want_first(first[1])
    lock.want_first(first[2])
    assert served(lock) == first + waiting
    assert lock.next is None


def test_what_goes_first_interrupts_no_holder() -> None:
    lock = LinkLock()
    held = ReceivePackage(A, APPC)
    lock.hold(held, 500, 0)
    lock.want_first(StartNext(B))
    assert (lock.free, lock.copies, lock.due_ns) == (False, True, 500)
    assert lock.poll_released(499) is None
    assert lock.poll_released(500) is held


@pytest.mark.parametrize("first", [False, True])
def test_work_that_waits_is_next_until_it_is_begun(first: bool) -> None:
    lock = LinkLock()
    works = [StartNext(A), StartNext(B)]
    for work in works:
        if first:
            lock.want_first(work)
        else:
            lock.want(work)
    assert [lock.next, lock.next] == [works[0], works[0]]
    assert lock.free  # to wait is not to hold
    lock.begin(10, 0)
    assert lock.next is works[1]


@pytest.mark.parametrize(
    ("work", "copies"),
    [
        (BuildPackage(A, PACKAGE), False),
        (BuildPackage(A, APPC), True),
        (ReceivePackage(B, PACKAGE), False),
        (ReceivePackage(B, APPC), True),
        (StartNext(A), False),
        (ReleasePackage(A, APPC, False), False),
        (ReleasePackage(A, APPC, True), False),
    ],
)
def test_holder_copies_when_appc_is_built_or_received_and_no_longer_than_it_holds(
    work: LockWork, copies: bool
) -> None:
    lock = LinkLock()
    copying = [lock.copies]
    lock.hold(work, 500, 0)
    copying.append(lock.copies)
    lock.poll_released(499)
    copying.append(lock.copies)
    lock.poll_released(500)
    copying.append(lock.copies)
    assert copying == [False, copies, copies, False]


def test_each_kind_of_work_holds_for_what_it_costs() -> None:
    costs = LinkCosts(PARAMETERS)
    works = (
        BuildPackage(A, APPC),
        ReceivePackage(B, APPC),
        StartNext(A),
        ReleasePackage(A, APPC, False),
        ReleasePackage(A, APPC, True),
    )
    assert [work.hold_ns(costs) for work in works] == [
        costs.build_ns(APPC),
        costs.receive_ns(APPC),
        PARAMETERS.dispatch_ns,
        costs.release_ns(APPC),
        costs.single_ctc_release_ns(APPC),
    ]


LENGTH = 1_000
TAKE_NS = int(PARAMETERS.appc_ns_per_byte_taken * theirs(0, 0, length=LENGTH).length)
"""How long a message of the partner's is copied, but for its header."""


def full(lock: SystemLock, traffic: Traffic) -> Door:
    """A link that has read three packages, one of which it begins to take apart."""
    door = Door(parameters=replace(PARAMETERS, receive_ns_per_byte=2.0), lock=lock)
    door.begin_read(A, B, C)
    for number, rdev in enumerate((A, B, C)):
        package = theirs(number, number, length=LENGTH, traffic=traffic)
        door.ended(rdev, Command.READ, package)
    return door


def story(*doors: Door) -> list[tuple[int, int]]:
    """Let the links work; when which of them hands a package over."""
    told = []
    while min(door.link.due_ns for door in doors) < PARAMETERS.mih_ns // 2:
        now_ns = min(door.link.due_ns for door in doors)
        for number, door in enumerate(doors):
            door.now_ns = now_ns
            door.link.handle_deadline(now_ns)
            told += [(now_ns, number) for event in door.events() if isinstance(event, Delivered)]
    return told


def test_links_of_a_system_copy_by_turns() -> None:
    # who has copied and wants to again waits behind who was waiting meanwhile
    lock = SystemLock()
    told = story(*(full(lock, Traffic.LEGACY) for _ in range(3)))
    assert [number for _, number in told] == [0, 1, 2] * 3
    times = [ns for ns, _ in told]
    gaps = {after - before for before, after in pairwise(times)}
    assert len(gaps) == 1
    assert min(gaps) >= TAKE_NS  # one at a time


def test_link_that_copies_what_it_sends_waits_behind_the_others_with_what_it_has_read() -> None:
    lock = SystemLock()
    holder, second, third = (full(lock, Traffic.LEGACY) for _ in range(3))
    second.now_ns = holder.link.due_ns
    second.send(LENGTH, traffic=Traffic.LEGACY)  # it is its turn: not what was read, but this
    assert second.link.tx_lock.copies
    assert [number for _, number in story(holder, second, third)] == [0, 2, 0, 1, 2, 0, 1, 2, 1]


def test_links_of_several_systems_and_transport_wait_for_nobody() -> None:
    lock = SystemLock()
    of_systems = story(*(full(SystemLock(), Traffic.LEGACY) for _ in range(3)))
    of_transport = story(*(full(lock, Traffic.TRANSPORT) for _ in range(3)))
    for told in (of_systems, of_transport):
        assert [number for _, number in told] == [0, 1, 2] * 3
        assert len({ns for ns, _ in told}) == 3


def test_link_that_waits_has_a_deadline_when_it_is_next() -> None:
    lock = SystemLock()
    holder, second, third = (full(lock, Traffic.LEGACY) for _ in range(3))
    held_ns = holder.link.rx_lock.due_ns
    assert (second.link.due_ns, third.link.copying.due_ns) == (held_ns, NEVER_NS)
    second.link.copying.leave()  # it has nothing to copy any more
    assert (second.link.copying.due_ns, third.link.copying.due_ns) == (NEVER_NS, held_ns)
