"""TCP programs through ``--forward``, beside bare loopback, socat and haproxy.

Every program runs against the same service by each route in turn, over and over. What is judged is
the route over the link, over bare loopback and over two hops of haproxy: as many processes, in C.
Streams are also measured over a link with TLS, beside the same link over TCP without it.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

from tools.benchmarks.contenders import RUN_S_MAX, ContenderError
from tools.benchmarks.judged import Check
from tools.benchmarks.live_peer import PING_LENGTH
from tools.benchmarks.tcp_services import (
    HOST,
    await_port,
    find_program,
    free_port,
    make_certificates,
    running,
    services,
)

LAYOUT: Final = "published-8"
NODES: Final = ("CLIENT", "SERVER")
DIRECT: Final = "direct"
FORWARDED: Final = "isfc"
HOP: Final = "socat"
PROXY: Final = "haproxy"
TWO_PROXIES: Final = "haproxy2"
"""Two hops of it."""
PLAIN_TCP: Final = "TCP"
TLS: Final = "TLS"
"""The link over loopback instead of Unix sockets, without TLS and with it."""

TRIPS_A_SECOND: Final = 2_000
"""Of the ping-pong: so many for each second that other programs run."""

TRIES: Final = 10
PAUSE_S: Final = 0.2
"""Attempts to have the service for oneself, and seconds between them."""


PROGRAMS: Final = {
    "http": "curl",
    "iperf3": "iperf3",
    "redis": "redis-benchmark",
    "postgres": "pgbench",
    "echo": sys.executable,
}
"""What has to be installed to measure a service."""


@dataclass(frozen=True, slots=True)
class Load:
    """A TCP program: what it measures against a port within some seconds, and what is asked."""

    name: str
    service: str
    unit: str
    measure: Callable[[int, float], float]
    limit: float
    """The figure by way of the link, over the direct one: at least, or at most for a time."""
    at_least: bool = True
    hops_limit: float | None = None
    """The same over two hops of haproxy."""
    tls_limit: float | None = None
    """The figure by way of a link with TLS, over that of one without, both over loopback."""

    @property
    def program(self) -> str:
        """What has to be installed."""
        return PROGRAMS[self.service]


def _say(line: Sequence[str], *, statuses: Sequence[int] = (0,)) -> str:
    """What a program prints."""
    done = subprocess.run(line, capture_output=True, text=True, timeout=RUN_S_MAX, check=False)
    if done.returncode not in statuses:
        failed = f"{' '.join(line)} ended with {done.returncode}"
        raise ContenderError(f"{failed}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _download(port: int, seconds: float) -> float:
    """MB/s of curl, cut off after some seconds."""
    timed_out = 28  # curl's own status, which is meant here
    return float(_say(curl(port, seconds), statuses=(0, timed_out))) / 2**20


def curl(port: int, seconds: float) -> list[str]:
    """The command that downloads for some seconds, and prints bytes a second."""
    line = ["curl", "-s", "-o", "/dev/null", "-m", f"{seconds:g}", "-w", "%{speed_download}"]
    return [*line, f"http://{HOST}:{port}/"]


def _iperf(*options: str) -> Callable[[int, float], float]:
    """MB/s that iperf3's receiver has seen."""

    def measure(port: int, seconds: float) -> float:
        line = ["iperf3", "-J", "-c", HOST, "-p", str(port), "-t", f"{max(1, seconds):.0f}"]
        for _ in range(TRIES):  # it takes one client at a time, and the last may not be gone yet
            report = json.loads(_say([*line, *options], statuses=(0, 1)))
            if "error" not in report:
                break
            time.sleep(PAUSE_S)
        else:
            raise ContenderError(f"{' '.join(line)} failed: {report['error']}")
        received: float = report["end"]["sum_received"]["bits_per_second"]
        return received / 8 / 2**20

    return measure


def _redis(clients: int, rate: int) -> Callable[[int, float], float]:
    """GET requests a second of so many clients; about ``rate`` of them are expected."""

    def measure(port: int, seconds: float) -> float:
        count = str(int(rate * seconds))
        line = ["redis-benchmark", "-h", HOST, "-p", str(port), "-t", "get", "--csv"]
        report = _say([*line, "-c", str(clients), "-n", count])
        found = re.search(r'^"GET","([0-9.]+)"', report, re.MULTILINE)
        if found is None:
            raise ContenderError(f"redis-benchmark says no rate:\n{report}")
        return float(found[1])

    return measure


def _pgbench(*options: str) -> Callable[[int, float], float]:
    """Transactions a second of twenty clients."""

    def measure(port: int, seconds: float) -> float:
        line = [str(find_program("pgbench")), "-h", HOST, "-p", str(port), "-U", "postgres", "-n"]
        duration = f"{max(1, seconds):.0f}"
        report = _say([*line, "-c", "20", "-j", "1", "-T", duration, *options, "postgres"])
        found = re.search(r"tps = ([0-9.]+)", report)
        if found is None:
            raise ContenderError(f"pgbench says no rate:\n{report}")
        return float(found[1])

    return measure


def trips_of_port_ns(port: int) -> Iterator[int]:
    """Times of round trips of 64 bytes to a TCP port, one after the other."""
    ping = bytes(PING_LENGTH)
    with socket.create_connection((HOST, port), 10.0) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            sent_ns = time.perf_counter_ns()
            connection.sendall(ping)
            length = 0
            while length < PING_LENGTH:
                length += len(connection.recv(PING_LENGTH))
            yield time.perf_counter_ns() - sent_ns


def _ping(port: int, seconds: float) -> float:
    """The median round trip of 64 bytes, in us."""
    return median(islice(trips_of_port_ns(port), int(TRIPS_A_SECOND * seconds))) / 1e3


LOADS: Final = (  # limits as `tools.benchmarks.bench_live.GOALS`
    Load("curl", "http", "MB/s", _download, 0.27, hops_limit=0.9, tls_limit=0.4),
    Load("iperf3", "iperf3", "MB/s", _iperf(), 0.21, hops_limit=0.9, tls_limit=0.4),
    Load("iperf3 -R", "iperf3", "MB/s", _iperf("-R"), 0.21),
    Load("iperf3 -P16", "iperf3", "MB/s", _iperf("-P", "16"), 0.13),
    Load("redis, 50 clients", "redis", "GET/s", _redis(50, 20_000), 0.18, hops_limit=0.45),
    Load("redis, 1 client", "redis", "GET/s", _redis(1, 5_000), 0.07, hops_limit=0.2),
    Load("pgbench -S, 20 clients", "postgres", "tps", _pgbench("-S"), 0.3),
    Load("pgbench, 20 clients", "postgres", "tps", _pgbench(), 0.3),
    Load("64 bytes and back", "echo", "us p50", _ping, 19.0, at_least=False, hops_limit=6.0),
)


@contextmanager
def forwarding_pair(
    ports: Mapping[str, int], *, address: str = "", tls: Path | None = None
) -> Iterator[tuple[dict[str, int], list[int]]]:
    """Two nodes that forward to each service; their ports by service, and the nodes' PIDs.

    Their link goes over a Unix socket, or over ``address``, with TLS if there is a folder with
    certificates of both.
    """
    forwarded = {name: free_port() for name in ports}
    near, far = NODES
    options: list[str] = []
    for name, port in ports.items():
        options += ["--forward", f"{near}:{forwarded[name]}={far}:{HOST}:{port}"]
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder, ExitStack() as stack:
        link = address or f"unix:{folder}/link"
        common = [*options, "--run-dir", f"{folder}/run"]
        isfc = [sys.executable, "-m", "isfc", "node"]
        lines = (
            [*isfc, near, LAYOUT, "--listen", link, *common, *_tls_options(tls, near)],
            [*isfc, far, LAYOUT, "--connect", link, *common, *_tls_options(tls, far)],
        )
        nodes = [stack.enter_context(running(line)) for line in lines]
        for port in forwarded.values():
            await_port(port)
        yield forwarded, [node.pid for node in nodes]


def _tls_options(folder: Path | None, node: str) -> list[str]:
    if folder is None:
        return []
    files = {"cert": f"{node}.pem", "key": f"{node}.key", "ca": "ca.pem"}
    return [part for name, file in files.items() for part in (f"--{name}", str(folder / file))]


@contextmanager
def hops(ports: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """One socat for each service; their ports. None without socat."""
    socat = find_program(HOP)
    with ExitStack() as stack:
        found = {}
        for name, port in ports.items() if socat else ():
            found[name] = hop = free_port()
            listen = f"TCP-LISTEN:{hop},bind={HOST},reuseaddr,fork,nodelay,backlog=128"
            line = [str(socat), "-b", "262144", listen, f"TCP:{HOST}:{port},nodelay"]
            stack.enter_context(running(line))
        for hop in found.values():
            await_port(hop)
        yield found


@contextmanager
def proxies(ports: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """One haproxy that has a port for each service; those ports. None without haproxy."""
    haproxy = find_program(PROXY)
    if haproxy is None:
        yield {}
        return
    found = {name: free_port() for name in ports}
    lines = ["defaults", " mode tcp", " timeout connect 10s"]
    lines += [" timeout client 1h", " timeout server 1h"]
    for name, port in found.items():
        lines += [f"listen {name}", f" bind {HOST}:{port}", f" server one {HOST}:{ports[name]}"]
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        file = Path(folder) / "haproxy.cfg"
        file.write_text("\n".join(["global", " nbthread 1", *lines, ""]), "utf-8")
        with running([haproxy, "-db", "-f", str(file)]):
            for port in found.values():
                await_port(port)
            yield found


Figures = dict[str, dict[str, list[float]]]
"""By load and route, the figures in their order."""


def measure_forwarded(
    repetitions: int, seconds: float, say: Callable[[str], None]
) -> tuple[Figures, list[Check]]:
    """All programs by all routes in turn; ``say`` is told the tables."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder, ExitStack() as stack:
        ports = stack.enter_context(services(Path(folder)))

        def measure(load: Load, routes: Mapping[str, Mapping[str, int]]) -> None:
            if load.service not in ports or find_program(load.program) is None:
                say(f"  {load.name:22}is not measured: {load.program} is missing")
                return
            taken: dict[str, list[float]] = {route: [] for route in routes if routes[route]}
            for _ in range(repetitions):
                for route, values in taken.items():
                    values.append(load.measure(routes[route][load.service], seconds))
            figures.setdefault(load.name, {}).update(taken)
            say(describe_load(load, taken))

        routes = {DIRECT: ports, HOP: stack.enter_context(hops(ports))}
        routes[PROXY] = stack.enter_context(proxies(ports))
        routes[TWO_PROXIES] = stack.enter_context(proxies(routes[PROXY]))
        routes[FORWARDED] = stack.enter_context(_link_up(ports))
        say(describe_routes("TCP programs through --forward", routes))
        for load in LOADS:
            measure(load, routes)
        if find_program("openssl") is None:
            say("Nothing is measured with TLS: openssl is missing")
            return figures, judge_forwarded(figures)
        make_certificates(Path(folder), NODES)
        secure = {
            PLAIN_TCP: stack.enter_context(_link_up(ports, address=f"{HOST}:{free_port()}")),
            TLS: stack.enter_context(
                _link_up(ports, address=f"{HOST}:{free_port()}", tls=Path(folder))
            ),
        }
        say(describe_routes("The link over TCP, without TLS and with it", secure))
        for load in LOADS:
            if load.tls_limit is not None:
                measure(load, secure)
    return figures, judge_forwarded(figures)


@contextmanager
def _link_up(
    ports: Mapping[str, int], *, address: str = "", tls: Path | None = None
) -> Iterator[Mapping[str, int]]:
    """As `forwarding_pair`, once the link is up: nodes listen before. The ports alone."""
    with forwarding_pair(ports, address=address, tls=tls) as (forwarded, _):
        _ping(forwarded["echo"], 1 / TRIPS_A_SECOND)
        yield forwarded


def describe_routes(title: str, routes: Mapping[str, object]) -> str:
    """The heading of a table."""
    return f"{title}\n{'':24}{''.join(f'{route:>9}' for route in routes)}"


def describe_load(load: Load, taken: Mapping[str, Sequence[float]]) -> str:
    """A line of the table: the median by each route."""
    cells = "".join(f"{median(values):9,.0f}" for values in taken.values())
    return f"  {load.name:22}{cells}  {load.unit}"


def judge_forwarded(figures: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Check]:
    """By way of the link, over the direct way and two hops of haproxy; with TLS, over without."""
    checks = []
    for load in LOADS:
        taken = figures.get(load.name, {})
        for ours, peer, limit in (
            (FORWARDED, DIRECT, load.limit),
            (FORWARDED, TWO_PROXIES, load.hops_limit),
            (TLS, PLAIN_TCP, load.tls_limit),
        ):
            if limit is not None and peer in taken:
                ratio = median(taken[ours]) / median(taken[peer])
                name = f"forward: {load.name}, {ours} / {peer}"
                checks.append(Check(name, ratio, limit, at_least=load.at_least))
    return checks
