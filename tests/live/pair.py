"""LivePair: two nodes on one event loop, joined by real connections. Bounded, never timed."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

from isfc.link.events import Delivered, LinkDown, LinkEvent, Offer, Sent
from isfc.link.message import Message
from isfc.live.connection import ConnectionRefused, LiveEvent
from isfc.live.endpoint import Endpoint, UnixEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.link_port import LinkPort, NodePort
from isfc.live.pace import Clock, unpaced
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import system_of
from isfc.testing.pair import Setup
from tests.waiting import PATIENCE_S, wait_until

RUN_S = 90.0
"""No test's coroutine takes longer: a machine may be slow, but what is broken should fail."""

LAST_PASSES = 20
"""uvloop closes a socket some passes of the loop later; one long sleep may be but one pass."""

Run = Callable[[Coroutine[Any, Any, None]], None]
"""Runs a test's coroutine on one kind of loop, and checks what it left behind."""

LOOPS = {"asyncio": asyncio.new_event_loop}
if find_spec("uvloop"):  # Windows has none
    LOOPS["uvloop"] = import_module("uvloop").new_event_loop


@pytest.fixture(params=sorted(LOOPS))
def run_live(request: pytest.FixtureRequest) -> Run:
    """Both kinds of loop, one after the other."""

    def run_on(main: Coroutine[Any, Any, None]) -> None:
        complaints: list[dict[str, Any]] = []

        async def whole() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            async with asyncio.timeout(RUN_S):
                await main
            for _ in range(LAST_PASSES):
                await asyncio.sleep(0.001)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, f"tasks left behind: {left}"

        with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
            runner.run(whole())
        gc.collect()
        assert not complaints, complaints

    return run_on


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine is busy, no handshake is refused for the time it takes."""
    monkeypatch.setattr("isfc.live.pending.GREETING_S", PATIENCE_S)


class Guest:
    """A program that notes everything and sends what it is told to."""

    def __init__(self) -> None:
        self.arrived: list[Message] = []
        self.sent_count = 0
        self.events: list[LinkEvent] = []

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """Nothing yet."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Note it."""
        self.events.append(event)
        if isinstance(event, Delivered):
            self.arrived += event.messages
        if isinstance(event, Sent):
            self.sent_count += len(event.messages)
        return ()

    def count(self, kind: type[LinkEvent]) -> int:
        """How many events of a kind there were."""
        return sum(isinstance(event, kind) for event in self.events)


class LiveSide:
    """One node and its connections."""

    def __init__(self, definition: LinkEndDefinition, seed: int, **options: Any) -> None:
        reconnect_s = options.pop("reconnect_s", PATIENCE_S)
        program = options.pop("program", None)
        paced = options.pop("paced", False)
        make = options.pop("make", system_of)
        self.guest = Guest()
        self.engine = LiveEngine(
            definition if paced else unpaced(definition),
            program or self.guest,
            Clock(),
            reconnect_s=reconnect_s,
            make=make,
        )
        self.told: list[LiveEvent] = []
        self.engine.listeners.append(lambda _end, event, _now_ns: self.told.append(event))
        self.attachments = LinkPort(self.engine, NodePort(Random(seed), **options))

    @property
    def up(self) -> bool:
        """Whether every CTC can be used."""
        return self.engine.end.link.state.name == "UP"

    def send(self, *data: bytes, conversation: int = 1) -> None:
        """Send messages of these bytes, now."""
        self.engine.send([Message(conversation, len(each), data=each) for each in data])

    def send_when_down(self, data: bytes) -> None:
        """Send this once the link is down, and immediately: nothing else is in time for sure."""
        loop, unsent = asyncio.get_running_loop(), [data]

        def note(_end: object, event: LiveEvent, _now_ns: int) -> None:
            if isinstance(event, LinkDown) and unsent:
                loop.call_soon(self.send, unsent.pop())

        self.engine.listeners.append(note)

    def refusals(self, *, by_partner: bool = False) -> list[str]:
        """Why connections were refused, as this side was told."""
        refused = [event for event in self.told if isinstance(event, ConnectionRefused)]
        return [event.reason for event in refused if event.by_partner is by_partner]

    def received(self) -> list[bytes]:
        """The bytes of all messages that have arrived."""
        return [bytes(message.data or b"") for message in self.guest.arrived]

    async def close(self) -> None:
        """End it; a broken node shows here."""
        await self.attachments.close()
        await self.engine.wait_closed()


class LivePair:
    """Two sides; the second connects to the first. Use as a context manager."""

    def __init__(
        self,
        folder: Path,
        setup: Setup | None = None,
        *,
        endpoint: Endpoint | None = None,
        options: Sequence[Mapping[str, Any]] = ({}, {}),
    ) -> None:
        setup = setup or Setup()
        self.endpoint = endpoint or UnixEndpoint(str(folder / "link"))
        self.first, self.second = (
            LiveSide(setup.definition(here), here + 1, **options[here]) for here in (0, 1)
        )
        self.sides = (self.first, self.second)

    async def __aenter__(self) -> "LivePair":
        self.endpoint = await self.first.attachments.listen(self.endpoint)
        self.second.attachments.connect(self.endpoint)
        return self

    async def __aexit__(self, *_: object) -> None:
        for side in self.sides:
            await side.close()

    async def come_up(self) -> None:
        """Wait until every CTC of both sides can be used."""
        await wait_until(lambda: self.first.up and self.second.up)


@asynccontextmanager
async def pair_up(*arguments: Any, **options: Any) -> AsyncIterator[LivePair]:
    """Such a pair, of which every CTC is up."""
    async with LivePair(*arguments, **options) as pair:
        await pair.come_up()
        yield pair


@asynccontextmanager
async def ended(*sides: LiveSide) -> AsyncIterator[None]:
    """Sides that are closed after the block, if nothing went wrong in it."""
    yield
    for side in sides:
        await side.close()


def side_of(here: int, seed: int | None = None, **options: Any) -> LiveSide:
    """One system of such a pair, by itself."""
    return LiveSide(Setup().definition(here), here + 1 if seed is None else seed, **options)


@pytest.fixture
def pair(tmp_path: Path) -> AbstractAsyncContextManager[LivePair]:
    """A pair that is up, for a test that is a coroutine."""
    return pair_up(tmp_path)
