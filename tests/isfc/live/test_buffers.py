"""Buffers are used again, but never while somebody holds a view."""

from isfc.live.buffers import KEPT_LENGTH, KEPT_MAX, Buffers


def memory(view: memoryview) -> object:
    """The memory a view is of."""
    return view.obj


def test_a_buffer_is_used_again_when_its_last_view_is_gone() -> None:
    buffers = Buffers()
    view = buffers.take(100)
    part, first = view[10:20], memory(view)
    del view
    other = buffers.take(100)
    assert memory(other) is not first
    del part
    assert memory(buffers.take(200)) is first
    assert memory(other) is not first


def test_a_buffer_has_the_length_that_was_asked_for_every_time() -> None:
    buffers = Buffers()
    for length in (70_000, KEPT_LENGTH, 1, KEPT_LENGTH, KEPT_LENGTH + 1, 5):
        view = buffers.take(length)
        view[-1] = 1
        assert len(view) == length
        del view


def test_what_is_held_stays_as_it_was() -> None:
    buffers = Buffers()
    held = []
    for value in range(2 * KEPT_MAX):
        view = buffers.take(64)
        view[:] = bytes([value]) * 64
        held.append(view)
    assert [bytes(view) for view in held] == [bytes([v]) * 64 for v in range(2 * KEPT_MAX)]


def test_no_more_are_kept_than_allowed() -> None:
    buffers = Buffers()
    held = [buffers.take(64) for _ in range(KEPT_MAX + 3)]
    lengths = [len(bytes(view.obj)) for view in held]
    assert lengths == [KEPT_LENGTH] * KEPT_MAX + [64] * 3


def test_those_that_are_held_stay_when_the_free_ones_are_dropped() -> None:
    buffers = Buffers()
    held, free = buffers.take(64), buffers.take(64)
    first = memory(held)
    del free
    buffers.drop_free()
    del held
    assert memory(buffers.take(64)) is first
    buffers.drop_free()
    assert memory(buffers.take(64)) is not first


def test_a_longer_one_is_not_kept() -> None:
    buffers = Buffers()
    assert len(bytes(buffers.take(KEPT_LENGTH + 1).obj)) == KEPT_LENGTH + 1
    assert len(bytes(buffers.take(KEPT_LENGTH).obj)) == KEPT_LENGTH
