"""Asyncio conversations, unchanged: over the simulated link in virtual time, or live.

::

    async def main(first: OpenNode, second: OpenNode) -> None:
        second.serve("ECHO", echo)
        async with first.connect("ECHO") as conversation:
            ...

    run_programs(main, faults=[...], seed=7)

``asyncio.sleep`` takes no time, faults come from a schedule, and the same seed gives the same
trace. What a node of `isfc.live.session` is to its programs, `OpenNode`, is the same here.

`open_pair` runs both systems live in one process, joined by a Unix socket: real races, real time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, Final, Generic, TypeVar, cast

from msgspec import Struct

from isfc.engine.virtual import VirtualEngine
from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.layout.layout import Layout
from isfc.link.events import DigestSink
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.live.engine import LiveEngine
from isfc.live.session import OpenNode, open_node
from isfc.programs.protocol import ConversationLimits
from isfc.system.link_end import LinkEnd
from isfc.system.system import Send, System
from scenarios.faults.disturbance import Disturbance, Throttled
from scenarios.faults.fault import Fault
from scenarios.faults.injection import Injection


@asynccontextmanager
async def open_pair(
    folder: str | Path, layout: str | Layout = "atlanta-boston", **options: Any
) -> AsyncIterator[tuple[OpenNode, OpenNode]]:
    """Run both systems of a layout within the block; the first one listens in ``folder``.

    ``options`` go to both `isfc.live.session.open_node`.
    """
    link = layout if isinstance(layout, Layout) else load_layout(layout)
    first, second = link.nodes
    address = f"unix:{Path(folder, 'isfc')}"
    async with (
        open_node(link, first, listen=address, **options) as listening,
        open_node(link, second, connect=address, **options) as connecting,
    ):
        yield listening, connecting


NS_PER_S: Final = 1_000_000_000


class Stuck(RuntimeError):
    """Every task waits, and nothing is going to wake one."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Tasks, timers and locks as in any loop; time is virtual, in whole nanoseconds from 0."""

    def __init__(self) -> None:
        super().__init__()
        self.now_ns = 0
        self._clock_resolution = 1 / NS_PER_S
        self._selector = self  # the base class asks it to wait

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self.now_ns / NS_PER_S

    def select(self, timeout: float | None) -> tuple[()]:
        """Wait: no time passes outside."""
        if timeout is None:
            raise Stuck("every task waits, and nothing is going to happen")
        self.now_ns += ceil(timeout * NS_PER_S)
        return ()

    def _process_events(self, event_list: Any) -> None:
        """There are none: nothing outside is waited for."""

    def _write_to_self(self) -> None:
        """Nobody else runs, so that there is nobody to be woken by."""


Outcome = TypeVar("Outcome")

Main = Callable[[OpenNode, OpenNode], Coroutine[Any, Any, Outcome]]
"""What is run: it has both systems, the one whose name comes first first."""


class ProgramsRun(Struct, Generic[Outcome], frozen=True):
    """What came of it."""

    outcome: Outcome
    """What ``main`` returned."""
    now_ns: int
    """When it was over, in virtual time."""
    trace: str
    """A digest of everything both systems did: equal for two runs that are the same."""
    faults: tuple[tuple[int, Fault], ...]
    """Those that have begun, and when."""


def run_programs(
    main: Main[Outcome],
    layout: str | Layout = "atlanta-boston",
    *,
    faults: Sequence[Fault] = (),
    seed: int = 0,
    limits: ConversationLimits | None = None,
) -> ProgramsRun[Outcome]:
    """Run ``main`` over a link in virtual time, to its end; raise what it raises.

    Raises `Stuck` when every task waits and nothing can happen any more.
    """
    link = layout if isinstance(layout, Layout) else load_layout(layout)
    loop = VirtualLoop()

    async def run() -> ProgramsRun[Outcome]:
        driver = _Driver(link, faults, seed, limits, loop)
        first, second = driver.nodes
        try:
            outcome = await main(first, second)
            for node in driver.nodes:
                await node.close()
        finally:
            driver.close()
        begun = tuple(driver.injection.begun)
        return ProgramsRun(outcome, loop.now_ns, driver.digest.hexdigest(), begun)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(run())


class _Driver:
    """Lets the engine run as the loop's clock goes on."""

    def __init__(
        self,
        layout: Layout,
        faults: Sequence[Fault],
        seed: int,
        limits: ConversationLimits | None,
        loop: VirtualLoop,
    ) -> None:
        self.digest = DigestSink()
        self._layout = layout
        self.loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._turning = False
        self._closed = False
        names = layout.nodes
        self.nodes = [
            OpenNode([define_link_end(layout, name, LinkParameters())], limits=limits)
            for name in names
        ]
        disturbance = Disturbance(Random(seed))
        throttles = {
            name: Throttled(node.exchange()) for name, node in zip(names, self.nodes, strict=True)
        }
        self.engine = VirtualEngine(
            [self._make(name) for name in names], [*throttles.values()], transit=disturbance
        )
        by_name = {name: [throttle] for name, throttle in throttles.items()}
        self.injection = Injection(self.engine, disturbance, by_name, self._make, faults)
        for name, node in zip(names, self.nodes, strict=True):
            node.exchange().engine = cast(LiveEngine, _EngineOf(self, name))
        self._turn()

    def send(self, name: NodeName, messages: Sequence[Message]) -> None:
        """Hand messages to one system's link, now."""
        assert not self._turning, "programs answer an event with offers"
        self._catch_up()
        self.injection.system(name).apply(Send(list(messages)), self.engine.now_ns)
        self._turning = True
        self.engine.drain()
        self._turning = False
        self._set_timer()

    def close(self) -> None:
        """Drive no more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _turn(self) -> None:
        self._timer = None
        self._catch_up()
        self._set_timer()

    def _catch_up(self) -> None:
        """Let everything happen that happens up to the loop's time."""
        self._turning = True
        self.injection.run(self.loop.now_ns)
        self._turning = False

    def _set_timer(self) -> None:
        """Be called when something happens next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due_ns = self.injection.due_ns
        if not self._closed and due_ns is not None:
            self._timer = self.loop.call_at(due_ns / 1e9, self._turn)

    def _make(self, name: NodeName) -> System:
        return System([define_link_end(self._layout, name, LinkParameters())], self.digest)


class _EngineOf:
    """What an `OpenNode` uses of its engine."""

    def __init__(self, driver: _Driver, name: NodeName) -> None:
        self._driver = driver
        self._name = name

    @property
    def end(self) -> LinkEnd:
        """The node's end of the link."""
        return self._driver.injection.end(self._name)

    def hold(self) -> None:
        """In virtual time, frames leave when they leave."""

    def send(self, messages: Sequence[Message]) -> None:
        """Hand messages to the link."""
        self._driver.send(self._name, messages)
