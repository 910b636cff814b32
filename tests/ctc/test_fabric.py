"""A fabric: paces of paths that meet others are max-min fair, those of two channels are theirs."""

from collections import defaultdict
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.contention import BYTES, LINE, RECEIVER, SENDER, Capacity, Need, Path, PathEnd
from ctc.fabric import Fabric, FabricRoute
from ctc.sharing import fair_pace

PROCESSOR: Final = 0.4
"""What each transfer here needs of a data processor at full pace; it needs all of a line."""


class End(PathEnd):
    """Sends on a path, and remembers its pace and when it was told; the other sees what comes."""

    def __init__(self, fabric: Fabric, route: FabricRoute, roll_off: float = 0.0) -> None:
        self.fabric, self.path = fabric, fabric.path(route)
        self.path.queue, self.path.roll_off = fabric.queue(route.here), roll_off
        self.path.ends.append(self)
        self.path.bytes_per_line_ns = 0.1
        self.pace = 1.0
        self.told_ns: list[int] = []

    def change(self, sign: int, line: float, common: float, now_ns: int = 0) -> None:
        """A transfer begins (+1) or ends (-1): the other end knows of it before and after."""
        for sends in (False, True) if sign > 0 else (True, False):
            if sends:
                self.path.sent.change(sign, line, common)
                self.path.queue.out_count += sign
                self.fabric.settle(self.path, self, now_ns)
            else:
                self.path.seen.change(sign, line, common)
                for end in self.path.back.ends:
                    self.fabric.settle(self.path.back, end, now_ns)

    def set_pace(self, pace: float, now_ns: int) -> None:
        self.pace = pace
        self.told_ns.append(now_ns)


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
    there = FabricRoute("A", "B"), FabricRoute("A", "C")
    assert paces(*there) == [0.5, 0.5]
    assert paces(*there, *(route.back for route in there)) == [0.5] * 4  # each way by itself


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


def test_a_straight_channel_is_ready_for_all_that_it_has_asked_for() -> None:
    (end,) = ends_of(FabricRoute("A", "A"))
    end.path.seen.change(1, 10.0, 0.1)  # much of the line, so that it would not come fast
    end.change(1, 0.1, 0.9)
    assert end.pace == pytest.approx(1 / 1.9)


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
    fabric.set_trunk("far from 1", 10.0, 7)
    assert [end.pace for end in ends] == [0.5, 0.5, 1.0]
    ends[0].change(-1, 1.0, PROCESSOR, 8)
    fabric.set_trunk("far from 1", 5.0, 9)
    assert ends[1].pace == 1.0
    fabric.set_trunk("far from 2", 1_000.0, 10)  # nothing is under way there
    assert ends[1].pace == 1.0
    assert [{*end.told_ns} for end in ends] == [{0, 7, 8}, {0, 7, 8, 9}, {0}]


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


def test_what_is_sent_counts_before_it_is_seen_to_come() -> None:
    ends = ends_of(FabricRoute("A", "B"), FabricRoute("A", "C"))
    for end in ends:
        end.path.sent.change(1, 1.0, PROCESSOR)
        end.fabric.settle(end.path, end, 0)
    assert [end.pace for end in ends] == [0.5, 0.5]


def test_a_line_holds_up_what_is_sent_though_the_channel_there_has_asked_for_more() -> None:
    ends = ends_of(FabricRoute("A", "B"), FabricRoute("A", "C"))
    for end in ends:
        end.path.seen.change(1, 0.9, 0.5)
        end.change(1, 0.9, 0.5)
    assert [end.pace for end in ends] == pytest.approx([1 / 1.8] * 2)


def test_an_end_is_told_when_its_transfers_or_its_pace_change_and_never_else() -> None:
    fabric, route = Fabric(), FabricRoute("A", "B")
    first, second, other = (End(fabric, each) for each in (route, route, FabricRoute("A", "C")))
    first.change(1, 0.25, 0.1, 5)
    assert (first.told_ns, second.told_ns) == ([5], [])
    second.change(1, 1.0, 0.1, 6)
    assert [end.pace for end in (first, second)] == [0.8, 0.8]
    other.change(1, 0.0, 0.1, 7)  # nobody is any slower
    other.change(1, 1.0, 0.1, 8)
    assert [end.pace for end in (first, second, other)] == pytest.approx([1 / 2.25] * 3)
    assert [end.told_ns for end in (first, second, other)] == [[5, 6, 8], [6, 8], [7, 8]]


def test_two_channels_go_by_their_own_rule_until_others_want_what_is_short_and_after() -> None:
    # B slows down by its number of transfers; A's own do not wait for that where they are two
    ends = ends_of(
        FabricRoute("A", "B"), FabricRoute("B", "A"), FabricRoute("A", "C"), roll_off=0.5
    )
    there, back, other = ends
    for _ in range(3):
        back.change(1, 0.1, 0.5)
    there.change(1, 0.1, 0.5)
    of_two = pytest.approx([1 / 2, 1 / 3.5])
    assert [there.pace, back.pace] == of_two
    for line in (0.1, 1.0):  # it takes nothing of the processor, and yet has to share it
        other.change(1, line, 0.0)
        assert [there.pace, back.pace] == pytest.approx([1 / 3.5] * 2)
        assert [end.path.crowded for end in ends] == [True] * 3
        other.change(-1, line, 0.0)
        assert [there.pace, back.pace] == of_two
        assert [end.path.crowded for end in (there, back)] == [False] * 2


def test_the_pace_of_whatever_crosses_links_is_found_again_when_they_become_short_or_not() -> None:
    # as above, and others on inter-switch links, of which A needs so little that it waits elsewhere
    route = FabricRoute("A", "B", "over", 10.0, "back")
    others = [FabricRoute(a, b, "over", 10.0, "back") for a, b in ("CD", "EF", "GH", "IJ")]
    there, back, many, *few = ends_of(route, route.back, *others, roll_off=0.5)
    for _ in range(3):
        back.change(1, 0.1, 0.5)
    for end in (many, *few):
        end.change(1, 0.5 if end is many else 0.1, 0.0)
    there.change(1, 0.1, 0.5)
    found = [there.pace]
    many.change(1, 0.5, 0.0)
    found.append(there.pace)
    few[0].change(-1, 0.1, 0.0)
    many.change(-1, 0.5, 0.0)
    found.append(there.pace)
    assert found == pytest.approx([1 / 2, 1 / 3.5, 1 / 2])


def test_a_pace_between_what_a_resource_had_and_has_to_give_is_found_again() -> None:
    # A sends to C and others, and so do three more to C: then A sends to F what wants three lines
    to_c = [FabricRoute(here, "C") for here in "AXYZ"]
    routes = [*to_c, *(FabricRoute("A", there) for there in "BDGHF")]
    ends = ends_of(*routes)
    for end, line in zip(ends, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.01, 0.01), strict=False):
        end.change(1, line, 0.001)
    from_a = 0.75 / 2.02
    before = pytest.approx([0.25] * 4 + [from_a] * 4)
    assert [end.pace for end in ends[:-1]] == before
    ends[-1].change(1, 3.0, 0.001)
    all_of_a = 1 / 6.02
    assert [end.pace for end in ends] == pytest.approx(
        [all_of_a, *[(1 - all_of_a) / 3] * 3, *[all_of_a] * 5]
    )
    ends[-1].change(-1, 3.0, 0.001)
    assert [end.pace for end in ends[:-1]] == before


def test_what_comes_in_slows_what_goes_out_where_the_processor_is_short() -> None:
    going = [FabricRoute("C", there) for there in "DEFGH"]
    *senders, comes = ends_of(*going, FabricRoute("A", "C"))
    for end in senders:
        end.change(1, 0.5, 0.4)
    assert [end.pace for end in senders] == pytest.approx([1 / 2.5] * 5)  # by the line
    comes.change(1, 0.1, 0.9)
    assert [end.pace for end in (*senders, comes)] == pytest.approx([1 / 2.9] * 6)


@pytest.mark.parametrize(
    ("pairs", "trunk", "processor", "kind"),
    [
        (["AB"], 0.0, 0.1, LINE),
        (["AB"], 0.0, 0.9, SENDER),
        (["AB"], 20.0, 0.1, BYTES),
        (["AB", "AC"], 0.0, 0.1, LINE),
        (["AB", "AC"], 0.0, 1.2, SENDER),
        (["AB", "CB"], 0.0, 1.2, RECEIVER),
        (["AB", "CD"], 20.0, 0.1, BYTES),
    ],
)
def test_a_path_says_what_it_waits_for(
    pairs: list[str], trunk: float, processor: float, kind: int
) -> None:
    links = ("over", trunk, "back") if trunk else ()
    ends = ends_of(*(FabricRoute(*pair, *links) for pair in pairs))
    for end in ends:
        for _ in range(2):
            end.change(1, 0.8, processor)
    assert [end.path.held_up_by for end in ends] == [kind] * len(pairs)


def level_of(*needs: tuple[float, float], last: float = 1.0) -> float:
    """The level of a resource by the shares and bounds of those that need it, and its last one."""
    resource = Capacity(0.0)
    path = Path(resource, [], straight=False)
    resource.level = last
    for share, bound in needs:
        need = Need(path, resource, LINE)
        need.share, need.bound = share, bound
        resource.needs.append(need)
    resource.renew()
    assert resource.short == (sum(share for share, _ in needs) > 1.0)
    resource.find_level()
    return resource.level


@pytest.mark.parametrize("last", [0.01, 0.3, 0.5, 1.0])
def test_a_level_is_the_pace_at_which_a_resource_is_full_whatever_it_was(last: float) -> None:
    assert level_of((0.5, 1.0), (0.5, 1.0), last=last) == 1.0
    assert level_of((1.0, 1.0), (1.0, 1.0), last=last) == 0.5
    assert level_of((1.0, 0.25), (1.0, 1.0), last=last) == 0.75
    assert level_of((1.0, 0.1), (1.0, 0.2), (1.0, 1.0), (1.0, 1.0), last=last) == 0.35
    assert level_of((2.0, 0.25), (1.0, 0.5), last=last) == 0.5  # full by what they can
    assert level_of((1.0, 0.3), (1.0, 0.3), last=last) == 1.0  # not full


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
