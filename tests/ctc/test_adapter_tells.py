"""Which end an adapter tells what, order by order, and what becomes of each."""

import pytest

from ctc.adapter import Adapter, Step, step_for
from ctc.order import RESET, Order, name_of
from ctc.state import State
from ctc.subchannel import Command

READY = "NO OP AVAILABLE"
"""The mate is there and has nothing outstanding."""
GONE = "RESET NOT_READY"


def order(command: Command, *, waits: bool = True, data: bytes = b"") -> Order:
    """A command of 64 bytes as its end tells it, which waits there or has ended."""
    state = State[command.name] if waits else State.AVAILABLE
    return Order(command, state, 64, data)


def told(adapter: Adapter) -> list[str]:
    """What has been told since the last time: to which end, the command, its end's state."""
    return [f"{end} {name_of(each.code)} {each.state.name}" for end, each in adapter.take()]


def joined(first: str = "", second: str = "") -> Adapter:
    """An adapter with both systems, each ``wins``, ``holds`` or neither."""
    adapter = Adapter()
    for end, kind in enumerate((first, second)):
        adapter.attach(end, wins=kind == "wins", holds=kind == "holds")
    adapter.take()
    return adapter


def test_both_hear_that_the_other_is_ready_once_both_are_there() -> None:
    adapter = Adapter()
    adapter.attach(0)
    assert told(adapter) == []
    adapter.attach(1)
    assert told(adapter) == [f"0 {READY}", f"1 {READY}"]
    adapter.detach(1)
    assert told(adapter) == [f"0 {GONE}"]


def test_what_waits_for_a_system_is_told_to_it_when_it_comes() -> None:
    adapter = Adapter()
    adapter.attach(0)
    for _ in range(2):  # the mate is no more there after a reset than before
        assert adapter.receive(0, order(Command.WRITE)) is Step.HELD
        assert adapter.receive(0, Order(RESET, State.NOT_READY)) is Step.RESETS
    adapter.receive(0, order(Command.WRITE))
    assert told(adapter) == []
    adapter.attach(1)
    assert told(adapter) == [f"0 {READY}", f"1 {READY}", "1 WRITE WRITE"]
    assert adapter.receive(1, Order(RESET, State.NOT_READY)) is Step.RESETS
    assert told(adapter) == [f"1 {READY}", f"0 {GONE}"]


def test_what_meets_the_mates_command_is_told_whole_and_to_nobody_else() -> None:
    adapter = joined()
    assert adapter.receive(0, order(Command.READ)) is Step.PENDS
    assert adapter.take() == [(1, order(Command.READ))]
    write = Order(Command.WRITE, State.WRITE, 3, b"abc", eof=True)
    assert adapter.receive(1, write) is Step.ENDS_BOTH
    assert adapter.take() == [(0, Order(Command.WRITE, State.AVAILABLE, 3, b"abc", eof=True))]


def test_what_answers_nothing_is_counted_and_told_only_where_the_mate_takes_it_for_waiting() -> (
    None
):
    adapter = joined()
    ended = order(Command.READ, waits=False)
    assert adapter.receive(0, ended) is Step.STALE
    assert told(adapter) == []
    adapter.receive(0, order(Command.READ))
    adapter.take()
    assert adapter.receive(0, ended) is Step.STALE
    assert told(adapter) == [f"1 {READY}"]
    adapter.part()
    adapter.receive(0, order(Command.READ))
    adapter.take()
    assert adapter.receive(0, ended) is Step.STALE
    assert told(adapter) == []
    assert adapter.stale_count == 3


@pytest.mark.parametrize(
    ("code", "state", "mate", "step"),
    [
        (RESET, State.AVAILABLE, State.READ, Step.RESETS),
        (Command.WRITE, State.NOT_READY, State.READ, Step.RESETS),
        (Command.WRITE_EOF, State.WRITE, State.AVAILABLE, Step.PENDS),  # basic mode: a WRITE
        (Command.WRITE_EOF, State.AVAILABLE, State.WRITE, Step.UNNOTICED),
        (Command.NO_OP, State.AVAILABLE, State.READ, Step.TELLS),
        (Command.NO_OP, State.AVAILABLE, State.NOT_READY, Step.STALE),
    ],
)
def test_what_becomes_of_an_order_follows_from_it_and_what_the_mate_has_outstanding(
    code: int, state: State, mate: State, step: Step
) -> None:
    assert step_for(code, state, mate) is step


def test_what_has_ended_or_is_refused_meets_nothing_of_the_mates_any_more() -> None:
    write, read = order(Command.WRITE), order(Command.READ)
    adapter = joined()
    adapter.receive(0, write)
    adapter.refuse(0)
    assert adapter.receive(1, read) is Step.PENDS
    adapter = joined()
    adapter.receive(0, read)
    assert adapter.receive(0, order(Command.READ, waits=False)) is Step.STALE
    assert adapter.receive(1, write) is Step.PENDS


def test_a_write_that_answers_nothing_is_refused_for_its_end_takes_it_for_written() -> None:
    adapter = joined()
    ended = order(Command.WRITE, waits=False, data=b"lost")
    assert adapter.receive(0, ended) is Step.STALE
    assert told(adapter) == [f"0 {GONE}", f"0 {READY}"]


def test_what_both_have_begun_while_they_were_parted_meets_when_they_are_joined_again() -> None:
    adapter = joined()
    adapter.part()
    assert adapter.receive(0, order(Command.WRITE)) is Step.HELD
    assert adapter.receive(1, order(Command.READ)) is Step.HELD
    adapter.take()
    adapter.rejoin()
    again = [f"0 {READY}", f"1 {READY}", "1 WRITE WRITE", "0 READ AVAILABLE"]
    assert told(adapter) == again


def test_who_has_begun_what_cannot_be_carried_hears_of_a_reset_and_what_waits_for_it() -> None:
    adapter = joined()
    adapter.refuse(0)
    assert told(adapter) == [f"0 {GONE}", f"0 {READY}"]
    adapter.receive(1, order(Command.CONTROL))
    adapter.take()
    adapter.refuse(0)
    assert told(adapter) == [f"0 {GONE}", "0 CONTROL CONTROL"]
    adapter.part()
    adapter.take()
    adapter.refuse(0)
    assert told(adapter) == [f"0 {GONE}"]


def test_writes_that_cross_can_both_fail_unless_one_end_keeps_its_own_or_they_are_parted() -> None:
    write, read = order(Command.WRITE), order(Command.READ)
    for first, second, fails in (("", "", True), ("wins", "", False), ("", "wins", False)):
        adapter = joined(first, second)
        assert adapter.meets_write(1, write) is None
        adapter.receive(0, write)
        assert adapter.meets_write(1, read) is None
        assert (adapter.meets_write(1, write) is write) == fails
    adapter = joined("holds", "holds")
    adapter.receive(0, write)
    adapter.part()
    assert adapter.meets_write(1, write) is None


def test_failed_commands_are_counted() -> None:
    adapter = joined("wins", "wins")
    for count in (2, 4):
        assert adapter.fail_both(0) is Step.FAILS_BOTH
        assert adapter.collision_count == count
        assert told(adapter) == ["0 CONTROL AVAILABLE", "1 CONTROL AVAILABLE"]
    for count in (5, 6):
        adapter.receive(0, order(Command.WRITE))
        adapter.take()
        assert adapter.receive(1, order(Command.WRITE)) is Step.CROSSES
        assert adapter.collision_count == count
        assert told(adapter) == [f"0 {GONE}", "0 WRITE WRITE"]
        adapter.receive(1, Order(RESET, State.NOT_READY))
        adapter.take()


def test_an_end_loses_what_crosses_and_holds_nothing_unless_it_says_so() -> None:
    adapter = Adapter()
    for end in (0, 1):
        adapter.attach(end)
    adapter.receive(0, order(Command.WRITE))
    adapter.take()
    assert adapter.receive(1, order(Command.WRITE)) is Step.CROSSES
    assert told(adapter) == []
    adapter.part()
    assert told(adapter) == [f"0 {GONE}", f"1 {GONE}"]
    adapter.rejoin()
    assert told(adapter) == [f"0 {READY}", f"1 {READY}"]  # and of no WRITE


@pytest.mark.parametrize("end", [0, 1])
def test_one_end_alone_is_parted_from_nobody_when_it_is_joined_again(end: int) -> None:
    adapter = Adapter()
    adapter.attach(end, holds=True)
    adapter.part()
    assert told(adapter) == [f"{end} {GONE}"]
    adapter.rejoin()
    assert told(adapter) == []


def rejoined(adapter: Adapter, *lost: Order) -> tuple[list[str], list[str]]:
    """What is told when the ends are parted, and when they are joined again."""
    adapter.take()
    adapter.part(lost)
    parted = told(adapter)
    adapter.rejoin()
    return parted, told(adapter)


def test_two_that_hold_hear_again_only_of_what_was_lost() -> None:
    write = order(Command.WRITE)
    again = [f"0 {READY}", f"1 {READY}", "1 WRITE WRITE"]
    adapter = joined("holds", "holds")
    assert rejoined(adapter) == ([], [f"0 {READY}", f"1 {READY}"])
    adapter.receive(0, write)
    assert rejoined(adapter) == ([], [f"0 {READY}"])
    assert rejoined(adapter, order(Command.WRITE)) == ([], [f"0 {READY}"])  # another one
    assert rejoined(adapter, write) == ([], again)
    one_holds = [f"0 {GONE}", f"1 {GONE}"]
    adapter = joined("holds")
    adapter.receive(0, write)
    assert rejoined(adapter) == (one_holds, again)


def test_two_that_hold_keep_what_was_told_when_it_ended_a_prepare_or_its_mate_came() -> None:
    adapter = joined("holds", "holds")
    adapter.receive(1, order(Command.PREPARE))
    assert adapter.receive(0, order(Command.WRITE)) is Step.RELEASES
    assert rejoined(adapter) == ([], [f"0 {READY}"])
    adapter = Adapter()
    adapter.attach(0, holds=True)
    adapter.receive(0, order(Command.WRITE))
    adapter.attach(1, holds=True)
    assert rejoined(adapter) == ([], [f"0 {READY}"])


def test_what_an_end_was_never_told_as_it_came_while_they_were_parted_is_told_then() -> None:
    adapter = joined("holds", "holds")
    adapter.receive(0, order(Command.WRITE))
    adapter.part()
    adapter.detach(1)
    adapter.attach(1, holds=True)
    adapter.take()
    adapter.rejoin()
    assert told(adapter) == [f"0 {READY}", f"1 {READY}", "1 WRITE WRITE"]


def test_what_has_ended_is_no_reason_to_hear_less_when_the_ends_are_joined_again() -> None:
    adapter = joined()
    adapter.receive(0, order(Command.WRITE))
    adapter.receive(1, order(Command.READ, waits=False))
    assert rejoined(adapter) == ([f"0 {GONE}", f"1 {GONE}"], [f"0 {READY}", f"1 {READY}"])


@pytest.mark.parametrize(
    ("reader", "waits", "step"),
    [
        ("", False, Step.ENDS_BOTH),  # it has read what it knew of
        ("", True, Step.HELD),  # it waits for what it has forgotten
        ("holds", True, Step.ENDS_BOTH),
    ],
)
def test_while_parted_an_order_meets_what_its_end_knows_that_waits_on(
    reader: str, waits: bool, step: Step
) -> None:
    adapter = joined(reader, "holds")
    adapter.receive(1, order(Command.WRITE))
    adapter.part()
    assert adapter.receive(0, order(Command.READ, waits=waits)) is step


def test_while_parted_nothing_meets_what_does_not_wait_on() -> None:
    adapter = joined()
    adapter.part()
    assert adapter.receive(1, order(Command.WRITE)) is Step.HELD
    assert adapter.receive(0, order(Command.READ, waits=False)) is Step.STALE
