"""From one layout to another in steps, none of which leaves a link without a CTC if that can be.

A CTC is the same in both if its device numbers and chpids are. What is new is added first, as far
as its device numbers and the sixteen places of a link are free; then what is gone is taken out, but
for the last CTC of a link; and so on. A link goes down only where its last CTC is in the way of all
that is new. Each step has its commands, system by system, and a script tries them.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct, structs

from ctc.address import RDEV_MAX, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout, Machines
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

Nodes = tuple[NodeName, NodeName]


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

    def blocks(self, other: "CtcOfLink") -> bool:
        """Whether the two have a device number of one system in common."""
        mine = set(zip(self.nodes, self.ctc.rdevs, strict=True))
        return bool(mine & set(zip(other.nodes, other.ctc.rdevs, strict=True)))


class CtcStep(Struct, frozen=True):
    """CTCs of a link that are added or removed, and the link as it is then.

    ``left`` is None where the link has no CTC then, ``is_down`` whether it is to have some later.
    ``frees`` are those removed whose numbers something new is to have.
    """

    kind: StepKind
    ctcs: tuple[CtcOfLink, ...]
    left: Layout | None
    is_down: bool = False
    frees: tuple[CtcOfLink, ...] = ()

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
) -> tuple[CtcStep, ...]:
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
        same = was and (was.profile, was.km, was.path) == (fibre.profile, fibre.km, fibre.path)
        if was is not None and not same:
            yield link.nodes, was, fibre


_Ctcs = dict[tuple[object, ...], CtcOfLink]


def _ctcs(collection: Collection) -> _Ctcs:
    found = [CtcOfLink(link.nodes, ctc) for link in collection.links for ctc in link.ctcs]
    return {each.key: each for each in found}


class _Change:
    """What is active by now, and what is still to be added and removed."""

    def __init__(self, before: Collection, after: Collection, reset: Nodes | None) -> None:
        self._active, wanted = _ctcs(before), _ctcs(after)

        def but_for(others: _Ctcs, ctcs: _Ctcs) -> _Ctcs:
            return {k: each for k, each in ctcs.items() if k not in others or each.nodes == reset}

        self._new = but_for(self._active, wanted)
        self._gone = but_for(wanted, self._active)
        both = (*after.links, *before.links)
        self._machines = {link.nodes: link.machines for link in both}
        self._lasting = {link.nodes for link in before.links} & {link.nodes for link in after.links}

    def steps(self) -> Iterator[CtcStep]:
        """All of them, in their order."""
        while self._new or self._gone:
            added = self._addable()
            yield from self._by_link(StepKind.ADD, added)
            if not added:
                yield from self._by_link(StepKind.REMOVE, self._removable())

    def _addable(self) -> list[CtcOfLink]:
        """What is new and finds its numbers free, and a place in its link."""
        found: list[CtcOfLink] = []
        room = {each.nodes: CTCS_MAX for each in self._new.values()}
        for each in self._active.values():
            room[each.nodes] = room.get(each.nodes, 0) - 1
        for each in self._new.values():
            free = not any(each.blocks(other) for other in self._active.values())
            if free and room[each.nodes] > 0:
                room[each.nodes] -= 1
                found.append(each)
        return found

    def _removable(self) -> list[CtcOfLink]:
        """What is gone, but for the one of a link without which it would be down."""
        found: list[CtcOfLink] = []
        for nodes in dict.fromkeys(each.nodes for each in self._gone.values()):
            gone = [each for each in self._gone.values() if each.nodes == nodes]
            stays = any(e.nodes == nodes for e in self._active.values() if e.key not in self._gone)
            if stays or nodes not in self._lasting:
                found += gone
            else:  # the one in the way of least that is new stays
                gone.sort(key=lambda each: sum(map(each.blocks, self._new.values())))
                found += gone[1:]
        return found or list(self._gone.values())[:1]

    def _by_link(self, kind: StepKind, ctcs: Iterable[CtcOfLink]) -> Iterator[CtcStep]:
        """Add or remove CTCs, with a step for each link."""
        for nodes, some in grouped((each.nodes, each) for each in ctcs).items():
            for each in some:
                if kind is StepKind.ADD:
                    self._active[each.key] = self._new.pop(each.key)
                else:
                    del self._active[each.key], self._gone[each.key]
            active = [each.ctc for each in self._active.values() if each.nodes == nodes]
            left = link_of(nodes, active, self._machines[nodes]) if active else None
            freed = (each for each in some if each.key not in self._new)
            frees = tuple(each for each in freed if any(map(each.blocks, self._new.values())))
            down = left is None and nodes in self._lasting
            yield CtcStep(kind, tuple(some), left, down, frees if kind is StepKind.REMOVE else ())


def link_of(nodes: Nodes, ctcs: Iterable[CtcPair], machines: Machines = (None, None)) -> Layout:
    """A link with CTCs of two layouts: fibres between the same chpids are one, named by number."""
    named: dict[object, Fibre] = {}
    for ctc in ctcs:
        if ctc.fibre.chpids not in named:
            named[ctc.fibre.chpids] = structs.replace(ctc.fibre, name=str(len(named) + 1))
    pairs = tuple(structs.replace(ctc, fibre=named[ctc.fibre.chpids]) for ctc in ctcs)
    return Layout(nodes, tuple(named.values()), pairs, machines=machines).in_order()


_FIRST_S: Final = 0.2
"""When the first step of a script begins, in virtual seconds."""

_STEP_S: Final = 0.2
"""How long after it the next one begins: a link comes up in a few milliseconds."""


class Instruction(Struct, frozen=True):
    """A CP command of one system, or in ``words`` what is to be done there otherwise."""

    system: NodeName
    command: str | None = None
    """a CP command"""
    words: str | None = None
    """or what is to be done otherwise"""


def orders_of(step: CtcStep) -> tuple[Instruction, ...]:
    """What is done in a step, in that order."""
    return tuple(_adding(step) if step.kind is StepKind.ADD else _removing(step))


def _adding(step: CtcStep) -> Iterator[Instruction]:
    ends = [*zip(step.nodes, step.rdevs, strict=True)]
    for end, node in enumerate(step.nodes):
        yield from (Instruction(node, words=words) for words in _defined(step, end))
    for node, rdevs in ends:
        yield Instruction(node, f"VARY ONLINE {_spelt(rdevs)}")
    for (node, rdevs), partner in zip(ends, reversed(step.nodes), strict=True):
        yield Instruction(node, f"ACTIVATE ISLINK {_spelt(rdevs)} NODE {partner}")
    for (node, _), partner in zip(ends, reversed(step.nodes), strict=True):
        yield Instruction(node, f"QUERY ISLINK NODE {partner}")


def _removing(step: CtcStep) -> Iterator[Instruction]:
    ends = [*zip(step.nodes, step.rdevs, strict=True)]
    for node, rdevs in ends:
        yield Instruction(node, f"DEACTIVE ISLINK {_spelt(rdevs)}")
    for node, rdevs in ends:
        yield Instruction(node, f"VARY OFFLINE {_spelt(rdevs)}")
    for end, node in enumerate(step.nodes):
        if step.frees:
            freed = sorted(each.ctc.rdevs[end] for each in step.frees)
            yield Instruction(node, words=f"delete {_named(freed)}: something new has the number")


def _defined(step: CtcStep, end: int) -> Iterator[str]:
    """What one end has to have, by the chpids at both ends."""
    ctcs = [each.ctc for each in step.ctcs]
    by_chpids = grouped(
        ((ctc.fibre.chpids[end], ctc.fibre.chpids[1 - end]), ctc.rdevs[end]) for ctc in ctcs
    )
    for (here, there), rdevs in sorted(by_chpids.items()):
        yield (
            f"have {_named(sorted(rdevs))} defined on chpid {format_chpid(here)}, which leads to "
            f"{step.nodes[1 - end]} {format_chpid(there)}"
        )


def _named(rdevs: Sequence[int]) -> str:
    return format_rdevs(map(Rdev, rdevs))


def _spelt(rdevs: Sequence[int]) -> str:
    return " ".join(format_rdev(Rdev(rdev)) for rdev in rdevs)


class Trial(Struct, frozen=True):
    """A layout with the CTCs of both, the script that changes it, and how long that takes."""

    layout: Layout
    script: str
    seconds: float


def trial_of(old: Layout, steps: Sequence[CtcStep]) -> Trial:
    """What ``isfc run`` tries the steps of a link by, of all; it ends in the other layout.

    In a run a device is one CTC from the beginning. So an old CTC one of whose numbers is another's
    afterwards has a number beside it, which nothing else has. Raises `ConfigurationError` for more
    CTCs than a link may have, of both layouts together.
    """
    nodes = old.nodes
    mine = [step for step in steps if step.nodes == nodes]
    known = {*old.ctcs}
    added = [
        each.ctc
        for step in mine
        if step.kind is StepKind.ADD
        for each in step.ctcs
        if each.ctc not in known
    ]
    if len(old.ctcs) + len(added) > CTCS_MAX:
        raise ConfigurationError(
            f"{len(old.ctcs)} CTCs and {len(added)} new ones; expected at most {CTCS_MAX} "
            "in a link, as a run has all from the beginning"
        )
    beside = _beside(old.ctcs, added)
    lines = [
        f"* {node} {format_rdev(was.rdevs[end])} is {format_rdev(now.rdevs[end])} here until it is "
        "gone: the number is another CTC's then"
        for was, now in beside.items()
        for end, node in enumerate(nodes)
        if was.rdevs[end] != now.rdevs[end]
    ]
    lines.append("* the new CTCs are not there yet")
    for end, node in enumerate(nodes):
        if new := sorted(ctc.rdevs[end] for ctc in added):
            lines.append(f"at 0.001s {node}: DEACTIVE ISLINK {_spelt(new)}")
            lines.append(f"at 0.002s {node}: VARY OFFLINE {_spelt(new)}")
    at_s = _FIRST_S
    for number, step in enumerate(mine, start=1):
        lines.append(f"* step {number}")
        ctcs = tuple(structs.replace(one, ctc=beside.get(one.ctc, one.ctc)) for one in step.ctcs)
        for order in orders_of(structs.replace(step, ctcs=ctcs)):
            if order.command:
                lines.append(f"at {at_s:.3f}s {order.system}: {order.command}")
                at_s += 0.001
        at_s += _STEP_S
    lines.append("* as it is in the end")
    lines += [f"at {at_s:.3f}s {node}: QUERY ISLINK" for node in nodes]
    text = "\n".join(lines)
    every = [*(beside.get(ctc, ctc) for ctc in old.ctcs), *added]
    return Trial(link_of(nodes, every, old.machines), f"{text}\n", round(at_s + _STEP_S, 1))


def _beside(old: Sequence[CtcPair], added: Sequence[CtcPair]) -> dict[CtcPair, CtcPair]:
    """Old CTCs that a new one has a number of, each with the nearest that is free."""
    found: dict[CtcPair, CtcPair] = {}
    taken = [{ctc.rdevs[end] for ctc in (*old, *added)} for end in (0, 1)]
    for ctc in old:
        first, second = ctc.rdevs
        for end in (0, 1):
            if any(new.rdevs[end] == ctc.rdevs[end] for new in added):
                free = _nearest(ctc.rdevs[end], taken[end])
                taken[end].add(free)
                first, second = (free, second) if end == 0 else (first, free)
        if (first, second) != ctc.rdevs:
            found[ctc] = structs.replace(ctc, rdevs=(first, second))
    return found


def _nearest(rdev: Rdev, taken: Container[int]) -> Rdev:
    """The nearest number that is free, the lower of two."""
    around = (n for away in range(1, RDEV_MAX + 1) for n in (rdev - away, rdev + away))
    return Rdev(next(n for n in around if 0 <= n <= RDEV_MAX and n not in taken))
