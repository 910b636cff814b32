"""The trace: everything in order, or only its digest."""

from isfc.link.events import DigestSink, ListSink, TraceRecord
from isfc.testing.pair import Pair

RECORDS: list[TraceRecord] = [
    (10, "ATLANTA", 0x6000, "WRITE", 1),
    (20, "BOSTON", 0x7000, "Attention", 0),
]


def digest(*records: TraceRecord) -> str:
    sink = DigestSink()
    for record in records:
        sink(record)
    return sink.hexdigest()


def test_list_keeps_every_record() -> None:
    sink = ListSink()
    for record in RECORDS:
        sink(record)
    assert sink.records == RECORDS


def test_digest_depends_on_every_record_and_on_their_order() -> None:
    assert digest(*RECORDS) == digest(*RECORDS)
    others = [RECORDS[:1], RECORDS[::-1], [*RECORDS, RECORDS[0]], []]
    changed = [(11, *RECORDS[0][1:]), RECORDS[1]]
    assert len({digest(*records) for records in [RECORDS, *others, changed]}) == 6


def test_digest_does_not_depend_on_the_process() -> None:
    # hashed from text, not by hash()
    assert digest(RECORDS[0]) == (
        "f8e74067e2bc2cbd79862617ccd2c3d03460b8e79b9837b732ad154c3d3714b5"
    )


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
