"""Conversations: from messages to segments that may be packed, and back."""

import pytest

from isfc.errors import Backpressure, RemoteProtocolError
from isfc.link.conversations import APPC_SEGMENT_LENGTH_MAX, OWED_MAX, AppcFlow, Conversations
from isfc.link.message import Message, Traffic
from isfc.link.package import BACKLOG_LENGTH_MAX, PackageLimit, Packager
from isfc.link.segment import SEGMENT_LENGTH_MAX


class End:
    """Conversations, and the backlog that is packed of them."""

    def __init__(self) -> None:
        self.packager = Packager(PackageLimit(10**9))
        self.conversations = Conversations(self.packager)

    def send(self, length: int, traffic: Traffic = Traffic.TRANSPORT) -> None:
        """Let a message wait, as far as it may."""
        self.conversations.send(Message(0, length, traffic))


def carry(sender: End, receiver: End) -> tuple[list[int], list[int]]:
    """Carry all that waits in one package: lengths sent, and of messages that are whole then."""
    package = sender.packager.pack()
    sent = sender.conversations.end_write(package)
    whole = receiver.conversations.receive(package)
    return [message.length for message in sent], [message.length for message in whole]


def test_long_transport_message_is_cut_and_joined_again() -> None:
    here, there = End(), End()
    here.send(SEGMENT_LENGTH_MAX + 5)
    here.send(7)
    assert carry(here, there) == ([SEGMENT_LENGTH_MAX, 5, 7], [SEGMENT_LENGTH_MAX + 5, 7])
    assert not there.packager  # ISFC Transport acknowledges nothing


def test_appc_message_waits_for_the_acknowledgement_of_each_segment() -> None:
    here, there = End(), End()
    here.send(40_000, Traffic.LEGACY)
    assert carry(here, there) == ([32_768], [])
    assert not here.packager
    assert there.conversations.appc.owed_count == 1
    assert carry(there, here) == ([], [])  # an acknowledgement is no message
    assert there.conversations.appc.owed_count == 0
    assert carry(here, there) == ([7_232], [40_000])
    assert (here.conversations.appc.count, there.conversations.appc.count) == (3, 3)


def test_package_that_comes_twice_is_delivered_once() -> None:
    here, there = End(), End()
    here.send(100)
    package = here.packager.pack()
    assert here.conversations.end_write(package) is package.messages  # as it is, without APPC/VM
    assert [m.length for m in there.conversations.receive(package)] == [100]
    assert there.conversations.receive(package) == []


def test_messages_are_numbered_in_the_order_in_which_they_are_sent() -> None:
    here = End()
    for conversation in (0, 1, 0):
        here.conversations.send(Message(conversation, 1))
    assert [message.serial for message in here.packager.pack().messages] == [0, 0, 1]


def test_room_is_less_what_waits_for_acknowledgements_too() -> None:
    here = End()
    here.send(40_000, Traffic.LEGACY)
    assert here.conversations.room == BACKLOG_LENGTH_MAX - 40_000
    here.conversations.reserve([Message(0, BACKLOG_LENGTH_MAX - 40_000)])
    with pytest.raises(Backpressure):
        here.conversations.reserve([Message(0, BACKLOG_LENGTH_MAX - 40_000), Message(1, 1)])


@pytest.fixture
def flow() -> AppcFlow:
    return AppcFlow()


def message(length: int, conversation: int = 0) -> Message:
    return Message(conversation, length, Traffic.LEGACY)


def sent(flow: AppcFlow, conversation: int = 0) -> list[int]:
    """The lengths of what follows, each acknowledged until nothing waits."""
    lengths = []
    while segments := flow.acknowledge(conversation):
        lengths += [segment.length for segment in segments]
    return lengths


@pytest.mark.parametrize("length", [0, 1, APPC_SEGMENT_LENGTH_MAX])
def test_short_message_goes_at_once_and_whole(flow: AppcFlow, length: int) -> None:
    short = message(length)
    assert flow.send(short) is short
    assert not short.more
    assert flow.waiting_length == 0


def test_long_message_goes_one_segment_for_each_acknowledgement(flow: AppcFlow) -> None:
    first = flow.send(message(100_000))
    assert first is not None
    assert (first.length, first.more) == (APPC_SEGMENT_LENGTH_MAX, True)
    assert flow.waiting_length == 100_000 - APPC_SEGMENT_LENGTH_MAX
    segments = [flow.acknowledge(0) for _ in range(3)]
    assert [[(s.length, s.more) for s in released] for released in segments] == [
        [(32_768, True)],
        [(32_768, True)],
        [(1_696, False)],
    ]
    assert flow.waiting_length == 0
    assert flow.acknowledge(0) == []


def test_conversation_keeps_its_order_and_does_not_hold_up_another(flow: AppcFlow) -> None:
    flow.send(message(50_000))
    assert flow.send(message(10)) is None
    assert flow.send(message(20)) is None
    assert flow.send(message(70_000)) is None
    other = message(30, conversation=1)
    assert flow.send(other) is other
    # what is whole is not acknowledged, so it does not stop what follows it
    assert [s.length for s in flow.acknowledge(0)] == [17_232, 10, 20, 32_768]
    assert sent(flow) == [32_768, 4_464]


def test_nothing_more_is_sent_of_a_conversation_that_is_over(flow: AppcFlow) -> None:
    flow.send(message(100_000))
    flow.send(message(100_000, conversation=1))
    flow.forget(0)
    flow.forget(99)  # which never was
    assert flow.waiting_length == 100_000 - APPC_SEGMENT_LENGTH_MAX
    assert sent(flow) == []
    assert sum(sent(flow, 1)) == 100_000 - APPC_SEGMENT_LENGTH_MAX


def test_partner_that_waits_for_no_acknowledgement_is_refused(flow: AppcFlow) -> None:
    flow.owed_count = OWED_MAX - 1
    asked = flow.receive(7)
    assert (asked.conversation, asked.length, asked.traffic) == (7, 0, Traffic.LEGACY)
    assert asked.acknowledges
    assert not message(0).acknowledges
    with pytest.raises(RemoteProtocolError, match="segments not acknowledged"):
        flow.receive(0)
