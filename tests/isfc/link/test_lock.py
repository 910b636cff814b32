"""A link lock: one holder; what follows interrupts first, then the rest, each in its order."""

import pytest

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from isfc.link.lock import (
    BuildPackage,
    LinkLock,
    LockWork,
    ReceivePackage,
    ReleaseOnOneCtc,
    ReleasePackage,
    StartNext,
)
from isfc.link.message import Message, Traffic
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts
from tests.isfc.link.link_harness import PARAMETERS

A, B, C = Rdev(0x6000), Rdev(0x6001), Rdev(0x6002)
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


def test_lock_has_one_holder() -> None:
    lock = LinkLock()
    lock.hold(ReceivePackage(B, PACKAGE), 500, 0)
    with pytest.raises(AssertionError, match=r"^a link lock has one holder"):
        lock.hold(ReceivePackage(B, PACKAGE), 500, 0)


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
        ReleasePackage(C, PACKAGE),
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
    waiting: list[LockWork] = [ReceivePackage(A, PACKAGE), ReleasePackage(C, PACKAGE)]
    first: list[LockWork] = [StartNext(C), StartNext(A), StartNext(B)]
    lock.want(waiting[0])
    lock.want_first(first[0])
    lock.want(waiting[1])
    lock.want_first(first[1])
    lock.want_first(first[2])
    assert served(lock) == first + waiting
    assert lock.next is None


def test_what_goes_first_takes_the_place_of_what_was_next() -> None:
    lock = LinkLock()
    package, attention = ReceivePackage(A, PACKAGE), StartNext(B)
    lock.want(package)
    following = [lock.next]
    lock.want_first(attention)
    following.append(lock.next)
    assert following == [package, attention]
    lock.begin(10, 0)
    assert lock.next is package  # it has lost nothing but time


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
        (ReleasePackage(A, APPC), False),
        (ReleaseOnOneCtc(A, APPC), False),
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
        ReleasePackage(A, APPC),
        ReleaseOnOneCtc(A, APPC),
    )
    assert [work.hold_ns(costs) for work in works] == [
        costs.build_ns(APPC),
        costs.receive_ns(APPC),
        PARAMETERS.dispatch_ns,
        costs.release_ns(APPC),
        costs.single_ctc_release_ns(APPC),
    ]
