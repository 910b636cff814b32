"""Times in the forms that reports print; what may be meant in two ways is refused."""

from datetime import date

import pytest

from isfc.errors import ConfigurationError
from isfc.measured.figures import leading_stamp, read_stamp


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026/11/25 09:55:00", "2026-11-25T09:55:00"),
        ("2026-11-25T09:55", "2026-11-25T09:55:00"),
        ("11/25/2026 10:01:00 PM", "2026-11-25T22:01:00"),
        ("25.11.2026 12:01:00 a.m.", "2026-11-25T00:01:00"),
        ("11/25/26 12:01 pm", "2026-11-25T12:01:00"),
        ("4:52:43 PM", "16:52:43"),
        ("9:05:00.123", "09:05:00"),
    ],
)
def test_a_time_is_read_in_the_forms_of_reports(text: str, stamp: str) -> None:
    assert read_stamp(text) == stamp
    assert leading_stamp(f"{text}   ATLANTA")[1].strip() == "ATLANTA"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("26/11/25 10:00:00", "may be 2025-11-26 or 2026-11-25"),
        ("03/04/2026 10:00:00", "may be 2026-03-04 or 2026-04-03"),
        ("2026/13/25 10:00:00", "is no date"),
        ("13:00:00 PM", "is no time of day"),
        ("10:61:00", "is no time of day"),
        ("10:00:00+02:00", "is no time"),
        ("yesterday", "is no time"),
    ],
)
def test_what_is_no_time_or_may_be_two_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        read_stamp(text)


def test_the_date_of_a_page_tells_which_date_is_meant() -> None:
    made = date(2026, 11, 25)
    assert leading_stamp("26/11/25 10:00:00", made)[0] == "2026-11-25T10:00:00"
    assert leading_stamp("26/11/24 23:59:00", made)[0] == "2026-11-24T23:59:00"
