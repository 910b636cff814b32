"""A rate and a window, as they are asked for in words."""

import pytest

from isfc.answers.asked_for import RateWanted, read_rate, read_window
from isfc.errors import ConfigurationError
from scenarios.search.sizing import LostPiece

H = 3600
DAY_S, WEEK_S = 24 * H, 7 * 24 * H


@pytest.mark.parametrize(
    ("text", "rate", "lost"),
    [
        ("1000 MB/s with a chpid lost", 1000, LostPiece.CHPID),
        ("1250.5 mb/s with one director gone", 1250.5, LostPiece.DIRECTOR),
        ("90MB/s with a CTC down", 90, LostPiece.CTC),
        ("90 MB/s with nothing lost", 90, LostPiece.NONE),
        ("1,090 MB/s", 1090, LostPiece.NONE),
    ],
)
def test_a_rate_says_what_may_be_lost(text: str, rate: float, lost: LostPiece) -> None:
    assert read_rate(text) == RateWanted(rate, lost)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fast",
        "100",
        "1,00 MB/s",
        "9 MB/s with a wing lost",
        "0 MB/s",
        "0.9 MB/s",
        "2000000 MB/s",
    ],
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="expected such as '1000 MB/s with a chpid lost'"):
        read_rate(text)


@pytest.mark.parametrize(
    ("text", "spans", "hours"),
    [
        ("SUN", [(6 * 24, 7 * 24)], 24),
        ("sat-sun", [(5 * 24, 7 * 24)], 48),
        ("SUN-MON", [(6 * 24, 8 * 24)], 48),
        ("Sun 02:00-06:00", [(6 * 24 + 2, 6 * 24 + 6)], 4),
        ("SAT-SUN 22:00-04:00", [(5 * 24 + 22, 6 * 24 + 4), (6 * 24 + 22, 7 * 24 + 4)], 6),
        ("04:00-22:00", [(day * 24 + 4, day * 24 + 22) for day in range(7)], 18),
        ("SAT-SUN 06:00-06:00", [(5 * 24 + 6, 7 * 24 + 6)], 48),
        ("00:00-24:00", [(0, 7 * 24)], 7 * 24),
    ],
)
def test_a_window_has_spans_of_the_week(
    text: str, spans: list[tuple[int, int]], hours: int
) -> None:
    window = read_window(text)
    assert window.spans == tuple((begin * H, end * H) for begin, end in spans)
    assert window.seconds == hours * H


@pytest.mark.parametrize("text", ["", "soon", "SUX", "25:00-26:00", "02:70-03:00", "SUN 2-4"])
def test_what_is_no_window_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="expected such as SUN"):
        read_window(text)


def test_a_window_holds_what_is_over_before_it_is_also_past_the_end_of_the_week() -> None:
    sunday = read_window("SUN 22:00-02:00")
    begin = 6 * DAY_S + 23 * H
    assert sunday.holds(begin, 3 * H, WEEK_S)
    assert not sunday.holds(begin, 3 * H + 1, WEEK_S)
    assert sunday.holds(1 * H, H, WEEK_S)  # Monday, 01:00
    assert not sunday.holds(21 * H, H, WEEK_S)
    assert read_window("22:00-02:00").holds(23 * H, 3 * H, DAY_S)


def test_a_window_of_every_hour_has_no_end_and_names_no_day() -> None:
    always = read_window("00:00-24:00")
    assert always.holds(6 * DAY_S + 23 * H, 30 * H, WEEK_S)
    assert not always.names_day
    assert read_window("SAT-SUN 00:00-24:00").spans == read_window("SAT-SUN").spans
