"""The order of a change's steps, by what links carry on the way."""

from typing import Final

from isfc.layout.change import CtcSteps, change_steps, half_of
from isfc.layout.change_search import Nodes
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Figure
from scenarios.figures.rates import carried_alone
from scenarios.runs.experiment import RunEach

ENOUGH: Final = 0.9
"""Of what half of its CTCs carry, what a link is to carry on the way. Chosen: the rest is less than
the range of most figures."""


def order_steps(
    before: Collection, after: Collection, reset: Nodes | None, run_each: RunEach | None
) -> tuple[CtcSteps, dict[Layout, Figure]]:
    """The best steps, and what each link carries before them, after each, and with half its CTCs.

    Without runs a link is to keep half of its CTCs. With runs it may keep one alone at first, and
    more only where that carries too little and an order has more: so the steps are as few as can
    be. Orders are compared by how many CTCs they keep, and what these carry is found afterwards.
    """
    rates: dict[Layout, Figure] = {}
    needs: dict[Nodes, int] = {link.nodes: 1 for link in before.links}
    raised: dict[Nodes, int] = {}
    settled: set[Nodes] = set()
    while run_each is not None:
        found = change_steps(before, after, reset, needs)
        between = [step.left for step in found.steps if step.between and step.left]
        if short := {link.nodes for link in between if len(link.ctcs) < needs[link.nodes]}:
            settled |= short & {*raised} or {*raised}
            needs |= raised
            continue
        halves = {link.nodes: halves_of(link.nodes, before, after) for link in between}
        links = [link for link in before.links if any(s.nodes == link.nodes for s in found.steps)]
        links += [step.left for step in found.steps if step.left]
        new = dict.fromkeys(each for each in sum(halves.values(), links) if each not in rates)
        rates |= {link: each.rate for link, each in carried_alone(new, run_each).items()}
        more: dict[Nodes, int] = {}
        for link in between:
            enough = ENOUGH * min(rates[half].value for half in halves[link.nodes])
            if rates[link].value < enough and link.nodes not in settled:
                more[link.nodes] = min(len(link.ctcs) + 1, more.get(link.nodes, CTCS_MAX))
        if not more:
            return found, rates
        raised = {nodes: needs[nodes] for nodes in more}
        needs |= more
    return change_steps(before, after, reset), rates


def halves_of(nodes: Nodes, *sides: Collection) -> list[Layout]:
    """Half of a link as it is on each of some sides."""
    return [half_of(link) for side in sides for link in side.links if link.nodes == nodes]
