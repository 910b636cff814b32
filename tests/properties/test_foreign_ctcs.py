"""What z/OS shows of its CTCs, once marked, cut or typed wrongly, is never read as another."""

import re
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings

from isfc.errors import ConfigurationError
from isfc.site.figures import Reading, checked, without_repeats
from isfc.site.measurement import Measurement, joined
from isfc.site.tnstat import read_tnstat
from isfc.site.xcf import read_xcf
from tests.isfc.foreign import LATER, TNSTAT, XCF
from tests.properties.mutations import MUTATIONS, cut, mutated
from tests.properties.test_marked_rows import marked

Rows = frozenset[tuple[object, ...]]


def read(reader: Callable[[str, str, Reading], list[Measurement]], text: str) -> Rows:
    reading = Reading()
    found = without_repeats(joined(checked(reader(text, "page", reading), reading)), reading)
    reading.end()
    return frozenset(
        (
            one.begin,
            one.end,
            each.rdev,
            each.way,
            each.io_per_s,
            each.bytes_per_io,
            each.transfer_us,
        )
        for one in found
        for each in one.foreign
    )


READERS: Final = {
    "XCF": (read_xcf, XCF, r"40\d\d "),
    "TNSTAT": (read_tnstat, TNSTAT + LATER, "IST123"),
}


@pytest.mark.parametrize("at_most", [150, pytest.param(10_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", READERS)
def test_a_marked_or_lost_line_is_read_or_named(name: str, at_most: int) -> None:
    reader, text, begins = READERS[name]
    lines, intact, silent = text.split("\n"), read(reader, text), list[str]()
    rows = [number for number, line in enumerate(lines) if re.match(begins, line)]
    changes = [(number, [each]) for number in rows for each in marked(lines[number])]
    assert len(changes) > 1000
    some = Random(0).sample(changes, min(at_most, len(changes)))
    for number, put in [*some, *((number, []) for number in range(len(lines)))]:
        try:
            found = read(reader, "\n".join([*lines[:number], *put, *lines[number + 1 :]]))
        except ConfigurationError as error:
            found = intact if re.search(r"page:\d+: ", str(error)) else frozenset({()})
        if found not in (intact, frozenset()):
            silent.append(f"line {number + 1}: {put}")
    assert not silent, "\n".join(silent)


def has_counts_of_another(changed: str, text: str) -> bool:
    """Whether all that is changed are whole counts, each one of another CTC or record.

    Nothing in VTAM's answer tells: each CTC may have done any I/Os of any length, as the messages
    have no sum of them, and a line of counts names no CTC.
    """
    lines, now = text.split("\n"), changed.split("\n")
    return len(lines) == len(now) and all(
        one == other or (one in lines and one[:8] == other[:8] and one[:8] in COUNTS)
        for one, other in zip(now, lines, strict=True)
    )


COUNTS: Final = ("IST1235I", "IST1236I")


@pytest.mark.parametrize("examples", [60, pytest.param(5_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", READERS)
def test_a_mutated_answer_is_never_read_as_another(name: str, examples: int) -> None:
    reader, text, _ = READERS[name]

    @settings(max_examples=examples)
    @given(mutated(text, [each for each in MUTATIONS if each is not cut]))
    def reads_the_same_or_less(changed: tuple[str, str]) -> None:
        with suppress(ConfigurationError):
            found = read(reader, changed[0])
            is_told = not has_counts_of_another(changed[0], text)
            assert not is_told or found <= read(reader, text), changed

    reads_the_same_or_less()
