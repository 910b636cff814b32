"""Watch: the CTCs on which something is overdue."""

import pytest

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from isfc.link.link_ctc import Deadlines, LinkCtc
from isfc.link.scan import LinkDevice


@pytest.fixture
def ctcs() -> list[LinkCtc]:
    return [LinkCtc(LinkDevice(Rdev(rdev), Rdev(rdev))) for rdev in range(3)]


def test_nothing_is_due_at_first(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    assert watch.due_ns == NEVER_NS
    assert watch.poll_due(10**18) == []


def test_those_whose_time_has_come_are_told_once(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    for ctc, due_ns in zip(ctcs, (30, 10, 20), strict=True):
        watch.begin(ctc, due_ns)
    assert watch.due_ns == 10
    assert watch.poll_due(20) == [ctcs[1], ctcs[2]]
    assert watch.due_ns == 30
    assert watch.poll_due(29) == []
    assert watch.poll_due(30) == [ctcs[0]]
    assert watch.due_ns == NEVER_NS


def test_a_wait_that_has_ended_is_not_told(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    watch.begin(ctcs[0], 10)
    watch.begin(ctcs[1], 20)
    watch.end(ctcs[0])
    assert watch.due_ns == 20
    assert watch.poll_due(20) == [ctcs[1]]


def test_a_wait_may_end_unsaid_and_its_time_passes_without_any_ctc(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    watch.begin(ctcs[0], 10)
    ctcs[0].due_ns = NEVER_NS  # as every I/O does that ends in time
    assert watch.due_ns <= 10
    assert watch.poll_due(10) == []
    assert watch.due_ns == NEVER_NS


def test_a_new_wait_takes_the_place_of_the_one_before(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    watch.begin(ctcs[0], 10)
    watch.begin(ctcs[0], 50)
    assert watch.poll_due(10) == []
    assert watch.poll_due(50) == [ctcs[0]]
