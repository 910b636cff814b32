"""How fast live links are: rates between two looks at them."""

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from ctc.address import Rdev
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.name import NodeName
from isfc.live.snapshot import LiveSnapshot
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB, Result, measure

_Counters = TypeVar("_Counters", LinkEndSnapshot, DeviceSnapshot)


@dataclass(frozen=True, slots=True)
class CtcRates:
    """One CTC at one end: what is written there, and what the ``device`` is doing now.

    MB are 2^20 bytes. ``turn`` counts from 1 in the write order; None if this end does not
    write here.
    """

    device: DeviceSnapshot
    turn: int | None
    mb_per_s: float
    packages_per_s: float
    collisions_per_s: float


@dataclass(frozen=True, slots=True)
class NodeRates:
    """One end of a live link, as ``seen`` last. ``link`` has what ``isfc run`` would measure.

    Seconds are the node's own: at ``--dilation K`` each of them takes K.
    """

    seen: LiveSnapshot
    link: Result
    late_percent: float
    ctcs: tuple[CtcRates, ...]


def rates(before: LiveSnapshot | None, after: LiveSnapshot) -> NodeRates:
    """What happened in between; since the node began, if ``before`` is None.

    A node that has restarted counts from zero: what it was before is not subtracted.
    """
    begin = _begin(before, after)
    first, last = begin.node, after.node
    seconds = (last.now_ns - first.now_ns) / NS_PER_S
    waited_ns = after.waited_ns - begin.waited_ns
    return NodeRates(
        seen=after,
        link=measure(NodeName(last.name), first, last),
        late_percent=100 * (after.late_ns - begin.late_ns) / max(1, waited_ns),
        ctcs=tuple(
            _ctc_rates(old, new, last.write_order, seconds)
            for old, new in zip(first.devices, last.devices, strict=True)
        ),
    )


def _ctc_rates(
    old: DeviceSnapshot, new: DeviceSnapshot, order: tuple[Rdev, ...], seconds: float
) -> CtcRates:
    return CtcRates(
        device=new,
        turn=order.index(new.rdev) + 1 if new.rdev in order else None,
        mb_per_s=(new.write_length - old.write_length) / seconds / MIB,
        packages_per_s=(new.write_package_count - old.write_package_count) / seconds,
        collisions_per_s=(new.collision_count - old.collision_count) / seconds,
    )


def _begin(before: LiveSnapshot | None, after: LiveSnapshot) -> LiveSnapshot:
    """What to subtract: ``before``, unless the process or its node has restarted since."""
    if before is None or after.node.now_ns <= before.node.now_ns:
        begin_ns = min(0, after.node.now_ns - 1)  # so that some time has passed
        return LiveSnapshot(_zero(after.node, begin_ns), 0, 0, 0, 0, 0, 0, 0)
    if after.severed_count != before.severed_count:
        used_ns = before.node.cpu_ns  # a process's goes on where the model's begins again
        cpu_ns = used_ns if used_ns <= after.node.cpu_ns else 0
        return replace(before, node=replace(_zero(after.node, before.node.now_ns), cpu_ns=cpu_ns))
    return before


def _zero(node: LinkEndSnapshot, now_ns: int) -> LinkEndSnapshot:
    """The node at ``now_ns``, having done nothing."""
    devices = tuple(
        _uncounted(each, rdev=each.rdev, partner_rdev=each.partner_rdev) for each in node.devices
    )
    return _uncounted(node, now_ns=now_ns, devices=devices)


def _uncounted(counters: _Counters, **kept: Any) -> _Counters:
    """Counters as they begin, but for what is no count, and for counts by size."""
    names = [each.name for each in fields(counters)]
    counts = {name: 0 for name in names if isinstance(getattr(counters, name), int)}
    return replace(counters, **counts | kept)
