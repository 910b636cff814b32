"""Run an experiment of ours on the SimPy model: guests, set-up and measurement."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from random import Random

import simpy
from simpy.events import ProcessGenerator

from isfc.link.schedule import LinkDevice, write_order
from isfc.link.segment import SEGMENT_LENGTH_MAX
from scenarios.runs.guests import CLIENT_PROCESSORS, START_SPREAD_NS
from scenarios.runs.run import MIB, NS_PER_S, Experiment
from scenarios.runs.workload import ACKNOWLEDGEMENT_LENGTH
from tools.benchmarks.simpy_chpid import SimpyChpid
from tools.benchmarks.simpy_link import SimpyCtc, SimpySystem


@dataclass(frozen=True, slots=True)
class SimpyResult:
    """A run's traffic between warm-up and end; MB are 2^20 bytes, both directions."""

    mb_per_s: float
    rdev_util_percent: float
    messages_per_package: float
    collisions_per_s: float
    message_count: int
    """Messages of the whole run, warm-up included: the work done for the wall time."""


def client(
    env: simpy.Environment,
    system: SimpySystem,
    experiment: Experiment,
    guest: int,
    random: Random,
    inbox: simpy.Store,
    processors: simpy.Resource,
) -> ProcessGenerator:
    """A client guest: it fills its window, then every reply releases the next message."""
    workload, costs = experiment.workload, experiment.guests
    yield env.timeout(random.randrange(START_SPREAD_NS))
    for turn in count():
        if turn < workload.window:
            conversation = turn * len(system.inboxes) + guest
        else:
            reply = yield inbox.get()
            conversation = reply.conversation
        small = random.random() * 100 < workload.min_percent
        length = workload.min_length if small else workload.max_length
        with processors.request() as its_own:
            yield its_own
            yield env.timeout(costs.client_ns)
        system.send(conversation, length)


def server(
    env: simpy.Environment,
    system: SimpySystem,
    experiment: Experiment,
    guest: int,
    reply: Callable[[int, int], object],
) -> ProcessGenerator:
    """A server guest: it answers one message after the other."""
    costs, length = experiment.guests, experiment.workload.reply_length
    inbox = system.inboxes[guest]
    while True:
        message = yield inbox.get()
        yield env.timeout(costs.server_ns)
        reply(message.conversation, length)


def acknowledge(system: SimpySystem, guest: int, taken: simpy.Store) -> ProcessGenerator:
    """A client guest's answer area: every reply is acknowledged immediately and taken out."""
    while True:
        reply = yield system.inboxes[guest].get()
        system.send(len(system.inboxes) // 2 + guest, ACKNOWLEDGEMENT_LENGTH)
        taken.put(reply)


def keep_back(system: SimpySystem, room: simpy.Store, kept: simpy.Store) -> ProcessGenerator:
    """Send a server guest's replies as its client has room for them: one for each item."""
    while True:
        conversation, length = yield kept.get()
        yield room.get()
        system.send(conversation, length)


def pair(
    env: simpy.Environment,
    systems: tuple[SimpySystem, SimpySystem],
    experiment: Experiment,
    guest: int,
    random: Random,
    processors: simpy.Resource,
) -> None:
    """The processes of one client and its server."""
    (clients, servers), workload = systems, experiment.workload
    inbox, reply = clients.inboxes[guest], servers.send
    if workload.replies_max < workload.window:
        inbox, kept = simpy.Store(env), simpy.Store(env)
        room = servers.inboxes[experiment.pairs + guest]
        room.items.extend([None] * workload.replies_max)
        env.process(acknowledge(clients, guest, inbox))
        env.process(keep_back(servers, room, kept))

        def reply(conversation: int, length: int) -> None:
            kept.put((conversation, length))

    env.process(client(env, clients, experiment, guest, random, inbox, processors))
    env.process(server(env, servers, experiment, guest, reply))


def build(env: simpy.Environment, experiment: Experiment) -> tuple[SimpySystem, SimpySystem]:
    """The systems of an experiment, the client's first, and all their processes."""
    layout, inbox_count = experiment.layout, 2 * experiment.pairs  # for messages, for room
    assert max(experiment.workload.max_length, experiment.workload.reply_length) <= (
        SEGMENT_LENGTH_MAX
    ), "this model does not cut messages"
    systems = []
    ends = []
    for name in layout.nodes:
        lesser = name == layout.nodes[0]
        chpids = {fibre.name: SimpyChpid(env, fibre.profile) for fibre in layout.fibres}
        ctcs = [SimpyCtc(chpids[ctc.fibre.name]) for ctc in layout.ctcs]
        devices: dict[LinkDevice, SimpyCtc] = dict(zip(layout.devices(name), ctcs, strict=True))
        by_rdev = {device.rdev: ctc for device, ctc in devices.items()}
        order = [by_rdev[rdev] for rdev in write_order(tuple(devices), lesser=lesser)]
        systems.append(SimpySystem(env, experiment.link, ctcs, order, inbox_count, lesser=lesser))
        ends.append(ctcs)
    for ctc, mate in zip(*ends, strict=True):
        ctc.mate, mate.mate = mate, ctc
    first, second = systems
    first.partner, second.partner = second, first
    if experiment.client == layout.nodes[1]:
        first, second = second, first
    random = Random(f"clients {experiment.seed}")
    processors = simpy.Resource(env, CLIENT_PROCESSORS)
    for guest in range(experiment.pairs):
        pair(env, (first, second), experiment, guest, random, processors)
    return first, second


def busy(system: SimpySystem) -> float:
    """Time of all I/Os of a system, in ns."""
    return sum(ctc.pend_ns + ctc.disc_ns + ctc.conn_ns for ctc in system.ctcs)


def simulate(experiment: Experiment) -> SimpyResult:
    """Run an experiment as `scenarios.runs.run.run` does, and measure it as that does."""
    env = simpy.Environment()
    client_system, _ = build(env, experiment)
    env.run(experiment.begin_ns)
    before = replace(client_system.traffic)
    busy_ns = busy(client_system)
    env.run(experiment.end_ns)
    after = client_system.traffic
    busy_ns = busy(client_system) - busy_ns
    length = after.length_out + after.length_in - before.length_out - before.length_in
    messages = after.messages_out + after.messages_in - before.messages_out - before.messages_in
    packages = after.packages_out + after.packages_in - before.packages_out - before.packages_in
    return SimpyResult(
        mb_per_s=length / experiment.seconds / MIB,
        rdev_util_percent=busy_ns / experiment.seconds / NS_PER_S * 100,
        messages_per_package=messages / max(1, packages),
        collisions_per_s=(after.collisions - before.collisions) / experiment.seconds,
        message_count=after.messages_out + after.messages_in,
    )
