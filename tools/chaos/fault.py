"""What goes wrong in a live pair or cluster, drawn from a seed: the same seed, the same faults.

When they meet the traffic is up to the machine: live, nothing is the same twice.

The fibres between two live nodes are in the supervisor's hands: cut, late, or carrying nothing. The
node that connects comes to a `FibreProxy`, and each of its connections is carried on to the other
node. All bytes arrive as they were sent and in their order, for as long as the connection lasts.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from isfc.link.name import NodeName


class ChaosKind(Enum):
    """What can go wrong: in words; how often it is drawn, relative to others; how long it lasts.

    The latter is in seconds, at most. A partition may outlast the reconnect time.
    """

    KILLED = "node killed", 5, 1.5
    """With ``kill -9``, and started again."""
    BOTH_KILLED = "both nodes killed", 1, 1.5
    """Of more than two, one and the next."""
    ENDED = "node ended and restarted", 1, 1.0
    """In good order, with SIGTERM."""
    STOPPED = "node stopped", 3, 3.0
    """With SIGSTOP, and continued."""
    CUT = "connections cut", 5, 0.0
    PARTITION = "partition", 2, 5.0
    """All connections cut, and none made for a while."""
    DELAY = "delay", 2, 3.0
    """Everything takes longer."""
    STALL = "stall", 2, 2.0
    """Nothing is carried, and nothing cut."""

    def __init__(self, words: str, weight: int, longest_s: float) -> None:
        self.words, self.weight, self.longest_s = words, weight, longest_s


OF_PROCESSES: Final = frozenset(
    {ChaosKind.KILLED, ChaosKind.BOTH_KILLED, ChaosKind.ENDED, ChaosKind.STOPPED}
)
"""Those that need no fibre that can be cut."""

_PAIR: Final = 2
_SHORTEST_S: Final = 0.02
_DELAY_S_MAX: Final = 0.05


class ChaosFault(Struct, frozen=True):
    """One fault, ``after_s`` after the one before."""

    kind: ChaosKind
    after_s: float
    node: NodeName
    """Whom it concerns, if one."""
    for_s: float
    delay_s: float
    count: int
    """Connections that are cut."""


def draw_faults(random: Random, nodes: tuple[NodeName, ...], gap_s: float) -> Iterator[ChaosFault]:
    """Faults without end, ``gap_s`` apart on the average; those of fibres are a pair's only."""
    kinds = [kind for kind in ChaosKind if len(nodes) == _PAIR or kind in OF_PROCESSES]
    weights = [kind.weight for kind in kinds]
    while True:
        (kind,) = random.choices(kinds, weights)
        longest_s = max(_SHORTEST_S, kind.longest_s)
        yield ChaosFault(
            kind,
            random.expovariate(1 / gap_s),
            random.choice(nodes),
            _SHORTEST_S * (longest_s / _SHORTEST_S) ** random.random(),
            random.uniform(0, _DELAY_S_MAX),
            random.choice([1, 1, 2, 3]),
        )


_PIECE_LENGTH: Final = 1_000_000
"""Bytes that are carried together: so many of one direction may be late."""


class FibreProxy:
    """Carries connections from one Unix socket to another."""

    def __init__(self, here: Path, there: Path, random: Random) -> None:
        self.delay_s = 0.0
        """How late every byte is, and up to as much more."""
        self.dark = False
        """Whether no new connection is carried."""
        self._here, self._there = here, there
        self._random = random
        self.flowing = asyncio.Event()
        """Not set: nothing is carried, and nothing cut."""
        self.flowing.set()
        self._cables: dict[StreamWriter, StreamWriter] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "FibreProxy":
        self._server = await asyncio.start_unix_server(self._come, self._here, limit=_PIECE_LENGTH)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut(len(self._cables))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def count(self) -> int:
        """Connections that are carried."""
        return len(self._cables)

    def cut(self, count: int) -> None:
        """Cut so many connections, at random; what is on its way is gone."""
        for near in self._random.sample(list(self._cables), min(count, len(self._cables))):
            for writer in (near, self._cables.pop(near)):
                writer.transport.abort()

    async def _come(self, from_near: StreamReader, to_near: StreamWriter) -> None:
        """Carry one connection both ways, until either side or `cut` ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        writers = [to_near]
        try:
            if not self.dark:
                from_far, to_far = await asyncio.open_unix_connection(
                    self._there, limit=_PIECE_LENGTH
                )
                writers.append(to_far)
                self._cables[to_near] = to_far
                async with asyncio.TaskGroup() as ways:
                    ways.create_task(self._carry(from_near, to_far))
                    ways.create_task(self._carry(from_far, to_near))
        except* (OSError, RuntimeError):
            pass  # nobody listens there, or it is over, which uvloop has another error for
        finally:
            self._cables.pop(to_near, None)
            for writer in writers:
                writer.transport.abort()

    async def _carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Carry what comes, as late as it is to be; raise an error at the end."""
        while data := await reader.read(_PIECE_LENGTH):
            await asyncio.sleep(self.delay_s * (1 + self._random.random()))
            await self.flowing.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError("over: neither way goes on")
