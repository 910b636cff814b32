"""From one layout to another in steps, in the best order that `isfc.layout.change_search` finds.

A CTC is the same in both if its device numbers and chpids are. Each step has its commands, system
by system, and scripts try them. A link goes down only where it is to be reset.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice, zip_longest
from typing import Final

from msgspec import Struct, structs

from ctc.address import RDEV_MAX, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.errors.loading import named
from isfc.layout import change_search
from isfc.layout.change_search import CtcOfLink, Ctcs, Judge, Move, Stake, Stakes, StepKind
from isfc.layout.collection import Collection, with_channels
from isfc.layout.layout import CtcPair, Fibre, Layout, machines_of, on_machines
from isfc.layout.numbering import next_rdevs
from isfc.layout.processors import Processors
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection, format_rdevs
from isfc.link.name import NodeName, Nodes
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
    frees: frozenset[tuple[NodeName, Rdev]] = frozenset()
    lent: tuple[CtcOfLink, ...] = ()
    again: tuple[CtcOfLink, ...] = ()

    @property
    def nodes(self) -> Nodes:
        """The systems of the link."""
        return self.ctcs[0].nodes

    @property
    def rdevs(self) -> tuple[tuple[Rdev, ...], tuple[Rdev, ...]]:
        """The device numbers at the first system, and at the second."""
        first, second = zip(*(each.ctc.rdevs for each in self.ctcs), strict=True)
        return tuple(sorted(first)), tuple(sorted(second))


class CtcSteps(Struct, frozen=True):
    """The steps of a change, in their order; ``is_cut`` says that not all were compared."""

    steps: tuple[CtcStep, ...]
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
    sides = [
        {(one := CtcOfLink(link.nodes, ctc)).key: one for link in side.links for ctc in link.ctcs}
        for side in (before, after)
    ]
    gone, new = (
        [one for key, one in mine.items() if key not in other or one.nodes == reset]
        for mine, other in (sides, sides[::-1])
    )
    kept = [one for one in sides[0].values() if one not in gone]
    now, then = ({link.nodes: len(link.ctcs) for link in side.links} for side in (before, after))
    stakes = {
        nodes: Stake(reset=True)
        if nodes == reset
        else Stake(min(now[nodes], then[nodes]), judge=(judges or {}).get(nodes))
        for nodes in now.keys() & then.keys()
    }
    spare = partial(_spare, before, after, stakes)
    orders = [*change_search.find_orders(gone, new, kept, stakes, spare)]
    moves = (move for order in orders for move in order.moves)
    on = after.machines | before.machines
    steps = tuple(_steps(moves, sides, new, stakes, on))
    return CtcSteps(steps, any(order.is_cut for order in orders))


def on_all_channels(before: Collection, after: Collection) -> tuple[Collection, Collection]:
    """Both with what their fibres share on the way, where a link has CTCs of both."""
    both = of_both(before, after)
    first, second = (replace(side, links=with_channels(side, both)) for side in (before, after))
    return first, second


def of_both(before: Collection, after: Collection) -> Collection:
    """Links with the CTCs of both, channels and machines as the first has them where both do."""
    ctcs = grouped(
        (link.nodes, ctc) for side in (before, after) for link in side.links for ctc in link.ctcs
    )
    ends = {end for channel in before.shared_channels for end in channel}
    homes = {system for cec in before.cecs for system in cec.systems}
    return Collection(
        tuple(link_of(nodes, each) for nodes, each in ctcs.items()),
        shared_channels=(
            *before.shared_channels,
            *(each for each in after.shared_channels if not ends & {*each}),
        ),
        cecs=(*before.cecs, *(each for each in after.cecs if not homes & {*each.systems})),
        whole=True,
    )


def half_of(link: Layout) -> Layout:
    """A link with half of its CTCs, rounded down, one at least: as many of each fibre as can be."""
    ctcs = grouped((ctc.fibre, ctc) for ctc in link.device_list()).values()
    in_turn = [ctc for each in zip_longest(*ctcs) for ctc in each if ctc is not None]
    return link.with_ctcs(tuple(in_turn[: change_search.half_count(len(in_turn))])).in_order()


def _spare(before: Collection, after: Collection, stakes: Stakes) -> Iterator[CtcOfLink]:
    """CTCs that a link may have meanwhile: on its fibres, with numbers that no device has."""
    own, others = map(named("isfc.deck.numbers.numbers_of"), (before, after))
    taken = {node: numbers | others.get(node, set()) for node, numbers in own.items()}
    for link in before.links:
        for fibre in islice(cycle(link.fibres), stakes.get(link.nodes, Stake()).need):
            yield CtcOfLink(link.nodes, CtcPair(fibre, next_rdevs(link, fibre, taken)))


def _steps(
    moves: Iterable[Move],
    sides: Sequence[Mapping[tuple[object, ...], CtcOfLink]],
    new: Ctcs,
    stakes: Stakes,
    on: Mapping[NodeName, Processors],
) -> Iterator[CtcStep]:
    """Each step with what its link is then, and what it frees."""
    active, waiting = dict(sides[0]), {one.key: one for one in new}
    for kind, moved in moves:
        nodes, removed = moved[0].nodes, moved if kind is StepKind.REMOVE else ()
        for one in moved:
            if removed:
                del active[one.key]
            else:
                active[one.key] = one
                waiting.pop(one.key, None)
        left = [one.ctc for one in active.values() if one.nodes == nodes]
        misses = [
            any(one.nodes == nodes and key not in active for key, one in side.items())
            for side in sides
        ]
        ends = {end for one in waiting.values() for end in one.ends}
        yield CtcStep(
            kind,
            moved,
            on_machines(link_of(nodes, left), on) if left else None,
            not left and nodes in stakes,
            bool(removed and left) and all(misses),
            frozenset(e for one in removed if one.key not in waiting for e in one.ends & ends),
            tuple(one for one in removed if not any(one.key in side for side in sides)),
            tuple(one for one in moved if not removed and one.key in sides[0]),
        )


def changed_fibres(before: Collection, after: Collection) -> Iterator[tuple[Nodes, Fibre, Fibre]]:
    """Fibres between the same chpids that differ otherwise: hardware, which no command changes."""
    known = {(link.nodes, fibre.chpids): fibre for link, fibre, _ in before.fibres()}
    for link, fibre, _ in after.fibres():
        was = known.get((link.nodes, fibre.chpids))
        if was and (was.profile, was.km, was.path) != (fibre.profile, fibre.km, fibre.path):
            yield link.nodes, was, fibre


def link_of(nodes: Nodes, ctcs: Iterable[CtcPair]) -> Layout:
    """A link with CTCs of two layouts: fibres between the same chpids are one, named by number."""
    named: dict[object, Fibre] = {}
    for ctc in ctcs:
        if ctc.fibre.chpids not in named:
            named[ctc.fibre.chpids] = structs.replace(ctc.fibre, name=str(len(named) + 1))
    pairs = tuple(structs.replace(ctc, fibre=named[ctc.fibre.chpids]) for ctc in ctcs)
    return Layout(nodes, tuple(named.values()), pairs).in_order()


_STEP_S: Final = 0.2
"""Virtual seconds before the first step of a script and after each: a link comes up in a few
milliseconds."""


class Instruction(Struct, frozen=True):
    """A CP command of one system, or in ``words`` what is to be done there otherwise."""

    system: NodeName
    command: str | None = None
    """a CP command"""
    words: str | None = None
    """or what is to be done otherwise"""


def orders_of(step: CtcStep) -> tuple[Instruction, ...]:
    """What is done in a step, in that order."""
    ends = [*zip(step.nodes, step.rdevs, reversed(step.nodes), strict=True)]
    adds = step.kind is StepKind.ADD
    commands = (
        Instruction(node, text.format(_spelt(rdevs), partner))
        for text in (_ADDING if adds else _REMOVING)
        for node, rdevs, partner in ends
    )
    words = (
        Instruction(node, words=each)
        for end, node in enumerate(step.nodes)
        for each in (_defined if adds else _deleted)(step, end)
    )
    return (*words, *commands) if adds else (*commands, *words)


_ADDING: Final = "VARY ONLINE {0}", "ACTIVATE ISLINK {0} NODE {1}", "QUERY ISLINK NODE {1}"
_REMOVING: Final = "DEACTIVE ISLINK {0}", "VARY OFFLINE {0}"


def _deleted(step: CtcStep, end: int) -> Iterator[str]:
    """What one end has to have no more."""
    freed = [rdev for node, rdev in step.frees if node == step.nodes[end]]
    lent = [each.ctc.rdevs[end] for each in step.lent]
    for rdevs, why in ((freed, "something new has the number"), (lent, "neither layout has it")):
        if rdevs:
            yield f"delete {format_rdevs(sorted(rdevs))}: {why}"


def _defined(step: CtcStep, end: int) -> Iterator[str]:
    """What one end has to have, by the chpids at both ends."""
    by_chpids = grouped(
        ((ctc.fibre.chpids[end], ctc.fibre.chpids[1 - end]), ctc.rdevs[end])
        for ctc in (each.ctc for each in step.ctcs if each not in step.again)
    )
    for (here, there), rdevs in sorted(by_chpids.items()):
        yield (
            f"have {format_rdevs(sorted(rdevs))} defined on chpid {format_chpid(here)}, which "
            f"leads to {step.nodes[1 - end]} {format_chpid(there)}"
        )


def _spelt(rdevs: Iterable[Rdev]) -> str:
    return " ".join(map(format_rdev, rdevs))


class ChangeTrial(Struct, frozen=True):
    """What `isfc run` does steps of a link by: all, or as many as have sixteen CTCs in all."""

    link: str
    seconds: float
    """virtual time that it takes"""
    layout: str
    """a layout file, with the CTCs before and after each of them"""
    script: str
    """of `isfc run --cp`"""


def trials_of(old: Layout, steps: Sequence[CtcStep], both: Collection) -> Iterator[ChangeTrial]:
    """What ``isfc run`` tries the steps of a link by, of all; the last ends in the other layout.

    ``both`` has what the layouts have of channels and machines.

    In a run a device is one CTC from the beginning, and a link has sixteen at most. So a run does
    as many steps as have no more CTCs in all, and the next one begins where it ends. An old CTC one
    of whose numbers is another's in the same run has a number beside it, which nothing else has.
    """
    active = {CtcOfLink(old.nodes, ctc).key: ctc for ctc in old.ctcs}
    begin, defined, mine = active, active, dict[int, CtcStep]()
    for number, step in enumerate(steps, start=1):
        if step.nodes != old.nodes:
            continue
        ctcs = {one.key: one.ctc for one in step.ctcs}
        if len(defined | ctcs) > CTCS_MAX:
            yield _trial(old, begin, defined, mine, both)
            begin, defined, mine = active, active, {}
        is_new = step.kind is StepKind.ADD
        active = {**active, **ctcs} if is_new else {k: active[k] for k in active if k not in ctcs}
        defined = ctcs | defined
        mine[number] = step
    yield _trial(old, begin, defined, mine, both)


_Ctcs = dict[tuple[object, ...], CtcPair]
_RDEVS: Final = range(RDEV_MAX + 1)


def _trial(
    old: Layout, begin: _Ctcs, defined: _Ctcs, steps: Mapping[int, CtcStep], both: Collection
) -> ChangeTrial:
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
    at_s = _STEP_S
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
    link = on_machines(link_of(nodes, [*beside.values(), *added]), machines_of([old]))
    layout = format_collection(in_use(replace(both, links=(link,))))
    return ChangeTrial(old.name, round(at_s + _STEP_S, 1), layout, "\n".join([*lines, ""]))


def _beside(old: _Ctcs, added: Sequence[CtcPair]) -> _Ctcs:
    """Old CTCs, with the nearest number that is free, the lower of two, for that of a new one."""
    ends = []
    for end in (0, 1):
        new, rdevs = {ctc.rdevs[end] for ctc in added}, {k: c.rdevs[end] for k, c in old.items()}
        taken = {*new, *rdevs.values()}
        for key, rdev in rdevs.items():
            if rdev in new:
                near = [n for away in range(2 * CTCS_MAX) for n in (rdev - away, rdev + away)]
                rdevs[key] = Rdev(next(n for n in near if n in _RDEVS and n not in taken))
                taken.add(rdevs[key])
        ends.append(rdevs)
    return {k: structs.replace(c, rdevs=(ends[0][k], ends[1][k])) for k, c in old.items()}
