"""MONWRITE files become measurements, with a layout of the records that are not public here.

The files are written by these tests: no real one was tried.
"""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.site.figures import Reading
from isfc.site.file import read_measurements
from isfc.site.measurement import Measurement, table_rows
from isfc.site.monitor_records import read_layouts
from isfc.site.seen import seen_link
from isfc.site.table import read_csv, read_json
from tests.isfc.site import monwrite_file as mw

RDEVS = ["6000", "6001"]
MB = 2**20
CONFIGURED = mw.sample(0, mw.configured(0, "BOSTON", RDEVS))
CHANGED = mw.events(70, mw.changed(70, 3, "6001", "BOSTON"))
FILE = b"".join(
    (
        CONFIGURED,
        # 0120 is a disk: of no link
        mw.sample(
            1,
            mw.device(1, 0x6000, 2**32 - 600, 0, 0, 2**32 - 1000),
            mw.device(1, 0x0120, 5, 5, 5, 5),
            mw.activity(1, "BOSTON", 100, 0, 50, 0, 10, 5, 0, 3),
        ),
        mw.sample(
            61,
            mw.device(61, 0x6000, 0, 2400, 4800, 50_000 - 1000),
            mw.device(61, 0x0120, 6, 6, 6, 6),
            mw.activity(61, "BOSTON", 700, 600 * MB, 350, 60 * MB, 130, 65, 120, 6),
        ),
        CHANGED,
        mw.sample(121, mw.device(121, 0x6000, 0, 2400, 4800, 49_000)),
    )
)
"""A configuration, three samples a minute apart, and a change between the last two."""

FRAMES = [FILE[at : at + mw.FRAME] for at in range(0, len(FILE), mw.FRAME)]


def alike(at: int, *rdevs: int) -> list[bytes]:
    """Records of devices whose counters grow by one a second."""
    return [mw.device(at, rdev, at, at, at, at) for rdev in rdevs]


ONE_DEVICE = b"".join(mw.sample(at, *alike(at, 0x6000)) for at in (1, 61))

Read = Callable[..., list[Measurement]]
Refusal = Callable[..., str]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """The measurements of a file's content, by a layout if there is one."""

    def found(
        data: bytes = FILE, layout: str = mw.LAYOUT_CSV, reading: Reading | None = None
    ) -> list[Measurement]:
        path, of_records = tmp_path / "monitor.data", tmp_path / "layout.csv"
        path.write_bytes(data)
        of_records.write_text(layout)
        layouts = read_layouts(of_records) if layout else []
        return read_measurements([path], reading or Reading(), layouts)

    return found


@pytest.fixture
def refused(read: Read) -> Refusal:
    """What is said of a file or a layout that is refused."""

    def said(*what: object) -> str:
        with pytest.raises(ConfigurationError) as caught:
            read(*what)
        return str(caught.value)

    return said


def test_counters_of_two_samples_become_rates_of_their_interval(read: Read) -> None:
    first, second = read()
    times = (first.begin, first.end, first.zone)
    assert times == ("2026-11-25T10:00:01", "2026-11-25T10:01:01", "UTC")
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
    assert link.written.bytes_per_package == 5 * MB
    (idle,) = second.devices
    assert (idle.io_per_s, idle.serv_ms, idle.busy_percent) == (0, None, 0)


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


def test_a_file_whose_frames_are_lost_doubled_or_swapped_gives_no_other_figures(read: Read) -> None:
    whole = figures(read())
    for at in range(len(FRAMES)):
        for other in (
            FRAMES[:at] + FRAMES[at + 1 :],
            FRAMES[: at + 1] + FRAMES[at:],
            [*FRAMES[:at], *FRAMES[at + 1 : at + 2], FRAMES[at], *FRAMES[at + 2 :]],
            FRAMES[at:],
            FRAMES[:at],
        ):
            try:
                found = figures(read(b"".join(other)))
            except ConfigurationError:
                continue
            # an interval over a lost sample is longer, and right
            times = {(begin, end) for begin, end, *_ in whole}
            assert {row for row in found if row[:2] in times} <= whole, at


def test_record_descriptor_words_and_a_begin_in_the_middle_are_no_hindrance(
    read: Read, refused: Refusal
) -> None:
    words = b"".join(pack(">HH", mw.FRAME + 4, 0) + frame for frame in FRAMES)
    assert figures(read(words)) == figures(read())
    assert "has the file been cut?" in refused(words[:-1000])
    reading = Reading()
    late = read(b"".join(FRAMES[1:]), reading=reading)
    assert figures(late) == figures(read())
    assert "begins in the middle: left out: 4096 bytes" in reading.notes[0]


@pytest.mark.parametrize(("counter", "event"), [(5, 2), (900, 1)])
def test_counters_that_begin_again_are_no_growth(read: Read, counter: int, event: int) -> None:
    data = b"".join(
        (
            mw.sample(1, mw.activity(1, "BOSTON", *[100] * 8)),
            mw.events(30, mw.changed(30, event, "6000", "BOSTON")),
            mw.sample(61, mw.activity(61, "BOSTON", *[counter] * 8)),
            mw.sample(121, mw.activity(121, "BOSTON", *[counter + 60] * 8)),
        )
    )
    reading = Reading()
    links = [link for one in read(data, reading=reading) for link in one.links]
    assert [link.written.messages_per_s for link in links] == [1]
    assert "D9R4 of BOSTON, whose counters begin again" in reading.notes[0]


def test_what_the_sample_before_does_not_have_is_left_out(read: Read) -> None:
    samples = ((1, 0x6000, 0x6001), (61, 0x6000), (121, 0x6000, 0x6001))
    data = b"".join(mw.sample(at, *alike(at, *rdevs)) for at, *rdevs in samples)
    reading = Reading()
    found = read(data, reading=reading)
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
    read: Read, old: str, new: str, note: str
) -> None:
    samples = (
        mw.sample(at, *alike(at, 0x6000), mw.activity(at, "BOSTON", *[at] * 8)) for at in (1, 61)
    )
    reading = Reading()
    read(b"".join((CONFIGURED, *samples)), mw.LAYOUT_CSV.replace(old, new), reading)
    assert note in reading.notes[0]


def test_the_configuration_and_its_changes_are_read_without_a_layout(read: Read) -> None:
    (one,) = read(CONFIGURED + CHANGED, layout="")
    (link,) = one.configured
    assert (link.partner, link.rdevs) == ("BOSTON", (0x6000, 0x6001))
    assert str(one.changes[0]) == "2026-11-25T10:01:10 6001 to BOSTON: deactivate"


def test_a_change_and_an_unlike_layout_are_told(read: Read) -> None:
    _, second = read()
    notes = seen_link(load_layout("atlanta-boston"), second).notes()
    assert "changed in the interval: 2026-11-25T10:01:10 6001 to BOSTON: deactivate" in notes
    assert any("in the layout, but not configured: 6002, 6003" in note for note in notes)


def test_records_without_a_layout_are_refused_and_said_where_ibm_publishes_it(
    read: Read, refused: Refusal
) -> None:
    message = refused(FILE, "")
    assert "monitor.data: 5 records D6R3, whose layout is not known here" in message
    assert "https://www.vm.ibm.com/pubs/mon730/MRIODDEV.HTML" in message
    assert "https://www.vm.ibm.com/pubs/mon730/MRISFNOD.HTML" in message
    reading = Reading(usable=True)
    (one,) = read(FILE, "", reading)
    assert one.configured
    assert not one.devices
    assert len(reading.problems) == 2


def test_records_go_on_over_frames(read: Read) -> None:
    rdevs = range(0x6000, 0x6000 + 300)  # 40 bytes each: three frames
    samples = [mw.sample(at, *alike(at, *rdevs)) for at in (1, 61)]
    assert len(samples[0]) == 4 * mw.FRAME
    (one,) = read(b"".join(samples))
    assert [device.rdev for device in one.devices] == [*rdevs]


def damaged(frame: int) -> bytes:
    """The file, a byte of one of its frames another."""
    at = frame * mw.FRAME + 40
    return FILE[:at] + b"\x7c" + FILE[at + 1 :]


NO_NAME = b"".join(mw.sample(at, mw.activity(at, "BOS\0TON", *[at] * 8)) for at in (1, 61))
NO_END = ONE_DEVICE + mw.frames(0xE2, 121, alike(121, 0x6000))
REFUSED = [
    # the file, what is replaced in the layout, by what, what is said
    (FILE[:-100], "", "", "byte 36864: 3996 bytes of 1 frames of 4096"),
    (damaged(5), "", "", "no monitor record"),
    (damaged(2), "", "", "X'7C'"),
    (NO_END, "", "", "a sample without the record that ends it"),
    (NO_NAME, "", "", "D9R4 ISFNOD_NODEID at 20: "),
    (NO_NAME, "", "", "is its offset right?"),
    # a layout of another release
    (ONE_DEVICE, "SCGSSCH,24", "SCGSSCH,240", "of 40 bytes ends before IODDEV_SCGSSCH at 240"),
    (ONE_DEVICE, "SCGSSCH,24,4", "SCGSSCH,24,2", "6000 was connected, and no SSCH was counted"),
    (ONE_DEVICE, "128 us", "128 s", "Busy"),
    # counters of a link that cannot be of one another
    (FILE, "LNKLSNBT,36,8", "LNKLSNBT,36,4", "less than a byte each"),
    (FILE, "LNKLSNMS,28,8", "LNKLSNMS,28,4", "bytes of none"),
]


@pytest.mark.parametrize(("data", "old", "new", "problem"), REFUSED, ids=[e[3] for e in REFUSED])
def test_what_cannot_be_is_refused_by_its_byte(
    refused: Refusal, data: bytes, old: str, new: str, problem: str
) -> None:
    message = refused(data, mw.LAYOUT_CSV.replace(old, new))
    assert "monitor.data, byte " in message
    assert problem in message


def test_binary_that_is_no_monwrite_file_is_told_how_one_is_sent(refused: Refusal) -> None:
    translated = FILE.decode("cp037").encode("latin-1")
    assert "expected one sent as binary, in records of 4096 bytes" in refused(translated)


TIME_AWAY = ("SCMFPTIM,28", "SCMFPTIM,40"), ("RDEVDEV,20,2", "RDEVDEV,20,1")
"""So that nothing of use is behind a counter, as in the records of a release."""


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
        ("SCGSSCH,24", "SCGSSCH,26", "expected fields that do not overlap"),
        *(
            ("SCGSSCH,24", f"SCGSSCH,{at}", "expected a multiple of 4, as numbers are aligned")
            for at in (22, 23, 25)
        ),
    ],
)
def test_a_bad_layout_is_refused(refused: Refusal, old: str, new: str, problem: str) -> None:
    layout = mw.LAYOUT_CSV.replace(old, new)
    for change in TIME_AWAY if "multiple" in problem else ():
        layout = layout.replace(*change)
    assert problem in refused(b"", layout)


def test_a_layout_of_one_record_is_named_by_its_file_and_one_may_be_of_both(tmp_path: Path) -> None:
    path = tmp_path / "mrioddev_d6r3_v73.csv"
    rows = [line.partition(",")[2] for line in mw.LAYOUT_CSV.splitlines() if "D9R4" not in line]
    path.write_text("\n".join([*rows, "*,60,4,,,,"]))
    (layout,) = read_layouts(path)
    assert layout.record == "D6R3"
    assert layout.fields["pend_time"][0].unit_ns == 128_000
    path.write_text(mw.LAYOUT_CSV)
    assert [layout.record for layout in read_layouts(path)] == ["D6R3", "D9R4"]


def test_the_neutral_table_keeps_configuration_and_changes(read: Read) -> None:
    rows = [*table_rows(read())]
    assert {row["kind"] for row in rows} == {"device", "link", "configured", "change"}
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    assert [*table_rows(read_csv(text.getvalue(), "t.csv", Reading()))] == rows
    document = json.dumps({"measurements": rows})
    assert [*table_rows(read_json(document, "t.json", Reading()))] == rows
