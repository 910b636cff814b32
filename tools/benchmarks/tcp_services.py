"""TCP services for the live benchmark, and certificates: started on free ports, ended with a block.

A service whose programs are not installed is left out. Of its own are those that nobody ships:
``python -m tools.benchmarks.tcp_services http PORT`` answers any GET on 127.0.0.1 with
`DOWNLOAD_LENGTH` bytes; ``echo PORT`` sends back what comes; ``flood PORT`` lets `FLOOD_COUNT`
connections to an echo carry as much as they can, both ways. Each goes on until it is ended.

Certificates are made by ``openssl``: a CA, and one for each name.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from socketserver import BaseRequestHandler, StreamRequestHandler, ThreadingTCPServer
from typing import Final

import uvloop

from tools import PROJECT
from tools.benchmarks.contenders import BUFFER_LENGTH, RUN_S_MAX, ContenderError

HOST: Final = "127.0.0.1"
READY_S: Final = 20.0
"""How long a service may take to listen."""
DOWNLOAD_LENGTH: Final = 4 * 2**30
"""Bytes of a download: more than there is time for."""
FLOOD_COUNT: Final = 100
SCALE: Final = 20
"""pgbench's: as many branches as there are clients."""
POSTGRES_PLACES: Final = "/usr/lib/postgresql"
"""Where Debian keeps the programs of PostgreSQL, by version."""

_PIECE: Final = bytes(BUFFER_LENGTH)
_given_ports: Final[set[int]] = set()


class DownloadHandler(StreamRequestHandler):
    """Answers one request."""

    def handle(self) -> None:
        """Send the bytes once the request is over."""
        while self.rfile.readline().strip():
            pass
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % DOWNLOAD_LENGTH)
        for _ in range(DOWNLOAD_LENGTH // BUFFER_LENGTH):
            self.wfile.write(_PIECE)


class Echo(BaseRequestHandler):
    """Sends back what comes."""

    def handle(self) -> None:
        """Until the connection is closed."""
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := self.request.recv(BUFFER_LENGTH):
            self.request.sendall(data)


class Server(ThreadingTCPServer):
    """Has a thread for each connection."""

    daemon_threads = True
    request_queue_size = 1_024


async def flood(port: int) -> None:
    """Open the connections, and let them work: each sends whenever it can, and reads everything."""

    async def send(to: asyncio.StreamWriter) -> None:
        while True:
            to.write(_PIECE)
            await to.drain()

    opened = [await asyncio.open_connection(HOST, port) for _ in range(FLOOD_COUNT)]
    async with asyncio.TaskGroup() as ways:
        for reader, writer in opened:
            ways.create_task(send(writer))
            ways.create_task(taken(reader))


async def taken(reader: asyncio.StreamReader) -> None:
    """Read to the end."""
    while await reader.read(BUFFER_LENGTH):
        pass


def free_port() -> int:
    """A port that nobody uses now, and that was not given before: who got it may not listen yet."""
    while True:
        with socket.create_server((HOST, 0)) as listener:
            port: int = listener.getsockname()[1]
        if port not in _given_ports:
            _given_ports.add(port)
            return port


def find_program(name: str) -> str | None:
    """Where a program is; PostgreSQL's are not in the path."""
    versions = sorted(Path(POSTGRES_PLACES).glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(versions[-1]) if versions else None)


def run(
    program: str, *options: str, statuses: Sequence[int] = (0,), user: str | None = None
) -> str:
    """What a program prints. Raises `ContenderError` if it ends with another status."""
    line = [str(find_program(program)), *options]
    done = subprocess.run(
        line, capture_output=True, text=True, timeout=RUN_S_MAX, cwd="/", user=user, check=False
    )
    if done.returncode not in statuses:
        failed = f"{' '.join(line)} ended with {done.returncode}"
        raise ContenderError(f"{failed}:\n{done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def running(line: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A process without input and output, which ends with the block."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(line, cwd=PROJECT, stdin=quiet, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(5.0)
            except subprocess.TimeoutExpired:
                process.kill()


def await_port(port: int) -> None:
    """Wait until something listens on a port."""
    end_s = time.monotonic() + READY_S
    while True:
        try:
            socket.create_connection((HOST, port), 1.0).close()
        except OSError:
            if time.monotonic() > end_s:
                raise ContenderError(f"nobody listens on port {port}") from None
            time.sleep(0.02)
        else:
            return


@contextmanager
def services(folder: Path) -> Iterator[Mapping[str, int]]:
    """The port of each service that can be had: http, echo, iperf3, redis and postgres."""
    lines = {
        "http": own_program("http"),
        "echo": own_program("echo"),
        "iperf3": ["iperf3", "-s", "-B", HOST, "-p"],
        "redis": ["redis-server", "--bind", HOST, "--save", "", "--port"],
    }
    with ExitStack() as stack:
        found = {name: line for name, line in lines.items() if find_program(line[0])}
        ports = {name: stack.enter_context(serving(line)) for name, line in found.items()}
        if find_program("initdb") and find_program("pgbench"):
            ports["postgres"] = port = stack.enter_context(postgresql(folder / "postgres"))
            place = ("-h", HOST, "-p", str(port), "-U", "postgres", "postgres")
            run("pgbench", "-i", "-q", "-s", str(SCALE), *place)
        yield ports


@contextmanager
def serving(line: Sequence[str]) -> Iterator[int]:
    """A service, whose command line ends with its port; the port."""
    port = free_port()
    with running([*line, str(port)]):
        await_port(port)
        yield port


def own_program(kind: str) -> list[str]:
    """The command of a program of this module, but for its port."""
    return [sys.executable, "-m", "tools.benchmarks.tcp_services", kind]


@contextmanager
def postgresql(data: Path) -> Iterator[int]:
    """A PostgreSQL of its own in a new folder, as it is set up by default; its port.

    It refuses to run as root. Raises `ContenderError` if it cannot be started.
    """
    user = "postgres" if os.getuid() == 0 else None
    data.mkdir()
    if user is not None:
        data.parent.chmod(0o755)
        shutil.chown(data, user)
    port = free_port()
    place = f"-k {data} -h {HOST} -p {port}"
    run("initdb", "-A", "trust", "-U", "postgres", "-N", "-D", str(data), user=user)
    run("pg_ctl", "-D", str(data), "-l", str(data / "log"), "-o", place, "start", user=user)
    try:
        yield port
    finally:
        run("pg_ctl", "-D", str(data), "stop", user=user)


def openssl(folder: Path, *arguments: str) -> None:
    """Run ``openssl`` in a folder. Raises `CalledProcessError` if it fails."""
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder: Path, names: Iterable[str]) -> None:
    """``ca.pem``, and ``NAME.pem`` and ``NAME.key`` for each name."""
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(folder, "req", "-x509", *new, "-subj", "/CN=CA", "-keyout", "ca.key", "-out", "ca.pem")
    for name in names:
        request = ("-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl(folder, "req", *new, "-subj", f"/CN={name}", *request)
        sign(folder, f"{name}.csr", f"{name}.pem")


def sign(folder: Path, request: str, certificate: str, *more: str) -> None:
    """Make a certificate of a request, by the CA in ``folder``; ``more`` are options."""
    ca = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    openssl(folder, "x509", "-req", "-in", request, *ca, *more, "-out", certificate)


def main(kind: str, port: int) -> None:
    """Do what the command line asks for."""
    if kind == "flood":
        uvloop.run(flood(port))
    else:
        Server((HOST, port), DownloadHandler if kind == "http" else Echo).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
