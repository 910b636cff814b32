"""Every invariant fails when it is broken: a check that cannot fail checks nothing."""

from collections.abc import Callable

import pytest

from isfc.link.events import Sent, TraceRecord
from isfc.link.message import Message
from isfc.testing.invariants import (
    INVARIANTS,
    Invariant,
    Ledger,
    bytes_add_up,
    each_end_keeps_ctcs_to_itself,
    link_knows_what_it_can_use,
    messages_arrive_once_and_in_order,
)
from isfc.testing.pair import MS, Pair, Setup


def busy_pair() -> Pair:
    pair = Pair(Setup(ctc_count=4))
    for side in pair.sides:
        pair.send(side, 100, 50_000)
    pair.run(10 * MS)
    return pair


def arrive_twice(pair: Pair) -> None:
    pair.second.arrived.append(pair.second.arrived[-1])


def arrive_out_of_turn(pair: Pair) -> None:
    pair.second.arrived.reverse()


def lose_bytes(pair: Pair) -> None:
    pair.first.note([Message(0, 10_000_000)])


def invent_bytes(pair: Pair) -> None:
    tuple(pair.first.receive(Sent([Message(0, 1)]), 0))


def leave_a_package_unread(pair: Pair) -> None:
    write_on(pair)
    del pair.packages[1].read[0]


def read_less_than_was_written(pair: Pair) -> None:
    write_on(pair)
    pair.packages[1].read[0] -= 1


def write_on(pair: Pair) -> None:
    """Package 0 is not the last one of its CTC any more, so that it must have been read."""
    pair.send(pair.first, 100)
    pair.run(10 * MS)


def miscount_bytes(pair: Pair) -> None:
    pair.first.end.link.ctcs[pair.first.rdevs[0]].counters.write_length += 1


def use_nothing(pair: Pair) -> None:
    pair.first.end.link.scheduler.arrange(())


@pytest.mark.parametrize(
    ("invariant", "break_it"),
    [
        (messages_arrive_once_and_in_order, arrive_twice),
        (messages_arrive_once_and_in_order, arrive_out_of_turn),
        (bytes_add_up, lose_bytes),
        (bytes_add_up, invent_bytes),
        (bytes_add_up, leave_a_package_unread),
        (bytes_add_up, read_less_than_was_written),
        (bytes_add_up, miscount_bytes),
        (link_knows_what_it_can_use, use_nothing),
    ],
)
def test_invariant_notices(invariant: Invariant, break_it: Callable[[Pair], None]) -> None:
    pair = busy_pair()
    for each in INVARIANTS:
        each(pair)
    break_it(pair)
    with pytest.raises(AssertionError):
        invariant(pair)


def test_invariant_notices_two_ends_that_begin_at_one_ctc() -> None:
    pair = busy_pair()
    scheduler = pair.first.end.link.scheduler
    each_end_keeps_ctcs_to_itself(pair)
    scheduler.arrange([pair.first.rdevs[-1], pair.first.rdevs[-2], pair.first.rdevs[0]])
    with pytest.raises(AssertionError):
        each_end_keeps_ctcs_to_itself(pair)


WRITE = (10**10, "ATLANTA", 0x6000, "WRITE", 1)


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([(0, "ATLANTA", 0x6000, "WRITE", 1)], "time ran backwards"),
        ([(10**12, "ATLANTA", 0x6000, "Ended", 0)], "no I/O ended"),
        ([WRITE, WRITE], "two I/Os at the same time"),
    ],
)
def test_ledger_notices_a_trace_that_cannot_be(records: list[TraceRecord], reason: str) -> None:
    pair = busy_pair()
    ledger = Ledger(pair)
    ledger()
    for record in records:
        pair.first.trace(record)
    with pytest.raises(AssertionError, match=reason):
        ledger()


def test_ledger_notices_an_io_of_which_no_time_is_known() -> None:
    pair = busy_pair()
    ledger = Ledger(pair)
    pair.first.trace((pair.engine.now_ns, "ATLANTA", 0x6000, "WRITE", 1))
    pair.run(500 * MS)
    with pytest.raises(AssertionError, match="ns of service"):
        ledger()
