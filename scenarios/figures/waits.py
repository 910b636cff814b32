"""What waits for each resource of a run, seen at moments of it: the run itself counts nothing.

A *wait* is work that would go on if the resource were free. At a moment these wait:

- messages for the send lock while a package is built, or for a CTC while all are taken;
- work that interrupts have brought for the receive lock, and link ends for the lock of their system
  under which APPC/VM's messages are copied;
- I/Os for the processor that starts them, or for a turn of their channel;
- transfers for the line, the data processor, or the inter-switch links that they share: each goes
  at a part of its pace alone, and the rest of it is waiting;
- messages for a processor of the clients' system, and for the servers;
- messages that have come at times of their own for a conversation that is free; and conversations
  whose window is used up for a reply, by Little's law.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from ctc.chpid import Chpid
from ctc.contention import BYTES
from ctc.contention import LINE as LINE_NEED
from isfc.engine.program import Program
from isfc.link.state import DeviceState
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.figures.resources import (
    CLIENTS,
    COPYING,
    CREDITS,
    CTCS,
    LINE,
    OFFERED,
    PORTS,
    PROCESSOR,
    RECEIVE,
    SEND,
    SERVERS,
    STARTS,
    TRUNK,
    Resource,
    ResourceKind,
)
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import Clients, Servers
from scenarios.runs.own_guests import Senders
from scenarios.runs.several_programs import SeveralPrograms

MOMENTS: Final = 100
"""So many moments of a run are looked at (chosen: shares are within 10 points, mostly)."""


@dataclass(frozen=True, slots=True)
class Waited:
    """The share of the moments at which something waited, and how much did in the mean."""

    share: float
    count: float


def moments(begin_ns: int, length_ns: int) -> list[int]:
    """When to look: drawn, so that no rhythm of a run is met at one place of it; in order."""
    random = Random("moments")
    return sorted(begin_ns + random.randrange(length_ns) for _ in range(MOMENTS))


class Waits:
    """What has waited, by `Resource.key`, and how busy what has no counter was."""

    def __init__(
        self, experiment: Experiment, systems: Sequence[System], programs: Sequence[Program]
    ) -> None:
        self._systems = systems
        self._programs = [one for program in programs for one in _single(program)]
        self._far = {
            (node, chpid)
            for link in experiment.collection.links
            for fibre in link.fibres
            if fibre.line_share < 1
            for node, chpid in zip(link.nodes, fibre.chpids, strict=True)
        }
        self._found: dict[str, list[float]] = defaultdict(list)
        self._busy: dict[str, list[float]] = defaultdict(list)

    def look(self, now_ns: int) -> None:
        """Count what waits."""
        counts: dict[str, float] = defaultdict(float)
        for system in self._systems:
            for end in system.ends:
                for kind, count in self._at_end(end, now_ns):
                    counts[Resource(kind, end.name).key] += count
            for kind, count in self._at_channels(system, now_ns):
                counts[kind.id] += count
        for program in self._programs:
            counts[_KINDS[type(program)].id] += program.waiting_count(now_ns)
        for key, count in counts.items():
            self._found[key].append(count)

    @property
    def waited(self) -> dict[str, Waited]:
        """What has waited for each resource."""
        return {
            key: Waited(sum(count > _NEARLY_NONE for count in counts) / len(counts), _mean(counts))
            for key, counts in self._found.items()
        }

    @property
    def busy(self) -> dict[str, float]:
        """The share of the CTCs of each system in use, and of the time of its lock for copying."""
        return {key: _mean(shares) for key, shares in self._busy.items()}

    def _at_end(self, end: LinkEnd, now_ns: int) -> Iterator[tuple[ResourceKind, float]]:
        link = end.link
        backlog = float(link.packager.backlog_count)
        yield SEND, 0 if link.tx_lock.free else backlog
        yield CTCS, backlog if link.tx_lock.free and not link.scheduler.has_free else 0
        yield RECEIVE, link.rx_lock.waiting_count
        yield COPYING, int(link.copying.waits)
        idle = sum(ctc.state is DeviceState.IDLE for ctc in link.ctcs.values())
        self._busy[Resource(CTCS, end.name).key].append(1 - idle / len(link.ctcs))
        copies = link.tx_lock.copies or link.rx_lock.copies
        self._busy[Resource(COPYING, end.name).key].append(float(copies))

    def _at_channels(self, system: System, now_ns: int) -> Iterator[tuple[ResourceKind, float]]:
        starting = {id(each.queue) for each in _ends(system) if each.queue.free_ns > now_ns}
        pending = sum(_is_pending(end, rdev, now_ns) for end in system.ends for rdev in end.ctcs)
        yield STARTS, max(0, pending - len(starting))
        for each in _ends(system):
            need, count = each.slowed
            if need == BYTES:
                yield TRUNK, count
                yield CREDITS, count
            elif need == LINE_NEED:
                yield PORTS if (system.name, each.chpid) in self._far else LINE, count
            else:
                yield PROCESSOR, count


def _ends(system: System) -> list[Chpid[Any]]:
    return [end for ends in system.channels.chpids.values() for end in ends]


_NEARLY_NONE: Final = 1e-6
"""Less of a transfer than this is rounding."""

_KINDS: Final[dict[type, ResourceKind]] = {Clients: CLIENTS, Servers: SERVERS, Senders: OFFERED}


def _single(program: Program) -> Iterator[Any]:
    """The guests that a program is made of, as far as they can be asked what waits for them."""
    if isinstance(program, SeveralPrograms):
        for each in program.programs:
            yield from _single(each)
    elif type(program) in _KINDS:
        yield program


def _is_pending(end: LinkEnd, rdev: Any, now_ns: int) -> bool:
    """Whether an I/O of a CTC has yet to leave its channel."""
    times = end.ctcs[rdev].times_so_far(now_ns)
    return times.pend_ns > 0 and not times.disc_ns and not times.conn_ns


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
