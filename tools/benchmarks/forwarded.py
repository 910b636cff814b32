"""TCP programs through ``--forward``, beside bare loopback and haproxy.

Every program runs against the same service by each route in turn, over and over. What is judged is
the route over the link, over bare loopback and over two hops of haproxy: as many processes, in C.
Streams are also measured over a link with TLS, beside the same link over TCP without it; and a
ping-pong beside downloads, all of which are forwarded.
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
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from statistics import median
from typing import Final

from msgspec import Struct

from tools.benchmarks.contenders import PING_LENGTH, ContenderError
from tools.benchmarks.judged import Sample, Taken, in_turn, say, table
from tools.benchmarks.live_conversations import SETTLE_S, compared
from tools.benchmarks.tcp_services import (
    HOST,
    await_port,
    find_program,
    free_port,
    make_certificates,
    own_program,
    run,
    running,
    services,
    serving,
)

NODES: Final = ("CLIENT", "SERVER")
DIRECT: Final = "direct"
PROXY: Final = "haproxy"
TWO_PROXIES: Final = "haproxy2"
"""Two hops of it."""
FORWARDED: Final = "isfc"
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

Ports = Mapping[str, int]
"""By service."""


class TcpLoad(Struct, frozen=True):
    """A TCP program: what it measures against a port within some seconds."""

    name: str
    service: str
    unit: str
    measure: Callable[[int, float], float]
    with_tls: bool = False
    """Whether it goes over a link with TLS too, and over one without: both over loopback."""

    def run(self, port: int, seconds: float) -> Sample:
        """Measure once."""
        return {self.unit: self.measure(port, seconds)}


def _found(pattern: str, report: str) -> float:
    """The rate that a program's report has."""
    found = re.search(pattern, report, re.MULTILINE)
    if found is None:
        raise ContenderError(f"no {pattern} in:\n{report}")
    return float(found[1])


def _download(port: int, seconds: float) -> float:
    """MB/s of curl, cut off after some seconds."""
    timed_out = 28  # curl's own status, which is meant here
    return float(run(*_curl(port, seconds), statuses=(0, timed_out))) / 2**20


def _curl(port: int, seconds: float) -> list[str]:
    """The command that downloads for some seconds, and prints bytes a second."""
    line = ["curl", "-s", "-o", "/dev/null", "-m", f"{seconds:g}", "-w", "%{speed_download}"]
    return [*line, f"http://{HOST}:{port}/"]


def _iperf(options: str, port: int, seconds: float) -> float:
    """MB/s that iperf3's receiver has seen."""
    asked = ("-J", "-c", HOST, "-p", str(port), "-t", f"{max(1, seconds):.0f}", *options.split())
    for _ in range(TRIES):  # it takes one client at a time, and the last may not be gone yet
        report = json.loads(run("iperf3", *asked, statuses=(0, 1)))
        if "error" not in report:
            return float(report["end"]["sum_received"]["bits_per_second"]) / 8 / 2**20
        time.sleep(PAUSE_S)
    raise ContenderError(f"iperf3 {' '.join(asked)} failed: {report['error']}")


def _redis(clients: int, rate: int, port: int, seconds: float) -> float:
    """GET requests a second of so many clients; about ``rate`` of them are expected."""
    asked = ("-t", "get", "--csv", "-c", str(clients), "-n", str(int(rate * seconds)))
    report = run("redis-benchmark", "-h", HOST, "-p", str(port), *asked)
    return _found(r'^"GET","([0-9.]+)"', report)


def _pgbench(options: str, port: int, seconds: float) -> float:
    """Transactions a second of twenty clients."""
    asked = ("-n", "-c", "20", "-j", "1", "-T", f"{max(1, seconds):.0f}", *options.split())
    place = ("-h", HOST, "-p", str(port), "-U", "postgres", "postgres")
    return _found(r"tps = ([0-9.]+)", run("pgbench", *asked, *place))


def trips_ns(port: int) -> Iterator[int]:
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
    return median(islice(trips_ns(port), int(TRIPS_A_SECOND * seconds))) / 1e3


LOADS: Final = (
    TcpLoad("curl", "http", "MB/s", _download, with_tls=True),
    TcpLoad("iperf3", "iperf3", "MB/s", partial(_iperf, ""), with_tls=True),
    TcpLoad("iperf3 -R", "iperf3", "MB/s", partial(_iperf, "-R")),
    TcpLoad("iperf3 -P16", "iperf3", "MB/s", partial(_iperf, "-P 16")),
    TcpLoad("redis, 50 clients", "redis", "GET/s", partial(_redis, 50, 20_000)),
    TcpLoad("redis, 1 client", "redis", "GET/s", partial(_redis, 1, 5_000)),
    TcpLoad("pgbench -S, 20 clients", "postgres", "tps", partial(_pgbench, "-S")),
    TcpLoad("pgbench, 20 clients", "postgres", "tps", partial(_pgbench, "")),
    TcpLoad("64 bytes and back", "echo", "us p50", _ping),
)


@contextmanager
def node_pair(
    *options: str, layout: str = "published-8", address: str = "", tls: Path | None = None
) -> Iterator[list[int]]:
    """Two nodes with the same options; their PIDs.

    Their link goes over a Unix socket, or over ``address``, with TLS if there is a folder with
    certificates of both.
    """
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder, ExitStack() as stack:
        link = address or f"unix:{folder}/link"
        pids = []
        for name, way in zip(NODES, ("--listen", "--connect"), strict=True):
            isfc = [sys.executable, "-m", "isfc", "node", name, layout, way, link]
            line = [*isfc, *options, "--run-dir", f"{folder}/run"]
            if tls is not None:
                line += ["--cert", f"{tls}/{name}.pem", "--key", f"{tls}/{name}.key"]
                line += ["--ca", f"{tls}/ca.pem"]
            pids.append(stack.enter_context(running(line)).pid)
        yield pids


@contextmanager
def forwarding_pair(
    ports: Ports, *, address: str = "", tls: Path | None = None
) -> Iterator[tuple[Ports, list[int]]]:
    """Two nodes that forward to each service, one of which is an echo, once their link is up.

    Their ports, and the nodes' PIDs.
    """
    forwarded = {name: free_port() for name in ports}
    near, far = NODES
    options: list[str] = []
    for name, port in ports.items():
        options += ["--forward", f"{near}:{forwarded[name]}={far}:{HOST}:{port}"]
    with node_pair(*options, address=address, tls=tls) as pids:
        for port in forwarded.values():
            await_port(port)
        next(trips_ns(forwarded["echo"]))  # nodes listen before
        yield forwarded, pids


@contextmanager
def proxies(ports: Ports) -> Iterator[Ports]:
    """One haproxy that has a port for each service; those ports. None without haproxy."""
    haproxy = find_program(PROXY)
    if haproxy is None:
        yield {}
        return
    found = {name: free_port() for name in ports}
    lines = ["global", " nbthread 1", "defaults", " mode tcp", " timeout connect 10s"]
    lines += [" timeout client 1h", " timeout server 1h"]
    for name, port in found.items():
        lines += [f"listen {name}", f" bind {HOST}:{port}", f" server one {HOST}:{ports[name]}"]
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as folder:
        file = Path(folder) / "haproxy.cfg"
        file.write_text("\n".join([*lines, ""]), "utf-8")
        with running([haproxy, "-db", "-f", str(file)]):
            for port in found.values():
                await_port(port)
            yield found


def measure_forwarded(rounds: int, seconds: float) -> dict[str, Taken]:
    """All programs by all routes in turn; each table is shown as soon as it is known."""
    runs: dict[str, Taken] = {}
    with tempfile.TemporaryDirectory(prefix="isfc-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        ports = stack.enter_context(services(folder))
        routes: dict[str, Ports] = {DIRECT: ports}
        routes[PROXY] = stack.enter_context(proxies(ports))
        routes[TWO_PROXIES] = stack.enter_context(proxies(routes[PROXY]))
        routes[FORWARDED], _ = stack.enter_context(forwarding_pair(ports))
        if find_program("openssl") is None:
            say("Nothing is measured with TLS: openssl is missing")
        else:
            make_certificates(folder, NODES)
            for route, tls in ((PLAIN_TCP, None), (TLS, folder)):
                address = f"{HOST}:{free_port()}"
                pair = forwarding_pair(ports, address=address, tls=tls)
                routes[route], _ = stack.enter_context(pair)
        for load in LOADS:
            program = PROGRAMS[load.service]
            if load.service not in ports or find_program(program) is None:
                say(f"{load.name} is not measured: {program} is missing")
                continue
            contenders = {
                route: partial(load.run, places[load.service], seconds)
                for route, places in routes.items()
                if places and (load.with_tls or route not in (PLAIN_TCP, TLS))
            }
            runs[load.name] = in_turn(contenders, rounds)
            say(table(f"{load.name}, by --forward", runs[load.name]))
    return runs


def beside_downloads(clients: int, seconds: float) -> Sample:
    """Round trips of 64 bytes alone, and beside so many downloads: `compared`."""
    with (
        serving(own_program("echo")) as echo_port,
        serving(own_program("http")) as http_port,
        forwarding_pair({"echo": echo_port, "http": http_port}) as (ports, _),
    ):

        def trips(for_s: float) -> list[int]:
            end_s = time.perf_counter() + for_s
            return [*takewhile(lambda _: time.perf_counter() < end_s, trips_ns(ports["echo"]))]

        def downloads(for_s: float) -> list["subprocess.Popen[str]"]:
            line = _curl(ports["http"], SETTLE_S + for_s)
            pipe = subprocess.PIPE
            return [subprocess.Popen(line, stdout=pipe, text=True) for _ in range(clients)]

        trips(SETTLE_S)
        alone = trips(seconds / 2)
        without = _rate(downloads(seconds / 2))
        begun = downloads(seconds)
        time.sleep(SETTLE_S)
        loaded = trips(seconds)
        return compared(alone, loaded, _rate(begun), without)


def _rate(clients: Sequence["subprocess.Popen[str]"]) -> float:
    """Bytes a second of all of them, when they have ended."""
    rate = sum(float(client.communicate()[0]) for client in clients)
    if not rate:
        raise ContenderError("beside: nothing was downloaded")
    return rate
