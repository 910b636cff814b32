"""Conversations: from messages to segments that may be packed, and back."""

import pytest

from isfc.errors import Backpressure
from isfc.link.conversations import Conversations
from isfc.link.message import Message, Traffic
from isfc.link.package import BACKLOG_LENGTH_MAX, Package, PackageLimit, Packager
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


def test_package_without_appc_is_given_back_as_it_is() -> None:
    here = End()
    here.send(100)
    package = here.packager.pack()
    assert isinstance(package, Package)
    assert here.conversations.end_write(package) is package.messages
