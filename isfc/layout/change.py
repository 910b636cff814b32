"""From one layout to another in steps, none of which leaves a link without a CTC if that can be.

A CTC is the same in both if its device numbers and chpids are. What is new is added first, as far
as its device numbers and the sixteen places of a link are free; then what is gone is taken out, but
for the last CTC of a link; and so on. A link goes down only where its last CTC is in the way of all
that is new.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

Nodes = tuple[NodeName, NodeName]


class StepKind(StrEnum):
    """What a step does to CTCs."""

    ADD = "add"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class LinkCtc:
    """A CTC of one of several links; two are the same if their numbers and chpids are."""

    nodes: Nodes
    ctc: CtcPair

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it the CTC that it is."""
        return self.nodes, self.ctc.rdevs, self.ctc.fibre.chpids

    def blocks(self, other: "LinkCtc") -> bool:
        """Whether the two have a device number of one system in common."""
        mine = set(zip(self.nodes, self.ctc.rdevs, strict=True))
        return bool(mine & set(zip(other.nodes, other.ctc.rdevs, strict=True)))


@dataclass(frozen=True, slots=True)
class Step:
    """CTCs of a link that are added or removed, and the link as it is then.

    ``left`` is None where the link has no CTC then, ``is_down`` whether it is to have some later.
    ``frees`` are those removed whose numbers something new is to have.
    """

    kind: StepKind
    ctcs: tuple[LinkCtc, ...]
    left: Layout | None
    is_down: bool = False
    frees: tuple[LinkCtc, ...] = ()

    @property
    def nodes(self) -> Nodes:
        """The systems of the link."""
        return self.ctcs[0].nodes

    @property
    def rdevs(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The device numbers at the first system, and at the second."""
        first, second = zip(*(each.ctc.rdevs for each in self.ctcs), strict=True)
        return tuple(sorted(first)), tuple(sorted(second))


def change_steps(
    before: Collection, after: Collection, reset: Nodes | None = None
) -> tuple[Step, ...]:
    """The steps from one layout to another; each CTC of the link to be ``reset`` is taken out once.

    Raises `ConfigurationError` if they have no system in common.
    """
    if not set(before.systems) & set(after.systems):
        raise ConfigurationError(
            f"systems {', '.join(after.systems)}: none of {', '.join(before.systems)}; expected "
            "two layouts of the same systems"
        )
    return tuple(_Change(before, after, reset).steps())


def changed_fibres(before: Collection, after: Collection) -> Iterator[tuple[Nodes, Fibre, Fibre]]:
    """Fibres between the same chpids that differ otherwise: hardware, which no command changes."""
    known = {(link.nodes, fibre.chpids): fibre for link, fibre, _ in before.fibres()}
    for link, fibre, _ in after.fibres():
        was = known.get((link.nodes, fibre.chpids))
        if was is not None and (was.profile, was.km, was.path) != (
            fibre.profile,
            fibre.km,
            fibre.path,
        ):
            yield link.nodes, was, fibre


def _ctcs(collection: Collection) -> dict[tuple[object, ...], LinkCtc]:
    found = [LinkCtc(link.nodes, ctc) for link in collection.links for ctc in link.ctcs]
    return {each.key: each for each in found}


class _Change:
    """What is active by now, and what is still to be added and removed."""

    def __init__(self, before: Collection, after: Collection, reset: Nodes | None) -> None:
        given, wanted = _ctcs(before), _ctcs(after)
        self._active = dict(given)
        self._new = {
            key: each for key, each in wanted.items() if key not in given or each.nodes == reset
        }
        self._gone = {
            key: each for key, each in given.items() if key not in wanted or each.nodes == reset
        }
        self._lasting = {link.nodes for link in before.links} & {link.nodes for link in after.links}

    def steps(self) -> Iterator[Step]:
        """All of them, in their order."""
        while self._new or self._gone:
            added = self._addable()
            yield from self._by_link(StepKind.ADD, added)
            if not added:
                yield from self._by_link(StepKind.REMOVE, self._removable())

    def _addable(self) -> list[LinkCtc]:
        """What is new and finds its numbers free, and a place in its link."""
        found: list[LinkCtc] = []
        room = {each.nodes: CTCS_MAX for each in self._new.values()}
        for each in self._active.values():
            room[each.nodes] = room.get(each.nodes, 0) - 1
        for each in self._new.values():
            free = not any(each.blocks(other) for other in self._active.values())
            if free and room[each.nodes] > 0:
                room[each.nodes] -= 1
                found.append(each)
        return found

    def _removable(self) -> list[LinkCtc]:
        """What is gone, but for the one of a link without which it would be down."""
        found: list[LinkCtc] = []
        for nodes in dict.fromkeys(each.nodes for each in self._gone.values()):
            gone = [each for each in self._gone.values() if each.nodes == nodes]
            stays = [
                each
                for each in self._active.values()
                if each.nodes == nodes and each.key not in self._gone
            ]
            if stays or nodes not in self._lasting:
                found += gone
            else:  # the one in the way of least that is new stays
                gone.sort(key=lambda each: sum(map(each.blocks, self._new.values())))
                found += gone[1:]
        return found or list(self._gone.values())[:1]

    def _by_link(self, kind: StepKind, ctcs: Iterable[LinkCtc]) -> Iterator[Step]:
        """Add or remove CTCs, with a step for each link."""
        by_nodes: dict[Nodes, list[LinkCtc]] = {}
        for each in ctcs:
            by_nodes.setdefault(each.nodes, []).append(each)
        for nodes, some in by_nodes.items():
            for each in some:
                if kind is StepKind.ADD:
                    self._active[each.key] = self._new.pop(each.key)
                else:
                    del self._active[each.key], self._gone[each.key]
            left = self._left(nodes)
            frees = tuple(
                each
                for each in some
                if each.key not in self._new and any(each.blocks(new) for new in self._new.values())
            )
            down = left is None and nodes in self._lasting
            yield Step(kind, tuple(some), left, down, frees if kind is StepKind.REMOVE else ())

    def _left(self, nodes: Nodes) -> Layout | None:
        """A link as it is by now, its fibres with names of their own."""
        active = [each.ctc for each in self._active.values() if each.nodes == nodes]
        if not active:
            return None
        return link_of(nodes, active)


def link_of(nodes: Nodes, ctcs: Iterable[CtcPair]) -> Layout:
    """A link with CTCs of two layouts: fibres between the same chpids are one."""
    fibres: dict[object, Fibre] = {}
    for ctc in ctcs:
        fibres.setdefault(ctc.fibre.chpids, ctc.fibre)
    named: Mapping[object, Fibre] = {
        chpids: replace(fibre, name=str(number))
        for number, (chpids, fibre) in enumerate(fibres.items(), start=1)
    }
    pairs = tuple(replace(ctc, fibre=named[ctc.fibre.chpids]) for ctc in ctcs)
    return Layout(nodes, tuple(named.values()), pairs).in_order()
