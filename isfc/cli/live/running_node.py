"""One live node from its start to its end: its program, its connections, what it measures."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any, Final

from isfc.cli.live.logs import observe
from isfc.cli.live.loops import typed_lines
from isfc.cli.live.options import LAG_PERCENT, LiveOptions, ObserveOptions
from isfc.cli.live.rates import rates
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show_error
from isfc.errors.in_words import number
from isfc.layout.definition import define_link_end
from isfc.layout.layout import Layout
from isfc.link.events import DeviceChanged, LinkEvent, Offer, Program, Severed
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.live.accepting import first_done
from isfc.live.engine import LiveEngine
from isfc.live.events import LiveEvent
from isfc.live.forward import forward_limits, forwarding
from isfc.live.memory import keep_memory
from isfc.live.opening import LiveSystem, Opening
from isfc.live.operator import open_control
from isfc.live.partner_conversations import PartnerConversations
from isfc.live.run_directory import run_directory
from isfc.live.session import OpenNode
from isfc.live.snapshot import look
from isfc.programs.verification import Filling, Verifying
from isfc.system.link_end import LinkEnd
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.programs import make_programs
from scenarios.runs.result import Result

LINGER_S: Final = 1.0
"""How long a node that has measured goes on, so that its partner can end measuring too."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a live node measured of one link, and how late that was, in percent of model time."""

    result: Result
    lag_percent: float
    partner: NodeName | None = None
    """The system at the other end; None if the node has that link only."""


class DroppingProgram:
    """A program that does nothing: what arrives is dropped."""

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """Nothing."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class LiveNode:
    """One system of a layout, its ``links``, and the ``opening`` that joins it to its partners.

    ``lifeline`` ends the node with the process that started it, whose pipe its standard input is,
    and lets it measure when a line comes from there: the links of other systems may come up later
    than its own.
    """

    links: tuple[Layout, ...]
    name: NodeName
    options: LiveOptions
    opening: Opening
    lifeline: bool = False
    run_dir: Path | None = None
    observed: ObserveOptions = ObserveOptions()

    async def serve(self, stop: asyncio.Event, measured: list[Measured]) -> int:
        """Run until ``stop``, or until all is ``measured``; the exit code."""
        opening = self.opening
        experiments = [self.options.experiment(link) for link in self.links]
        definitions = [
            define_link_end(link, self.name, each.link if each else LinkParameters())
            for link, each in zip(self.links, experiments, strict=True)
        ]
        forwards = self.options.parse_forwards(self.links)
        programs: list[Program]
        async with AsyncExitStack() as stack:
            if forwards:
                verified, limits = self.options.verify, forward_limits(forwards)
                node = OpenNode(definitions, verified=verified, limits=limits)
                programs = [*node.exchanges.values()]
                system = node.start(opening)
                stack.push_async_callback(system.close)
                stack.push_async_callback(node.close)
                await stack.enter_async_context(forwarding(node, forwards, show_error))
            else:
                programs = [*map(self._program, experiments)]
                system = opening.start(
                    zip(definitions, programs, map(_runs, experiments), strict=True)
                )
                stack.push_async_callback(system.close)
            paced = self.options.factor > 0
            control = await open_control(system.engines, run_directory(self.run_dir), paced=paced)
            stack.push_async_callback(control.close)
            begin = asyncio.Event()
            if self.lifeline:
                stack.enter_context(typed_lines(lambda _line: begin.set(), stop.set))
            else:
                begin.set()
            started = await stack.enter_async_context(
                observe(system.engines, self.observed, paced=paced, insecure=opening.insecure)
            )
            listen = await opening.meet(system)
            started(listen, opening.connect)
            keep_memory()
            code = await self._run(system, stop, measured, begin)
        self._check_verified(programs)
        return code

    def _check_verified(self, programs: Sequence[Program]) -> None:
        """Say how many messages were verified; raise `VerificationError` if one was not intact."""
        found = [
            each.verifying if isinstance(each, PartnerConversations) else each for each in programs
        ]
        verifying = [each for each in found if isinstance(each, Verifying)]
        for each in verifying:
            each.expect_intact()
        if verifying:
            count = sum(each.verified_count for each in verifying)
            show_error(f"--verify: {self.name}: {count} messages, all as they were sent")

    async def _run(
        self,
        system: LiveSystem,
        stop: asyncio.Event,
        measured: list[Measured],
        begin: asyncio.Event,
    ) -> int:
        """Wait for the first of: a signal, a fault, the end of measuring."""
        work: list[asyncio.Task[Any]] = [
            asyncio.create_task(stop.wait()),
            asyncio.create_task(system.wait_closed()),
        ]
        measuring = None
        if self.options.workload is not None and self.options.seconds is not None:
            measuring = asyncio.create_task(self._measure_all(system, measured, begin))
            work.append(measuring)
        done = await first_done(work)
        if measuring is None:
            return ExitCode.GOOD
        return measuring.result() if measuring in done else ExitCode.INTERRUPTED

    async def _measure_all(
        self, system: LiveSystem, measured: list[Measured], begin: asyncio.Event
    ) -> int:
        """Measure every link at the same time, once every CTC is up; the exit code.

        Among others the node waits until it is told to ``begin``: else the first two systems may
        have measured and gone before the third is up, whose links with them would carry nothing.
        """
        for engine in system.engines:
            await _come_up(engine)
        await begin.wait()
        measured += await asyncio.gather(*(self._measure(engine) for engine in system.engines))
        await asyncio.sleep(LINGER_S)
        late = max(each.lag_percent for each in measured)
        if self.options.strict and late > LAG_PERCENT:
            show_error(
                f"--strict: {number(late, 2)} % of the time of {self.name} was lateness, more than "
                f"{LAG_PERCENT:g} %; expected a larger --dilation, or a machine with less to do"
            )
            return ExitCode.FAILED
        return ExitCode.GOOD

    async def _measure(self, engine: LiveEngine) -> Measured:
        """Measure one link as `scenarios.runs.run` does, in the model's time."""
        assert self.options.seconds is not None, "nothing is measured without an end"
        stretch = max(1, self.options.factor)
        await self._warm_up(engine, stretch)
        paced = self.options.factor > 0
        end, before = engine.end, look(engine, paced=paced)
        await asyncio.sleep(self.options.seconds * stretch)
        if engine.end is not end:
            raise OSError("the link was severed while it was measured")
        found = rates(before, look(engine, paced=paced))
        partner = engine.definition.partner if len(self.links) > 1 else None
        return Measured(found.link, found.late_percent, partner)

    async def _warm_up(self, engine: LiveEngine, stretch: float) -> None:
        """Let traffic settle; once more if the link is down by then and comes back in time."""
        await asyncio.sleep(self.options.warmup * stretch)
        while engine.end.link.state is LinkState.DOWN:
            try:
                async with asyncio.timeout(self.options.reconnect_s):
                    await _come_up(engine)
            except TimeoutError:
                partner = engine.definition.partner
                raise OSError(f"the link to {partner} went down before it was measured") from None
            await asyncio.sleep(self.options.warmup * stretch)

    def _program(self, experiment: Experiment | None) -> Program:
        if experiment is None:
            return DroppingProgram()
        costs = experiment.guests
        if not self.options.factor:  # guests answer immediately
            costs = GuestCosts(**{part.name: 0 for part in fields(GuestCosts)})
        client = self.name == experiment.client_node
        random = Random(f"clients {experiment.seed}")
        clients, servers = make_programs(experiment.workload, experiment.pairs, costs, random)
        program = clients if client else servers
        return Verifying(program) if self.options.verify else Filling(program)


def _runs(experiment: Experiment | None) -> str:
    """What runs over a link; the partner must say the same."""
    if experiment is None:
        return ""
    return f"{experiment.workload.name} {experiment.pairs} {experiment.client_node}"


async def _come_up(engine: LiveEngine) -> None:
    """Wait until every active CTC is usable."""
    changed = asyncio.Event()

    def listen(_end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        if isinstance(event, (DeviceChanged, Severed)):
            changed.set()

    engine.listeners.append(listen)
    try:
        while engine.end.link.state is not LinkState.UP:
            changed.clear()
            await changed.wait()
    finally:
        engine.listeners.remove(listen)
