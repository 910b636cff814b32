"""What is said of ranges below a page: what they are made from, each family of runs once."""

from isfc.reports.figure import Figure, Interval, Range, RunFamily, Unit
from isfc.reports.units import LONG_S, range_note, with_unit


def made_from(*bases: RunFamily | str) -> str:
    ends = Interval(1, 3)
    ranges = (
        Range(ends, ends, each) if isinstance(each, str) else Range(ends, ends, "", runs=each)
        for each in bases
    )
    return range_note([Figure(2, Unit.MB_PER_S, each) for each in ranges])


def test_families_of_runs_stand_once_and_after_those_that_hold_them() -> None:
    narrow = RunFamily(24, "several CTCs, large messages, many pairs")
    rates, busy = (RunFamily(count, "several CTCs, large messages") for count in (55, 53))
    assert made_from(narrow, rates, busy, rates) == (
        "A range holds in four of five cases, by the errors against 53 to 55 of IBM's runs with "
        "several CTCs, large messages, and against 24 of those with many pairs."
    )


def test_families_apart_and_errors_of_ratios_are_named_one_after_the_other() -> None:
    ratios = "the errors of 300 ratios between IBM's runs with several CTCs"
    said = made_from(ratios, RunFamily(20, "one CTC"), RunFamily(36, "APPC/VM")).partition(", by ")[
        2
    ]
    assert said == (
        "the errors against 20 of IBM's runs with one CTC, and against 36 of IBM's runs with "
        f"APPC/VM, and by {ratios}."
    )


def test_sentences_say_many_seconds_as_minutes_with_their_range() -> None:
    ends = Interval(490.94, 1115.42)
    assert with_unit(Figure(719.65, Unit.SECONDS, Range(ends, ends, ""))) == "12 min (8-19)"
    few = LONG_S - 1
    assert with_unit(Figure(few, Unit.SECONDS, Range(ends, ends, ""))).startswith(f"{few:.2f} s")
