"""A fabric: paces of paths that meet others are max-min fair, those of two channels are theirs."""

from collections import defaultdict
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.contention import PathEnd
from ctc.fabric import Fabric, FabricRoute
from ctc.sharing import fair_pace

PROCESSOR: Final = 0.4
"""What each transfer here needs of a data processor at full pace; it needs all of a line."""


class End(PathEnd):
    """Sends on a path, and remembers its pace; the other end sees what comes."""

    def __init__(self, fabric: Fabric, route: FabricRoute, roll_off: float = 0.0) -> None:
        self.fabric, self.path = fabric, fabric.path(route)
        self.path.queue, self.path.roll_off = fabric.queue(route.here), roll_off
        self.path.ends.append(self)
        self.path.bytes_per_line_ns = 0.1
        self.pace = 1.0

    def change(self, sign: int, line: float, common: float) -> None:
        """A transfer begins (+1) or ends (-1): the other end knows of it before and after."""
        for sends in (False, True) if sign > 0 else (True, False):
            if sends:
                self.path.sent.change(sign, line, common)
                self.path.queue.out_count += sign
                self.fabric.settle(self.path, self, 0)
            else:
                self.path.seen.change(sign, line, common)
                for end in self.path.back.ends:
                    self.fabric.settle(self.path.back, end, 0)

    def set_pace(self, pace: float, now_ns: int) -> None:
        self.pace = pace


def ends_of(*routes: FabricRoute, roll_off: float = 0.0) -> list[End]:
    """A sender for each route, and one for each way back."""
    fabric = Fabric()
    ends = [End(fabric, route, roll_off) for route in routes]
    for route in routes:
        if route.back not in routes:
            End(fabric, route.back, roll_off)
    return ends


def paces(*routes: FabricRoute, processor: float = PROCESSOR) -> list[float]:
    """The pace of each path with one transfer on each."""
    ends = ends_of(*routes)
    for end in ends:
        end.change(1, 1.0, processor)
    return [end.pace for end in ends]


def test_alone_a_path_has_its_own_pace() -> None:
    assert paces(FabricRoute("A", "B")) == [1.0]
    assert paces(FabricRoute("A", "B"), FabricRoute("C", "D")) == [1.0, 1.0]


def test_paths_from_one_channel_share_its_line() -> None:
    assert paces(FabricRoute("A", "B"), FabricRoute("A", "C")) == [0.5, 0.5]


def test_two_senders_into_one_channel_share_its_line() -> None:
    assert paces(FabricRoute("A", "C"), FabricRoute("B", "C")) == [0.5, 0.5]


def test_what_one_path_cannot_use_another_has() -> None:
    # C takes a third from each of A, B and D; what B leaves of its own line goes to E
    found = paces(
        FabricRoute("A", "C"), FabricRoute("B", "C"), FabricRoute("D", "C"), FabricRoute("B", "E")
    )
    assert found == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3])


def test_a_straight_channel_handles_each_byte_twice() -> None:
    assert paces(FabricRoute("A", "A"), processor=0.8) == pytest.approx([1 / 1.6])


def test_a_straight_channel_over_inter_switch_links_handles_each_byte_twice_too() -> None:
    there = FabricRoute("A", "A", "far from 1", 1.0, "far from 2")
    assert paces(there, there.back, processor=0.8) == pytest.approx([1 / 3.2] * 2)


def test_both_ways_of_a_straight_channel_share_one_line_each_way() -> None:
    (end,) = ends_of(FabricRoute("A", "A"))
    for _ in range(2):
        end.change(1, 1.0, 0.1)
    assert end.pace == 0.5


def test_inter_switch_links_bound_all_that_crosses_them_one_way() -> None:
    # each moves 0.1 bytes/ns alone: at 5 ns/byte that is half of them, at 10 all of them
    fits = [FabricRoute(a, b, "far from 1", 5.0, "far from 2") for a, b in ("AB", "CD")]
    assert paces(*fits) == [1.0, 1.0]
    crowded = [FabricRoute(a, b, "far from 1", 10.0, "far from 2") for a, b in ("AB", "CD")]
    assert paces(*crowded) == [0.5, 0.5]
    back = FabricRoute("D", "C", "far from 2", 10.0, "far from 1")
    assert paces(crowded[0], back) == [1.0, 1.0]


def test_inter_switch_links_that_become_fewer_bound_what_is_under_way_on_them() -> None:
    fabric = Fabric()
    routes = [FabricRoute(a, b, "far from 1", 5.0, "far from 2") for a, b in ("AB", "CD")]
    ends = [End(fabric, route) for route in (*routes, FabricRoute("E", "F"))]
    for route in (*routes, FabricRoute("E", "F")):
        End(fabric, route.back)
    for end in ends:
        end.change(1, 1.0, PROCESSOR)
    assert [end.pace for end in ends] == [1.0, 1.0, 1.0]
    fabric.set_trunk("far from 1", 10.0, 0)
    assert [end.pace for end in ends] == [0.5, 0.5, 1.0]
    ends[0].change(-1, 1.0, PROCESSOR)
    fabric.set_trunk("far from 1", 5.0, 0)
    assert ends[1].pace == 1.0
    fabric.set_trunk("far from 2", 1_000.0, 0)  # nothing is under way there
    assert ends[1].pace == 1.0


def test_when_a_transfer_is_over_the_others_have_what_it_had() -> None:
    first, second = ends_of(FabricRoute("A", "C"), FabricRoute("B", "C"))
    first.change(1, 1.0, 0.1)
    second.change(1, 1.0, 0.1)
    assert (first.pace, second.pace) == (0.5, 0.5)
    first.change(-1, 1.0, 0.1)
    assert second.pace == 1.0


def test_what_a_receiver_sees_before_it_comes_counts_for_those_that_meet_others() -> None:
    fabric = Fabric()
    coming, going, other = (End(fabric, FabricRoute(*ends)) for ends in ("AB", "BA", "BC"))
    End(fabric, FabricRoute("C", "B"))
    going.change(1, 0.5, 0.5)
    coming.path.seen.change(1, 0.5, 0.5)  # B has asked for what A has not begun to send
    fabric.settle(going.path, going, 0)
    assert going.pace == 1.0
    other.change(1, 0.5, 0.5)
    assert going.pace == other.pace == pytest.approx(2 / 3)


transfers = st.tuples(st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.booleans())


@given(st.lists(st.tuples(st.booleans(), transfers), max_size=20))
def test_two_channels_that_meet_nobody_else_have_the_paces_that_they_have_without_a_fabric(
    moves: list[tuple[bool, tuple[float, float, bool]]],
) -> None:
    there, back, *idle = ends_of(*(FabricRoute(*ends) for ends in ("AB", "BA", "AC", "DB")))
    for is_back, (line, common, stays) in moves:
        end = back if is_back else there
        end.change(1, line, common)
        if not stays:
            end.change(-1, line, common)
    for end in (there, back):
        if end.path.sent.count:
            assert end.pace == fair_pace(end.path.sent, end.path.back.seen)
    assert all(end.pace == 1.0 for end in idle)


CHANNELS = "ABCD"
ROLL_OFF = 0.1
"""By so much each transfer from a channel slows the others down."""

moves = st.lists(
    st.tuples(st.sampled_from(CHANNELS), st.sampled_from(CHANNELS), transfers),
    min_size=1,
    max_size=20,
)


@given(moves)
def test_no_channel_carries_more_than_it_can_and_each_path_is_fastest_on_what_is_full(
    given_moves: list[tuple[str, str, tuple[float, float, bool]]],
) -> None:
    pairs = dict.fromkeys((here, there) for here, there, _ in given_moves)
    routes = [FabricRoute(*pair) for pair in pairs]
    ends = dict(zip(pairs, ends_of(*routes, roll_off=ROLL_OFF), strict=True))
    under_way: list[tuple[str, str, float, float]] = []
    for here, there, (line, common, stays) in given_moves:
        ends[here, there].change(1, line, common)
        if stays:
            under_way.append((here, there, line, common))
        else:
            ends[here, there].change(-1, line, common)
    used: dict[tuple[str, str], float] = defaultdict(float)
    fastest: dict[tuple[str, str], float] = defaultdict(float)
    for here, there, line, common in under_way:
        pace = ends[here, there].pace
        for name in (("out", here), ("in", there), ("processor", here), ("processor", there)):
            fastest[name] = max(fastest[name], pace)
        used["out", here] += pace * line
        used["in", there] += pace * line
        further = sum(each[0] == here for each in under_way) - 1
        used["processor", here] += pace * common * (1.0 + ROLL_OFF * further)
        used["processor", there] += pace * common
    for here, there, *_ in under_way:
        pace = ends[here, there].pace
        if not ends[here, there].path.crowded:  # two channels by themselves have another rule
            continue
        names = (("out", here), ("in", there), ("processor", here), ("processor", there))
        assert all(used[name] < 1.0 + 1e-6 for name in names)
        assert pace == 1.0 or any(
            used[name] > 1.0 - 1e-6 and fastest[name] < pace + 1e-6 for name in names
        )
