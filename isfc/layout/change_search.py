"""The order in which CTCs go and come between two layouts: a search over all orders of steps.

A step takes CTCs of one link out, or puts some in. What is new waits until each number that it is
to have is free; a link has sixteen CTCs at most. Best is an order with the fewest outages of a
link; then the one that leaves a link too little least often; then the one with the fewest spare
CTCs (which neither layout has, with free numbers, for the time of the change); then the fewest
steps; then the highest rate on the way; then the one that keeps the most CTCs. What is new blocks
nothing, so a step adds all that it can. So a state is what is gone and how many came; two that
differ only by CTCs of a link that block alike, and carry alike, are one. Links that have no number
of each other are searched one after the other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, reduce
from heapq import heappop, heappush
from itertools import accumulate, count, pairwise, product
from math import inf
from operator import or_
from typing import Final

from msgspec import Struct, structs

from ctc.address import Rdev
from isfc.errors.in_words import grouped, runs
from isfc.layout.layout import CtcPair
from isfc.link.name import NodeName, Nodes
from isfc.link.scan import CTCS_MAX

STATES_MAX: Final = 20_000
"""States of one search before it is cut. Chosen: a few seconds."""

APART_MAX: Final = 12
"""CTCs that go and come, of which each chpid is told from another where rates count; of more those
of one kind are alike, the fuller ones first to go. Chosen: each state is tried in a second."""


class StepKind(StrEnum):
    """What a step does to CTCs."""

    ADD = "add"
    REMOVE = "remove"


class CtcOfLink(Struct, frozen=True):
    """A CTC of one of several links; two are the same if their numbers and chpids are."""

    nodes: Nodes
    ctc: CtcPair

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it the CTC that it is."""
        return self.nodes, self.ctc.rdevs, self.ctc.fibre.chpids

    @property
    def ends(self) -> frozenset[tuple[NodeName, Rdev]]:
        """Its device number at each of its systems: no other has one of them."""
        return frozenset(zip(self.nodes, self.ctc.rdevs, strict=True))

    @property
    def chpids(self) -> tuple[object, ...]:
        """Its link's end at each chpid."""
        return tuple((self.nodes, *each) for each in enumerate(self.ctc.fibre.chpids))


class Cost(Struct, frozen=True, order=True):
    """What is worse about an order, the worst first."""

    outages: int = 0
    short: int = 0
    """how often a link goes below what it needs"""
    spares: int = 0
    steps: int = 0
    slower: float = 0.0
    """the greatest share of its rate that a link loses on the way"""
    lost: float = 0.0
    """the greatest share of its CTCs that a link misses on the way"""


Ctcs = Iterable[CtcOfLink]
Move = tuple[StepKind, tuple[CtcOfLink, ...]]
"""What a step does, and to which CTCs."""


class CtcOrder(Struct, frozen=True):
    """The best order that was found, and whether a search was cut before all were compared."""

    moves: tuple[Move, ...]
    cost: Cost
    is_cut: bool


Judge = Callable[[Sequence[CtcPair]], tuple[bool, float]]
"""Whether some CTCs of a link carry too little, and which share of its rate is lost with them."""


def half_count(ctcs: int) -> int:
    """The CTCs that a link of so many is to keep on the way."""
    return max(1, ctcs // 2)


class Stake(Struct, frozen=True):
    """What a link is held to on the way: ``base`` CTCs are all, and it needs half of them.

    Or what it needs is for ``judge`` to say. Without a base nothing counts. Of a link to be reset
    all go in one step, before any comes.
    """

    base: int = 0
    reset: bool = False
    judge: Judge | None = None

    @property
    def need(self) -> int:
        """CTCs that it needs, if there is no judge."""
        return min(self.base, half_count(self.base))

    @property
    def least(self) -> int:
        """With fewer CTCs it has too little in any case."""
        return self.need if self.judge is None else min(1, self.base)


Stakes = Mapping[Nodes, Stake]


def find_orders(
    gone: Ctcs, new: Ctcs, kept: Ctcs, stakes: Stakes, find_spare: Callable[[], Ctcs]
) -> Iterator[CtcOrder]:
    """The best order of each group of links that have numbers of each other.

    Where one falls short else, with what of ``find_spare`` is lent to it.
    """
    changing = [*gone, *new]
    groups = _joined(_sharing((one.nodes, *one.ends) for one in changing))
    for group in sorted(groups, key=lambda mask: mask & -mask):
        links = {changing[i].nodes for i in _bits(group)}
        own = [[one for one in each if one.nodes in links] for each in (gone, new, kept)]
        best = _Search(own, (), stakes).best()
        if best.cost.short:
            spare = [one for one in find_spare() if one.nodes in links]
            lending = _Search(own, spare, stakes).best()
            better = min(best, lending, key=lambda order: order.cost)
            best = structs.replace(better, is_cut=best.is_cut or lending.is_cut)
        yield best


class _State(Struct, frozen=True, eq=False):
    """``done`` has a bit for each CTC that is where it is to be, ``lent`` for each spare put in.

    ``going`` is the link whose removal goes on: one more CTC of it is no step more. ``moved`` is
    what led here.
    """

    done: int
    lent: int
    going: Nodes | None
    cost: Cost
    moved: tuple[StepKind, int] | None = None
    before: "_State | None" = None


_EXACT: Final = 0.0
_WEIGHTS: Final = (_EXACT, 1 / 8, 1 / 2, None)
"""Steps that a CTC which is still to go or come is taken for: the more, the straighter a search
goes to an end, and the less it compares. Chosen: none is exact, and the last always ends."""


class _Search:
    """A search over states of links: each CTC is a bit, in the order gone, new, spare, kept."""

    def __init__(self, own: Iterable[list[CtcOfLink]], spare: Ctcs, stakes: Stakes) -> None:
        gone, new, kept = own
        kinds = gone, new, [*spare], kept
        self._ctcs = ctcs = [one for kind in kinds for one in kind]
        self._gone, self._new, self._spare, self._kept = (
            (1 << end) - (1 << begin)
            for begin, end in pairwise(accumulate(map(len, kinds), initial=0))
        )
        of = _sharing((one.nodes,) for one in ctcs)
        self._of = {one.nodes: mask for one, mask in zip(ctcs, of, strict=True)}
        self._stakes = {nodes: stakes.get(nodes, Stake()) for nodes in self._of}
        changing = [*gone, *new]
        joined = _sharing(one.ends for one in changing)
        self._near = [mask & ~(1 << i) for i, mask in enumerate(joined)]
        self._lines = {part: self._line(part) for part in _joined(joined)}
        self._beside = _sharing(one.chpids for one in ctcs)
        apart = len(changing) <= APART_MAX
        classes = [self._class(one, apart=apart) for one in ctcs]
        self._alike = [*map(classes.index, classes)]
        self._coming = {mask & self._new for mask in _sharing((each,) for each in self._alike)}
        self._judged: dict[int, tuple[bool, float]] = {}
        self._shape = cache(self._shape_of)

    def best(self) -> CtcOrder:
        """The best order; of a search that is cut, that of one which compares less."""
        searched = ((weight, self._search(weight)) for weight in _WEIGHTS)
        weight, found = next((w, found) for w, found in searched if found is not None)
        return CtcOrder(tuple(self._moves(found)), found.cost, weight != _EXACT)

    def _search(self, weight: float | None) -> _State | None:
        start, serial = _State(0, 0, None, Cost()), count()
        heap = [(self._rank(start, weight), next(serial), start)]
        best = {self._key(start): start.cost}
        while weight is None or len(best) < STATES_MAX:
            *_, state = heappop(heap)
            if not self._left(state):
                return state
            for after in self._nexts(state):
                key = self._key(after)
                if key not in best or after.cost < best[key]:
                    best[key] = after.cost
                    heappush(heap, (self._rank(after, weight), next(serial), after))
        return None

    def _rank(self, state: _State, weight: float | None) -> tuple[float, ...]:
        """What an order through a state costs at least, with ``weight`` for what is left."""
        cost, left = state.cost, self._left(state)
        far = left.bit_count()
        if weight is None:
            return (far, *structs.astuple(cost))
        steps, lost, active = cost.steps + weight * far, cost.lost, self._active(state)
        for nodes, mask in self._of.items():
            waiting = _bits(left & mask & self._new)
            blocked = [(self._near[i] & mask & ~state.done).bit_count() for i in waiting]
            free = blocked.count(0) + (blocked.count(1) + 1) // 2
            going = (left & mask & ~self._new).bit_count()
            counts = going, free, len(blocked) - free, (active & mask).bit_count()
            stake = self._stakes[nodes]
            more, most = _least(*counts, stake.least, stake.base, state.going == nodes)
            if more < inf:
                steps, lost = steps + more, max(lost, most)
            far -= blocked.count(0)
        return cost.outages, cost.short, cost.spares, steps, cost.slower, lost, far

    def _left(self, state: _State) -> int:
        """What is still to go or to come; spares that are in are to go."""
        return (self._gone | self._new | state.lent) & ~state.done

    def _active(self, state: _State) -> int:
        there = (self._gone | state.lent) & ~state.done
        return there | self._new & state.done | self._kept

    def _key(self, state: _State) -> object:
        """What goes on from a state depends on."""
        shapes = sorted(self._shape(part, state.done & part & self._gone) for part in self._lines)
        came = [(state.done & mask).bit_count() for mask in self._coming]
        return (*shapes, *came), state.lent, state.done & self._spare, state.going

    def _line(self, part: int) -> list[int]:
        """CTCs in the order in which each blocks the next or is blocked by it: two do at most."""
        at: int | None = min(_bits(part), key=lambda i: self._near[i].bit_count())
        line, seen = [], 0
        while at is not None:
            line.append(at)
            seen |= 1 << at
            at = next(_bits(self._near[at] & ~seen), None)
        return line

    def _shape_of(self, part: int, gone: int) -> tuple[object, ...]:
        """What two sets of CTCs have in common if they are alike but for which they are."""
        line = self._lines[part]
        word = [(self._alike[i], self._gone >> i & 1, gone >> i & 1) for i in line]
        is_ring = self._near[line[0]].bit_count() > 1
        turns = [word[n:] + word[:n] for n in range(len(word) if is_ring else 1)]
        return is_ring, *min(turns + [each[::-1] for each in turns])

    def _nexts(self, state: _State) -> Iterator[_State]:
        """Each state that a step, or one more CTC of the removal that goes on, leads to."""
        active = self._active(state)
        for nodes, mask in self._of.items():
            going = self._left(state) & mask & ~self._new
            if self._stakes[nodes].reset and going:
                yield self._removed(state, nodes, going, active & mask)
                continue
            yield from self._adding(state, mask, active & mask)
            for i in sorted(_bits(going), key=lambda i: -self._crowd(i, active)):
                yield self._removed(state, nodes, 1 << i, active & mask)

    def _adding(self, state: _State, mask: int, active: int) -> Iterator[_State]:
        """All that is new and can come, or as much as there is room for; and maybe spares."""
        room, come = CTCS_MAX - active.bit_count(), 0
        waiting = _bits(mask & self._new & ~state.done)
        ready = {i for i in waiting if not self._near[i] & ~state.done}
        for _ in range(min(room, len(ready))):
            least = min(ready, key=lambda i: (self._crowd(i, active | come), i))
            ready.remove(least)
            come |= 1 << least
        spares = grouped((self._alike[i], 1 << i) for i in _bits(mask & self._spare & ~state.lent))
        some = (accumulate(alike, initial=0) for alike in spares.values())
        for lent_now in map(sum, product(*some)):
            more, moved = lent_now.bit_count(), come | lent_now
            if moved and more <= room - come.bit_count():
                was = state.cost
                cost = structs.replace(was, spares=was.spares + more, steps=was.steps + 1)
                lent = state.lent | moved & self._spare
                yield _State(state.done | come, lent, None, cost, (StepKind.ADD, moved), state)

    def _removed(self, state: _State, nodes: Nodes, going: int, active: int) -> _State:
        was, stake, left = state.cost, self._stakes[nodes], active & ~going
        outages, short, slower, lost = was.outages, was.short, was.slower, was.lost
        if stake.base:
            is_short, less = self._judge(left, stake)
            outages += not left
            short += is_short and not self._judge(active, stake)[0]
            slower = max(slower, less)
            lost = max(lost, 1 - left.bit_count() / stake.base)
        steps = was.steps + (state.going != nodes)
        cost = Cost(outages, short, was.spares, steps, slower, lost)
        moved = StepKind.REMOVE, going
        return _State(state.done | going, state.lent, nodes, cost, moved, state)

    def _class(self, one: CtcOfLink, *, apart: bool) -> object:
        """CTCs of one class carry alike: of a link, and where rates count on a chpid or a kind."""
        if self._stakes[one.nodes].judge is None:
            return one.nodes
        return one.nodes, one.ctc.fibre.chpids if apart else one.ctc.fibre.kind

    def _judge(self, left: int, stake: Stake) -> tuple[bool, float]:
        if stake.judge is None:
            return left.bit_count() < stake.need, 0.0
        if left not in self._judged:
            self._judged[left] = stake.judge([self._ctcs[i].ctc for i in _bits(left)])
        return self._judged[left]

    def _crowd(self, i: int, active: int) -> float:
        """How many CTCs of its link are on the chpids of one, by the speed of these."""
        return (active & self._beside[i]).bit_count() / self._ctcs[i].ctc.fibre.gbps

    def _moves(self, state: _State) -> Iterator[Move]:
        """The steps to a state, in their order."""
        trail = [state]
        while trail[0].before:
            trail.insert(0, trail[0].before)
        for same in runs(trail[1:], lambda a, b: a.going is not None and a.going == b.going):
            moved = [each.moved for each in same if each.moved]
            yield moved[0][0], tuple(self._ctcs[i] for i in _bits(sum(mask for _, mask in moved)))


@cache
def _least(
    going: int, free: int, blocked: int, active: int, need: int, base: int, goes_on: bool
) -> tuple[float, float]:
    """Steps that a link takes at least without falling short, and the share lost on the way.

    As if each CTC that goes unblocked another, until ``blocked`` are none.
    """
    if not going and not free:
        return 0.0, 0.0
    found = []
    if free and active < CTCS_MAX:
        come = min(free, CTCS_MAX - active)
        more, lost = _least(going, free - come, blocked, active + come, need, base, False)
        found.append((more + 1, lost))
    if going and active > need:
        both = (free + 1, blocked - 1) if blocked else (free, 0)
        more, lost = _least(going - 1, *both, active - 1, need, base, True)
        missed = 1 - (active - 1) / base if base else 0.0
        found.append((more + (not goes_on), max(lost, missed)))
    return min(found, default=(inf, inf))


def _sharing(keys: Iterable[Iterable[object]]) -> list[int]:
    """For the keys of each, whose keys have one of them too: itself as well."""
    some = [[*each] for each in keys]
    found: dict[object, int] = {}
    for i, each in enumerate(some):
        for key in each:
            found[key] = found.get(key, 0) | 1 << i
    return [reduce(or_, map(found.__getitem__, each)) for each in some]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _joined(masks: Iterable[int]) -> list[int]:
    """Sets with those that have something in common made one."""
    found: list[int] = []
    for mask in masks:
        joined = [each for each in found if each & mask]
        found = [each for each in found if not each & mask]
        found.append(mask | sum(joined))
    return found
