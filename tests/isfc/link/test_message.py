"""What programs hand to ISFC."""

from isfc.link.message import Message, Traffic


def test_new_message_is_whole_unnumbered_transport_without_data() -> None:
    message = Message(3, 100)
    assert (message.conversation, message.length) == (3, 100)
    assert (message.traffic, message.data) == (Traffic.TRANSPORT, None)
    assert (message.serial, message.more) == (0, False)


def test_message_shows_what_tells_it_from_others() -> None:
    message = Message(3, 100)
    message.serial = 7
    assert repr(message) == "Message(3:7 100 B)"
    message.more = True
    assert repr(message) == "Message(3:7 100 B+)"
