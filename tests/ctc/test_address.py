"""Device numbers and chpids: what is read, refused and printed; and what is found by RDEV."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import (
    CHPID_MAX,
    RDEV_MAX,
    BadChpid,
    BadRdev,
    ByRdev,
    ChpidId,
    CtcError,
    Rdev,
    format_chpid,
    format_rdev,
    parse_chpid,
    parse_rdev,
    parse_rdevs,
)
from ctc.channel import BadFeature

rdevs = st.integers(0, RDEV_MAX).map(Rdev)


def test_rdev_is_read_without_regard_to_case_or_leading_zeros() -> None:
    assert parse_rdev("d00f") == parse_rdev("D00F") == 0xD00F
    assert parse_rdev("F") == parse_rdev("000F") == 15


@given(rdevs)
def test_rdev_survives_being_printed(rdev: Rdev) -> None:
    assert len(format_rdev(rdev)) == 4
    assert format_rdev(rdev) == format_rdev(rdev).upper()
    assert parse_rdev(format_rdev(rdev)) == rdev


# int(text, 16) would take all of these but the first three
@pytest.mark.parametrize(
    "text", ["", "D00G", "1D00F", "0x1", "+1", " 1", "1_0", "-1", "\u0661", "12 "]
)
def test_rdev_is_one_to_four_hex_digits(text: str) -> None:
    with pytest.raises(BadRdev, match="expected 1 to 4 hex digits"):
        parse_rdev(text)


def test_error_shows_the_beginning_of_a_long_text() -> None:
    with pytest.raises(BadRdev) as caught:
        parse_rdev("X" * 10_000)
    assert len(str(caught.value)) < 120


def test_ranges_keep_the_order_of_the_text() -> None:
    assert parse_rdevs("D010, D000-D002") == (0xD010, 0xD000, 0xD001, 0xD002)
    assert parse_rdevs("6000") == parse_rdevs("6000-6000") == (0x6000,)
    assert parse_rdevs(" 6000 - 6001 ,6003") == (0x6000, 0x6001, 0x6003)


@given(rdevs, rdevs)
def test_range_has_both_its_ends(one: Rdev, other: Rdev) -> None:
    low, high = sorted((one, other))
    read = parse_rdevs(f"{format_rdev(low)}-{format_rdev(high)}")
    assert (read[0], read[-1], len(read)) == (low, high, high - low + 1)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("6003-6000", "6003-6000 runs backwards: expected the lower"),
        ("6000-6003,6002", "6002 is named twice"),
        (",".join(["0000-FFFF"] * 10_000), "0000 is named twice"),  # at the first repetition
        *((text, "is not a device number") for text in ("", ",", "6000,", "6000-", "-6000")),
        ("6000-6003-6006", "is not a device number"),
    ],
)
def test_what_is_no_list_of_ranges_is_refused(text: str, refused: str) -> None:
    with pytest.raises(BadRdev, match=refused):
        parse_rdevs(text)


@given(st.integers(0, CHPID_MAX).map(ChpidId))
def test_chpid_survives_being_printed(chpid: ChpidId) -> None:
    assert len(format_chpid(chpid)) == 2
    assert format_chpid(chpid) == format_chpid(chpid).upper()
    assert parse_chpid(format_chpid(chpid)) == chpid


@pytest.mark.parametrize("text", ["", "5G", "15A", "+5", " 5"])
def test_chpid_is_one_or_two_hex_digits(text: str) -> None:
    with pytest.raises(BadChpid, match="expected 1 or 2 hex digits"):
        parse_chpid(text)


@pytest.mark.parametrize("kind", [BadChpid, BadFeature, BadRdev])
def test_whoever_catches_the_root_catches_all(kind: type[CtcError]) -> None:
    with pytest.raises(CtcError, match=r"^what was expected$"):
        raise kind("what was expected")
    assert issubclass(kind, ValueError)


RDEVS = [Rdev(number) for number in (0x0000, 0x00FF, 0xD000, 0xD00F, 0xE00F, 0xFFFF)]


def test_each_item_is_found() -> None:
    items = ByRdev({rdev: f"{rdev:04X}" for rdev in RDEVS})
    assert [items[rdev] for rdev in RDEVS] == ["0000", "00FF", "D000", "D00F", "E00F", "FFFF"]
    assert [items.get(rdev, "") for rdev in RDEVS] == [items[rdev] for rdev in RDEVS]


@pytest.mark.parametrize("number", [0xC000, 0xD001, 0x0001])
def test_unknown_number_has_no_item(number: int) -> None:
    items = ByRdev(dict.fromkeys(RDEVS, 1))
    with pytest.raises(KeyError):
        items[Rdev(number)]
    assert items.get(Rdev(number), 2) == 2
