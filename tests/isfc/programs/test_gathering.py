"""Few bytes wait for those before them, and then go together (Nagle's rule)."""

from hypothesis import given
from hypothesis import strategies as st

from isfc.link.message import Traffic
from isfc.programs.limits import GATHERED_LENGTH
from tests.isfc.programs.dialogue import Dialogue


def sent_lengths(dialogue: Dialogue, *pieces: int) -> list[int]:
    """Send pieces one after the other without a pause; the messages that are handed over."""
    asking, _ = dialogue.connect()
    lengths = []
    for piece in pieces:
        assert asking.send(bytes(piece)) == piece
        for messages in dialogue.ends[0].board.messages():
            lengths += [message.length - 1 for message in messages]  # but for the verb
    return lengths


def test_first_bytes_go_immediately_and_few_more_wait_for_them() -> None:
    assert sent_lengths(Dialogue(), 10, 20, 30) == [10]


def test_many_bytes_do_not_wait() -> None:
    assert sent_lengths(Dialogue(), 10, GATHERED_LENGTH, GATHERED_LENGTH - 1, 1) == [
        10,
        GATHERED_LENGTH,
        GATHERED_LENGTH,
    ]


def test_what_waits_goes_in_one_message_once_the_partner_has_the_first() -> None:
    dialogue = Dialogue()
    asking, asked = dialogue.connect()
    board, before = dialogue.ends[0].board, dialogue.ends[1].link.counters.read_message_count
    for number in range(100):
        asking.send(bytes((number,)))
        dialogue.carry()
    dialogue.run_until(lambda: asked.arrived_length == 100)
    assert asked.poll_data(1_000) == bytes(range(100))
    assert dialogue.ends[1].link.counters.read_message_count - before == 2
    assert board.in_link_length == 0


def test_who_finishes_waits_for_nothing() -> None:
    dialogue = Dialogue()
    asking, _ = dialogue.connect()
    for data in (b"a", b"b"):
        asking.send(data)
        dialogue.ends[0].board.messages()
    asking.finish()
    (messages,) = dialogue.ends[0].board.messages()
    assert [bytes(message.data or b"")[1:] for message in messages] == [b"b", b""]


def test_request_does_not_wait_for_the_turn_before_it() -> None:
    dialogue = Dialogue()
    asking, _ = dialogue.connect(traffic=Traffic.LEGACY)
    asking.send(b"a")
    dialogue.ends[0].board.messages()
    asking.send(b"b")
    asking.pass_turn()
    (messages,) = dialogue.ends[0].board.messages()
    assert [bytes(message.data or b"")[1:] for message in messages] == [b"b"]


@given(st.lists(st.integers(0, 3 * GATHERED_LENGTH // 2), max_size=12), st.sampled_from(Traffic))
def test_all_bytes_arrive_in_order_however_they_are_cut(
    pieces: list[int], traffic: Traffic
) -> None:
    dialogue = Dialogue()
    asking, asked = dialogue.connect(traffic=traffic)
    text = b"".join(bytes((number,)) * piece for number, piece in enumerate(pieces))
    begin = 0
    received = b""
    while begin < len(text) or len(received) < len(text):
        begin += asking.send(text[begin : begin + 70_000])
        dialogue.carry()
        dialogue.run(100_000)
        received += asked.poll_data(len(text))
        dialogue.carry()
    assert received == text
