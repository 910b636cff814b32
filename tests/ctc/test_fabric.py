"""A fabric: the paces of paths that share channels are max-min fair, and waste nothing."""

from collections import defaultdict
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.fabric import Fabric, FabricRoute, Path, PathEnd

PROCESSOR: Final = 0.4
"""What each transfer here needs of a data processor at full pace; it needs all of a line."""


class End(PathEnd):
    """Remembers its pace."""

    def __init__(self, path: Path) -> None:
        self.pace = 1.0
        path.end = self

    def set_pace(self, pace: float, now_ns: int) -> None:
        self.pace = pace


def paces(*routes: FabricRoute, processor: float = PROCESSOR) -> list[float]:
    """The pace of each path with one transfer on each."""
    fabric = Fabric()
    paths = [fabric.add_path(route) for route in routes]
    ends = [End(path) for path in paths]
    for path in paths:
        fabric.change(path, 1, 1.0, processor, 0.1, 0)
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


def test_both_ways_of_a_straight_channel_share_one_line_each_way() -> None:
    fabric = Fabric()
    path = fabric.add_path(FabricRoute("A", "A"))
    end = End(path)
    for _ in range(2):
        fabric.change(path, 1, 1.0, 0.1, 0.1, 0)
    assert end.pace == 0.5


def test_inter_switch_links_bound_all_that_crosses_them_one_way() -> None:
    # each moves 0.1 bytes/ns alone: at 5 ns/byte that is half of them, at 10 all of them
    fits = [FabricRoute(a, b, "far from 1", 5.0) for a, b in ("AB", "CD")]
    assert paces(*fits) == [1.0, 1.0]
    crowded = [FabricRoute(a, b, "far from 1", 10.0) for a, b in ("AB", "CD")]
    assert paces(*crowded) == [0.5, 0.5]
    back = FabricRoute("D", "C", "far from 2", 10.0)
    assert paces(crowded[0], back) == [1.0, 1.0]


def test_when_a_transfer_is_over_the_others_have_what_it_had() -> None:
    fabric = Fabric()
    first, second = fabric.add_path(FabricRoute("A", "C")), fabric.add_path(FabricRoute("B", "C"))
    ends = [End(first), End(second)]
    for sign in (1, -1):
        fabric.change(first, sign, 1.0, 0.1, 0.1, 0)
        if sign > 0:
            fabric.change(second, 1, 1.0, 0.1, 0.1, 0)
            assert [end.pace for end in ends] == [0.5, 0.5]
    assert ends[1].pace == 1.0
    assert second.alarm.rung


CHANNELS = "ABCD"
moves = st.lists(
    st.tuples(
        st.sampled_from(CHANNELS),
        st.sampled_from(CHANNELS),
        st.floats(0.1, 1.0),
        st.floats(0.1, 1.0),
        st.booleans(),
    ),
    min_size=1,
    max_size=20,
)


@given(moves)
def test_no_channel_carries_more_than_it_can_and_no_path_could_go_faster(
    given_moves: list[tuple[str, str, float, float, bool]],
) -> None:
    fabric = Fabric()
    under_way: list[tuple[str, str, float, float]] = []
    paths: dict[tuple[str, str], Path] = {}
    ends: dict[tuple[str, str], End] = {}
    for here, there, line, common, stays in given_moves:
        if (here, there) not in ends:
            paths[here, there] = fabric.add_path(FabricRoute(here, there))
            ends[here, there] = End(paths[here, there])
        path = paths[here, there]
        fabric.change(path, 1, line, common, 0.1, 0)
        if stays:
            under_way.append((here, there, line, common))
        else:
            fabric.change(path, -1, line, common, 0.1, 0)
    used: dict[tuple[str, str], float] = defaultdict(float)
    for here, there, line, common in under_way:
        pace = ends[here, there].pace
        used["out", here] += pace * line
        used["in", there] += pace * line
        used["processor", here] += pace * common
        used["processor", there] += pace * common
    assert all(share < 1.0 + 1e-6 for share in used.values())
    for here, there, *_ in under_way:
        pace = ends[here, there].pace
        names = (("out", here), ("in", there), ("processor", here), ("processor", there))
        assert pace == 1.0 or any(used[name] > 1.0 - 1e-6 for name in names)
