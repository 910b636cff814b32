"""MONWRITE files become measurements, with a layout of the records that are not public here.

The files are written by these tests: no real one was tried.
"""

from pathlib import Path
from struct import pack

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.measured.figures import Reading
from isfc.measured.file import read_measurements
from isfc.measured.measurement import Measurement, table_rows
from isfc.measured.monitor_records import read_layouts
from isfc.measured.seen import seen_link
from isfc.measured.table import read_csv, read_json
from tests.isfc.measured import monwrite_file as mw

RDEVS = ["6000", "6001"]
MINUTE = 60


def a_file() -> bytes:
    """A configuration, three samples a minute apart, and a change between the last two."""
    mb = 2**20
    return b"".join(
        (
            mw.sample(0, mw.configured(0, "BOSTON", RDEVS)),
            # 0120 is a disk: of no link
            mw.sample(
                1,
                mw.device(1, 0x6000, 2**32 - 600, 0, 0, 2**32 - 1000),
                mw.device(1, 0x0120, 5, 5, 5, 5),
                mw.activity(1, "BOSTON", 100, 0, 50, 0, 10, 5, 0, 3),
            ),
            mw.sample(
                1 + MINUTE,
                mw.device(1 + MINUTE, 0x6000, 0, 2400, 4800, 50_000 - 1000),
                mw.device(1 + MINUTE, 0x0120, 6, 6, 6, 6),
                mw.activity(1 + MINUTE, "BOSTON", 700, 600 * mb, 350, 60 * mb, 130, 65, 120, 6),
            ),
            mw.events(70, mw.changed(70, 3, "6001", "BOSTON")),
            mw.sample(1 + 2 * MINUTE, mw.device(1 + 2 * MINUTE, 0x6000, 0, 2400, 4800, 49_000)),
        )
    )


def read(
    tmp_path: Path, data: bytes, layout: str = mw.LAYOUT_CSV, reading: Reading | None = None
) -> list[Measurement]:
    path, csv = tmp_path / "monitor.data", tmp_path / "layout.csv"
    path.write_bytes(data)
    csv.write_text(layout)
    return read_measurements([path], reading or Reading(), read_layouts(csv) if layout else [])


def refusal(tmp_path: Path, data: bytes, layout: str = mw.LAYOUT_CSV) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, data, layout)
    return str(caught.value)


def test_counters_of_two_samples_become_rates_of_their_interval(tmp_path: Path) -> None:
    first, second = read(tmp_path, a_file())
    assert (first.begin, first.end, first.zone) == (
        "2026-11-25T10:00:01",
        "2026-11-25T10:01:01",
        "UTC",
    )
    (device,) = first.devices
    # 600 SSCHs in a minute, over the end of a counter of 4 bytes; units of 128 us
    assert device.io_per_s == pytest.approx(10)
    assert device.pend_ms == pytest.approx(2400 * 0.128 / 600)
    assert device.disc_ms == pytest.approx(4800 * 0.128 / 600)
    assert device.conn_ms == pytest.approx(50_000 * 0.128 / 600)
    assert device.busy_percent == pytest.approx(100 * 57_200 * 128e-6 / 60)
    (link,) = first.links
    assert (link.partner, link.tx_pend_count, link.collisions_per_s) == ("BOSTON", 6, 2)
    assert (link.written.mb_per_s, link.read.mb_per_s) == (10, 1)
    assert (link.written.messages_per_s, link.written.packages_per_s) == (10, 2)
    assert link.written.bytes_per_package == 5 * 2**20
    (idle,) = second.devices
    assert (idle.io_per_s, idle.serv_ms, idle.busy_percent) == (0, None, 0)


def framed(data: bytes) -> list[bytes]:
    return [data[at : at + mw.FRAME] for at in range(0, len(data), mw.FRAME)]


def figures(found: list[Measurement]) -> set[tuple[object, ...]]:
    """What the rows say, wherever they stand."""
    return {
        (one.begin, one.end, each.rdev, each.io_per_s, each.serv_ms)
        for one in found
        for each in one.devices
        if each.rdev in (0x6000, 0x6001)
    } | {
        (one.begin, one.end, each.partner, each.written, each.read)
        for one in found
        for each in one.links
    }


def test_a_file_whose_frames_are_lost_doubled_or_swapped_gives_no_other_figures(
    tmp_path: Path,
) -> None:
    whole = figures(read(tmp_path, a_file()))
    frames = framed(a_file())
    for at in range(len(frames)):
        for other in (
            frames[:at] + frames[at + 1 :],
            frames[: at + 1] + frames[at:],
            [*frames[:at], *frames[at + 1 : at + 2], frames[at], *frames[at + 2 :]],
            frames[at:],
            frames[:at],
        ):
            try:
                found = figures(read(tmp_path, b"".join(other)))
            except ConfigurationError:
                continue
            # an interval over a lost sample is longer, and right
            times = {(begin, end) for begin, end, *_ in whole}
            assert {row for row in found if row[:2] in times} <= whole, at


def test_record_descriptor_words_and_a_begin_in_the_middle_are_no_hindrance(
    tmp_path: Path,
) -> None:
    frames = framed(a_file())
    words = b"".join(pack(">HH", mw.FRAME + 4, 0) + frame for frame in frames)
    assert figures(read(tmp_path, words)) == figures(read(tmp_path, a_file()))
    assert "has the file been cut?" in refusal(tmp_path, words[:-1000])
    reading = Reading()
    late = read(tmp_path, b"".join(frames[1:]), reading=reading)
    assert figures(late) == figures(read(tmp_path, a_file()))
    assert "begins in the middle: left out: 4096 bytes" in reading.notes[0]


@pytest.mark.parametrize("again", [{"counter": 5}, {"event": 1}])
def test_counters_that_begin_again_are_no_growth(tmp_path: Path, again: dict[str, int]) -> None:
    counters = [again.get("counter", 900)] * 8
    data = b"".join(
        (
            mw.sample(1, mw.activity(1, "BOSTON", *[100] * 8)),
            mw.events(30, mw.changed(30, again.get("event", 2), "6000", "BOSTON")),
            mw.sample(61, mw.activity(61, "BOSTON", *counters)),
            mw.sample(121, mw.activity(121, "BOSTON", *[each + 60 for each in counters])),
        )
    )
    reading = Reading()
    links = [link for one in read(tmp_path, data, reading=reading) for link in one.links]
    assert [link.written.messages_per_s for link in links] == [1]
    assert "D9R4 of BOSTON, whose counters begin again" in reading.notes[0]


def test_fields_that_overlap_are_refused(tmp_path: Path) -> None:
    layout = mw.LAYOUT_CSV.replace("SCGSSCH,24", "SCGSSCH,26")
    assert "expected fields that do not overlap" in refusal(tmp_path, a_file(), layout)


@pytest.mark.parametrize("offset", [22, 23, 25])
def test_a_number_that_is_not_aligned_is_refused(tmp_path: Path, offset: int) -> None:
    # with nothing of use behind it, as in the records of a release
    layout = mw.LAYOUT_CSV.replace("SCGSSCH,24", f"SCGSSCH,{offset}")
    layout = layout.replace("SCMFPTIM,28", "SCMFPTIM,40").replace("RDEVDEV,20,2", "RDEVDEV,20,1")
    assert "expected a multiple of 4, as numbers are aligned" in refusal(tmp_path, b"", layout)


def test_a_device_or_a_link_that_the_sample_before_does_not_have_is_left_out(
    tmp_path: Path,
) -> None:
    data = b"".join(
        (
            mw.sample(1, mw.device(1, 0x6000, 0, 0, 0, 0), mw.device(1, 0x6001, 0, 0, 0, 0)),
            mw.sample(61, mw.device(61, 0x6000, 60, 60, 60, 60)),
            mw.sample(
                121, mw.device(121, 0x6000, 120, 120, 120, 120), mw.device(121, 0x6001, 9, 9, 9, 9)
            ),
        )
    )
    reading = Reading()
    found = read(tmp_path, data, reading=reading)
    assert [[each.rdev for each in one.devices] for one in found] == [[0x6000], [0x6000]]
    assert "left out: D6R3 of 6001, as the sample before has none" in reading.notes[0]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("NODEID,20,8", "NODEID,20,4", "D9R4 names node BOST, and D1R24 BOSTON"),
        ("RDEVDEV,20,2", "RDEVDEV,22,2", "no D6R3 of the links' devices 6000, 6001"),
    ],
)
def test_records_that_name_others_than_the_configuration_are_told(
    tmp_path: Path, old: str, new: str, note: str
) -> None:
    samples = (
        mw.sample(at, mw.device(at, 0x6000, at, at, at, at), mw.activity(at, "BOSTON", *[at] * 8))
        for at in (1, 61)
    )
    data = b"".join((mw.sample(0, mw.configured(0, "BOSTON", RDEVS)), *samples))
    reading = Reading()
    read(tmp_path, data, mw.LAYOUT_CSV.replace(old, new), reading)
    assert note in reading.notes[0]


def test_what_is_no_name_of_a_node_is_refused(tmp_path: Path) -> None:
    data = b"".join(mw.sample(at, mw.activity(at, "BOS\0TON", *[at] * 8)) for at in (1, 61))
    message = refusal(tmp_path, data)
    assert "D9R4 ISFNOD_NODEID at 20: " in message
    assert "is its offset right?" in message


def test_the_configuration_and_its_changes_are_read_without_a_layout(tmp_path: Path) -> None:
    data = mw.sample(0, mw.configured(0, "BOSTON", RDEVS))
    data += mw.events(70, mw.changed(70, 3, "6001", "BOSTON"))
    (one,) = read(tmp_path, data, layout="")
    (link,) = one.configured
    assert (link.partner, link.rdevs) == ("BOSTON", (0x6000, 0x6001))
    assert str(one.changes[0]) == "2026-11-25T10:01:10 6001 to BOSTON: deactivate"


def test_a_change_and_an_unlike_layout_are_told(tmp_path: Path) -> None:
    _, second = read(tmp_path, a_file())
    notes = seen_link(load_layout("atlanta-boston"), second).notes()
    assert "changed in the interval: 2026-11-25T10:01:10 6001 to BOSTON: deactivate" in notes
    assert any("in the layout, but not configured: 6002, 6003" in note for note in notes)


def test_records_without_a_layout_are_refused_and_said_where_ibm_publishes_it(
    tmp_path: Path,
) -> None:
    message = refusal(tmp_path, a_file(), layout="")
    assert "monitor.data: 5 records D6R3, whose layout is not known here" in message
    assert "https://www.vm.ibm.com/pubs/mon730/MRIODDEV.HTML" in message
    assert "https://www.vm.ibm.com/pubs/mon730/MRISFNOD.HTML" in message
    reading = Reading(usable=True)
    (one,) = read(tmp_path, a_file(), "", reading)
    assert one.configured
    assert not one.devices
    assert len(reading.problems) == 2


def test_records_go_on_over_frames(tmp_path: Path) -> None:
    rdevs = range(0x6000, 0x6000 + 300)  # 40 bytes each: three frames
    samples = [
        mw.sample(at, *(mw.device(at, rdev, at, at, at, at) for rdev in rdevs)) for at in (1, 61)
    ]
    assert len(samples[0]) == 4 * mw.FRAME
    (one,) = read(tmp_path, b"".join(samples))
    assert [device.rdev for device in one.devices] == [*rdevs]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: data[:-100], "byte 36864: 3996 bytes of 1 frames of 4096"),
        (lambda data: data[: 5 * 4096 + 40] + b"\x7c" + data[5 * 4096 + 41 :], "no monitor record"),
        (lambda data: data[: 2 * 4096 + 40] + b"\x7c" + data[2 * 4096 + 41 :], "X'7C'"),
    ],
    ids=["cut", "no record", "no control record"],
)
def test_a_damaged_file_is_refused_by_its_byte(
    tmp_path: Path, change: object, problem: str
) -> None:
    assert callable(change)
    message = refusal(tmp_path, change(a_file()))
    assert "monitor.data, byte " in message
    assert problem in message


def test_binary_that_is_no_monwrite_file_is_told_how_one_is_sent(tmp_path: Path) -> None:
    translated = a_file().decode("cp037").encode("latin-1")
    assert "expected one sent as binary, in records of 4096 bytes" in refusal(tmp_path, translated)


def test_a_sample_that_no_record_ends_is_refused(tmp_path: Path) -> None:
    data = mw.sample(1, mw.device(1, 0x6000, 1, 1, 1, 1))
    cut = mw.frames(0xE2, 61, [mw.device(61, 0x6000, 2, 2, 2, 2)])
    assert "a sample without the record that ends it" in refusal(tmp_path, data + cut)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("SCGSSCH,24", "SCGSSCH,240", "of 40 bytes ends before IODDEV_SCGSSCH at 240"),
        ("SCGSSCH,24,4", "SCGSSCH,24,2", "6000 was connected, and no SSCH was counted"),
        ("128 us", "128 s", "Busy"),
    ],
)
def test_a_layout_of_another_release_is_noticed(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    data = b"".join(mw.sample(at, mw.device(at, 0x6000, at, at, at, at)) for at in (1, 61))
    message = refusal(tmp_path, data, mw.LAYOUT_CSV.replace(old, new))
    assert problem in message
    assert "monitor.data, byte " in message


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("field,", "name,", "layout.csv:1: no column field"),
        ("D6R3,IODDEV_RDEVDEV,20,2", "D6R3,IODDEV_RDEVDEV,x,2", "layout.csv:2: IODDEV_RDEVDEV at"),
        ("D6R3,IODDEV_RDEVDEV", "D7R3,IODDEV_RDEVDEV", "layout.csv:2: record D7R3; expected D6R3"),
        ("D6R3,IODDEV_RDEVDEV", "D6R3,IODDEV_OTHER", "D6R3 has no field for rdev"),
        ("written_packages", "packages", "layout.csv:12: quantity 'packages'; expected one of"),
        ("D9R4,SENT,60,8,unsigned,,written_packages\n", "", "no field for written_packages"),
        ("128 us", "ticks", "IODDEV_SCMFPTIM has no unit; expected one such as '128 us'"),
    ],
)
def test_a_bad_layout_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "layout.csv"
    path.write_text(mw.LAYOUT_CSV.replace(old, new))
    with pytest.raises(ConfigurationError) as caught:
        read_layouts(path)
    assert problem in str(caught.value)


def test_a_layout_of_one_record_is_named_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mrioddev_d6r3_v73.csv"
    rows = [line.partition(",")[2] for line in mw.LAYOUT_CSV.splitlines() if "D9R4" not in line]
    path.write_text("\n".join([*rows, "*,60,4,,,,"]))
    (layout,) = read_layouts(path)
    assert layout.record == "D6R3"
    assert layout.fields["pend_time"][0].unit_ns == 128_000


def test_the_neutral_table_keeps_configuration_and_changes(tmp_path: Path) -> None:
    import csv
    import io
    import json

    found = read(tmp_path, a_file())
    rows = [*table_rows(found)]
    assert {row["kind"] for row in rows} == {"device", "link", "configured", "change"}
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    assert [*table_rows(read_csv(text.getvalue(), "t.csv", Reading()))] == rows
    document = json.dumps({"measurements": rows})
    assert [*table_rows(read_json(document, "t.json", Reading()))] == rows


def test_a_layout_of_both_records_is_read(tmp_path: Path) -> None:
    path = tmp_path / "layout.csv"
    path.write_text(mw.LAYOUT_CSV)
    assert [layout.record for layout in read_layouts(path)] == ["D6R3", "D9R4"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("LNKLSNBT,36,8", "LNKLSNBT,36,4", "less than a byte each"),
        ("LNKLSNMS,28,8", "LNKLSNMS,28,4", "bytes of none"),
    ],
)
def test_counters_of_a_link_that_cannot_be_of_one_another_are_refused(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    message = refusal(tmp_path, a_file(), mw.LAYOUT_CSV.replace(old, new))
    assert "monitor.data, byte " in message
    assert problem in message
