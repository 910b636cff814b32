"""TCP services for the live benchmark, and certificates: started on free ports, ended with a block.

Certificates are made by ``openssl``: a CA, and one for each name.

A service whose programs are not installed is left out, and says so.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tools import PROJECT
from tools.benchmarks.contenders import ContenderError
from tools.benchmarks.live_serve import HOST

READY_S: Final = 20.0
"""How long a service may take to listen."""
DOWNLOAD_LENGTH: Final = 4 * 2**30
"""Bytes of a download: more than there is time for."""
SCALE: Final = 20
"""pgbench's: as many branches as there are clients."""
POSTGRES_PLACES: Final = "/usr/lib/postgresql"
"""Where Debian keeps the programs of PostgreSQL, by version."""


_given_ports: Final[set[int]] = set()


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
    found = shutil.which(name)
    if found is None:
        versions = sorted(Path(POSTGRES_PLACES).glob(f"*/bin/{name}"))
        found = str(versions[-1]) if versions else None
    return found


@contextmanager
def running(
    line: Sequence[str], *, folder: Path | None = None, user: str | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process without input and output, which ends with the block."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        line, cwd=folder or PROJECT, stdin=quiet, stdout=quiet, stderr=quiet, user=user
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


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
    with ExitStack() as stack:
        ports = {}
        ports["http"] = stack.enter_context(own_service("http", DOWNLOAD_LENGTH))
        ports["echo"] = stack.enter_context(own_service("echo"))
        if iperf3 := find_program("iperf3"):
            ports["iperf3"] = port = free_port()
            stack.enter_context(running([iperf3, "-s", "-B", HOST, "-p", str(port)]))
        if redis := find_program("redis-server"):
            ports["redis"] = port = free_port()
            line = [redis, "--port", str(port), "--bind", HOST, "--save", ""]
            stack.enter_context(running(line, folder=folder))
        if find_program("initdb") and find_program("pgbench"):
            ports["postgres"] = stack.enter_context(_postgres(folder))
        for port in ports.values():
            await_port(port)
        if "postgres" in ports:
            _fill(ports["postgres"])
        yield ports


@contextmanager
def own_service(kind: str, length: int = 0) -> Iterator[int]:
    """A service of `tools.benchmarks.live_serve`; its port."""
    port = free_port()
    with running(own_program(kind, port, length)):
        await_port(port)
        yield port


def own_program(kind: str, port: int, number: int) -> list[str]:
    """The command of a program of `tools.benchmarks.live_serve`."""
    module = [sys.executable, "-m", "tools.benchmarks.live_serve"]
    return [*module, kind, str(port), str(number)]


@contextmanager
def _postgres(folder: Path) -> Iterator[int]:
    """A PostgreSQL of its own, as it is set up by default. It refuses to run as root."""
    user = "postgres" if os.getuid() == 0 else None
    data = folder / "postgres"
    data.mkdir()
    if user is not None:
        folder.chmod(0o755)
        shutil.chown(data, user)
    initdb, postgres = find_program("initdb"), find_program("postgres")
    assert initdb is not None, "found before"
    assert postgres is not None, "of the same package"
    lines = [initdb, "-A", "trust", "-U", "postgres", "-N", "-D", str(data)]
    subprocess.run(lines, check=True, capture_output=True, cwd=data, user=user)
    port = free_port()
    line = [postgres, "-D", str(data), "-k", str(data), "-h", HOST, "-p", str(port)]
    with running(line, folder=data, user=user):
        yield port


def _fill(port: int) -> None:
    pgbench = find_program("pgbench")
    assert pgbench, "found before"
    line = [pgbench, "-i", "-q", "-s", str(SCALE), "-h", HOST, "-p", str(port), "-U", "postgres"]
    for _ in range(50):  # it listens before it takes clients
        done = subprocess.run([*line, "postgres"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        time.sleep(0.2)
    raise ContenderError(f"pgbench cannot begin:\n{done.stderr}")


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
