"""The order of a change: as good as the best of all, which another search finds one by one."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, cycle
from random import Random
from typing import Any

import pytest
from msgspec import structs

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.answers.change_order import order_steps
from isfc.layout.change import CtcStep, change_steps, half_of, link_of, on_all_channels
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from scenarios.figures.rates import carried_alone
from scenarios.runs.experiment import in_turn
from tests.drawn_changes import drawn_change
from tests.isfc.answers.test_change_order import carrying

Ends = frozenset[tuple[str, int]]
Ctc = tuple[Any, Ends, Any]
"""Its link, its device number at each system, and its chpids."""

PROFILE = find_profile("FICON Express8S")


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


Rate = Callable[[Layout], float]
"""What a link carries, in place of runs."""


class Change:
    """Which states there are, and what each costs; its own account of the rules."""

    def __init__(self, before: Collection, after: Collection, rate: Rate | None = None) -> None:
        self.before, self.after = ctcs_of(before), ctcs_of(after)
        sizes = [{link.nodes: len(link.ctcs) for link in side.links} for side in (before, after)]
        self.base = {n: min(sizes[0][n], sizes[1][n]) for n in {*sizes[0]} & {*sizes[1]}}
        self.need = {nodes: max(1, base // 2) for nodes, base in self.base.items()}
        links = [link for link in before.links if link.nodes in self.need]
        self.spares: set[Ctc] = {
            (
                link.nodes,
                frozenset((node, 0x7000 + 100 * number + spare) for node in link.nodes),
                fibre.chpids,
            )
            for number, link in enumerate(links)
            for spare, fibre in zip(range(self.need[link.nodes]), cycle(link.fibres), strict=False)
        }
        self.rate = rate
        self.rates = dict[Any, float]()
        self.whole, self.floor = dict[Any, float](), dict[Any, float]()
        self.fibres = {
            (link.nodes, ctc.fibre.chpids): ctc.fibre
            for side in (before, after)
            for link in side.links
            for ctc in link.ctcs
        }
        for link in links:
            if rate is None:
                break
            sides = [link, next(each for each in after.links if each.nodes == link.nodes)]
            self.floor[link.nodes] = 0.9 * min(rate(half_of(side)) for side in sides)
            self.whole[link.nodes] = min(map(rate, sides))

    def judged(self, state: Iterable[Ctc], nodes: Any) -> tuple[bool, float]:
        """Whether a link carries too little in a state, and which share of its rate it loses."""
        full = sorted(
            (ctc for ctc in state if ctc[0] == nodes), key=lambda ctc: dict(ctc[1])[nodes[0]]
        )
        if self.rate is None or not full:
            return len(full) < self.need[nodes], 0.0
        on = nodes, *(ctc[2] for ctc in full)
        if on not in self.rates:
            pairs = enumerate(self.fibres[nodes, chpids] for chpids in on[1:])
            ctcs = [CtcPair(fibre, (Rdev(n), Rdev(n))) for n, fibre in pairs]
            self.rates[on] = self.rate(link_of(nodes, ctcs))
        rate = self.rates[on]
        lost = max(0.0, 1 - rate / self.whole[nodes])
        return rate < self.floor[nodes], lost // 0.02 * 0.02

    def cost(self, state: frozenset[Ctc], ctc: Ctc, *, opens: bool) -> tuple[float, ...]:
        """Of one CTC more or less: outages, links short, spares, steps; lost in rate and number."""
        nodes, adds = ctc[0], ctc not in state
        if adds or nodes not in self.base:
            return 0, 0, ctc in self.spares and adds, opens, 0.0, 0.0
        left = state - {ctc}
        size = sum(one[0] == nodes for one in left)
        is_short, slower = self.judged(left, nodes)
        was = self.judged(state, nodes)[0]
        lost = max(0.0, 1 - size / self.base[nodes])
        return not size, is_short and not was, 0, opens, slower, lost

    def best(self) -> tuple[float, ...]:
        """The least that any order costs: every CTC by itself, in any state, is tried."""
        start = frozenset(self.before), frozenset[Ctc](), None
        heap: list[Any] = [((0, 0, 0, 0, 0.0, 0.0), 0, start)]
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
                more = added(cost, self.cost(state, ctc, opens=opens))
                lent = used | {ctc} if ctc in self.spares else used
                heappush(heap, (more, next(serial), (state ^ {ctc}, lent, (ctc[0], adds))))
        raise AssertionError("no order at all")

    def walked(self, steps: Sequence[CtcStep]) -> tuple[float, ...]:
        """What some steps cost, each of which has to be possible, and the last to end it all."""
        state, total = frozenset(self.before), tuple([0.0] * 6)
        for step in steps:
            for number, one in enumerate(step.ctcs):
                ends = frozenset(zip(one.nodes, one.ctc.rdevs, strict=True))
                ctc: Ctc = one.nodes, ends, one.ctc.fibre.chpids
                if ctc not in self.before | self.after:
                    self.spares.add(ctc)
                adds = step.kind == "add"
                assert adds is (ctc not in state)
                assert not adds or not any(ends & other[1] for other in state)
                total = added(total, self.cost(state, ctc, opens=not number))
                state ^= {ctc}
            left = [each for each in state if each[0] == step.nodes]
            assert len(left) == (0 if step.left is None else len(step.left.ctcs)) <= CTCS_MAX
            assert step.is_down is (not left and step.nodes in self.base)
        assert state == self.after
        return total


def added(cost: Sequence[float], more: Sequence[float]) -> tuple[float, ...]:
    """Of both: the first four in all, and of the others the greater."""
    sums = (a + b for a, b in zip(cost[:4], more[:4], strict=True))
    return (*sums, *map(max, cost[4:], more[4:]))


def few_or_thousand(few: int) -> list[Any]:
    """Seeds: a few in every run, and in the exhaustive one a thousand."""
    thousand = (range(first, first + 25) for first in range(0, 1000, 25))
    return [range(few), *(pytest.param(some, marks=pytest.mark.exhaustive) for some in thousand)]


def changes(seeds: Iterable[int]) -> Iterator[tuple[Collection, Collection]]:
    for seed in seeds:
        change = drawn_change(Random(seed))
        yield on_all_channels(change.before, change.after)


@pytest.mark.parametrize("seeds", few_or_thousand(40))
def test_no_order_is_better_and_no_outage_can_be_avoided(seeds: range) -> None:
    for before, after in changes(seeds):
        found = change_steps(before, after)
        change = Change(before, after)
        best = change.best()
        assert change.walked(found.steps) == pytest.approx(best)
        assert not found.is_cut
        assert not any(step.is_down for step in found.steps)


def filled(link: Layout) -> float:
    """Each chpid carries the less of a CTC, the more it has; of those that are shared some more."""
    full = Counter(ctc.fibre for ctc in link.ctcs)
    speed = {fibre: 1 + fibre.chpids[0] % 2 * bool(fibre.channels) for fibre in full}
    return sum(speed[fibre] * (1 - 0.5**count) for fibre, count in full.items())


@pytest.mark.parametrize("seeds", few_or_thousand(20))
def test_no_order_carries_more_of_as_many_steps(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every order is tried, with what each set of CTCs carries; the search asks of few."""
    carrying(monkeypatch, filled)
    for before, after in changes(seeds):
        found, _ = order_steps(before, after, None, in_turn)
        change = Change(before, after, filled)
        assert change.walked(found.steps)[:5] == pytest.approx(change.best()[:5])
        assert not found.is_cut


_modelled: dict[object, float] = {}


def modelled(link: Layout) -> float:
    """What the model says, asked once of links that are alike but for names."""
    names = [*dict.fromkeys(name for ctc in link.device_list() for name in ctc.fibre.channels)]
    fibres = [ctc.fibre for ctc in link.device_list()]
    key = tuple((fibres.index(one), *map(names.index, one.channels)) for one in fibres)
    if key not in _modelled:
        _modelled[key] = carried_alone([link], in_turn)[link].rate.value
    return _modelled[key]


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 1000, 25))
def test_by_the_model_no_order_keeps_more_links_at_nine_tenths_of_what_half_carries(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    carrying(monkeypatch, modelled)
    for before, after in changes(range(first, first + 25)):
        found, _ = order_steps(before, after, None, in_turn)
        change = Change(before, after, modelled)
        assert change.walked(found.steps)[:4] == pytest.approx(change.best()[:4])


@pytest.mark.parametrize("seeds", few_or_thousand(40))
def test_steps_end_in_the_other_layout_and_keep_a_link_of_many_ctcs_up(seeds: range) -> None:
    for seed in seeds:
        before, after = drawn_large(Random(seed))
        steps = change_steps(before, after).steps
        Change(before, after).walked(steps)
        assert not any(step.is_down for step in steps)


def test_links_of_many_ctcs_of_two_kinds_keep_what_half_carries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CTCs change places between links of two kinds of chpids: more than are told apart."""
    carrying(monkeypatch, filled)
    slow = find_profile("FICON Express4")
    sides = []
    for turn in (0, 1):
        links = []
        for number, name in enumerate("BC"):
            fibres = [fibre(Random(n)) for n in range(4)]
            fibres = [*fibres[:2], *(structs.replace(one, profile=slow) for one in fibres[2:])]
            rdevs = [(Rdev(4 * (number ^ turn) + n), Rdev(n)) for n in range(4)]
            ctcs = [CtcPair(fibres[(n + turn) % 4], both) for n, both in enumerate(rdevs)]
            links.append(link_of((NodeName("A"), NodeName(name)), ctcs))
        sides.append(Collection(tuple(links)))
    found, _ = order_steps(sides[0], sides[1], None, in_turn)
    assert Change(sides[0], sides[1], filled).walked(found.steps)[:2] == (0, 0)


def test_a_search_that_is_cut_says_so_and_still_ends_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isfc.layout.change_search.STATES_MAX", 4)
    cut = 0
    for before, after in changes(range(20)):
        found = change_steps(before, after)
        Change(before, after).walked(found.steps)
        cut += found.is_cut
    assert cut


def test_that_only_the_search_with_spares_is_cut_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 80 states: all orders without a spare are compared, and one with some is no better."""
    monkeypatch.setattr("isfc.layout.change_search.STATES_MAX", 80)
    drawn = drawn_change(Random(47))
    assert change_steps(drawn.before, drawn.after).is_cut
    monkeypatch.setattr("isfc.layout.change._spare", lambda *_: ())
    assert not change_steps(drawn.before, drawn.after).is_cut
