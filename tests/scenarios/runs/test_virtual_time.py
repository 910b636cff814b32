"""Times as people write them."""

import pytest

from scenarios.runs.virtual_time import read_time_ns


@pytest.mark.parametrize(
    ("text", "time_ns"),
    [("5ms", 5_000_000), ("800us", 800_000), ("1.5s", 1_500_000_000), ("0.000000001s", 1)],
)
def test_a_time_is_read_in_its_unit(text: str, time_ns: int) -> None:
    assert read_time_ns(text) == time_ns


def test_a_long_time_keeps_its_nanoseconds() -> None:
    assert read_time_ns("123456789.123456789s") == 123_456_789_123_456_789


@pytest.mark.parametrize("text", ["", "5", "5 ms", "-1s", "1e3s", "٣ms", "1.s", "0000000001s"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert read_time_ns(text) is None
