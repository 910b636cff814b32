"""What a client is told, in the order in which it happens; traces and watches of it."""

import pytest

from ctc.address import Rdev
from ctc.queues import NEVER_NS
from isfc.link.events import (
    Delivered,
    DeviceChanged,
    DigestSink,
    LinkDown,
    LinkUp,
    ListSink,
    Sent,
    Severed,
    TraceRecord,
)
from isfc.link.link_ctc import Deadlines, LinkCtc
from isfc.link.message import Message
from isfc.link.scan import LinkDevice
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


RECORDS: list[TraceRecord] = [
    (10, "ATLANTA", 0x6000, "WRITE", 1),
    (20, "BOSTON", 0x7000, "Attention", 0),
]


def digest(*records: TraceRecord) -> str:
    sink = DigestSink()
    for record in records:
        sink(record)
    return sink.hexdigest()


def test_list_keeps_every_record_and_a_digest_depends_on_each_and_on_their_order() -> None:
    sink = ListSink()
    for record in RECORDS:
        sink(record)
    assert sink.records == RECORDS
    assert digest(*RECORDS) == digest(*RECORDS)
    others = [RECORDS[:1], RECORDS[::-1], [*RECORDS, RECORDS[0]], []]
    changed = [(11, *RECORDS[0][1:]), RECORDS[1]]
    assert len({digest(*records) for records in [RECORDS, *others, changed]}) == 6
    # of text, not of hash(), so that it is the same in any process
    told = "f8e74067e2bc2cbd79862617ccd2c3d03460b8e79b9837b732ad154c3d3714b5"
    assert digest(RECORDS[0]) == told


def test_trace_tells_the_story_of_one_package() -> None:
    pair = Pair()
    for side in pair.sides:
        side.trace.records.clear()
    pair.send(pair.first, 100)
    pair.expect_all_arrived()
    story = sorted(pair.first.trace.records + pair.second.trace.records, key=lambda r: r[0])
    assert [(node, rdev, verb) for _, node, rdev, verb, _ in story] == [
        ("ATLANTA", 0x6000, "WRITE"),
        ("BOSTON", 0x7000, "Attention"),
        ("BOSTON", 0x7000, "SENSE_COMMAND_BYTE"),
        ("BOSTON", 0x7000, "Ended"),
        ("BOSTON", 0x7000, "READ"),
        ("ATLANTA", 0x6000, "Ended"),  # it has nothing left to do; the reader has still to store
        ("BOSTON", 0x7000, "Ended"),
    ]


@pytest.fixture
def ctcs() -> list[LinkCtc]:
    return [LinkCtc(LinkDevice(Rdev(rdev), Rdev(rdev))) for rdev in range(3)]


def test_those_whose_time_has_come_are_told_once(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    assert watch.due_ns == NEVER_NS
    assert watch.poll_due(10**18) == []
    for ctc, due_ns in zip(ctcs, (30, 10, 20), strict=True):
        watch.begin(ctc, due_ns)
    assert watch.due_ns == 10
    assert watch.poll_due(20) == [ctcs[1], ctcs[2]]
    assert watch.due_ns == 30
    assert watch.poll_due(29) == []
    assert watch.poll_due(30) == [ctcs[0]]
    assert watch.due_ns == NEVER_NS


def test_a_wait_ends_said_or_unsaid_and_a_new_one_takes_its_place(ctcs: list[LinkCtc]) -> None:
    watch = Deadlines(ctcs)
    for ctc, due_ns in zip(ctcs, (10, 20, 30), strict=True):
        watch.begin(ctc, due_ns)
    watch.end(ctcs[0])
    assert watch.due_ns == 20
    ctcs[1].due_ns = NEVER_NS  # as every I/O does that ends in time
    assert watch.due_ns <= 20
    assert watch.poll_due(20) == []
    watch.begin(ctcs[2], 50)
    assert watch.poll_due(30) == []
    assert watch.poll_due(50) == [ctcs[2]]
    assert watch.due_ns == NEVER_NS
