"""Device numbers and chpids: what is read, what is refused, what is printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import (
    CHPID_MAX,
    RDEV_MAX,
    BadChpid,
    BadRdev,
    ChpidId,
    Rdev,
    format_chpid,
    format_rdev,
    parse_chpid,
    parse_rdev,
    parse_rdevs,
)

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


def test_range_does_not_run_backwards() -> None:
    with pytest.raises(BadRdev, match="6003-6000 runs backwards: expected the lower"):
        parse_rdevs("6003-6000")


def test_device_is_named_once() -> None:
    with pytest.raises(BadRdev, match="6002 is named twice"):
        parse_rdevs("6000-6003,6002")


def test_many_wide_ranges_end_at_the_first_repetition() -> None:
    with pytest.raises(BadRdev, match="0000 is named twice"):
        parse_rdevs(",".join(["0000-FFFF"] * 10_000))


@pytest.mark.parametrize("text", ["", ",", "6000,", "6000-", "-6000", "6000-6003-6006"])
def test_ranges_have_hex_numbers_at_both_ends(text: str) -> None:
    with pytest.raises(BadRdev, match="is not a device number"):
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
