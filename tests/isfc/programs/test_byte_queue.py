"""A queue of bytes, whatever the pieces."""

from hypothesis import given
from hypothesis import strategies as st

from isfc.programs.byte_queue import GATHERED_LENGTH, LONG_LENGTH, SMALL_LENGTH, ByteQueue

lengths = st.one_of(
    st.integers(0, 20),
    st.sampled_from([SMALL_LENGTH - 1, SMALL_LENGTH, LONG_LENGTH, GATHERED_LENGTH]),
    st.integers(0, 100_000),
)


@given(st.lists(st.tuples(st.booleans(), lengths), max_size=40))
def test_what_is_added_is_taken_in_its_order(steps: list[tuple[bool, int]]) -> None:
    queue, added, taken = ByteQueue(), bytearray(), bytearray()
    for adds, length in steps:
        if adds:
            piece = bytes((len(added) + i) % 251 for i in range(length % 5_000)) * 8
            queue.add(memoryview(piece) if length % 2 else piece)
            added += piece
        elif length % 3:
            data = queue.take(length)
            assert len(data) <= length
            assert bool(data) == bool(length and len(added) > len(taken))
            taken += data
        else:
            length = min(length, queue.length)
            data = queue.take_behind(b"verb", length)
            assert data[:4] == b"verb"
            assert len(data) == 4 + length
            taken += data[4:]
        assert queue.length == len(added) - len(taken)
        assert added.startswith(taken)
    queue.clear()
    assert queue.take(1) == b""


def test_a_long_piece_is_not_copied() -> None:
    queue, piece = ByteQueue(), bytes(LONG_LENGTH)
    for each in (piece, b"short", piece):
        queue.add(each)
    assert queue.take(10**6) is piece
    assert queue.take(10**6) == b"short" + piece


def test_what_is_taken_uncopied_is_one_long_piece_or_what_is_before_it() -> None:
    queue, piece = ByteQueue(), bytes(GATHERED_LENGTH)
    for each in (piece, b"short", b"and", piece, b"end"):
        queue.add(each)
    assert queue.take_uncopied(10**6) is piece
    assert queue.take_uncopied(10**6) == b"shortand"
    part = queue.take_uncopied(1_000)
    assert isinstance(part, memoryview)
    assert part.obj is piece
    assert bytes(part) == piece[:1_000]
    assert queue.take_uncopied(10**6) == piece[1_000:] + b"end"


def test_many_short_pieces_are_a_few_objects() -> None:
    queue = ByteQueue()
    for number in range(100_000):
        queue.add(number.to_bytes(2, "big") if number < 65_536 else b"xy")
    assert len(queue._pieces) <= 200_000 // GATHERED_LENGTH  # noqa: SLF001  # what it is for
    assert queue.take_behind(b"", 4) == b"\0\0\0\1"
