"""Runs the pair or cluster, lets the faults happen, and ends it in good order.

The supervisor is never killed, and neither are the nodes' books: see `tools.chaos.book`.
"""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from isfc.layout.catalogue import load_collection
from isfc.link.name import NodeName
from tools.chaos.audit import Account
from tools.chaos.book import Entry
from tools.chaos.fault import ChaosFault, ChaosKind, draw_faults
from tools.chaos.fibre import FibreProxy
from tools.chaos.node import Life
from tools.chaos.running import Running

SETTLE_S: Final = 60.0
"""How long all messages may take to arrive and be confirmed, once nothing goes wrong any more."""
_LOOK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run is to be."""

    seconds: float
    seed: int
    gap_s: float
    """Between two faults, on the average."""
    layout: str
    messages_per_s: float = 100.0
    """Of each node, at most."""
    reconnect_s: float = 3.0
    by_conversations: bool = False


@dataclass(slots=True)
class Outcome:
    """What came of a run."""

    seconds: float = 0.0
    faults: Counter[ChaosKind] = field(default_factory=Counter)
    lives: list[Account] = field(default_factory=list)
    """One for each life and partner."""
    wrong: list[str] = field(default_factory=list)
    """What is wrong besides what an audit of the lives finds."""

    @property
    def links(self) -> Iterable[list[Account]]:
        """The lives by link, each with those of both its ends."""
        found: dict[frozenset[str], list[Account]] = {}
        for life in self.lives:
            found.setdefault(frozenset((life.name, life.partner)), []).append(life)
        return found.values()

    def count(self, entry: Entry) -> int:
        """A number of all books together."""
        return sum(life.entries[entry] for life in self.lives)


class _Node:
    """One of the nodes, in all its lives."""

    def __init__(self, name: NodeName) -> None:
        self.name = name
        self.partners: list[str] = []
        self.listen = ""
        """The Unix socket where it listens, if it does."""
        self.connect: dict[str, str] = {}
        """Those to which it connects, by partner."""
        self.lives: list[Running] = []
        self.lock = asyncio.Lock()
        """One fault at a time of those that concern the process."""

    @property
    def now(self) -> Running:
        """Its latest life."""
        return self.lives[-1]


def _nodes(layout: str, folder: Path) -> dict[NodeName, _Node]:
    """The systems of a layout: of each link the first one listens, a pair's behind the fibre."""
    collection = load_collection(layout)
    names = collection.systems
    nodes = {name: _Node(name) for name in names}
    for link in collection.links:
        first, second = (nodes[name] for name in sorted(link.nodes, key=names.index))
        first.partners.append(second.name)
        second.partners.append(first.name)
        pair = len(names) == len(link.nodes)
        first.listen = str(folder / ("link" if pair else first.name))
        second.connect[first.name] = str(folder / "fibre") if pair else first.listen
    return nodes


class Supervisor:
    """One run. ``folder`` has its sockets, books and logs; a socket's path must be short."""

    def __init__(self, wanted: Wanted, folder: Path) -> None:
        self._wanted = wanted
        self._random = Random(wanted.seed)
        self._outcome = Outcome()
        self._numbers = count(1)
        self._folder = folder
        self._fibre = FibreProxy(folder / "fibre", folder / "link", Random(wanted.seed))
        """That of a pair; links of more systems have none that could be cut."""
        self._nodes = _nodes(wanted.layout, folder)

    @property
    def outcome(self) -> Outcome:
        """What has come of it so far."""
        lives = (life for each in self._nodes.values() for life in each.lives)
        self._outcome.lives = [account for life in lives for account in life.accounts]
        return self._outcome

    async def run(self, stop: asyncio.Event) -> Outcome:
        """Run until the time is over, or ``stop``; then everything is repaired and must arrive."""
        began_s = time.monotonic()
        try:
            async with self._fibre:
                for each in self._nodes.values():
                    await self._start(each)
                await self._break(stop)
                self._outcome.seconds = time.monotonic() - began_s
                await self._settle()
        finally:
            for each in self._nodes.values():
                for life in each.lives[-1:]:
                    await life.end(signal.SIGKILL)
        return self.outcome

    async def _start(self, each: _Node) -> None:
        life = Life(
            next(self._numbers),
            self._wanted.layout,
            str(each.name),
            each.listen,
            each.connect,
            self._wanted.messages_per_s,
            self._wanted.reconnect_s,
            self._wanted.by_conversations,
        )
        each.lives.append(await Running.start(life, each.partners, self._folder))

    async def _break(self, stop: asyncio.Event) -> None:
        """Let faults happen, and wait until they are over."""
        faults = draw_faults(self._random, tuple(self._nodes), self._wanted.gap_s)
        async with asyncio.TaskGroup() as acting:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wanted.seconds):
                    for fault in faults:
                        with suppress(TimeoutError):
                            async with asyncio.timeout(fault.after_s):
                                await stop.wait()
                            return
                        acting.create_task(self._act(fault))

    async def _act(self, fault: ChaosFault) -> None:
        """Let one fault happen, and undo it."""
        concerned = self._nodes[fault.node]
        if fault.kind is ChaosKind.BOTH_KILLED:
            names = list(self._nodes)
            at = names.index(fault.node)
            places = sorted((at, (at + 1) % len(names)))  # always in this order
            first, second = (self._nodes[names[place]] for place in places)
            async with first.lock, second.lock:
                await asyncio.gather(*(self._kill(each, fault) for each in (first, second)))
        elif fault.kind in (ChaosKind.KILLED, ChaosKind.ENDED, ChaosKind.STOPPED):
            async with concerned.lock:
                await {
                    ChaosKind.KILLED: self._kill,
                    ChaosKind.ENDED: self._restart,
                    ChaosKind.STOPPED: self._hold,
                }[fault.kind](concerned, fault)
        else:
            await self._disturb(fault)
        self._outcome.faults[fault.kind] += 1

    async def _kill(self, each: _Node, fault: ChaosFault) -> None:
        status = await each.now.end(signal.SIGKILL)
        if status != -signal.SIGKILL:
            self._note(each, f"ended by itself with {status}")
        await asyncio.sleep(fault.for_s)
        await self._start(each)

    async def _restart(self, each: _Node, fault: ChaosFault) -> None:
        await self._end(each)
        await asyncio.sleep(fault.for_s)
        await self._start(each)

    async def _end(self, each: _Node) -> None:
        """End a node in good order."""
        try:
            async with asyncio.timeout(SETTLE_S):
                status = await each.now.end(signal.SIGTERM)
        except TimeoutError:
            self._note(each, "does not end")
            status = await each.now.end(signal.SIGKILL)
        if status not in (0, -signal.SIGTERM):  # the latter: it did not listen to signals yet
            self._note(each, f"ended with {status}")

    async def _hold(self, each: _Node, fault: ChaosFault) -> None:
        each.now.send_signal(signal.SIGSTOP)
        await asyncio.sleep(fault.for_s)
        each.now.send_signal(signal.SIGCONT)

    async def _disturb(self, fault: ChaosFault) -> None:
        """What goes wrong with the fibre; of two of a kind that overlap, the first end counts."""
        fibre = self._fibre
        if fault.kind is ChaosKind.CUT:
            fibre.cut(fault.count)
            return
        if fault.kind is ChaosKind.PARTITION:
            fibre.dark = True
            fibre.cut(fibre.count)
        elif fault.kind is ChaosKind.DELAY:
            fibre.delay_s = fault.delay_s
        else:
            fibre.stall()
        await asyncio.sleep(fault.for_s)
        if fault.kind is ChaosKind.PARTITION:
            fibre.dark = False
        elif fault.kind is ChaosKind.DELAY:
            fibre.delay_s = 0.0
        else:
            fibre.flow()

    async def _settle(self) -> None:
        """No new messages; those that are under way arrive; then all nodes end."""
        lives = [each.now for each in self._nodes.values()]
        await self._wait(
            lambda: all(life.attached for life in lives), "a node does not connect"
        )  # and so it listens to signals
        for life in lives:
            life.send_signal(signal.SIGUSR1)
        await self._wait(
            lambda: all(life.all_confirmed for life in lives),
            f"not everything has arrived after {SETTLE_S:g} s",
        )
        for each in self._nodes.values():
            await self._end(each)

    async def _wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        end_s = time.monotonic() + SETTLE_S
        while not condition():
            if time.monotonic() > end_s:
                self._outcome.wrong.append(otherwise)
                return
            await asyncio.sleep(_LOOK_S)

    def _note(self, each: _Node, what: str) -> None:
        self._outcome.wrong.append(
            f"{each.name}, life {each.now.life.number}: {what}: {each.now.said[-1_000:]}"
        )
