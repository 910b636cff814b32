"""One live node from its start to its end: its program, its connections, what it measures."""

import asyncio
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from isfc.cli.exits import ExitCode
from isfc.cli.live.observe import observe
from isfc.cli.options.forward import forwarded
from isfc.cli.options.live import LAG_PERCENT, LiveOptions
from isfc.cli.options.observe import ObserveOptions
from isfc.cli.render.output import show_error
from isfc.engine.program import Offer, Program
from isfc.layout.definition import define_link_end
from isfc.layout.layout import Layout
from isfc.link.events import DeviceChanged, LinkEvent, Severed
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.live.endpoint import Endpoint
from isfc.live.engine import LiveEngine, MakeSystem
from isfc.live.events import LiveEvent
from isfc.live.forward import forward_limits, parse_forwards
from isfc.live.memory import keep_memory
from isfc.live.opening import Opening
from isfc.live.operator import open_control
from isfc.live.run_directory import run_directory
from isfc.live.session import OpenNode
from isfc.live.tls import Tls
from isfc.programs.verification import Filling, Verifying
from isfc.system.definition import LinkEndDefinition
from isfc.system.link_end import LinkEnd
from isfc.system.system import system_of
from scenarios.guests import Clients, GuestCosts, Servers
from scenarios.run import Experiment, Result, measure

LINGER_S: Final = 1.0
"""How long a node that has measured goes on, so that its partner can end measuring too."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a live node measured, and how late it was meanwhile, in percent of model time."""

    result: Result
    lag_percent: float


class Idle:
    """A program that does nothing: what arrives is dropped."""

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """Nothing."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class LiveNode:
    """One node of a layout, and how it is to be joined to its partner.

    ``listen`` and ``connect``: one of the two. ``lifeline`` ends the node with the process that
    started it, whose pipe its standard input is.
    """

    layout: Layout
    name: NodeName
    options: LiveOptions
    experiment: Experiment | None = None
    listen: Endpoint | None = None
    connect: Endpoint | None = None
    insecure: bool = False
    lifeline: bool = False
    run_dir: Path | None = None
    make: MakeSystem = system_of
    observed: ObserveOptions = ObserveOptions()

    async def serve(
        self,
        stop: asyncio.Event,
        report: Callable[[Measured], None],
        tls: Tls | None = None,
    ) -> int:
        """Run until ``stop``, or until there is something to ``report``; the exit code."""
        program = self._program()
        async with AsyncExitStack() as stack:
            opening = self._opening(tls)
            engine, attachments = opening.start(self._define(), program, self._runs())
            stack.push_async_callback(attachments.close)
            if isinstance(program, OpenNode):
                forwards = parse_forwards(self.options.forwards, self.layout.nodes)
                await stack.enter_async_context(forwarded(program, engine, forwards))
            paced = self.options.factor > 0
            control = await open_control(engine, run_directory(self.run_dir), paced=paced)
            stack.push_async_callback(control.close)
            if self.lifeline:
                await _hold_lifeline(stop)
            started = await stack.enter_async_context(
                observe(engine, self.observed, paced=paced, insecure=self.insecure)
            )
            listen = await opening.meet(attachments)
            started(listen, self.connect)
            keep_memory()
            code = await self._run(engine, stop, report)
        verifying = program.verifying if isinstance(program, OpenNode) else program
        if isinstance(verifying, Verifying):
            verifying.expect_intact()
            show_error(
                f"--verify: {self.name}: {verifying.verified_count} messages, all as they were sent"
            )
        return code

    async def _run(
        self, engine: LiveEngine, stop: asyncio.Event, report: Callable[[Measured], None]
    ) -> int:
        """Wait for the first of: a signal, a fault, the end of measuring."""
        work: set[asyncio.Task[Any]] = {
            asyncio.create_task(stop.wait()),
            asyncio.create_task(engine.wait_closed()),
        }
        measuring = None
        if self.experiment is not None and self.options.seconds is not None:
            measuring = asyncio.create_task(self._measure(engine, self.experiment, report))
            work.add(measuring)
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
        if measuring is None:
            return ExitCode.GOOD
        return measuring.result() if measuring in done else ExitCode.INTERRUPTED

    async def _measure(
        self, engine: LiveEngine, experiment: Experiment, report: Callable[[Measured], None]
    ) -> int:
        """Measure as `scenarios.run` does, in the model's time, once every CTC is up."""
        stretch = max(1, self.options.factor)
        await _come_up(engine)
        await asyncio.sleep(experiment.warmup * stretch)
        end, before = engine.end, engine.end.snapshot(engine.now_ns())
        cpu_ns = time.process_time_ns()
        late_ns, waited_ns = engine.lag.late_ns, engine.lag.waited_ns
        await asyncio.sleep(experiment.seconds * stretch)
        if engine.end is not end:
            raise OSError("the link was severed while it was measured")
        after = end.snapshot(engine.now_ns())
        if not self.options.factor:  # the model's processor time is none: this is the process's
            cpu_ns = time.process_time_ns() - cpu_ns
            after = replace(after, cpu_ns=before.cpu_ns + cpu_ns)
        result = measure(self.name, before, after)
        waited_ns = engine.lag.waited_ns - waited_ns
        lag_percent = 100 * (engine.lag.late_ns - late_ns) / max(1, waited_ns)
        report(Measured(result, lag_percent if self.options.factor else 0.0))
        await asyncio.sleep(LINGER_S)
        if self.options.strict and lag_percent > LAG_PERCENT:
            show_error(
                f"--strict: {lag_percent:.2f} % of the time of {self.name} was lateness, more than "
                f"{LAG_PERCENT:g} %; expected a larger --dilation, or a machine with less to do"
            )
            return ExitCode.FAILED
        return ExitCode.GOOD

    def _opening(self, tls: Tls | None = None) -> Opening:
        return Opening(
            listen=self.listen,
            connect=self.connect,
            dilation=self.options.factor,
            verify=self.options.verify,
            tls=tls,
            insecure=self.insecure,
            reconnect_s=self.options.reconnect_s,
            make=self.make,
        )

    def _define(self) -> LinkEndDefinition:
        parameters = self.experiment.link if self.experiment else LinkParameters()
        return self._opening().pace(define_link_end(self.layout, self.name, parameters))

    def _runs(self) -> str:
        """What runs over the link; the partner must say the same."""
        if self.experiment is None:
            return OpenNode.runs if self.options.forwards else ""
        experiment = self.experiment
        return f"{experiment.workload.name} {experiment.pairs} {experiment.client_node}"

    def _program(self) -> Program:
        experiment = self.experiment
        if self.options.forwards:
            limits = forward_limits(parse_forwards(self.options.forwards, self.layout.nodes))
            return OpenNode(self._define(), verified=self.options.verify, limits=limits)
        if experiment is None:
            return Idle()
        costs = experiment.guests if self.options.factor else _free_guests()
        client = self.name == experiment.client_node
        workload, pairs = experiment.workload, experiment.pairs
        program: Program = (
            Clients(workload, pairs, costs, Random(f"clients {experiment.seed}"))
            if client
            else Servers(workload, pairs, costs)
        )
        return Verifying(program) if self.options.verify else Filling(program)


def _free_guests() -> GuestCosts:
    """Guests that answer immediately."""
    return GuestCosts(**{part.name: 0 for part in fields(GuestCosts)})


async def _come_up(engine: LiveEngine) -> None:
    """Wait until every active CTC is usable."""
    changed = asyncio.Event()

    def listen(_end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        if isinstance(event, (DeviceChanged, Severed)):
            changed.set()

    engine.listeners.append(listen)
    while engine.end.link.state is not LinkState.UP:
        changed.clear()
        await changed.wait()
    engine.listeners.remove(listen)


async def _hold_lifeline(stop: asyncio.Event) -> None:
    """Stop when standard input ends: whoever held its other end has ended."""
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):  # nobody holds an end of it
        stop.set()
        return

    class Lifeline(asyncio.Protocol):
        def connection_lost(self, exc: Exception | None) -> None:
            stop.set()

        def eof_received(self) -> None:
            stop.set()

    await asyncio.get_running_loop().connect_read_pipe(Lifeline, sys.stdin)
