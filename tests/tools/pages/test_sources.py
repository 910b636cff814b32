"""docs/sources.csv lists every constant, as it is in the code, and says how it is known."""

from isfc.link.parameters import RELEASES
from tools.pages import sources
from tools.pages.figures import FITTED, TAKEN

ROWS = sources.rows()


def test_every_constant_is_listed_once() -> None:
    assert sorted(row["constant"] for row in ROWS) == sorted(sources.constants())


def test_what_differs_in_release_6_1_is_told_with_its_values() -> None:
    (row,) = (row for row in ROWS if row["constant"] == "isfc.link.parameters.RELEASES")
    assert f"a dispatch of {RELEASES['6.1'].dispatch_ns:,} ns" in row["source"]


def test_every_constant_has_a_status() -> None:
    assert {row["status"] for row in ROWS} == set(sources.STATUSES)


OF_CHANNELS = ("Disk I/O on channels", "What shares a system with channels")


def test_every_constant_that_was_fitted_is_counted_and_they_are_about_thirty() -> None:
    calibrated = {
        row["constant"]
        for row in ROWS
        if row["part"] in OF_CHANNELS and row["status"] == "calibrated"
    }
    two_others = {"isfc.io.machine.PROFILES"}
    assert {*FITTED, *TAKEN} == calibrated - two_others
    assert sum(FITTED.values()) <= 30
