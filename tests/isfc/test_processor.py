"""The link lock: one holder, receiving first."""

import pytest

from ctc.address import Rdev
from isfc.message import Message
from isfc.package import Package
from isfc.processor import Answer, LinkLock, Receive, Send

PACKAGE = Package(0, [Message(0, 10)], 10)


def test_free_lock_has_no_deadline() -> None:
    lock = LinkLock()
    assert lock.next_deadline() is None
    assert lock.poll_released(10**9) is None
    assert lock.poll_received() is None


def test_lock_is_held_for_its_time() -> None:
    lock = LinkLock()
    work = Send(Rdev(0x6000), PACKAGE)
    lock.hold(work, 500, 1_000)
    assert lock.next_deadline() == 1_500
    assert lock.poll_released(1_499) is None
    states = [lock.free]
    assert lock.poll_released(1_500) is work
    assert [*states, lock.free] == [False, True]


def test_lock_has_one_holder() -> None:
    lock = LinkLock()
    lock.hold(Receive(PACKAGE), 500, 0)
    with pytest.raises(AssertionError, match="one holder"):
        lock.hold(Receive(PACKAGE), 500, 0)


def test_what_was_received_comes_in_its_order() -> None:
    lock = LinkLock()
    works: list[Receive | Answer] = [Answer(Rdev(0x6000)), Receive(PACKAGE), Answer(Rdev(0x6001))]
    for work in works:
        lock.want(work)
    assert [lock.poll_received() for _ in range(3)] == works
    assert lock.poll_received() is None


def test_answer_keeps_the_lock_until_it_is_released() -> None:
    lock = LinkLock()
    answer = Answer(Rdev(0x6000))
    lock.hold(answer, 500, 0)
    assert lock.poll_released(500) is answer
    lock.keep(answer)
    assert not lock.free
    assert lock.next_deadline() is None
    assert lock.poll_released(10**9) is None
    with pytest.raises(AssertionError, match="one holder"):
        lock.hold(Receive(PACKAGE), 500, 500)
    lock.release(Rdev(0x6001))  # kept for another
    states = [lock.free]
    lock.release(Rdev(0x6000))
    assert [*states, lock.free] == [False, True]


def test_release_takes_the_lock_from_nobody_who_works() -> None:
    lock = LinkLock()
    for work in (Answer(Rdev(0x6000)), Send(Rdev(0x6000), PACKAGE)):
        lock.hold(work, 500, 0)
        lock.release(Rdev(0x6000))
        assert not lock.free
        assert lock.poll_released(500) is work
    lock.release(Rdev(0x6000))
    assert lock.free
