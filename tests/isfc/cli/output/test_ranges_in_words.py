"""What is said of ranges below a page: what they are made from, each family of runs once."""

from isfc.reports.ranges import range_note
from scenarios.figures.figure import Figure, Interval, Range, Unit


def made_from(*bases: str) -> str:
    ends = Interval(1, 3)
    ranges = (Range(ends, ends, f"the errors {basis} (in sample)") for basis in bases)
    return range_note([Figure(2, Unit.MB_PER_S, each) for each in ranges])


def test_families_of_runs_stand_once_and_after_those_that_hold_them() -> None:
    narrow = "against 24 of IBM's runs with several CTCs, large messages, many pairs"
    rates = "against 55 of IBM's runs with several CTCs, large messages"
    busy = "against 53 of IBM's runs with several CTCs, large messages"
    assert made_from(narrow, rates, busy, rates) == (
        "A range holds in four of five cases, by the errors against 53 to 55 of IBM's runs with "
        "several CTCs, large messages, and against 24 of those with many pairs."
    )


def test_families_apart_and_errors_of_ratios_are_named_one_after_the_other() -> None:
    one, appc = (
        f"against {n} of IBM's runs with {what}" for n, what in ((20, "one CTC"), (36, "APPC/VM"))
    )
    ratios = "of 300 ratios between IBM's runs with several CTCs"
    assert made_from(ratios, one, appc).partition(", by ")[2] == (
        f"the errors {one}, and {appc}, and by the errors {ratios}."
    )
