"""From one layout to another in steps, in the best order that `isfc.layout.change_search` finds.

A CTC is the same in both if its device numbers and chpids are. Each step has its commands, system
by system, and scripts try them. A link goes down only where it is to be reset.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice, zip_longest
from typing import Final

from msgspec import Struct, structs

from ctc.address import RDEV_MAX, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.errors.loading import named
from isfc.layout.change_search import (
    CtcOfLink,
    CtcOrder,
    CtcTask,
    Judge,
    Nodes,
    Stake,
    StepKind,
    find_orders,
)
from isfc.layout.collection import Collection, with_channels
from isfc.layout.layout import CtcPair, Fibre, Layout, first_free, machines_of, on_machines
from isfc.layout.parts import Channel
from isfc.layout.processors import Processors
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX


class CtcStep(Struct, frozen=True):
    """CTCs of a link that are added or removed, and the link as it is then.

    ``left`` is None where the link has no CTC then, ``is_down`` whether it is to have some later,
    ``between`` whether it has neither all CTCs of before nor all of afterwards. ``frees`` are the
    devices removed whose numbers something new is to have, ``lent`` CTCs that neither layout has,
    ``again`` those added that were there before, and are defined still.
    """

    kind: StepKind
    ctcs: tuple[CtcOfLink, ...]
    left: Layout | None
    is_down: bool = False
    between: bool = False
    frees: frozenset[tuple[NodeName, int]] = frozenset()
    lent: tuple[CtcOfLink, ...] = ()
    again: tuple[CtcOfLink, ...] = ()

    @property
    def nodes(self) -> Nodes:
        """The systems of the link."""
        return self.ctcs[0].nodes

    @property
    def rdevs(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The device numbers at the first system, and at the second."""
        first, second = zip(*(each.ctc.rdevs for each in self.ctcs), strict=True)
        return tuple(sorted(first)), tuple(sorted(second))


class CtcSteps(Struct, frozen=True):
    """The steps of a change, in their order.

    ``lent`` CTCs are there on the way that neither layout has, ``is_cut`` says that not all orders
    were compared.
    """

    steps: tuple[CtcStep, ...]
    lent: int
    is_cut: bool


def change_steps(
    before: Collection,
    after: Collection,
    reset: Nodes | None = None,
    judges: Mapping[Nodes, Judge] | None = None,
) -> CtcSteps:
    """The steps from one layout to another; the link to be ``reset`` is brought down.

    On the way a link is to keep half of the CTCs of the side on which it has fewer, or else what
    its judge of ``judges`` finds enough. Raises `ConfigurationError` if the layouts have no system
    in common.
    """
    if not set(before.systems) & set(after.systems):
        raise ConfigurationError(
            f"systems {', '.join(after.systems)}: none of {', '.join(before.systems)}; expected "
            "two layouts of the same systems"
        )
    active, wanted = _ctcs(before), _ctcs(after)
    gone = tuple(one for key, one in active.items() if key not in wanted or one.nodes == reset)
    new = tuple(one for key, one in wanted.items() if key not in active or one.nodes == reset)
    kept = tuple(one for one in active.values() if one not in gone)
    stakes = dict(_stakes(before, after, reset, judges or {}))
    task = CtcTask(gone, new, kept, stakes)
    orders = [*find_orders(task, lambda: _spare(before, after, stakes))]
    lent = sum(order.cost.spares for order in orders)
    on = machines_of([*after.links, *before.links])
    steps = tuple(_steps(task, orders, on, (active, wanted)))
    return CtcSteps(steps, lent, any(order.is_cut for order in orders))


def on_all_channels(before: Collection, after: Collection) -> tuple[Collection, Collection]:
    """Both with what their fibres share on the way, where a link has CTCs of both."""
    sides, ctcs = (before, after), _ctcs_by_link(before, after).items()
    both = Collection(
        tuple(link_of(nodes, each) for nodes, each in ctcs),
        shared_channels=channels_of_both(before, after),
        whole=True,
    )
    named = {
        (link.nodes, fibre.chpids): fibre.channels
        for link in with_channels(both)
        for fibre in link.fibres
    }

    def shared(fibre: Fibre, nodes: Nodes) -> Fibre:
        channels = named[nodes, fibre.chpids]
        return structs.replace(fibre, channels=channels) if channels != fibre.channels else fibre

    links = (
        tuple(link.with_fibres(partial(shared, nodes=link.nodes)) for link in side.links)
        for side in sides
    )
    first, second = (replace(side, links=each) for side, each in zip(sides, links, strict=True))
    return first, second


def channels_of_both(before: Collection, after: Collection) -> tuple[Channel, ...]:
    """The channels that several systems share, as the first has them where both do."""
    known = {end for channel in before.shared_channels for end in channel}
    more = (channel for channel in after.shared_channels if not known & {*channel})
    return (*before.shared_channels, *more)


def half_of(link: Layout) -> Layout:
    """A link with half of its CTCs, rounded down, one at least: as many of each fibre as can be."""
    ctcs = grouped((ctc.fibre, ctc) for ctc in link.device_list()).values()
    in_turn = [ctc for each in zip_longest(*ctcs) for ctc in each if ctc is not None]
    return link.with_ctcs(tuple(in_turn[: half_count(len(in_turn))])).in_order()


def half_count(ctcs: int) -> int:
    """The CTCs that a link of so many is to keep on the way."""
    return max(1, ctcs // 2)


def _stakes(
    before: Collection, after: Collection, reset: Nodes | None, judges: Mapping[Nodes, Judge]
) -> Iterator[tuple[Nodes, Stake]]:
    counts = {link.nodes: len(link.ctcs) for link in after.links}
    for link in before.links:
        if link.nodes == reset:
            yield link.nodes, Stake(reset=True)
        elif link.nodes in counts:
            base = min(len(link.ctcs), counts[link.nodes])
            yield link.nodes, Stake(base, half_count(base), judge=judges.get(link.nodes))


def _spare(
    before: Collection, after: Collection, stakes: Mapping[Nodes, Stake]
) -> Iterator[CtcOfLink]:
    """CTCs that a link may have meanwhile: on its fibres, with numbers that no device has."""
    own, others = map(named("isfc.deck.numbers.numbers_of"), (before, after))
    taken = {node: numbers | others.get(node, set()) for node, numbers in own.items()}
    for link in before.links:
        for fibre in islice(cycle(link.fibres), stakes.get(link.nodes, Stake()).need):
            rdevs = []
            for end, node in enumerate(link.nodes):
                begin = max(ctc.rdevs[end] for ctc in link.ctcs if ctc.fibre == fibre) + 1
                rdevs.append(Rdev(first_free(begin, RDEV_MAX + 1, taken[node])))
                taken[node].add(rdevs[-1])
            yield CtcOfLink(link.nodes, CtcPair(fibre, (rdevs[0], rdevs[1])))


def _steps(
    task: CtcTask,
    orders: Iterable[CtcOrder],
    on: Mapping[NodeName, Processors],
    sides: Iterable[Mapping[tuple[object, ...], CtcOfLink]],
) -> Iterator[CtcStep]:
    """Each step with what its link is then, and what it frees."""
    whole = [grouped((one.nodes, key) for key, one in side.items()) for side in sides]
    active = {one.key: one for one in (*task.kept, *task.gone)}
    waiting = {one.key: one for one in task.new}
    there, known = {*active}, {*active, *waiting}
    moves = [move for order in orders for move in order.moves]
    for kind, moved in moves:
        nodes, each = moved[0].nodes, {one.key: one for one in moved}
        removed = moved if kind is StepKind.REMOVE else ()
        active = (
            {k: one for k, one in active.items() if k not in each} if removed else active | each
        )
        waiting = {key: one for key, one in waiting.items() if removed or key not in each}
        left = [one.ctc for one in active.values() if one.nodes == nodes]
        ends = {end for one in waiting.values() for end in one.ends}
        yield CtcStep(
            kind,
            moved,
            on_machines(link_of(nodes, left), on) if left else None,
            not left and nodes in task.stakes,
            bool(removed and left)
            and all(not {*side.get(nodes, ())} <= {*active} for side in whole),
            frozenset(e for one in removed if one.key not in waiting for e in one.ends & ends),
            tuple(one for one in removed if one.key not in known),
            tuple(one for one in moved if not removed and one.key in there),
        )


def changed_fibres(before: Collection, after: Collection) -> Iterator[tuple[Nodes, Fibre, Fibre]]:
    """Fibres between the same chpids that differ otherwise: hardware, which no command changes."""
    known = {(link.nodes, fibre.chpids): fibre for link, fibre, _ in before.fibres()}
    for link, fibre, _ in after.fibres():
        was = known.get((link.nodes, fibre.chpids))
        if was and (was.profile, was.km, was.path) != (fibre.profile, fibre.km, fibre.path):
            yield link.nodes, was, fibre


def _ctcs_by_link(*sides: Collection) -> dict[Nodes, list[CtcPair]]:
    return grouped((link.nodes, ctc) for side in sides for link in side.links for ctc in link.ctcs)


def _ctcs(collection: Collection) -> dict[tuple[object, ...], CtcOfLink]:
    by_link = _ctcs_by_link(collection).items()
    found = (CtcOfLink(nodes, ctc) for nodes, ctcs in by_link for ctc in ctcs)
    return {each.key: each for each in found}


def link_of(nodes: Nodes, ctcs: Iterable[CtcPair]) -> Layout:
    """A link with CTCs of two layouts: fibres between the same chpids are one, named by number."""
    named: dict[object, Fibre] = {}
    for ctc in ctcs:
        if ctc.fibre.chpids not in named:
            named[ctc.fibre.chpids] = structs.replace(ctc.fibre, name=str(len(named) + 1))
    pairs = tuple(structs.replace(ctc, fibre=named[ctc.fibre.chpids]) for ctc in ctcs)
    return Layout(nodes, tuple(named.values()), pairs).in_order()


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
        if freed := sorted(rdev for name, rdev in step.frees if name == node):
            yield Instruction(node, words=f"delete {_named(freed)}: something new has the number")
        if step.lent:
            lent = sorted(each.ctc.rdevs[end] for each in step.lent)
            yield Instruction(node, words=f"delete {_named(lent)}: neither layout has it")


def _defined(step: CtcStep, end: int) -> Iterator[str]:
    """What one end has to have, by the chpids at both ends."""
    ctcs = [each.ctc for each in step.ctcs if each not in step.again]
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
    """A layout with the CTCs of some steps, the script that does them, and how long that takes."""

    layout: Layout
    script: str
    seconds: float


def trials_of(old: Layout, steps: Sequence[CtcStep]) -> Iterator[Trial]:
    """What ``isfc run`` tries the steps of a link by, of all; the last ends in the other layout.

    In a run a device is one CTC from the beginning, and a link has sixteen at most. So a run does
    as many steps as have no more CTCs in all, and the next one begins where it ends. An old CTC one
    of whose numbers is another's in the same run has a number beside it, which nothing else has.
    """
    active = {CtcOfLink(old.nodes, ctc).key: ctc for ctc in old.ctcs}
    begin, defined, mine = dict(active), dict(active), dict[int, CtcStep]()
    for number, step in enumerate(steps, start=1):
        if step.nodes != old.nodes:
            continue
        ctcs = {one.key: one.ctc for one in step.ctcs}
        if len(defined | ctcs) > CTCS_MAX:
            yield _trial(old, begin, defined, mine)
            begin, defined, mine = dict(active), dict(active), {}
        if step.kind is StepKind.ADD:
            active |= ctcs
        else:
            active = {key: ctc for key, ctc in active.items() if key not in ctcs}
        defined = ctcs | defined
        mine[number] = step
    yield _trial(old, begin, defined, mine)


_Ctcs = dict[tuple[object, ...], CtcPair]


def _trial(old: Layout, begin: _Ctcs, defined: _Ctcs, steps: Mapping[int, CtcStep]) -> Trial:
    """A run of steps by their numbers, which begins with some CTCs of those that are defined."""
    nodes, added = old.nodes, [ctc for key, ctc in defined.items() if key not in begin]
    beside = _beside(begin, added)
    lines = [
        f"* {node} {format_rdev(was.rdevs[end])} is {format_rdev(beside[key].rdevs[end])} here "
        "until it is gone: the number is another CTC's then"
        for key, was in begin.items()
        for end, node in enumerate(nodes)
        if was.rdevs[end] != beside[key].rdevs[end]
    ]
    lines.append("* the new CTCs are not there yet")
    for end, node in enumerate(nodes):
        if new := sorted(ctc.rdevs[end] for ctc in added):
            lines.append(f"at 0.001s {node}: DEACTIVE ISLINK {_spelt(new)}")
            lines.append(f"at 0.002s {node}: VARY OFFLINE {_spelt(new)}")
    at_s = _FIRST_S
    for number, step in steps.items():
        lines.append(f"* step {number}")
        ctcs = tuple(structs.replace(c, ctc=beside.get(c.key, c.ctc)) for c in step.ctcs)
        for order in orders_of(structs.replace(step, ctcs=ctcs)):
            if order.command:
                lines.append(f"at {at_s:.3f}s {order.system}: {order.command}")
                at_s += 0.001
        at_s += _STEP_S
    lines.append("* as it is in the end")
    lines += [f"at {at_s:.3f}s {node}: QUERY ISLINK" for node in nodes]
    text = "\n".join(lines)
    layout = on_machines(link_of(nodes, [*beside.values(), *added]), machines_of([old]))
    return Trial(layout, f"{text}\n", round(at_s + _STEP_S, 1))


def _beside(old: _Ctcs, added: Sequence[CtcPair]) -> _Ctcs:
    """Old CTCs that a new one has a number of, each with the nearest that is free."""
    found: _Ctcs = {}
    taken = [{ctc.rdevs[end] for ctc in (*old.values(), *added)} for end in (0, 1)]
    for key, ctc in old.items():
        rdevs = [*ctc.rdevs]
        for end in (0, 1):
            if any(new.rdevs[end] == ctc.rdevs[end] for new in added):
                rdevs[end] = _nearest(ctc.rdevs[end], taken[end])
                taken[end].add(rdevs[end])
        found[key] = structs.replace(ctc, rdevs=(rdevs[0], rdevs[1]))
    return found


def _nearest(rdev: Rdev, taken: Container[int]) -> Rdev:
    """The nearest number that is free, the lower of two."""
    around = (n for away in range(1, RDEV_MAX + 1) for n in (rdev - away, rdev + away))
    return Rdev(next(n for n in around if 0 <= n <= RDEV_MAX and n not in taken))
