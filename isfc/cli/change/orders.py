"""The commands of each step, system by system, and the script that tries them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.layout.change import Step, StepKind, link_of
from isfc.layout.layout import Collection, CtcPair, Layout
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.link.schedule import CTCS_MAX

_FIRST_S: Final = 0.2
"""When the first step of a script begins, in virtual seconds."""

_STEP_S: Final = 0.2
"""How long after it the next one begins: a link comes up in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Order:
    """A CP command of one system, or in ``words`` what is to be done there otherwise."""

    system: NodeName
    command: str = ""
    words: str = ""


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


def trial_of(before: Collection, steps: Sequence[Step], link: str | None) -> Trial:
    """What ``isfc run`` tries the steps of one link by.

    Raises `ConfigurationError` where a run cannot: a device is one CTC in it, from the beginning.
    """
    nodes = before.link(link, "--link").nodes
    mine = [step for step in steps if step.nodes == nodes]
    if any(step.frees for step in mine):
        raise ConfigurationError(
            "--try: a device number is of another CTC afterwards, and in a run each has one from "
            "the beginning; expected a change without such"
        )
    added = [each.ctc for step in mine if step.kind is StepKind.ADD for each in step.ctcs]
    given: list[CtcPair] = [*before.link(link).ctcs]
    if len(given) + len(added) > CTCS_MAX:
        raise ConfigurationError(
            f"--try: {len(given)} CTCs and {len(added)} new ones; expected at most {CTCS_MAX} in "
            "a link, as a run has all from the beginning"
        )
    lines = ["* the new CTCs are not there yet"]
    for end, node in enumerate(nodes):
        if new := sorted(ctc.rdevs[end] for ctc in added):
            lines.append(f"at 0.001s {node}: DEACTIVE ISLINK {_spelt(new)}")
            lines.append(f"at 0.002s {node}: VARY OFFLINE {_spelt(new)}")
    at_s = _FIRST_S
    for number, step in enumerate(mine, start=1):
        lines.append(f"* step {number}")
        for order in orders_of(step):
            if order.command:
                lines.append(f"at {at_s:.3f}s {order.system}: {order.command}")
                at_s += 0.001
        at_s += _STEP_S
    lines.append("* as it is in the end")
    lines += [f"at {at_s:.3f}s {node}: QUERY ISLINK" for node in nodes]
    text = "\n".join(lines)
    return Trial(link_of(nodes, [*given, *added]), f"{text}\n", round(at_s + _STEP_S, 1))
