"""Every message that is changed, lost or doubled on its way is found, and no other."""

from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.engine.virtual import VirtualEngine
from isfc.link.events import Delivered, LinkDown, LinkEvent, LinkUp, Offer, Sent, Severed
from isfc.link.message import Message, Traffic
from isfc.programs.protocol import SeverCode
from isfc.programs.verification import TRAILER_LENGTH, Filling, VerificationError, Verifying, filler
from isfc.system.system import Send, System
from isfc.testing.pair import MS, Setup
from isfc.testing.strategies import setups, traffics
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.workload import find_workload
from tests.isfc.programs.dialogue import Dialogue


class Notes:
    """A program that sends what it is told to and notes what it hears."""

    def __init__(self, *messages: Message) -> None:
        self.messages = messages
        self.events: list[LinkEvent] = []

    def start(self, now_ns: int) -> Iterable[Offer]:
        return [(now_ns, self.messages)] if self.messages else ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        self.events.append(event)
        return ()

    def heard(self) -> list[tuple[int, int, bytes | memoryview | None]]:
        return [
            (m.conversation, m.length, None if m.data is None else bytes(m.data))
            for event in self.events
            if isinstance(event, Delivered)
            for m in event.messages
        ]


def sealed(*texts: bytes, conversation: int = 4) -> list[Message]:
    """Messages as one verifying end sends them."""
    messages = [Message(conversation, len(text), Traffic.TRANSPORT, text) for text in texts]
    return Verifying(Notes()).seal(messages)


def deliver(messages: Iterable[Message]) -> tuple[Verifying, Notes]:
    notes = Notes()
    verifying = Verifying(notes)
    assert list(verifying.receive(Delivered(list(messages)), 0)) == []
    return verifying, notes


def counts(verifying: Verifying) -> tuple[int, int, int, int]:
    return (
        verifying.verified_count,
        verifying.changed_count,
        verifying.lost_count,
        verifying.doubled_count,
    )


def test_intact_messages_pass_as_they_were() -> None:
    verifying, notes = deliver(sealed(b"one", b"", b"three"))
    assert notes.heard() == [(4, 3, b"one"), (4, 0, b""), (4, 5, b"three")]
    assert counts(verifying) == (3, 0, 0, 0)
    verifying.expect_intact()


@given(st.binary(max_size=40), st.data())
def test_any_changed_byte_is_found(text: bytes, data: st.DataObject) -> None:
    (message,) = sealed(text)
    assert message.data is not None
    changed = bytearray(message.data)
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    message.data = bytes(changed)
    verifying, notes = deliver([message])
    assert counts(verifying) == (0, 1, 0, 0)
    assert notes.heard() == [(4, len(text), None)]
    with pytest.raises(VerificationError, match=r"changed 1, lost 0, doubled 0, .*: changed"):
        verifying.expect_intact()


@pytest.mark.parametrize("data", [None, b"", b"short"])
def test_message_without_trailer_is_a_changed_one(data: bytes | None) -> None:
    verifying, notes = deliver([Message(4, len(data or b""), Traffic.TRANSPORT, data)])
    assert counts(verifying) == (0, 1, 0, 0)
    assert notes.heard() == [(4, 0, None)]


def test_lost_messages_are_counted_and_leave_one_without_data_in_their_place() -> None:
    first, _, _, fourth = sealed(b"1", b"2", b"3", b"4")
    verifying, notes = deliver([first, fourth])
    assert counts(verifying) == (2, 0, 2, 0)
    assert notes.heard() == [(4, 1, b"1"), (4, 0, None), (4, 1, b"4")]
    with pytest.raises(VerificationError, match="number 3, when 1 was due"):
        verifying.expect_intact()


def test_doubled_message_is_dropped() -> None:
    first, second = sealed(b"1", b"2")
    verifying, notes = deliver([first, second, first])
    assert counts(verifying) == (2, 0, 0, 1)
    assert notes.heard() == [(4, 1, b"1"), (4, 1, b"2")]
    with pytest.raises(VerificationError, match="number 0 again, when 2 was due"):
        verifying.expect_intact()


def test_conversations_are_counted_apart_and_one_that_was_changed_leaves_the_rest() -> None:
    mixed = [*sealed(b"a", b"b", b"c", conversation=1), *sealed(b"d", b"e", conversation=3)]
    mixed[1].data = bytes(13)
    mixed[4].conversation = 6  # in the wrong conversation it is a changed one
    assert counts(deliver(mixed)[0]) == (3, 2, 0, 0)


def test_counts_restart_when_the_link_does() -> None:
    verifying, notes = deliver(sealed(b"1", b"2"))
    verifying.seal([Message(5, 1)])
    verifying.receive(Severed("the partner restarted"), 0)
    verifying.receive(Delivered(sealed(b"1")), 0)
    assert counts(verifying) == (3, 0, 0, 0)
    assert isinstance(notes.events[1], Severed)
    (again,) = verifying.seal([Message(5, 1)])
    (first,) = Verifying(Notes()).seal([Message(5, 1)])
    assert again.data == first.data


def test_program_hears_of_its_own_messages_as_it_sent_them() -> None:
    notes = Notes(Message(4, 100), Message(6, 3, Traffic.TRANSPORT, b"abc"))
    verifying = Verifying(notes)
    ((_, messages),) = verifying.start(0)
    assert [m.length for m in messages] == [100 + TRAILER_LENGTH, 3 + TRAILER_LENGTH]
    list(verifying.receive(Sent(list(messages)), 0))
    (event,) = notes.events
    assert isinstance(event, Sent)
    assert [(m.conversation, m.length) for m in event.messages] == [(4, 100), (6, 3)]
    verifying.receive(LinkUp(), 0)
    assert isinstance(notes.events[1], LinkUp)


@given(st.integers(0, 600_000), traffics)
def test_message_without_data_gets_bytes_of_its_length(length: int, traffic: Traffic) -> None:
    messages = Verifying(Notes()).seal([Message(4, length, traffic)] * 2)
    for message in messages:
        assert message.data is not None
        assert len(message.data) == message.length == length + TRAILER_LENGTH
        assert message.traffic is traffic
    verifying, notes = deliver(messages)
    assert counts(verifying) == (2, 0, 0, 0)
    assert [heard[1] for heard in notes.heard()] == [length, length]


@pytest.mark.parametrize("name", ["HL", "HS", "CDU:300000"])
def test_benchmark_guests_run_verified(name: str) -> None:
    setup = Setup(ctc_count=4, roundtrip=True)
    workload, costs = find_workload(name), GuestCosts()
    ends = [
        Verifying(Clients(workload, 5, costs, Random(1))),
        Verifying(Servers(workload, 5, costs)),
    ]
    engine = VirtualEngine([System([setup.definition(here)]) for here in (0, 1)], ends)
    engine.run(200 * MS)
    for end in ends:
        end.expect_intact()
        assert end.verified_count > 20


@given(setups(ctc_counts=st.integers(2, 4)), st.integers(0, 2**32).map(Random), traffics)
def test_conversations_run_verified_whatever_ctcs_are_unplugged(
    setup: Setup, random: Random, traffic: Traffic
) -> None:
    dialogue = Dialogue(setup, verified=True)
    text = random.randbytes(30_000)
    asking, asked = dialogue.connect(traffic=traffic)
    received = bytearray()
    sent = 0
    rdevs = list(dialogue.ends[0].link.ctcs)
    while sent < len(text):
        sent += asking.send(text[sent : sent + 4_000])
        dialogue.carry()
        rdev = random.choice(rdevs)
        dialogue.engine.unplug(rdev)
        dialogue.run(random.randrange(2 * MS))
        dialogue.engine.plug(rdev)
        received += asked.poll_data(10_000)
    asking.finish()
    dialogue.run_until(lambda: asked.partner_finished)
    received += asked.poll_data(100_000)
    assert received == text
    for end in dialogue.ends:
        end.verifying.expect_intact()
    # what is sent while something is under way goes in one message; CONNECT, DATA, FINISH remain
    assert dialogue.ends[1].verifying.verified_count >= 3


def test_changed_message_severs_its_conversation() -> None:
    dialogue = Dialogue(verified=True)
    asking, asked = dialogue.connect()
    asking.send(b"text")
    ((message,),) = dialogue.ends[0].board.messages()
    (message,) = dialogue.ends[0].verifying.seal([message])
    assert message.data is not None
    message.data = bytes(message.data).replace(b"text", b"next")
    dialogue.ends[0].system.apply(Send([message]), dialogue.engine.now_ns)
    dialogue.engine.drain()
    dialogue.run_until(lambda: asking.over and asked.over)
    assert asked.reason is not None
    assert asked.reason.code is SeverCode.PROTOCOL
    assert dialogue.ends[1].verifying.changed_count == 1


@pytest.mark.parametrize("length", [0, 1, 250, 251, 252, 100_000, 3_000_000, 5])
def test_a_filler_has_the_length_and_goes_on_from_its_place(length: int) -> None:
    assert bytes(filler(length)) == bytes(i % 251 for i in range(length))
    assert bytes(filler(length, 700)) == bytes((700 + i) % 251 for i in range(length))


class _Talker:
    def start(self, now_ns: int) -> Iterable[Offer]:
        return [(now_ns, [Message(1, 10), Message(1, 3, data=b"abc")])]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        assert isinstance(event, LinkDown)
        return [(now_ns + 5, [Message(2, 20)])]


def test_only_messages_without_data_are_filled() -> None:
    program = Filling(_Talker())
    ((at_ns, (empty, own)),) = program.start(7)
    assert (at_ns, bytes(empty.data or b""), own.data) == (7, bytes(range(10)), b"abc")
    ((at_ns, (answer,)),) = program.receive(LinkDown(), 7)
    assert (at_ns, bytes(answer.data or b"")) == (12, bytes(range(20)))
