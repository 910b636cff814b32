"""Run an experiment of ours on the SimPy model: guests, set-up and measurement."""

import math
from collections import deque
from collections.abc import Sequence
from itertools import count
from random import Random

import simpy
from msgspec import Struct
from msgspec.structs import replace
from simpy.events import Event, ProcessGenerator

from isfc.link.message import Message
from isfc.link.scan import LinkDevice, write_order
from isfc.link.segment import SEGMENT_LENGTH_MAX
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.guests import CLIENT_PROCESSORS, START_SPREAD_NS
from scenarios.runs.result import MIB
from scenarios.runs.workload import ACKNOWLEDGEMENT_LENGTH, Workload
from tools.benchmarks.simpy_chpid import SimpyChpid
from tools.benchmarks.simpy_link import SimpyCtc, SimpySystem


class SimpyResult(Struct, frozen=True):
    """A run's traffic between warm-up and end; MB are 2^20 bytes, both directions."""

    mb_per_s: float
    rdev_util_percent: float
    messages_per_package: float
    collisions_per_s: float
    message_count: int
    """Messages of the whole run, warm-up included: the work done for the wall time."""


Reply = tuple[Message, Event]
"""A server guest's, and the event that it is ready."""


class SimpyServer:
    """A server guest: it answers one message after the other.

    Replies for which its client has no room wait in ``kept``.
    """

    def __init__(self, env: simpy.Environment, experiment: Experiment) -> None:
        workload = experiment.workload
        self.room = workload.replies_max if acknowledges(workload) else math.inf
        self.kept: deque[Reply] = deque()
        self._env = env
        self._reply_length = workload.reply_length
        self._inbox = simpy.Store(env)
        env.process(self._answer(experiment.guests.server_ns))

    def take(self, message: Message) -> None:
        """Answer a message, after those that came before."""
        ready = self._env.event()
        self.kept.append((Message(message.conversation, self._reply_length), ready))
        self._inbox.put(ready)

    def _answer(self, server_ns: int) -> ProcessGenerator:
        while True:
            ready = yield self._inbox.get()
            yield self._env.timeout(server_ns)
            ready.succeed()


def acknowledges(workload: Workload) -> bool:
    """Whether every reply is acknowledged, as its client has no room for all of them."""
    return workload.replies_max < workload.window


def serve(env: simpy.Environment, system: SimpySystem, experiment: Experiment) -> ProcessGenerator:
    """The server guests: replies that one package leads to are sent together."""
    servers = [SimpyServer(env, experiment) for _ in range(experiment.pairs)]
    acknowledgements = experiment.workload.window * experiment.pairs
    while True:
        messages = yield system.arrivals.get()
        replies: list[Reply] = []
        for message in messages:
            server = servers[message.conversation % experiment.pairs]
            if message.conversation < acknowledgements:
                server.take(message)
            else:
                server.room += 1
            while server.kept and server.room:
                server.room -= 1
                replies.append(server.kept.popleft())
        if replies:
            env.process(send_together(system, replies))


def send_together(system: SimpySystem, replies: Sequence[Reply]) -> ProcessGenerator:
    """Send replies once the last of them is ready."""
    for _, ready in replies:
        yield ready
    system.send([message for message, _ in replies])


def client(
    env: simpy.Environment,
    system: SimpySystem,
    experiment: Experiment,
    guest: int,
    random: Random,
    inbox: simpy.Store,
    processors: simpy.Resource,
) -> ProcessGenerator:
    """A client guest: it fills its window, then every reply releases the next message.

    CP has a message a while after it is ready; the guest goes on meanwhile.
    """
    workload, costs = experiment.workload, experiment.guests
    yield env.timeout(random.randrange(START_SPREAD_NS))
    for turn in count():
        if turn < workload.window:
            conversation = turn * experiment.pairs + guest
        else:
            reply = yield inbox.get()
            conversation = reply.conversation
        small = random.random() * 100 < workload.min_percent
        length = workload.min_length if small else workload.max_length
        with processors.request() as its_own:
            yield its_own
            yield env.timeout(costs.client_ns + int(costs.client_ns_per_byte * length))
        handed_over = env.timeout(costs.client_latency_ns, [Message(conversation, length)])
        handed_over.callbacks.append(lambda event: system.send(event.value))


def acknowledge(
    system: SimpySystem, acknowledgements: int, replies: simpy.Store, taken: simpy.Store
) -> ProcessGenerator:
    """A client guest's answer area: every reply is acknowledged immediately and taken out."""
    while True:
        reply = yield replies.get()
        system.send([Message(acknowledgements, ACKNOWLEDGEMENT_LENGTH)])
        taken.put(reply)


def ask(env: simpy.Environment, system: SimpySystem, experiment: Experiment) -> ProcessGenerator:
    """The client guests, and the replies that come to each."""
    workload, pairs = experiment.workload, experiment.pairs
    random = Random(f"clients {experiment.seed}")
    processors = simpy.Resource(env, CLIENT_PROCESSORS)
    inboxes = [simpy.Store(env) for _ in range(pairs)]
    for guest in range(pairs):
        taken = inboxes[guest]
        if acknowledges(workload):
            taken = simpy.Store(env)
            acknowledgements = workload.window * pairs + guest
            env.process(acknowledge(system, acknowledgements, inboxes[guest], taken))
        env.process(client(env, system, experiment, guest, random, taken, processors))
    while True:
        replies = yield system.arrivals.get()
        for reply in replies:
            inboxes[reply.conversation % pairs].put(reply)


def build(env: simpy.Environment, experiment: Experiment) -> tuple[SimpySystem, SimpySystem]:
    """The systems of an experiment, the client's first, and all their processes."""
    layout = experiment.layout
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
        systems.append(SimpySystem(env, experiment.link, ctcs, order, lesser=lesser))
        ends.append(ctcs)
    for ctc, mate in zip(*ends, strict=True):
        ctc.mate, mate.mate = mate, ctc
    first, second = systems
    first.partner, second.partner = second, first
    if experiment.client_node == layout.nodes[1]:
        first, second = second, first
    env.process(ask(env, first, experiment))
    env.process(serve(env, second, experiment))
    return first, second


def simulate(experiment: Experiment) -> SimpyResult:
    """Run an experiment as `scenarios.runs.run.run` does, and measure it as that does."""
    env = simpy.Environment()
    client_system, _ = build(env, experiment)
    env.run(experiment.begin_ns)
    before = replace(client_system.traffic)
    env.run(experiment.end_ns)
    after, seconds = client_system.traffic, experiment.seconds
    return SimpyResult(
        mb_per_s=(after.length - before.length) / seconds / MIB,
        rdev_util_percent=(after.busy_ns - before.busy_ns) / seconds / NS_PER_S * 100,
        messages_per_package=(after.messages - before.messages)
        / max(1, after.packages - before.packages),
        collisions_per_s=(after.collisions - before.collisions) / seconds,
        message_count=after.messages,
    )
