"""An agenda is in the order of time; a FIFO gives first what was added first."""

from collections import deque

from hypothesis import example, given
from hypothesis import strategies as st

from ctc.queues import NEVER_NS, Agenda, Fifo

times = st.lists(st.integers(0, 20), max_size=30)


def filled(times_ns: list[int]) -> Agenda[tuple[int, int]]:
    """An agenda of those times, each entry its time and its place among them."""
    agenda: Agenda[tuple[int, int]] = Agenda()
    for place, at_ns in enumerate(times_ns):
        agenda.add(at_ns, (at_ns, place))
    return agenda


def drained(agenda: Agenda[tuple[int, int]]) -> list[tuple[int, int]]:
    """Everything, taken one by one, each when it is said to be due."""
    entries = []
    while agenda.due_ns < NEVER_NS:
        due_ns = agenda.due_ns
        entries.append(agenda.pop())
        assert entries[-1][0] == due_ns
    return entries


@given(times)
def test_first_in_time_comes_first_and_of_equals_what_was_added_first(times_ns: list[int]) -> None:
    assert drained(filled(times_ns)) == sorted(zip(times_ns, range(len(times_ns)), strict=True))


@given(times, times)
def test_what_is_added_later_is_behind_what_is_due_at_the_same_time(
    early_ns: list[int], late_ns: list[int]
) -> None:
    agenda = filled(early_ns)
    taken = [agenda.pop() for _ in early_ns[::2]]
    for place, at_ns in enumerate(late_ns, 100):
        agenda.add(at_ns, (at_ns, place))
    expected = sorted(zip(early_ns, range(len(early_ns)), strict=True))
    assert taken == expected[: len(taken)]
    added = zip(late_ns, range(100, 100 + len(late_ns)), strict=True)
    assert drained(agenda) == sorted([*expected[len(taken) :], *added])


@given(times, st.integers(0, 10))
def test_entries_are_shown_in_their_order_whatever_has_been_taken(
    times_ns: list[int], taken_count: int
) -> None:
    agenda, expected = filled(times_ns), drained(filled(times_ns))
    for _ in expected[:taken_count]:
        agenda.pop()
    assert agenda.entries() == [(entry[0], entry) for entry in expected[taken_count:]]


@given(times, st.integers(0, 10))
@example([1, 2], 1)
def test_what_is_put_first_is_first(times_ns: list[int], taken_count: int) -> None:
    agenda, expected = filled(times_ns), drained(filled(times_ns))
    for _ in expected[:taken_count]:
        agenda.pop()
    agenda.put_first(0, (0, -1))
    assert agenda.entries()[0] == (0, (0, -1))
    assert drained(agenda) == [(0, -1), *expected[taken_count:]]


@given(times, st.integers(0, 20))
def test_what_is_dropped_is_gone_and_the_others_keep_their_order(
    times_ns: list[int], gone_ns: int
) -> None:
    agenda, expected = filled(times_ns), drained(filled(times_ns))
    agenda.drop(lambda entry: entry[0] == gone_ns)
    assert drained(agenda) == [entry for entry in expected if entry[0] != gone_ns]


def test_what_is_taken_out_comes_with_its_time() -> None:
    agenda: Agenda[str] = Agenda()
    for at_ns, entry in ((3, "c"), (1, "a"), (2, "b")):
        agenda.add(at_ns, entry)
    assert agenda.take(lambda entry: entry != "b") == [(1, "a"), (3, "c")]
    assert agenda.due_ns == 2
    assert agenda.pop() == "b"


@given(st.lists(st.integers(-2, 3), max_size=200))
@example([-1, -1, -1, 1])  # the second of three is looked at
def test_queue_does_what_a_deque_does(steps: list[int]) -> None:
    queue: Fifo[int] = Fifo()
    expected: deque[int] = deque()
    for number, step in enumerate(steps):
        if step < 0:
            queue.add(number)
            expected.append(number)
        elif step <= len(expected) and step != 1:
            assert queue.take(step) == [expected.popleft() for _ in range(step)]
        elif expected:
            assert [queue.look(place) for place in range(len(queue))] == list(expected)
            assert queue.peek() == expected[0]
            assert queue.pop() == expected.popleft()
        assert (list(queue), len(queue), bool(queue)) == (
            list(expected), len(expected), bool(expected)
        )  # fmt: skip


def test_queue_that_is_never_empty_grows_no_further() -> None:
    queue: Fifo[int] = Fifo()
    queue.add(0)
    for number in range(1, 1_000):
        queue.add(number)
        assert queue.pop() == number - 1
    assert len(queue._places) <= 4  # noqa: SLF001  # its memory is what this is about


def test_what_is_taken_is_not_kept() -> None:
    queue: Fifo[object] = Fifo()
    for _ in range(4):
        queue.add(object())
    queue.pop()
    queue.take(2)
    assert queue._places[:3] == [None] * 3  # noqa: SLF001  # its memory is what this is about
