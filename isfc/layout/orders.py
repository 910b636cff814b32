"""The commands of each step, system by system, and the script that tries them."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ctc.address import RDEV_MAX, ChpidId, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.layout.change import Step, StepKind, link_of
from isfc.layout.layout import CtcPair, Layout
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

_FIRST_S: Final = 0.2
"""When the first step of a script begins, in virtual seconds."""

_STEP_S: Final = 0.2
"""How long after it the next one begins: a link comes up in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Order:
    """A CP command of one system, or in ``words`` what is to be done there otherwise."""

    system: NodeName
    command: str | None = None
    """a CP command"""
    words: str | None = None
    """or what is to be done otherwise"""


def orders_of(step: Step) -> tuple[Order, ...]:
    """What is done in a step, in that order."""
    return tuple(_adding(step) if step.kind is StepKind.ADD else _removing(step))


def _adding(step: Step) -> Iterator[Order]:
    ends = [*zip(step.nodes, step.rdevs, strict=True)]
    for end, node in enumerate(step.nodes):
        yield from (Order(node, words=words) for words in _defined(step, end))
    for node, rdevs in ends:
        yield Order(node, f"VARY ONLINE {_spelt(rdevs)}")
    for (node, rdevs), partner in zip(ends, reversed(step.nodes), strict=True):
        yield Order(node, f"ACTIVATE ISLINK {_spelt(rdevs)} NODE {partner}")
    for (node, _), partner in zip(ends, reversed(step.nodes), strict=True):
        yield Order(node, f"QUERY ISLINK NODE {partner}")


def _removing(step: Step) -> Iterator[Order]:
    ends = [*zip(step.nodes, step.rdevs, strict=True)]
    for node, rdevs in ends:
        yield Order(node, f"DEACTIVE ISLINK {_spelt(rdevs)}")
    for node, rdevs in ends:
        yield Order(node, f"VARY OFFLINE {_spelt(rdevs)}")
    for end, node in enumerate(step.nodes):
        if step.frees:
            freed = sorted(each.ctc.rdevs[end] for each in step.frees)
            yield Order(node, words=f"delete {_named(freed)}: something new has the number")


def _defined(step: Step, end: int) -> Iterator[str]:
    """What one end has to have, by the chpids at both ends."""
    by_chpids: dict[tuple[ChpidId, ChpidId], list[Rdev]] = {}
    for each in step.ctcs:
        chpids = each.ctc.fibre.chpids
        by_chpids.setdefault((chpids[end], chpids[1 - end]), []).append(each.ctc.rdevs[end])
    for (here, there), rdevs in sorted(by_chpids.items()):
        yield (
            f"have {_named(sorted(rdevs))} defined on chpid {format_chpid(here)}, which leads to "
            f"{step.nodes[1 - end]} {format_chpid(there)}"
        )


def _named(rdevs: Sequence[int]) -> str:
    return format_rdevs(map(Rdev, rdevs))


def _spelt(rdevs: Sequence[int]) -> str:
    return " ".join(format_rdev(Rdev(rdev)) for rdev in rdevs)


@dataclass(frozen=True, slots=True)
class Trial:
    """A layout with the CTCs of both, the script that changes it, and how long that takes."""

    layout: Layout
    script: str
    seconds: float


def trial_of(old: Layout, steps: Sequence[Step]) -> Trial:
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
        ctcs = tuple(replace(each, ctc=beside.get(each.ctc, each.ctc)) for each in step.ctcs)
        for order in orders_of(replace(step, ctcs=ctcs)):
            if order.command:
                lines.append(f"at {at_s:.3f}s {order.system}: {order.command}")
                at_s += 0.001
        at_s += _STEP_S
    lines.append("* as it is in the end")
    lines += [f"at {at_s:.3f}s {node}: QUERY ISLINK" for node in nodes]
    text = "\n".join(lines)
    every = [*(beside.get(ctc, ctc) for ctc in old.ctcs), *added]
    return Trial(link_of(nodes, every), f"{text}\n", round(at_s + _STEP_S, 1))


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
            found[ctc] = replace(ctc, rdevs=(first, second))
    return found


def _nearest(rdev: Rdev, taken: Container[int]) -> Rdev:
    """The nearest number that is free, the lower of two."""
    around = (n for away in range(1, RDEV_MAX + 1) for n in (rdev - away, rdev + away))
    return Rdev(next(n for n in around if 0 <= n <= RDEV_MAX and n not in taken))
