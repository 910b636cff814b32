"""A ping-pong beside bulk transfers of the same link: two open nodes, one process each.

Round trips are timed alone, and then beside the transfers, in the same two processes: so a ratio
of the two is of one machine at one time.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
import uvloop

from isfc.layout.catalogue import load_layout
from isfc.live.session import Conversation, ConversationSevered, OpenNode, open_node
from tools.benchmarks.bench import Check
from tools.benchmarks.contenders import reports, started
from tools.benchmarks.live_peer import MESSAGE_LENGTH, PING_LENGTH, await_path

LAYOUT: Final = "published-8"
SETTLE_S: Final = 0.3
"""Until transfers are at their pace."""

TRANSFERS: Final = {"one sender": (1, 0), "one receiver": (0, 1), "eight senders": (8, 0)}
"""What the round trips are beside: transfers from the node that asks, and to it."""

LIMITS: Final = {"one sender": 16.0, "one receiver": 16.0, "eight senders": 24.0}
"""Medians beside transfers, over those alone: what was reached on a busy machine, and a third."""

P99_LIMIT: Final = 8.0
THROUGHPUT_MIN: Final = 0.4
"""The transfers beside round trips, over those without: the round trips take their share of both
processors."""


class Beside(msgspec.Struct, frozen=True):
    """What the near process reports: times in ns, transfers in bytes a second."""

    alone_p50_ns: int
    alone_p99_ns: int
    beside_p50_ns: int
    beside_p99_ns: int
    bytes_per_s: float
    bytes_per_s_without: float


def measure_beside(
    repetitions: int, seconds: float, say: Callable[[str], None]
) -> tuple[dict[str, list[Beside]], list[Check]]:
    """Each of `TRANSFERS` in turn, over and over; ``say`` is told the table."""
    runs: dict[str, list[Beside]] = {name: [] for name in TRANSFERS}
    for _ in range(repetitions):
        for name, transfers in TRANSFERS.items():
            runs[name].append(_run(transfers, seconds))
    say(describe(runs))
    return runs, judge(runs)


def judge(runs: dict[str, list[Beside]]) -> list[Check]:
    """Ratios of figures of the same two processes."""
    checks = []
    for name, taken in runs.items():
        trips = median(run.beside_p50_ns / run.alone_p50_ns for run in taken)
        late = median(run.beside_p99_ns / run.alone_p99_ns for run in taken)
        kept = median(run.bytes_per_s / run.bytes_per_s_without for run in taken)
        checks += [
            Check(f"beside {name}: median over alone", trips, LIMITS[name], at_least=False),
            Check(f"beside {name}: 99th percentile over alone", late, P99_LIMIT, at_least=False),
            Check(f"beside {name}: MB/s over without", kept, THROUGHPUT_MIN, at_least=True),
        ]
    return checks


def describe(runs: dict[str, list[Beside]]) -> str:
    """The table of medians."""
    lines = [
        "beside: pingpong of 64 bytes, us, alone and beside transfers; MB/s of those",
        f"{'':16}{'p50 alone':>11}{'beside':>9}{'p99 alone':>11}{'beside':>9}{'MB/s':>9}",
    ]
    for name, taken in runs.items():
        times = [
            median(getattr(run, figure) for run in taken) / 1e3
            for figure in ("alone_p50_ns", "beside_p50_ns", "alone_p99_ns", "beside_p99_ns")
        ]
        cells = "".join(f"{time:{11 - 2 * (at % 2)},.0f}" for at, time in enumerate(times))
        rate = median(run.bytes_per_s for run in taken) / 2**20
        lines.append(f"  {name:14}{cells}{rate:9,.0f}")
    return "\n".join(lines)


def _run(transfers: tuple[int, int], seconds: float) -> Beside:
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        rest = [folder, *map(str, transfers), str(seconds)]
        command = [sys.executable, "-m", "tools.benchmarks.live_beside"]
        lines = [[*command, role, *rest] for role in ("far", "near")]
        with started(lines) as processes:
            _, near = reports("beside", processes)
    return msgspec.json.decode(near, type=Beside)


async def echo(conversation: Conversation) -> None:
    """Send back what comes."""
    async for data in conversation:
        await conversation.send(data)


async def sink(conversation: Conversation) -> None:
    """Receive everything."""
    async for _ in conversation:
        pass


async def source(conversation: Conversation) -> None:
    """Send until the partner has had enough."""
    message = bytes(MESSAGE_LENGTH)
    with suppress(ConversationSevered):
        while True:
            await conversation.send(message)


async def trips_ns(conversation: Conversation, seconds: float) -> list[int]:
    """Times of round trips, one after the other, for so long; sorted."""
    message = bytes(PING_LENGTH)
    trips = []
    end_ns = time.perf_counter_ns() + int(seconds * 1e9)
    while (sent_ns := time.perf_counter_ns()) < end_ns:
        await conversation.send(message)
        await conversation.receive()
        trips.append(time.perf_counter_ns() - sent_ns)
    return sorted(trips)


async def transfer(node: OpenNode, received: list[int], sends: bool) -> None:
    """One bulk transfer, until it is cancelled; what comes is counted."""
    conversation = await node.connect("SINK" if sends else "SOURCE")
    if sends:
        message = bytes(MESSAGE_LENGTH)
        while True:
            await conversation.send(message)
            received[0] += len(message)
    async for data in conversation:
        received[0] += len(data)


async def measure(node: OpenNode, senders: int, receivers: int, seconds: float) -> None:
    """Alone, beside, and the transfers alone; print what was seen."""
    async with await node.connect("ECHO") as conversation:
        await trips_ns(conversation, SETTLE_S)
        alone = await trips_ns(conversation, seconds / 2)
        received = [0]
        tasks = [
            asyncio.create_task(transfer(node, received, at < senders))
            for at in range(senders + receivers)
        ]
        await asyncio.sleep(SETTLE_S)
        begin, begin_s = received[0], time.perf_counter()
        await asyncio.sleep(seconds / 2)
        transfers = (received[0] - begin) / (time.perf_counter() - begin_s)
        begin, begin_s = received[0], time.perf_counter()
        beside = await trips_ns(conversation, seconds)
        rate = (received[0] - begin) / (time.perf_counter() - begin_s)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    figures = {
        "alone_p50_ns": alone[len(alone) // 2],
        "alone_p99_ns": alone[len(alone) * 99 // 100],
        "beside_p50_ns": beside[len(beside) // 2],
        "beside_p99_ns": beside[len(beside) * 99 // 100],
        "bytes_per_s": rate,
        "bytes_per_s_without": transfers,
    }
    print(json.dumps(figures), flush=True)


async def play(far: bool, folder: Path, senders: int, receivers: int, seconds: float) -> None:
    """One node, until all is measured."""
    layout = load_layout(LAYOUT)
    path = folder / "link"
    address = f"unix:{path}"
    if far:
        async with open_node(layout, layout.nodes[0], listen=address) as node:
            over = asyncio.Event()

            async def stop(conversation: Conversation) -> None:
                await sink(conversation)
                over.set()

            for name, service in {"ECHO": echo, "SINK": sink, "SOURCE": source}.items():
                node.serve(name, service)
            node.serve("STOP", stop)
            await over.wait()
        return
    await_path(path)
    async with open_node(layout, layout.nodes[1], connect=address) as node:
        await measure(node, senders, receivers, seconds)
        async with await node.connect("STOP"):
            pass


def main() -> None:
    """Do the part that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.live_beside")
    parser.add_argument("role", choices=("near", "far"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("senders", type=int)
    parser.add_argument("receivers", type=int)
    parser.add_argument("seconds", type=float)
    given = parser.parse_args()
    far = given.role == "far"
    uvloop.run(play(far, given.folder, given.senders, given.receivers, given.seconds))


if __name__ == "__main__":
    main()
