"""The link lock: one holder, receiving first."""

import pytest

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from isfc.link.lock import Answer, LinkLock, Receive, Release, Send, Work
from isfc.link.message import Message
from isfc.link.package import Package

PACKAGE = Package(0, [Message(0, 10)], 10)


def test_free_lock_has_no_deadline() -> None:
    lock = LinkLock()
    assert lock.due_ns == NEVER_NS
    assert lock.poll_released(10**9) is None
    assert lock.poll_arrived() is None


def test_lock_is_held_for_its_time() -> None:
    lock = LinkLock()
    work = Send(Rdev(0x6000), PACKAGE)
    lock.hold(work, 500, 1_000)
    assert lock.due_ns == 1_500
    assert lock.poll_released(1_499) is None
    states = [lock.free]
    assert lock.poll_released(1_500) is work
    assert [*states, lock.free] == [False, True]


def test_lock_has_one_holder() -> None:
    lock = LinkLock()
    lock.hold(Receive(PACKAGE), 500, 0)
    with pytest.raises(AssertionError, match=r"^the link lock has one holder"):
        lock.hold(Receive(PACKAGE), 500, 0)


def test_what_interrupts_brought_comes_in_its_order() -> None:
    lock = LinkLock()
    works: list[Work] = [
        Answer(Rdev(0x6000)),
        Receive(PACKAGE),
        Release(Rdev(0x6002), PACKAGE),
        Answer(Rdev(0x6001)),
    ]
    for work in works:
        lock.want(work)
    assert [lock.poll_arrived() for _ in range(4)] == works
    assert lock.poll_arrived() is None
