"""What is added first is taken first, in whatever order adding and taking alternate."""

from collections import deque

from hypothesis import example, given
from hypothesis import strategies as st

from ctc.queues import Fifo


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
