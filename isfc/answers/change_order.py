"""The order of a change's steps, by what links carry on the way.

Runs say it of some CTCs of a link at a time. Those that are as many and as even on chpids of each
kind are taken to carry alike, and fewer, or less even ones, no more. So each run tells of others,
and what none tells of counts as good, until an order is found all of which was run.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import inf
from operator import le
from typing import Final

from msgspec import structs

from isfc.errors.in_words import grouped
from isfc.layout.change import CtcSteps, change_steps, half_of
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Layout
from isfc.link.name import Nodes
from isfc.reports.figure import Figure
from scenarios.figures.rates import carried_alone
from scenarios.runs.experiment import RunEach
from scenarios.runs.steady import SPREAD_SHARE

ENOUGH: Final = 0.9
"""Of what half of its CTCs carry, what a link is to carry on the way. Chosen: the rest is less than
the range of most figures."""

ORDERS_MAX: Final = 30
"""Orders that are run before a search is cut. Chosen: half a minute."""

Filling = tuple[int, ...]
"""Of chpids of each kind, how many CTCs are on the emptiest, on the two emptiest, and so on."""


class LinkOnTheWay:
    """What runs have said so far of a link's CTCs: a judge of others (`Judge`)."""

    def __init__(self, before: Layout, after: Layout) -> None:
        self.wanted = (*map(half_of, (before, after)), before, after)
        """what is to be run, so that there is a floor, and a rate to be lost"""
        fibres = {(ctc.fibre.chpids, ctc.fibre.kind): 0 for s in (before, after) for ctc in s.ctcs}
        self._chpids = grouped((kind, chpids) for chpids, kind in fibres)
        self._carry: dict[Filling, float] = {}
        self._floor = self._whole = 0.0
        self.only_run = False
        """whether what no run tells of counts as nothing"""

    def learn(self, rates: Mapping[Layout, Figure]) -> None:
        """Take in what some CTCs carry, of this link too.

        Of what half of either side does `ENOUGH` is asked for; losses are of the whole.
        """
        for link, rate in rates.items():
            if link.nodes == self.wanted[0].nodes:
                filling = self._filling(link.ctcs)
                self._carry[filling] = min(rate.value, self._carry.get(filling, inf))
        if rates.keys() >= {*self.wanted}:
            *halves, first, last = (rates[link].value for link in self.wanted)
            self._floor, self._whole = ENOUGH * min(halves), min(first, last)

    def __call__(self, ctcs: Sequence[CtcPair]) -> tuple[bool, float]:
        """Whether they carry too little, and which share of the rate is lost beyond the spread."""
        filling = self._filling(ctcs)
        if self.only_run:
            rate = max((r for f, r in self._carry.items() if all(map(le, f, filling))), default=0.0)
        else:
            rate = min((r for f, r in self._carry.items() if all(map(le, filling, f))), default=inf)
        if not ctcs or not self._whole:
            return not ctcs, float(not ctcs)
        lost = max(0.0, 1 - rate / self._whole)
        return rate < self._floor, lost // SPREAD_SHARE * SPREAD_SHARE

    def _filling(self, ctcs: Sequence[CtcPair]) -> Filling:
        count = Counter(ctc.fibre.chpids for ctc in ctcs)
        return tuple(
            total
            for every in self._chpids.values()
            for total in accumulate(sorted(count[chpids] for chpids in every))
        )


def order_steps(
    before: Collection, after: Collection, reset: Nodes | None, run_each: RunEach | None
) -> tuple[CtcSteps, dict[Layout, Figure]]:
    """The best steps, and what each link carries before them, after each, and with half its CTCs.

    Without runs a link is to keep half of its CTCs.
    """
    rates: dict[Layout, Figure] = {}
    if run_each is None:
        return change_steps(before, after, reset), rates
    ends = {link.nodes: link for link in after.links}
    ways = {b.nodes: LinkOnTheWay(b, ends[b.nodes]) for b in before.links if b.nodes in ends}
    for number in range(ORDERS_MAX + 1):
        found = change_steps(before, after, reset, ways)
        lefts = [step.left for step in found.steps if step.left]
        links = [link for link in before.links if any(s.nodes == link.nodes for s in found.steps)]
        low = dict.fromkeys(step.nodes for step in found.steps if step.between)
        links += [*lefts, *(link for nodes in low for link in ways[nodes].wanted)]
        new = [*dict.fromkeys(link for link in links if link not in rates)]
        if not new:
            break
        rates |= {link: each.rate for link, each in carried_alone(new, run_each).items()}
        for way in ways.values():
            way.learn(rates)
            way.only_run = number + 1 == ORDERS_MAX
    return structs.replace(found, is_cut=found.is_cut or number == ORDERS_MAX), rates
