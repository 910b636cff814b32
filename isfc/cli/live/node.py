"""``isfc node``: one system of a layout, live, joined to its partner by sockets, or mutual TLS."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

import typer
from msgspec import Struct

from isfc.cli.live.cp import RunDirOption
from isfc.cli.live.logs import observe
from isfc.cli.live.loops import typed_lines
from isfc.cli.live.measured import Measured, rates, run_measured
from isfc.cli.live.options import LAG_PERCENT, LiveOptions, ObserveOptions, TlsFiles
from isfc.cli.options.layout import LayoutArgument
from isfc.cli.options.option import JsonOption, LinkOption, flag, flattened, valued
from isfc.cli.output.streams import ExitCode, show_error
from isfc.engine.journal import journalled
from isfc.errors import ConfigurationError
from isfc.errors.in_words import find_node, number
from isfc.layout.definition import define_link_end
from isfc.layout.layout import Layout
from isfc.link.events import DeviceChanged, LinkEvent, Offer, Program, Severed
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.live.accepting import first_done
from isfc.live.connection import LiveEvent
from isfc.live.endpoint import Endpoint, Forward, parse_endpoint
from isfc.live.engine import LiveEngine, MakeSystem
from isfc.live.forward import forward_limits, forwarding
from isfc.live.journal_file import JournalWriter, LateFile, create_journal
from isfc.live.memory import keep_memory
from isfc.live.operator import look, open_control
from isfc.live.partner_conversations import PartnerConversations
from isfc.live.run_directory import run_directory
from isfc.live.session import LiveSystem, Opening, OpenNode
from isfc.programs.verification import Filling, Verifying
from isfc.system.link_end import LinkEnd, LinkEndDefinition
from isfc.system.system import System, system_of
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.programs import make_programs

LINGER_S: Final = 1.0
"""How long a node that has measured goes on, so that its partner can end measuring too."""


class DroppingProgram:
    """A program that does nothing: what arrives is dropped."""

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """Nothing."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Nothing."""
        return ()


class LiveNode(Struct, frozen=True):
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
    forwards: tuple[Forward, ...] = ()
    """Of the whole layout: those of other systems are theirs to carry."""

    async def serve(self, stop: asyncio.Event, measured: list[Measured]) -> int:
        """Run until ``stop``, or until all is ``measured``; the exit code."""
        opening = self.opening
        experiments = [self.options.experiment(link) for link in self.links]
        definitions = [
            define_link_end(link, self.name, each.link if each else LinkParameters())
            for link, each in zip(self.links, experiments, strict=True)
        ]
        programs: list[Program]
        async with AsyncExitStack() as stack:
            if self.forwards:
                verified, limits = self.options.verify, forward_limits(self.forwards)
                node = OpenNode(definitions, verified=verified, limits=limits)
                programs = [*node.exchanges.values()]
                system = node.start(opening)
                stack.push_async_callback(system.close)
                stack.push_async_callback(node.close)
                await stack.enter_async_context(forwarding(node, self.forwards, show_error))
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
        costs = experiment.guests_of(experiment.loads[0])
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


class PartnerOptions(Struct, frozen=True):
    """Where a node listens, where it goes to, and its PEM files."""

    listen: Annotated[
        str | None, valued("ADDR", "Wait for the partner at unix:PATH or HOST:PORT.")
    ] = None
    connect: Annotated[
        list[str] | None,
        valued(
            "[PARTNER=]ADDR",
            "Or go to where the partner listens. Of several partners each is named: may be "
            "given again.",
        ),
    ] = None
    cert: Annotated[Path | None, valued("FILE", "This node's certificate (PEM): mutual TLS.")] = (
        None
    )
    key: Annotated[Path | None, valued("FILE", "Its private key.")] = None
    ca: Annotated[Path | None, valued("FILE", "The CA that signed the partner's.")] = None
    insecure: Annotated[bool, flag("--insecure", "Go beyond this machine without TLS.")] = False

    def opening(
        self, options: LiveOptions, partners: Sequence[NodeName], make: MakeSystem
    ) -> Opening:
        """How the node is to meet its partners.

        Warns of ``--insecure`` where nothing is encrypted. Raises `ConfigurationError` for files
        that are missing or not what they should be, and for addresses that do not fit.
        """
        tls, connect_tls = (
            self.tls(server=server) if given is not None else None
            for server, given in ((True, self.listen), (False, self.connect))
        )
        if self.insecure and not (tls or connect_tls):
            show_error("--insecure: whoever reaches this address can read, forge and cut the link")
        listen = parse_endpoint(self.listen) if self.listen else None
        if len(partners) == 1 and (self.listen is None) == (self.connect is None):
            raise ConfigurationError("expected either --listen ADDR or --connect ADDR")
        return Opening(
            listen,
            self._connections(partners),
            dilation=options.factor,
            verify=options.verify,
            tls=tls,
            connect_tls=connect_tls,
            insecure=self.insecure,
            reconnect_s=options.reconnect_s,
            make=make,
        )

    def tls(self, *, server: bool) -> "TlsFiles | None":
        """The contexts for one end; None if none of the three files is given.

        Whose certificate the partner shows is checked once it is there: it must bear the partner's
        node name. Raises `ConfigurationError` as `TlsFiles` does.
        """
        given = {"--cert": self.cert, "--key": self.key, "--ca": self.ca}
        missing = [option for option, path in given.items() if path is None]
        if len(missing) == len(given):
            return None
        if self.cert is None or self.key is None or self.ca is None:
            raise ConfigurationError(f"{' and '.join(missing)} missing: TLS needs all three files")
        return TlsFiles(self.cert, self.key, self.ca, server=server)

    def _connections(self, partners: Sequence[NodeName]) -> dict[NodeName, Endpoint]:
        """Where to go to, by partner, from ``PARTNER=ADDR``; the only one need not be named."""
        found: dict[NodeName, Endpoint] = {}
        for text in self.connect or ():
            name, equals, place = text.partition("=")
            name = name.upper()
            if not (equals and name in partners):
                if len(partners) > 1:
                    raise ConfigurationError(
                        f"--connect {text[:80]}: expected PARTNER=ADDR, with one of "
                        f"{', '.join(partners)}"
                    )
                name, place = partners[0], text
            if name in found:
                raise ConfigurationError(f"--connect: {name} is there twice")
            found[NodeName(name)] = parse_endpoint(place)
        return found


@flattened
def node(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which system of the layout.")],
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    partner: PartnerOptions,
    options: LiveOptions,
    journal: Annotated[
        Path | None,
        valued(
            "FILE",
            "Record everything the node is given, for isfc journal; of each of several links, "
            "in a file with -PARTNER in its name.",
        ),
    ] = None,
    observed: ObserveOptions,
    run_dir: RunDirOption = None,
    lifeline: Annotated[bool, typer.Option("--lifeline", hidden=True)] = False,
    json: JsonOption = False,
) -> None:
    """Run one system of a layout live, joined to its partners.

    Of two systems one has --listen, the other --connect, here or on another machine; layout, pace
    and workload must be the same. With several links it goes to those of --connect PARTNER=ADDR,
    and others come where it listens. It goes on until Ctrl-C, or measures and ends (--seconds).
    """
    if json and options.seconds is None and not lifeline:
        raise ConfigurationError("--json: expected --seconds, for a result to print")
    links = options.open_links(layout, link_name, quiet=lifeline)
    named = find_node("NAME", name, dict.fromkeys(node for link in links for node in link.nodes))
    own = tuple(link for link in links if named in link.nodes)
    partners = [link.nodes[1 - link.nodes.index(named)] for link in own]
    make = _system_maker(journal, several=len(own) > 1)
    opening = partner.opening(options, partners, make)
    forwards = options.parse_forwards(links)
    live = LiveNode(own, named, options, opening, lifeline, run_dir, observed, forwards)
    run_measured(live.serve, options, own, layout, json=json)


def _system_maker(journal: Path | None, *, several: bool) -> MakeSystem:
    """What makes systems: with ``--journal``, such as record their inputs, a file for each link."""
    if journal is None:
        return system_of
    writers: dict[Path, JournalWriter] = {}

    def make(definition: LinkEndDefinition) -> System:
        path = journal
        if several:
            path = journal.with_name(f"{journal.stem}-{definition.partner}{journal.suffix}")
        if path not in writers:
            writers[path] = JournalWriter(path, show_error, file=LateFile(create_journal(path)))
        return journalled(definition, writers[path])

    return make
