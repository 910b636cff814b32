"""The one model of a channel: conserves work, and is what each user of it has alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.sharing import DirectionLoad, Sharing, fair_pace


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


shares = st.lists(st.tuples(st.floats(0.05, 1.0), st.floats(0.05, 1.0)), max_size=8)
"""Of the line and of what both ways share, for each transfer of a direction."""


def load_of(transfers_of_way: list[tuple[float, float]], left: float = 1.0) -> DirectionLoad:
    way = DirectionLoad(left)
    for line, common in transfers_of_way:
        way.change(1, line, common)
    return way


@given(shares, shares, st.floats(0.5, 1.0))
def test_a_direction_gains_only_what_one_no_faster_loses(
    going: list[tuple[float, float]], coming: list[tuple[float, float]], left: float
) -> None:
    out, in_ = load_of(going, left), load_of(coming)
    out_pace, in_pace = fair_pace(out, in_), fair_pace(in_, out)
    used = out_pace * out.common + in_pace * in_.common
    assert used <= 1.0 + 1e-9
    for way, pace, other_pace in ((out, out_pace, in_pace), (in_, in_pace, out_pace)):
        assert pace <= way.pace()
        if way.count and pace < way.pace() - 1e-9:
            assert used == pytest.approx(1.0)
            assert pace >= other_pace - 1e-9


@given(shares, shares)
def test_where_the_common_part_suffices_each_direction_goes_as_its_line_lets_it(
    going: list[tuple[float, float]], coming: list[tuple[float, float]]
) -> None:
    out, in_ = (load_of([(line, common / 16) for line, common in way]) for way in (going, coming))
    assert (fair_pace(out, in_), fair_pace(in_, out)) == (out.pace(), in_.pace())


def test_a_line_full_of_others_leaves_more_of_the_common_part_to_the_other_direction() -> None:
    one = load_of([(1.0, 0.75)])
    assert fair_pace(one, load_of([(1.0, 0.75)])) == pytest.approx(1 / 1.5)
    assert fair_pace(one, load_of([(1.0, 0.75)] * 2)) == pytest.approx(1 / 2.25)
    # four have a quarter of their line each, and with it 3/4 of the common part: 1/4 is left
    many = load_of([(1.0, 0.75)] * 4)
    assert fair_pace(many, one) == 0.25
    assert fair_pace(one, many) == pytest.approx(1 / 3)


def test_nothing_is_wanted_once_all_have_gone() -> None:
    way = DirectionLoad()
    for share in (0.1, 0.2, 0.3):
        way.change(1, share, share)
    for share in (0.1, 0.3, 0.2):
        way.change(-1, share, share)
    assert (way.count, way.line, way.common) == (0, 0.0, 0.0)
