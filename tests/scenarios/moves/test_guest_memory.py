"""The memory of guests: what is moved first, and what changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import ConfigurationError
from scenarios.moves.guest import GuestMemory

SECOND_NS = 10**9


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(1, 2**33))
def test_change_grows_with_time_and_never_exceeds_the_hot_set(
    first_ns: int, second_ns: int, rate: int
) -> None:
    memory = GuestMemory(size=2**32, touched=2**31, hot_set=2**30, write_rate=rate)
    first, second = (memory.changed(ns) for ns in sorted((first_ns, second_ns)))
    assert 0 <= first <= second <= 2**30


def test_random_writes_meet_pages_more_than_once() -> None:
    hot = GuestMemory(size=2**30, touched=2**30, hot_set=2**30, write_rate=2**30)
    assert hot.changed(SECOND_NS) == pytest.approx(0.632 * 2**30, rel=0.001)
    assert GuestMemory(size=2**30, touched=2**30, change_rate=2**29).changed(SECOND_NS) == 2**29


@pytest.mark.parametrize(
    "changed",
    [
        {"touched": 2**31},
        {"touched": 0},
        {"hot_set": 2**30, "write_rate": 0},
        {"hot_set": 2**30 + 1, "write_rate": 1},
        {"write_rate": 1},
        {"change_rate": -1},
    ],
)
def test_memory_that_cannot_be_is_refused(changed: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError):
        GuestMemory(**{"size": 2**30, "touched": 2**30, **changed})
