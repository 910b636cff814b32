"""Small pieces of a conversation wait for each other while earlier ones are on their way."""

from isfc.programs.conversation import UNDER_WAY_MAX
from isfc.programs.protocol import GATHERED_LENGTH, ConversationLimits, Verb
from tests.isfc.programs.test_conversation import Joined, poll

DATA = bytes((Verb.DATA,))


def test_small_pieces_are_not_due_before_what_went_ahead_is_confirmed_or_they_are_many() -> None:
    joined = Joined(limits=ConversationLimits()).open()
    a, due = joined.a, joined.registers[0].due

    def said() -> list[bytes | None]:
        messages = []
        while due:
            messages.append(poll(due.take()))
        return messages

    for _ in range(UNDER_WAY_MAX):
        a.send(b"ahead")
        assert said() == [DATA + b"ahead", None]
    a.send(b"small")
    assert said() == []
    a.note_sent()
    assert said() == [DATA + b"small", None]
    a.send(bytes(GATHERED_LENGTH - 1))
    assert said() == []
    a.send(b"x")
    assert said() == [DATA + bytes(GATHERED_LENGTH - 1) + b"x", None]
