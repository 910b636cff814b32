"""A MONWRITE file that a transfer or an editor changed is never read as another.

Each counter has a value of its own at each sample, so that the rate over any interval is known.
"""

from collections.abc import Callable
from struct import pack
from typing import Final

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from isfc.errors import ConfigurationError
from isfc.measured.figures import Reading
from isfc.measured.file import read_measurements
from isfc.measured.monitor_records import read_layouts
from tests.isfc.measured import monwrite_file as mw

SECONDS: Final = (1, 61, 131, 191)
"""When samples were taken; no interval is like another."""
RDEVS: Final = (0x6000, 0x6001)
MB: Final = 2**20


def of_device(rdev: int, nth: int) -> tuple[int, ...]:
    """SSCHs, and units of 128 us."""
    done = (0, 600, 1500, 3300)[nth] + 60 * nth * (rdev - 0x6000)
    return done, 3 * done + nth, 7 * done + nth, 40 * done + nth


def of_link(nth: int) -> tuple[int, ...]:
    """Messages and bytes sent and received, packages each way, collisions, and what waits."""
    done = (100, 700, 1900, 3500)[nth]
    return done, done * MB, done // 2, done * MB // 10, done // 5, done // 10, 2 * nth, 3 + nth


def a_sample(nth: int) -> bytes:
    at = SECONDS[nth]
    devices = [mw.device(at, rdev, *of_device(rdev, nth)) for rdev in RDEVS]
    return mw.sample(at, *devices, mw.activity(at, "BOSTON", *of_link(nth)))


WHOLE: Final = b"".join(
    (
        mw.sample(0, mw.configured(0, "BOSTON", ["6000", "6001"])),
        a_sample(0),
        a_sample(1),
        mw.events(70, mw.changed(70, 3, "6001", "BOSTON")),
        a_sample(2),
        a_sample(3),
    )
)
Mutation = Callable[[st.DrawFn, bytes], bytes]
Row = tuple[object, ...]


def rows_of(data: bytes, layout: str, folder: pytest.TempPathFactory) -> set[Row]:
    """The figures of devices and links; what is wrong is refused."""
    path, csv = folder.getbasetemp() / "monitor.data", folder.getbasetemp() / "layout.csv"
    path.write_bytes(data)
    csv.write_text(layout)
    found = read_measurements([path], Reading(), read_layouts(csv))
    devices = {
        (one.begin, one.end, each.rdev, *_rounded(each.io_per_s, each.pend_ms, each.conn_ms))
        for one in found
        for each in one.devices
    }
    links = {
        (one.begin, one.end, each.partner, *_rounded(each.written.mb_per_s, each.collisions_per_s))
        for one in found
        for each in one.links
    }
    return devices | links


def _rounded(*figures: float | None) -> Row:
    return tuple(None if each is None else round(each, 6) for each in figures)


def true_rows() -> set[Row]:
    """The figures over every two samples."""
    found: set[Row] = set()
    for last in range(len(SECONDS)):
        for first in range(last):
            seconds = SECONDS[last] - SECONDS[first]
            times = tuple(
                f"2026-11-25T10:{s // 60:02}:{s % 60:02}" for s in (SECONDS[first], SECONDS[last])
            )
            for rdev in RDEVS:
                done, pend, _, conn = (
                    b - a
                    for a, b in zip(of_device(rdev, first), of_device(rdev, last), strict=True)
                )
                spent = (pend * 0.128 / done, conn * 0.128 / done)
                found.add((*times, rdev, *_rounded(done / seconds, *spent)))
            sent = (of_link(last)[1] - of_link(first)[1]) / MB / seconds
            found.add((*times, "BOSTON", *_rounded(sent, 2 * (last - first) / seconds)))
    return found


TRUE: Final = true_rows()


def _frames(data: bytes) -> list[bytes]:
    return [data[at : at + mw.FRAME] for at in range(0, len(data), mw.FRAME)]


def _at(draw: st.DrawFn, data: bytes) -> int:
    """A place that matters: where frames and records are, mostly."""
    frame = draw(st.integers(0, max(len(data) // mw.FRAME - 1, 0))) * mw.FRAME
    return min(frame + draw(st.integers(0, 300)), max(len(data) - 1, 0))


def move_frames(draw: st.DrawFn, data: bytes) -> bytes:
    """A frame, or two, are lost, doubled, put elsewhere or made zeros."""
    frames = _frames(data)
    at, to = (draw(st.integers(0, len(frames) - 1)) for _ in range(2))
    some = frames[at : at + draw(st.integers(1, 2))]
    rest = frames[:at] + frames[at + len(some) :]
    return b"".join(
        draw(
            st.sampled_from(
                [
                    rest,
                    [*frames[:to], *some, *frames[to:]],
                    [*rest[:to], *some, *rest[to:]],
                    [*frames[:at], *(bytes(len(each)) for each in some), *frames[at + len(some) :]],
                ]
            )
        )
    )


def move_records(draw: st.DrawFn, data: bytes) -> bytes:
    """A record of a frame is lost or doubled, and what follows it moves; frames stay."""
    frames = _frames(data)
    number = draw(st.integers(0, len(frames) - 1))
    frame, starts, at = frames[number], [], 0
    while 20 <= (length := int.from_bytes(frame[at : at + 2], "big")) <= mw.FRAME - at:
        starts.append((at, at + length))
        at += length
    if starts:
        begin, end = draw(st.sampled_from(starts))
        other = frame[:end] + frame[begin:] if draw(st.booleans()) else frame[:begin] + frame[end:]
        frames[number] = other.ljust(mw.FRAME, b"\0")[: mw.FRAME]
    return b"".join(frames)


def cut(draw: st.DrawFn, data: bytes) -> bytes:
    at = draw(st.one_of(st.just(_at(draw, data)), st.integers(0, len(data))))
    return data[at:] if draw(st.booleans()) else data[:at]


def shift(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes are lost, or others come in between."""
    at, count = _at(draw, data), draw(st.sampled_from([1, 2, 4, 8, 40, 80, 4096]))
    if draw(st.booleans()):
        return data[:at] + data[at + count :]
    return (
        data[:at]
        + draw(st.sampled_from([b"\0", b"\x40", b"\r", data[at : at + 1]])) * count
        + data[at:]
    )


def words(draw: st.DrawFn, data: bytes) -> bytes:
    """Record or block descriptor words, as a transfer keeps them; of all frames or of some."""
    form: Callable[[bytes], bytes] = draw(
        st.sampled_from(
            [
                lambda each: pack(">HH", len(each) + 4, 0) + each,
                lambda each: pack(">HH", len(each), 0) + each,
                lambda each: pack(">HHHH", len(each) + 8, 0, len(each) + 4, 0) + each,
                lambda each: pack("<I", len(each)) + each + pack("<I", len(each)),
                lambda each: each.rstrip(b"\0"),
                lambda each: each + b"\n",
                lambda each: each.ljust(-(-len(each) // 80) * 80, b"\x40"),
            ]
        )
    )
    some = draw(st.sampled_from([1, 2, 100]))
    return b"".join(
        form(each) if n % some == 0 or some == 100 else each for n, each in enumerate(_frames(data))
    )


def as_text(draw: st.DrawFn, data: bytes) -> bytes:
    """A transfer as text: other codes, other ends of lines, blanks at the end lost."""
    form: Callable[[bytes], bytes] = draw(
        st.sampled_from(
            [
                lambda all_: all_.decode("cp037").encode("latin-1"),
                lambda all_: all_.decode("latin-1").encode("utf-8"),
                lambda all_: all_.replace(b"\n", b"\r\n"),
                lambda all_: all_.replace(b"\r", b""),
                lambda all_: all_.replace(b"\x15", b"\x25"),
                lambda all_: all_.replace(b"\x25", b"\n"),
                lambda all_: all_.rstrip(b"\0"),
                lambda all_: bytes(each & 0x7F for each in all_),
            ]
        )
    )
    return form(data)


def join(draw: st.DrawFn, data: bytes) -> bytes:
    """The file twice, or behind another part of it."""
    at = draw(st.integers(0, len(data) // mw.FRAME)) * mw.FRAME
    return draw(st.sampled_from([data + data, data + data[at:], data[at:] + data[:at]]))


MUTATIONS: Final[tuple[Mutation, ...]] = (
    move_frames,
    move_records,
    cut,
    shift,
    words,
    as_text,
    join,
)


def changed_layout(draw: st.DrawFn) -> str:
    """The layout as it is, mostly; or with a field at another place, or without it."""
    rows = mw.LAYOUT_CSV.splitlines()
    if draw(st.integers(0, 3)):
        return mw.LAYOUT_CSV
    at = draw(st.integers(1, len(rows) - 1))
    cells = rows[at].split(",")
    cells[2] = str(int(cells[2]) + draw(st.sampled_from([-8, -4, -2, -1, 1, 2, 4, 8])))
    rows[at : at + 1] = [",".join(cells)] if draw(st.booleans()) else []
    return "\n".join(rows)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[bytes, str, str]:
    """A file that up to two things were done to, its layout, and what was done."""
    layout = changed_layout(draw)
    least = int(layout is mw.LAYOUT_CSV)
    done: list[Mutation] = draw(
        st.lists(st.sampled_from(MUTATIONS), min_size=least, max_size=2, unique=True)
    )
    data = WHOLE
    for mutation in done:
        if len(data) >= mw.FRAME:
            data = mutation(draw, data)
    return data, layout, "+".join(each.__name__ for each in done)


def test_an_intact_file_has_the_figures_of_its_counters(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    found = rows_of(WHOLE, mw.LAYOUT_CSV, tmp_path_factory)
    assert found <= TRUE
    assert len(found) == 9


@pytest.mark.parametrize("examples", [60, pytest.param(5_000, marks=pytest.mark.exhaustive)])
def test_a_mutated_file_is_never_read_as_another(
    examples: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=examples)
    @given(mutated())
    def reads_what_its_counters_say(drawn: tuple[bytes, str, str]) -> None:
        changed, layout, what = drawn
        try:
            found = rows_of(changed, layout, tmp_path_factory)
        except ConfigurationError:
            event(f"{what}: refused")
            return
        event(f"{what}: read")
        assert found <= TRUE, f"{what} gave {min(found - TRUE, key=str)}"

    reads_what_its_counters_say()
