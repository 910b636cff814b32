"""Whether guests have gone within a window: of loads, the best time to begin that lies in it."""

from types import SimpleNamespace
from typing import Any

import pytest

from isfc.answers.asked_for import read_window
from isfc.answers.move_window import WindowFound, window_found, window_report
from isfc.reports.report import Report, between


def moves(seconds: float) -> Any:
    return between(seconds, seconds * 0.8, seconds * 1.2)


def busy(*windows: tuple[str, int, float], stays: tuple[str, ...] = ()) -> Any:
    """Loads of a week: times to begin, the best first, each with its seconds since Monday."""
    return SimpleNamespace(
        period="week",
        slots=[SimpleNamespace(label=label, begin_s=begin_s) for label, begin_s, _ in windows],
        windows=[
            SimpleNamespace(
                label=label, seconds=took * 3 / 4, likely_s=(took / 2, took), stays=stays
            )
            for label, _, took in windows
        ],
    )


SUNDAY_S = 6 * 86_400


def answer(found: WindowFound) -> Report:
    return window_report(found)


@pytest.mark.parametrize(
    ("seconds", "fits_at", "problem"),
    [
        (3000, "upper end", ""),
        (3001, "middle", "is not known: they do at the middle of the range, and not at the upper"),
        (3601, "lower end", "is not known: they do at the lower end"),
        (4501, "", "do not fit into SUN 02:00-03:00, not even at the lower end"),
    ],
)
def test_a_verdict_of_a_window_says_by_which_end_of_the_range(
    seconds: float, fits_at: str, problem: str
) -> None:
    found = window_found(read_window("SUN 02:00-03:00"), moves(seconds), None)
    assert found.fits_at == fits_at
    assert found.fits == (not found.problem)
    assert problem in found.problem
    ((label, said),) = answer(found).answer
    assert label == "Window"
    fits = f"fits {'even ' * found.fits}at the {fits_at}"
    assert said.endswith(fits if fits_at else "does not fit")


def test_moves_begin_at_the_best_time_from_which_they_are_over_within() -> None:
    sunday = read_window("SUN 02:00-06:00")
    times = ("Tue 03:00", 86_400 + 10_800, 60.0), ("Sun 05:45", SUNDAY_S + 20_700, 1_000.0)
    later = "Sun 02:15", SUNDAY_S + 8_100, 2_000.0
    found = window_found(sunday, moves(100), busy(*times, later))
    assert (found.begin, found.busy_s, found.fits) == ("Sun 02:15", (1_000.0, 2_000.0), True)
    assert answer(found).answer == [("Begin", "Sun 02:15, within SUN 02:00-06:00: 17 to 33 min")]
    for took_s, end in ((1_200.0, "middle"), (1_800.0, "lower end")):
        found = window_found(sunday, moves(100), busy(times[0], (*times[1][:2], took_s)))
        assert (found.begin, found.fits_at) == ("Sun 05:45", end)
    for none in (busy(times[0]), busy(later, stays=("A",))):
        found = window_found(sunday, moves(100), none)
        assert (found.begin, found.fits) == (None, False)
