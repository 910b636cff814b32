"""The order of a change: as good as the best of all, which another search finds one by one."""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import combinations, count
from random import Random
from typing import Any

import pytest

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.layout.change import CtcStep, change_steps, link_of
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

Ends = frozenset[tuple[str, int]]
Ctc = tuple[Any, Ends, object]
"""Its link, its device number at each system, and its chpids."""

PROFILE = find_profile("FICON Express8S")


def drawn(random: Random) -> tuple[Collection, Collection]:
    """Both sides of a change: few numbers, so that many go from one link to another."""
    systems = "ABCD"[: random.randint(2, 4)]
    pairs = [*combinations(systems, 2)]
    links = random.sample(pairs, min(len(pairs), random.randint(1, 3)))
    most = {1: 5, 2: 3, 3: 2}[len(links)]
    sides = []
    for _ in range(2):
        free = {
            name: random.sample(range(most + len(links)), most + len(links)) for name in systems
        }
        found = []
        for first, second in links:
            size = min(random.randint(1, most), len(free[first]), len(free[second]))
            ctcs = [
                CtcPair(fibre(random), (Rdev(free[first].pop()), Rdev(free[second].pop())))
                for _ in range(size)
            ]
            if ctcs:
                found.append(link_of((NodeName(first), NodeName(second)), ctcs))
        sides.append(Collection(tuple(found)))
    return sides[0], sides[1]


def drawn_large(random: Random) -> tuple[Collection, Collection]:
    """Both sides of a link of nine to sixteen CTCs, with few numbers too."""
    sides, numbers = [], range(random.randint(CTCS_MAX, 25))
    for _ in range(2):
        size = random.randint(9, CTCS_MAX)
        firsts, seconds = (random.sample(numbers, size) for _ in (0, 1))
        rdevs = [(Rdev(a), Rdev(b)) for a, b in zip(firsts, seconds, strict=True)]
        ctcs = [CtcPair(fibre(random), both) for both in rdevs]
        sides.append(Collection((link_of((NodeName("A"), NodeName("B")), ctcs),)))
    return sides[0], sides[1]


def fibre(random: Random) -> Fibre:
    """One of four between the same chpids, which the links share."""
    chpids = ChpidId(0x40 + random.randrange(2)), ChpidId(0x50 + random.randrange(2))
    return Fibre("1", PROFILE, chpids)


def ctcs_of(side: Collection) -> set[Ctc]:
    return {
        (link.nodes, frozenset(zip(link.nodes, ctc.rdevs, strict=True)), ctc.fibre.chpids)
        for link in side.links
        for ctc in link.ctcs
    }


class Change:
    """Which states there are, and what each costs; its own account of the rules."""

    def __init__(self, before: Collection, after: Collection) -> None:
        self.before, self.after = ctcs_of(before), ctcs_of(after)
        sizes = [{link.nodes: len(link.ctcs) for link in side.links} for side in (before, after)]
        self.base = {n: min(sizes[0][n], sizes[1][n]) for n in {*sizes[0]} & {*sizes[1]}}
        self.need = {nodes: max(1, base // 2) for nodes, base in self.base.items()}
        self.spares: set[Ctc] = {
            (nodes, frozenset({("", 10 * link + spare)}), "spare")
            for link, (nodes, need) in enumerate(self.need.items())
            for spare in range(need)
        }

    def cost(self, state: frozenset[Ctc], ctc: Ctc, *, opens: bool) -> tuple[float, ...]:
        """Of one CTC more or less: outages, links short, spares, steps, and what is lost."""
        nodes, adds = ctc[0], ctc not in state
        size = sum(one[0] == nodes for one in state)
        if adds or nodes not in self.base:
            return 0, 0, ctc in self.spares and adds, opens, 0.0
        lost = max(0.0, 1 - (size - 1) / self.base[nodes])
        return size == 1, size == self.need[nodes], 0, opens, lost

    def best(self) -> tuple[float, ...]:
        """The least that any order costs: every CTC by itself, in any state, is tried."""
        start = frozenset(self.before), frozenset[Ctc](), None
        heap: list[Any] = [((0, 0, 0, 0, 0.0), 0, start)]
        known, serial = set[Any](), count(1)
        while heap:
            cost, _, at = heappop(heap)
            if at in known:
                continue
            known.add(at)
            state, used, last = at
            if state == self.after:
                return tuple(cost)
            taken = {end for one in state for end in one[1]}
            sizes = {one[0]: sum(each[0] == one[0] for each in state) for one in state}
            going = state - self.after
            coming = (self.after - state) | (self.spares - used)
            for ctc in going | coming:
                adds = ctc in coming
                if adds and (ctc[1] & taken or sizes.get(ctc[0], 0) == CTCS_MAX):
                    continue
                opens = last != (ctc[0], adds)
                *sums, lost = self.cost(state, ctc, opens=opens)
                more = (*(a + b for a, b in zip(cost, sums, strict=False)), max(cost[4], lost))
                lent = used | {ctc} if ctc in self.spares else used
                heappush(heap, (more, next(serial), (state ^ {ctc}, lent, (ctc[0], adds))))
        raise AssertionError("no order at all")

    def walked(self, steps: Sequence[CtcStep]) -> tuple[float, ...]:
        """What some steps cost, each of which has to be possible, and the last to end it all."""
        state, total, lost = frozenset(self.before), [0.0] * 4, 0.0
        for step in steps:
            for number, one in enumerate(step.ctcs):
                ends = frozenset(zip(one.nodes, one.ctc.rdevs, strict=True))
                ctc: Ctc = one.nodes, ends, one.ctc.fibre.chpids
                if ctc not in self.before | self.after:
                    self.spares.add(ctc)
                adds = step.kind == "add"
                assert adds is (ctc not in state)
                assert not adds or not any(ends & other[1] for other in state)
                *sums, more = self.cost(state, ctc, opens=not number)
                total = [a + b for a, b in zip(total, sums, strict=True)]
                lost, state = max(lost, more), state ^ {ctc}
            left = [each for each in state if each[0] == step.nodes]
            assert len(left) == (0 if step.left is None else len(step.left.ctcs)) <= CTCS_MAX
            assert step.is_down is (not left and step.nodes in self.base)
        assert state == self.after
        return (*total, lost)


def changes(count: int) -> Iterator[tuple[Collection, Collection]]:
    for seed in range(count):
        yield drawn(Random(seed))


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_no_order_is_better_and_no_outage_can_be_avoided(count: int) -> None:
    for before, after in changes(count):
        found = change_steps(before, after)
        change = Change(before, after)
        best = change.best()
        assert change.walked(found.steps) == pytest.approx(best)
        assert not found.is_cut
        assert not any(step.is_down for step in found.steps)


@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.exhaustive)])
def test_steps_end_in_the_other_layout_and_keep_a_link_of_many_ctcs_up(count: int) -> None:
    for seed in range(count):
        before, after = drawn_large(Random(seed))
        steps = change_steps(before, after).steps
        Change(before, after).walked(steps)
        assert not any(step.is_down for step in steps)


def test_a_search_that_is_cut_says_so_and_still_ends_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isfc.layout.change_search.STATES_MAX", 4)
    cut = 0
    for before, after in changes(20):
        found = change_steps(before, after)
        Change(before, after).walked(found.steps)
        cut += found.is_cut
    assert cut


def test_that_only_the_search_with_spares_is_cut_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 80 states: all orders without a spare are compared, and one with some is no better."""
    monkeypatch.setattr("isfc.layout.change_search.STATES_MAX", 80)
    before, after = drawn(Random(20))
    assert change_steps(before, after).is_cut
    monkeypatch.setattr("isfc.layout.change._spare", lambda *_: ())
    assert not change_steps(before, after).is_cut
