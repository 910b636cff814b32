"""A ping-pong beside bulk transfers of the same system: open nodes, one process each.

Round trips are timed alone, and then beside the transfers, in the same processes: so a ratio of the
two is of one machine at one time. The transfers are on the same link, or on another link of the
node that asks; or all goes by ``--forward``, where clients and services are processes too.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
import uvloop

from isfc.live.session import Conversation, ConversationSevered, OpenNode, open_node
from tools.benchmarks.contenders import ROOT, ContenderError, reports, started
from tools.benchmarks.forwarded import curl, forwarding_pair, trips_of_port_ns
from tools.benchmarks.judged import Check
from tools.benchmarks.live_peer import MESSAGE_LENGTH, PING_LENGTH, await_path
from tools.benchmarks.tcp_services import DOWNLOAD_LENGTH, find_program, own_service

LAYOUT: Final = str(ROOT / "docs" / "cluster" / "third-member.toml")
NEAR: Final = "GAMMA"
"""The node that asks; `FAR` are those with a link to it."""
FAR: Final = ("ALPHA", "BETA")
SETTLE_S: Final = 0.3
"""Until transfers are at their pace."""


class Transfers(msgspec.Struct, frozen=True):
    """What the round trips are beside."""

    limit: float
    """The median beside them, over that alone: what was reached on a quiet machine, and a third."""
    senders: int = 0
    """Transfers from the node that asks."""
    receivers: int = 0
    """Transfers to it."""
    another_link: bool = False
    by_forward: bool = False
    """Whether all are TCP connections that are forwarded."""


TRANSFERS: Final = {
    "one sender": Transfers(4.0, senders=1),
    "one receiver": Transfers(4.0, receivers=1),
    "eight senders": Transfers(4.0, senders=8),
    "another link: 1": Transfers(3.5, senders=1, another_link=True),
    "another link: 8": Transfers(3.5, senders=8, another_link=True),
    "one forwarded": Transfers(5.5, receivers=1, by_forward=True),
    "eight forwarded": Transfers(5.5, receivers=8, by_forward=True),
}

P99_LIMIT: Final = 8.0
THROUGHPUT_MIN: Final = 0.2
"""The transfers beside round trips, over those without: the round trips take their share of both
processors, and transfers have less room in the link (docs/live.md)."""


class Beside(msgspec.Struct, frozen=True):
    """What the near process reports: times in ns, transfers in bytes a second."""

    alone_p50_ns: int
    alone_p99_ns: int
    beside_p50_ns: int
    beside_p99_ns: int
    bytes_per_s: float
    bytes_per_s_without: float


def _compare(alone: list[int], beside: list[int], rate: float, without: float) -> Beside:
    """Of sorted times."""
    p50_ns, p99_ns = ([each[len(each) * at // 100] for each in (alone, beside)] for at in (50, 99))
    return Beside(p50_ns[0], p99_ns[0], p50_ns[1], p99_ns[1], rate, without)


def measure_beside(
    repetitions: int, seconds: float, say: Callable[[str], None]
) -> tuple[dict[str, list[Beside]], list[Check]]:
    """Each of `TRANSFERS` in turn, over and over; ``say`` is told the table."""
    runs: dict[str, list[Beside]] = {name: [] for name in TRANSFERS}
    for _ in range(repetitions):
        for name, transfers in TRANSFERS.items():
            if not transfers.by_forward:
                runs[name].append(_run(transfers, seconds))
            elif find_program("curl") is not None:
                runs[name].append(_run_forwarded(transfers, seconds))
    runs = {name: taken for name, taken in runs.items() if taken}
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
            Check(
                f"beside {name}: median over alone", trips, TRANSFERS[name].limit, at_least=False
            ),
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


def _run(transfers: Transfers, seconds: float) -> Beside:
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        rest = [folder, msgspec.json.encode(transfers).decode(), str(seconds)]
        command = [sys.executable, "-m", "tools.benchmarks.live_beside"]
        names = (*FAR[: 1 + transfers.another_link], NEAR)
        with started([[*command, name, *rest] for name in names]) as processes:
            *_, near = reports("beside", processes)
    return msgspec.json.decode(near, type=Beside)


def _run_forwarded(transfers: Transfers, seconds: float) -> Beside:
    """The same by ``--forward``: clients that download, beside one that has 64 bytes echoed."""
    with (
        own_service("echo") as echo_port,
        own_service("http", DOWNLOAD_LENGTH) as http_port,
        forwarding_pair({"echo": echo_port, "http": http_port}) as (ports, _),
    ):
        _trips(ports["echo"], SETTLE_S)
        alone = _trips(ports["echo"], seconds / 2)
        without = _rate(_downloads(transfers.receivers, ports["http"], SETTLE_S + seconds / 2))
        clients = _downloads(transfers.receivers, ports["http"], SETTLE_S + seconds)
        time.sleep(SETTLE_S)
        beside = _trips(ports["echo"], seconds)
        rate = _rate(clients)
    return _compare(alone, beside, rate, without)


def _trips(port: int, seconds: float) -> list[int]:
    end_s = time.perf_counter() + seconds
    return sorted(takewhile(lambda _: time.perf_counter() < end_s, trips_of_port_ns(port)))


def _downloads(count: int, port: int, seconds: float) -> list["subprocess.Popen[str]"]:
    line = curl(port, seconds)
    return [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(count)]


def _rate(clients: list["subprocess.Popen[str]"]) -> float:
    """Bytes a second of all of them, when they have ended."""
    rate = sum(float(client.communicate()[0]) for client in clients)
    if not rate:
        raise ContenderError("beside: nothing was downloaded")
    return rate


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


async def transfer(node: OpenNode, partner: str, received: list[int], sends: bool) -> None:
    """One bulk transfer, until it is cancelled; what comes is counted."""
    conversation = await node.connect("SINK" if sends else "SOURCE", partner=partner)
    if sends:
        message = bytes(MESSAGE_LENGTH)
        while True:
            await conversation.send(message)
            received[0] += len(message)
    async for data in conversation:
        received[0] += len(data)


async def measure(node: OpenNode, transfers: Transfers, seconds: float) -> Beside:
    """Alone, beside the transfers, and the transfers alone."""
    senders, receivers = transfers.senders, transfers.receivers
    async with await node.connect("ECHO", partner=FAR[0]) as conversation:
        await trips_ns(conversation, SETTLE_S)
        alone = await trips_ns(conversation, seconds / 2)
        received = [0]
        tasks = [
            asyncio.create_task(transfer(node, FAR[transfers.another_link], received, at < senders))
            for at in range(senders + receivers)
        ]
        await asyncio.sleep(SETTLE_S)
        begin, begin_s = received[0], time.perf_counter()
        await asyncio.sleep(seconds / 2)
        without = (received[0] - begin) / (time.perf_counter() - begin_s)
        begin, begin_s = received[0], time.perf_counter()
        beside = await trips_ns(conversation, seconds)
        rate = (received[0] - begin) / (time.perf_counter() - begin_s)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return _compare(alone, beside, rate, without)


async def play(name: str, folder: Path, transfers: Transfers, seconds: float) -> None:
    """One node, until all is measured."""
    if name != NEAR:
        async with open_node(LAYOUT, name, listen=f"unix:{folder / name}") as node:
            over = asyncio.Event()

            async def stop(conversation: Conversation) -> None:
                await sink(conversation)
                over.set()

            for service, handler in {"ECHO": echo, "SINK": sink, "SOURCE": source}.items():
                node.serve(service, handler)
            node.serve("STOP", stop)
            await over.wait()
        return
    partners = FAR[: 1 + transfers.another_link]
    for partner in partners:
        await_path(folder / partner)
    connect = {partner: f"unix:{folder / partner}" for partner in partners}
    async with open_node(
        LAYOUT, NEAR, connect=connect, listen=None if partners == FAR else f"unix:{folder / NEAR}"
    ) as node:
        print(json.dumps(msgspec.to_builtins(await measure(node, transfers, seconds))), flush=True)
        for partner in partners:
            async with await node.connect("STOP", partner=partner):
                pass


def main() -> None:
    """Do the part that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.live_beside")
    parser.add_argument("name", choices=(*FAR, NEAR))
    parser.add_argument("folder", type=Path)
    parser.add_argument("transfers", type=lambda text: msgspec.json.decode(text, type=Transfers))
    parser.add_argument("seconds", type=float)
    given = parser.parse_args()
    uvloop.run(play(given.name, given.folder, given.transfers, given.seconds))


if __name__ == "__main__":
    main()
