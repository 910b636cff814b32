"""CTCs in places that a search has found, beside the layout given: figures, and what to do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from msgspec import Struct

from ctc.address import format_chpid, format_rdev
from isfc.deck.export import activation_text
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Layout
from isfc.layout.rules.book import find_all
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.search.scoring import Contender, Found, Move
from scenarios.figures.figure import Figure
from scenarios.runs.steady import Rate

UNDEFINED: Final = "!"
"""Marks CTCs that the layout given does not have."""


class SystemOrders(Struct, frozen=True):
    """What an operator does at a system."""

    now: tuple[str, ...]
    """the CP commands that can be given now"""
    after_iodf: tuple[str, ...]
    """those whose devices the IODF has to have first"""
    without: tuple[str, ...]
    """the devices of the layout given that are left out"""


class Placing(Struct, frozen=True):
    """A layout, or several links, with its figures."""

    figures: dict[str, Figure]
    """by objective, such as `forward`"""
    links: dict[str, Rate]
    """of several links: what the slower direction of each with traffic carries"""
    odds_percent: int
    """how likely it is that it is ahead of the layout given on real hardware too, at the first
    objective"""
    gains: bool
    """whether it is ahead of the layout given: by more than the spread, and in three of four such
    choices by the odds"""
    on_front: bool
    """no other one is better at all objectives"""
    order: str
    """of one link, as all that follows: the fibres down the device list, and how many CTCs of each
    follow; `!` is behind CTCs that the layout given does not have"""
    chpids: tuple[str, ...]
    """the same, CTC by CTC"""
    rdevs: tuple[tuple[str, ...], ...]
    """each CTC's two"""
    needs_iodf: tuple[bool, ...]
    """of each CTC, whether the layout given does not have it so"""
    rules: tuple[str, ...]
    """of `isfc check`, those that find something (`+`) or nothing more (`-`) other than in the
    layout given"""
    definition_changes: tuple[str, ...]
    """device numbers that are new, or go to another chpid"""
    activate: dict[str, SystemOrders]
    """by system"""
    layout: str
    """as the text of a file"""

    @property
    def score(self) -> Figure:
        """MB/s by the first objective."""
        return next(iter(self.figures.values()))


class MovedCtcs(Struct, frozen=True):
    """CTCs of a link that go from one fibre to another; their device numbers stay."""

    link: str
    rdevs: dict[str, str]
    """by system"""
    before: str
    """the chpids of both systems"""
    after: str


def placing_of(
    one: Contender, found: Found, objectives: Sequence[str], write: Callable[[Collection], str]
) -> Placing:
    """What is said of a candidate; ``write`` makes the text of its file."""
    given, is_one = found.given.layout, not one.links
    layout = one.layout if is_one else given.with_ctcs(())
    devices, new = layout.device_list(), undefined(layout, given)
    nodes = layout.nodes if is_one else ()
    return Placing(
        dict(zip(objectives, one.figures, strict=True)),
        one.links,
        one.odds_over(found.given).percent,
        one.gains(found.given),
        one in found.front,
        _order(layout, new),
        tuple(ctc.fibre.name for ctc in devices),
        tuple(tuple(map(format_rdev, ctc.rdevs)) for ctc in devices),
        tuple(ctc in new for ctc in devices),
        tuple(rule_changes(layout, given)) if is_one else (),
        tuple(definition_changes(given, layout)),
        {node: _activation(layout, given, node) for node in nodes},
        write(one.collection),
    )


def undefined(proposed: Layout, given: Layout) -> tuple[CtcPair, ...]:
    """The CTCs of a proposal, down its device list, that the layout given does not have."""
    return tuple(ctc for ctc in proposed.device_list() if ctc not in given.ctcs)


def _order(layout: Layout, new: tuple[CtcPair, ...]) -> str:
    names = [(ctc.fibre.name, UNDEFINED * (ctc in new)) for ctc in layout.device_list()]
    return " ".join(f"{name}x{len([*run])}{mark}" for (name, mark), run in groupby(names))


def rule_changes(layout: Layout, given: Layout) -> list[str]:
    """The rules of ``isfc check`` that fire no more (-) or newly (+), against the layout given."""
    here, there = ({finding.rule.id for finding in find_all(each)} for each in (layout, given))
    gone = [f"-{name}" for name in sorted(there - here)]
    return [*gone, *(f"+{name}" for name in sorted(here - there))]


def definition_changes(given: Layout, proposed: Layout) -> list[str]:
    """The device numbers of a proposal that are defined nowhere in the layout given, or elsewhere.

    As ``5002 at DALLAS is new``; ``5001 at DALLAS goes from chpid 40 to 41``.
    """
    changes = []
    for end, node in enumerate(given.nodes):
        defined = {ctc.rdevs[end]: ctc.fibre.chpids[end] for ctc in given.ctcs}
        for ctc in proposed.device_list():
            rdev, chpid = ctc.rdevs[end], ctc.fibre.chpids[end]
            if rdev not in defined:
                changes.append(f"{format_rdev(rdev)} at {node} is new")
            elif defined[rdev] != chpid:
                changes.append(
                    f"{format_rdev(rdev)} at {node} goes from chpid "
                    f"{format_chpid(defined[rdev])} to {format_chpid(chpid)}"
                )
    return changes


def _activation(proposed: Layout, given: Layout, node: NodeName) -> SystemOrders:
    new, end = undefined(proposed, given), given.nodes.index(node)
    known = tuple(ctc for ctc in proposed.device_list() if ctc not in new)
    now, after = (
        tuple(activation_text(replace(proposed, ctcs=ctcs), node).splitlines()) if ctcs else ()
        for ctcs in (known, new)
    )
    wanted = {ctc.rdevs[end] for ctc in proposed.ctcs}
    gone = (ctc.rdevs[end] for ctc in given.device_list() if ctc.rdevs[end] not in wanted)
    return SystemOrders(now, after, tuple(map(format_rdev, gone)))


def moved_ctcs(found: Found) -> list[MovedCtcs]:
    """What moves from the links given to the best, CTCs that go the same way together."""

    def way(move: Move) -> tuple[str, str, str]:
        return move.link.name, move.before.name, move.after.name

    together = []
    for (link, _, _), group in groupby(sorted(found.moves, key=way), key=way):
        moves = [*group]
        first = moves[0]
        rdevs = {
            str(node): format_rdevs(move.rdevs[end] for move in moves)
            for end, node in enumerate(first.link.nodes)
        }
        chpids = ("-".join(map(format_chpid, each.chpids)) for each in (first.before, first.after))
        together.append(MovedCtcs(link, rdevs, *chpids))
    return together
