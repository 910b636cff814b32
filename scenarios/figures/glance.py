"""Short runs: what links carry, how busy each of their resources is, and what waits for it.

The run itself counts nothing of that: it is seen at moments. A *wait* is work that would go on if
the resource were free. At a moment these wait:

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any, Final

from ctc.chpid import Chpid
from ctc.contention import BYTES, LINE
from isfc.engine.program import Program
from isfc.layout.sharing import carried_by
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.state import DeviceState
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.figures import resources
from scenarios.figures.resources import Resource, ResourceKind
from scenarios.runs.channels import BusySoFar, ChannelsBusy, busy_so_far, disks_of
from scenarios.runs.experiment import NS_PER_S, Experiment, RunEach
from scenarios.runs.guests import CLIENT_PROCESSORS, Clients, Servers
from scenarios.runs.own_workload import Senders
from scenarios.runs.result import Result, measure
from scenarios.runs.run import build
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
        yield resources.SEND, 0 if link.tx_lock.free else backlog
        yield resources.CTCS, backlog if link.tx_lock.free and not link.scheduler.has_free else 0
        yield resources.RECEIVE, link.rx_lock.waiting_count
        yield resources.COPYING, int(link.copying.waits)
        idle = sum(ctc.state is DeviceState.IDLE for ctc in link.ctcs.values())
        self._busy[Resource(resources.CTCS, end.name).key].append(1 - idle / len(link.ctcs))
        copies = link.tx_lock.copies or link.rx_lock.copies
        self._busy[Resource(resources.COPYING, end.name).key].append(float(copies))

    def _at_channels(self, system: System, now_ns: int) -> Iterator[tuple[ResourceKind, float]]:
        starting = {id(each.queue) for each in _ends(system) if each.queue.free_ns > now_ns}
        pending = sum(_is_pending(end, rdev, now_ns) for end in system.ends for rdev in end.ctcs)
        yield resources.STARTS, max(0, pending - len(starting))
        for each in _ends(system):
            need, count = each.slowed
            if need == BYTES:
                yield resources.TRUNK, count
                yield resources.CREDITS, count
            elif need == LINE:
                is_far = (system.name, each.chpid) in self._far
                yield resources.PORTS if is_far else resources.LINE, count
            else:
                yield resources.PROCESSOR, count


def _ends(system: System) -> list[Chpid[Any]]:
    return [end for ends in system.channels.chpids.values() for end in ends]


_NEARLY_NONE: Final = 1e-6
"""Less of a transfer than this is rounding."""

_KINDS: Final[dict[type, ResourceKind]] = {
    Clients: resources.CLIENTS,
    Servers: resources.SERVERS,
    Senders: resources.OFFERED,
}


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


SEEDS: Final = (1, 2, 3)
"""Runs of each case: the rates of one seed vary by about half a per cent."""
BEGIN_NS: Final = 400_000_000
LENGTH_NS: Final = 500_000_000
"""When a short run is measured, and for how long (chosen)."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A short run: MB/s (2^20) of all links both ways, and the share of its time each is busy.

    ``busy`` is by `Resource.key`; resources that are no server, such as a distance, are not there.
    Of several channels, inter-switch links and link ends it is that of the busiest, which
    ``where`` names by the same key, if there are several links. ``waited`` has what waits for each,
    if that was looked for.
    """

    mb_per_s: float
    busy: Mapping[str, float]
    collisions_per_s: float
    where: Mapping[str, str] = field(default_factory=dict)
    waited: Mapping[str, Waited] = field(default_factory=dict)


def glances(
    cases: Sequence[Experiment],
    run_each: RunEach,
    seeds: Sequence[int] = SEEDS,
    longer: int = 1,
    *,
    waits: bool = False,
) -> list[Sequence[Glance]]:
    """Each case with every seed; with ``waits`` what waits is looked for.

    Runs may be so many times ``longer``, their beginning too.
    """
    every = [replace(case, seed=seed) for case in cases for seed in seeds]
    found = run_each(partial(glance, longer=longer, waits=waits), every)
    return [found[at : at + len(seeds)] for at in range(0, len(found), len(seeds))]


def glance(experiment: Experiment, *, longer: int = 1, waits: bool = False) -> Glance:
    """Make a short run, and see how busy its resources are, and what waits for them."""
    programs: list[Program] = []

    def kept(program: Program, _node: NodeName) -> Program:
        programs.append(program)
        return program

    engine, systems = build(experiment, around=kept)
    begin_ns, length_ns = longer * BEGIN_NS, longer * LENGTH_NS
    engine.run(begin_ns)
    before = _Look(experiment, systems, begin_ns)
    end_ns = begin_ns + length_ns
    seen = Waits(experiment, systems, programs)
    for at_ns in moments(begin_ns, length_ns) if waits else ():
        engine.run(at_ns)
        seen.look(at_ns)
    engine.run(end_ns)
    after = _Look(experiment, systems, end_ns)
    results = after.results_since(before)
    busiest = after.busy_since(before, results)
    several = len(experiment.collection.links) > 1
    return Glance(
        sum(each.mb_per_s for each in results),
        {**{key: busy for key, (busy, _) in busiest.items()}, **seen.busy},
        sum(each.collisions_per_s for each in results),
        {key: name for key, (_, name) in busiest.items() if name} if several else {},
        {**seen.waited, **after.window(results)} if waits else {},
    )


_Busiest = tuple[float, str]
"""The share of its time that the busiest of some is busy, and its name."""


class _Look:
    """What is seen of a run at one moment."""

    def __init__(self, experiment: Experiment, systems: Sequence[System], now_ns: int) -> None:
        self._experiment, self.now_ns = experiment, now_ns
        collection = experiment.collection
        ends = {(end.name, end.partner): end for system in systems for end in system.ends}
        self.clients = {
            link.name: (
                ends[loads[0].client, loads[0].server].snapshot(now_ns),
                ends[loads[0].server, loads[0].client].snapshot(now_ns),
            )
            for link in collection.links
            if (loads := experiment.loads_of(link))
        }
        """Both ends of each link with traffic, the clients' first."""
        self.cpu_ns = {
            system.name: sum(end.link.cpu_ns() for end in system.ends) for system in systems
        }
        self.channels: BusySoFar = busy_so_far(collection.links, systems, now_ns)
        self.locks = {
            (kind, place): lock.busy_ns(now_ns)
            for place, end in ends.items()
            for kind, lock in (
                (resources.SEND, end.link.tx_lock),
                (resources.RECEIVE, end.link.rx_lock),
            )
        }

    def results_since(self, before: "_Look") -> list[Result]:
        """What the clients' end of each link with traffic saw since another look."""
        both = ((before.clients[link], now) for link, now in self.clients.items())
        return [measure(now[0].name, was[0], now[0], (was[1], now[1])) for was, now in both]

    def busy_since(self, before: "_Look", results: Sequence[Result]) -> dict[str, _Busiest]:
        """How busy each resource was since then, and where."""
        found: dict[str, list[_Busiest]] = defaultdict(list)
        length_ns = self.now_ns - before.now_ns
        for (kind, (node, partner)), now_ns in self.locks.items():
            share = (now_ns - before.locks[kind, (node, partner)]) / length_ns
            found[Resource(kind, node).key].append((share, f"with {partner}"))
        busy = ChannelsBusy(before.channels, self.channels, length_ns / NS_PER_S)
        collection = self._experiment.collection
        for channel in carried_by(collection):
            ends = collection.fibre_ends(channel)
            each = busy(map(str, channel)).with_disks(disks_of(ends))
            name = " = ".join(map(str, channel))
            line = max(each.line_out, each.line_in)
            fullest = max(fibre.line_share for _, fibre, _ in ends)
            found[resources.LINE.id].append((line * fullest, name))
            found[resources.PORTS.id].append((line, name))
            found[resources.PROCESSOR.id].append((each.data, name))
            found[resources.STARTS.id].append((each.starts, name))
        for way, sent in self.channels.sent_bytes.items():
            path, near, _ = way
            if path.isl is not None:
                grown = sent - before.channels.sent_bytes.get(way, 0.0)
                share = grown * path.isl.ns_per_byte(path.km) / length_ns
                for kind in (resources.TRUNK, resources.CREDITS):
                    found[kind.id].append((share, f"path {path.name} out of {near}"))
        for key, guests in self._guests(results):
            found[key].append(guests)
        for node, cpu_ns in self.cpu_ns.items():
            share = (cpu_ns - before.cpu_ns[node]) / length_ns
            found[Resource(resources.CPU, node).key].append((share, ""))
        return {key: max(shares) for key, shares in found.items()}

    def window(self, results: Sequence[Result]) -> dict[str, Waited]:
        """The messages whose conversations wait for a reply: all but those at clients (Little)."""
        costs, count = self._experiment.guests, 0.0
        for result, link in zip(results, self.clients, strict=True):
            for load in self._experiment.loads_of(self._experiment.collection.link(link)):
                count += load.pairs * load.workload.window
            length = load.workload.mean_length
            is_transport = load.workload.traffic is Traffic.TRANSPORT
            taken_ns = (
                costs.client_ns + costs.client_ns_per_byte * length + costs.client_latency_ns
                if is_transport
                else costs.appc_client_ns
            )
            count -= result.messages_per_s_in * taken_ns / NS_PER_S
        return {resources.LOAD.id: Waited(min(1.0, max(0.0, count)), max(0.0, count))}

    def _guests(self, results: Sequence[Result]) -> list[tuple[str, _Busiest]]:
        """The processors of each system's clients, and each link's servers."""
        costs = self._experiment.guests
        clients: dict[NodeName, float] = defaultdict(float)
        found = []
        for result, link in zip(results, self.clients, strict=True):
            load = self._experiment.loads_of(self._experiment.collection.link(link))[0]
            clients[load.client] += result.messages_per_s_in
            servers = result.messages_per_s_out * costs.server_ns / NS_PER_S / load.pairs
            found.append((resources.SERVERS.id, (servers, f"on {load.server}")))
        for node, per_s in clients.items():
            share = per_s * costs.client_ns / NS_PER_S / CLIENT_PROCESSORS
            found.append((resources.CLIENTS.id, (share, f"on {node}")))
        return found
