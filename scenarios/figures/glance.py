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
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

from msgspec import Struct

from ctc.chpid import Chpid
from ctc.contention import BYTES, LINE
from isfc.layout.sharing import carried_by
from isfc.link.events import Program
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.state import DeviceState
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.figures import resources
from scenarios.figures.resources import Resource, ResourceKind
from scenarios.runs.channels import disks_of, time_share
from scenarios.runs.experiment import NS_PER_S, Experiment, RunEach
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.programs import Senders, SeveralPrograms
from scenarios.runs.run import Looks, Outcome, build

MOMENTS: Final = 100
"""So many moments of a run are looked at (chosen: shares are within 10 points, mostly)."""


class Waited(Struct, frozen=True):
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


class Glance(Struct, frozen=True):
    """A short run: MB/s (2^20) of all links both ways, and the share of its time each is busy.

    ``busy`` is by `Resource.key`; resources that are no server, such as a distance, are not there.
    Of several channels, inter-switch links and link ends it is that of the busiest, which
    ``where`` names by the same key, if there are several links. ``waited`` has what waits for each,
    if that was looked for. ``parts`` is the share of all MB that the links of each system carry.
    """

    mb_per_s: float
    busy: Mapping[str, float]
    collisions_per_s: float
    where: Mapping[str, str] = {}
    waited: Mapping[str, Waited] = {}
    parts: Mapping[NodeName | None, float] = {}


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
    looks = Looks(experiment, systems)
    times = longer * time_share(experiment)
    begin_ns, length_ns = round(times * BEGIN_NS), round(times * LENGTH_NS)
    engine.run(begin_ns)
    looks.look(begin_ns)
    before = _in_use_ns(systems, begin_ns)
    end_ns = begin_ns + length_ns
    seen = Waits(experiment, systems, programs)
    for at_ns in moments(begin_ns, length_ns) if waits else ():
        engine.run(at_ns)
        seen.look(at_ns)
    engine.run(end_ns)
    looks.look(end_ns)
    outcome = looks.outcome()
    shares = _shares(outcome)
    for (kind, node, where), ns in _in_use_ns(systems, end_ns).items():
        share = (ns - before[kind, node, where]) / length_ns
        shares[Resource(kind, node).key].append((share, where))
    busiest = {key: max(each) for key, each in shares.items()}
    several = len(experiment.collection.links) > 1
    return Glance(
        outcome.mb_per_s,
        {**{key: busy for key, (busy, _) in busiest.items()}, **seen.busy},
        sum(link.result.collisions_per_s for link in outcome.links),
        {key: name for key, (_, name) in busiest.items() if name} if several else {},
        {**seen.waited, **_window(outcome)} if waits else {},
        {
            node: sum(end.mb_per_s_out + end.mb_per_s_in for end in ends) / (outcome.mb_per_s or 1)
            for node, ends in outcome.systems.items()
        },
    )


def _in_use_ns(
    systems: Sequence[System], now_ns: int
) -> dict[tuple[ResourceKind, NodeName, str], int]:
    """How long the processors of each system and the locks of each link end have been busy."""
    found = {}
    for system in systems:
        cpu_ns = sum(end.link.cpu_ns() for end in system.ends)
        found[resources.CPU, system.name, ""] = cpu_ns
        for end in system.ends:
            where = f"with {end.partner}"
            found[resources.SEND, system.name, where] = end.link.tx_lock.busy_ns(now_ns)
            found[resources.RECEIVE, system.name, where] = end.link.rx_lock.busy_ns(now_ns)
    return found


_Shares = defaultdict[str, list[tuple[float, str]]]
"""Of each resource by its key: the share of its time that it was busy, and where."""


def _shares(outcome: Outcome) -> _Shares:
    """How busy channels, inter-switch links and guests were."""
    found: _Shares = defaultdict(list)
    collection, busy = outcome.experiment.collection, outcome.busy
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
    for way, sent in busy.after.sent_bytes.items():
        path, near, _ = way
        if path.isl is not None:
            grown = sent - busy.before.sent_bytes.get(way, 0.0)
            share = grown * path.isl.ns_per_byte(path.km) / (busy.seconds * NS_PER_S)
            for kind in (resources.TRUNK, resources.CREDITS):
                found[kind.id].append((share, f"path {path.name} out of {near}"))
    clients: dict[NodeName, float] = defaultdict(float)
    costs_on: dict[NodeName, GuestCosts] = {}
    for link in outcome.links:
        load = link.experiment.loads[0]
        costs = costs_on[load.client] = link.experiment.guests_of(load)
        clients[load.client] += link.result.messages_per_s_in
        servers = link.result.messages_per_s_out * costs.server_ns / NS_PER_S / load.pairs
        found[resources.SERVERS.id].append((servers, f"on {load.server}"))
    for node, per_s in clients.items():
        costs = costs_on[node]
        share = per_s * costs.client_ns / NS_PER_S / costs.client_processors
        found[resources.CLIENTS.id].append((share, f"on {node}"))
    return found


def _window(outcome: Outcome) -> dict[str, Waited]:
    """The messages whose conversations wait for a reply: all but those at clients (Little)."""
    count = 0.0
    for link in outcome.links:
        loads = link.experiment.loads
        costs = link.experiment.guests_of(loads[-1])
        count += sum(load.pairs * load.workload.window for load in loads)
        workload = loads[-1].workload
        length_ns = costs.client_ns_per_byte * workload.mean_length
        taken_ns = (
            costs.client_ns + length_ns + costs.client_latency_ns
            if workload.traffic is Traffic.TRANSPORT
            else costs.appc_client_ns
        )
        count -= link.result.messages_per_s_in * taken_ns / NS_PER_S
    return {resources.LOAD.id: Waited(min(1.0, max(0.0, count)), max(0.0, count))}
