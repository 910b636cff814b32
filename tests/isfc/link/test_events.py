"""What a client is told, in the order in which it happens."""

from ctc.address import Rdev
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkUp, Sent, Severed
from isfc.link.message import Message
from isfc.testing.pair import Pair, S, Setup


def kinds(pair: Pair) -> list[str]:
    """What the first side's program was told since the last time."""
    names = [type(event).__name__ for event in pair.first.events]
    pair.first.events.clear()
    return names


def test_story_of_a_link_of_two_ctcs() -> None:
    pair = Pair(Setup(ctc_count=2))
    assert kinds(pair) == ["DeviceChanged", "LinkUp", "DeviceChanged"]
    pair.send(pair.second, 100)
    pair.send(pair.first, 100)
    pair.expect_all_arrived()
    assert sorted(kinds(pair)) == ["Delivered", "Sent"]
    pair.unplug(0)
    assert kinds(pair) == ["DeviceChanged"]
    pair.unplug(1)
    assert kinds(pair) == ["DeviceChanged", "LinkDown"]
    pair.plug(1)
    pair.run(S)
    assert kinds(pair) == ["DeviceChanged", "LinkUp"]


def test_change_names_the_device_by_its_own_sides_number() -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.unplug(1)
    for side, rdev in ((pair.first, 0x6001), (pair.second, 0x7001)):
        change = side.events[-1]
        assert isinstance(change, DeviceChanged)
        assert (change.rdev, change.usable) == (rdev, False)


def test_sender_hears_that_its_messages_were_read_after_they_were() -> None:
    pair = Pair()
    pair.send(pair.first, 100, 200)
    pair.expect_all_arrived()
    sent = [event for event in pair.first.events if isinstance(event, Sent)]
    delivered = [event for event in pair.second.events if isinstance(event, Delivered)]
    assert [m.length for event in sent for m in event.messages] == [100, 200]
    assert [m.length for event in delivered for m in event.messages] == [100, 200]
    assert not pair.first.told(Delivered)
    assert not pair.second.told(LinkDown)
    assert pair.second.told(LinkUp) == 1


def test_events_show_what_they_say() -> None:
    events = (LinkUp(), LinkDown(), DeviceChanged(Rdev(0x6000), usable=False), Severed("gone"))
    assert str(events) == (
        "(LinkUp(), LinkDown(), DeviceChanged(rdev=6000, usable=False), Severed(reason='gone'))"
    )
    message = Message(1, 100)
    assert repr(Delivered([message])) == f"Delivered(messages=[{message!r}])"
    assert repr(Sent([message])) == f"Sent(messages=[{message!r}])"
