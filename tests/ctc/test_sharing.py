"""The one model of a channel: conserves work, and is what each user of it has alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.sharing import DirectionLoad, Sharing, slowdown


def run(solos_ns: list[float], starts_ns: list[float]) -> list[float]:
    """When each transfer is over, if the resource has room for one at full pace."""
    sharing: Sharing[int] = Sharing()
    ends_ns = [0.0] * len(solos_ns)
    coming = sorted(range(len(solos_ns)), key=lambda number: starts_ns[number])
    now_ns = 0.0
    while coming or sharing:
        due_ns = now_ns + sharing.left_ns if sharing else float("inf")
        if coming and starts_ns[coming[0]] <= due_ns:
            number = coming.pop(0)
            now_ns = starts_ns[number]
            sharing.advance(now_ns)
            sharing.add(number, solos_ns[number])
        else:
            now_ns = due_ns
            sharing.advance(now_ns)
            ends_ns[sharing.pop()] = now_ns
        sharing.go(1.0 / max(1, len(sharing)))
    return ends_ns


transfers = st.lists(
    st.tuples(st.integers(1, 10_000), st.integers(0, 10_000)), min_size=1, max_size=12
)


@given(transfers)
def test_work_is_conserved(given_transfers: list[tuple[int, int]]) -> None:
    solos_ns = [float(solo) for solo, _ in given_transfers]
    starts_ns = [float(start) for _, start in given_transfers]
    busy_until_ns = 0.0
    for start_ns, solo_ns in sorted(zip(starts_ns, solos_ns, strict=True)):
        busy_until_ns = max(busy_until_ns, start_ns) + solo_ns
    assert max(run(solos_ns, starts_ns)) == pytest.approx(busy_until_ns)


@given(transfers)
def test_one_more_makes_no_other_sooner(given_transfers: list[tuple[int, int]]) -> None:
    solos_ns = [float(solo) for solo, _ in given_transfers]
    starts_ns = [float(start) for _, start in given_transfers]
    without = run(solos_ns[1:], starts_ns[1:])
    for sooner, later in zip(without, run(solos_ns, starts_ns)[1:], strict=True):
        assert later >= sooner - 1e-6


def test_alone_it_takes_its_own_time() -> None:
    assert run([700.0], [50.0]) == [750.0]


def test_those_that_are_over_at_the_same_time_are_so_in_their_order() -> None:
    sharing: Sharing[str] = Sharing()
    for name in ("first", "second", "third"):
        sharing.add(name, 10.0)
    assert [sharing.pop() for _ in range(3)] == ["first", "second", "third"]


def test_one_that_is_dropped_leaves_the_others() -> None:
    sharing: Sharing[str] = Sharing()
    sharing.add("stays", 10.0)
    sharing.add("goes", 5.0)
    sharing.drop("goes")
    assert (len(sharing), sharing.next, sharing.left_ns) == (1, "stays", 10.0)
    assert sharing.left_at(4.0) == [("stays", 6.0)]


def test_line_holds_up_what_it_has_no_room_for_and_the_common_part_both_ways() -> None:
    reading, writing = DirectionLoad(), DirectionLoad(left=0.5)
    assert (reading.pace(), writing.pace(), slowdown(reading, writing)) == (1.0, 1.0, 1.0)
    for _ in range(4):
        reading.change(1, 0.5, 0.75)
    assert reading.pace() == 0.5
    writing.change(1, 1.0, 1.0)
    assert writing.pace() == 0.5
    assert slowdown(reading, writing) == 0.5 * 3.0 + 0.5 * 1.0


def test_nothing_is_wanted_once_all_have_gone() -> None:
    way = DirectionLoad()
    for share in (0.1, 0.2, 0.3):
        way.change(1, share, share)
    for share in (0.1, 0.3, 0.2):
        way.change(-1, share, share)
    assert (way.count, way.line, way.common) == (0, 0.0, 0.0)
