"""Programs nobody here wrote, over a live link of two processes: curl, ab, iperf3, PostgreSQL."""

import asyncio
import hashlib
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.installed import need
from tests.lengthy import few_in_every_run
from tests.live.forwarded import answers, forwarding_nodes, free_port
from tests.waiting import PATIENCE_S, wait_for
from tools.benchmarks.tcp_services import find_program, postgresql

pytestmark = pytest.mark.slow

IPERF_S = 1
PGBENCH_TRANSACTIONS = 10  # of each of eight clients

# `python -m http.server`, but more than five connections may wait to be accepted: of 100 at a time
# most lose their first packet then, link or no link, and TCP repeats it after 1, 3, 7 seconds.
FILE_SERVER = """
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

ThreadingHTTPServer.request_queue_size = 256
handler = partial(SimpleHTTPRequestHandler, directory=sys.argv[2])
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), handler).serve_forever()
"""


def run(*words: str | Path) -> str:
    """What a program prints; it must end well and soon."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout[-1000:]} {done.stderr[-1000:]}"
    return done.stdout


@contextmanager
def started(
    *words: str | Path, folder: Path, end: signal.Signals = signal.SIGTERM
) -> Iterator[None]:
    """A program that runs within the block."""
    with (folder / "program.log").open("ab") as log:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.send_signal(end)
        try:
            process.wait(PATIENCE_S)
        finally:
            process.kill()


def digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def forwarded_files(folder: Path, length: int, *options: str) -> Iterator[str]:
    """An HTTP server of one file of random bytes, and the URL that leads there over the link."""
    files = folder / "served"
    files.mkdir()
    (files / "file").write_bytes(Random(1).randbytes(length))
    here, there = free_port(), free_port()
    with (
        started(sys.executable, "-c", FILE_SERVER, str(there), files, folder=folder),
        forwarding_nodes(folder, [(here, there)], *options),
    ):
        wait_for(lambda: answers(there), "the HTTP server")
        yield f"http://127.0.0.1:{here}/file"


@pytest.mark.parametrize("options", few_in_every_run([["--verify"], []]))
@pytest.mark.parametrize("mb", [10, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_curl_fetches_a_large_file_from_an_http_server(
    tmp_path: Path, mb: int, options: list[str]
) -> None:
    curl = need("curl", "curl")
    with forwarded_files(tmp_path, mb * 2**20, *options) as url:
        run(curl, "--fail", "--silent", "--show-error", "--output", tmp_path / "fetched", url)
    assert digest(tmp_path / "fetched") == digest(tmp_path / "served" / "file")


@pytest.mark.parametrize("direction", few_in_every_run([["--reverse"], []]))
def test_iperf3_sends_in_either_direction(tmp_path: Path, direction: list[str]) -> None:
    iperf3 = need("iperf3", "iperf3")
    here, there = free_port(), free_port()
    with (
        started(iperf3, "--server", "--bind", "127.0.0.1", "--port", str(there), folder=tmp_path),
        forwarding_nodes(tmp_path, [(here, there)]),
    ):
        wait_for(lambda: answers(there), "the iperf3 server")
        words = f"--client 127.0.0.1 --port {here} --time {IPERF_S} --parallel 2 --json".split()
        ended = json.loads(run(iperf3, *words, *direction))["end"]
    sent, received = ended["sum_sent"]["bytes"], ended["sum_received"]["bytes"]
    assert 0 < received <= sent
    assert ended["sum_received"]["seconds"] >= IPERF_S / 2


@pytest.mark.exhaustive
def test_pgbench_runs_against_postgresql(tmp_path: Path) -> None:
    if not find_program("initdb"):
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    pgbench, psql = (need(name, "postgresql-client") for name in ("pgbench", "psql"))
    here = free_port()
    with (
        tempfile.TemporaryDirectory() as folder,
        postgresql(Path(folder) / "data") as there,
        forwarding_nodes(tmp_path, [(here, there)]),
    ):
        place = ("--host", "127.0.0.1", "--port", str(here), "--username", "postgres")
        run(pgbench, *place, "--initialize", "--quiet", "postgres")
        clients = f"--client 8 --jobs 2 --transactions {PGBENCH_TRANSACTIONS} --no-vacuum".split()
        for builtin in ("tpcb-like", "select-only"):
            report = run(pgbench, *place, *clients, "--builtin", builtin, "postgres")
            assert "number of failed transactions: 0 (0.000%)" in report
        books = run(
            *(psql, *place, "--no-align", "--tuples-only", "--command"),
            "SELECT (SELECT sum(abalance) FROM pgbench_accounts),"
            " (SELECT sum(delta) FROM pgbench_history), (SELECT count(*) FROM pgbench_history)",
            "postgres",
        )
    balance, deltas, count = (int(figure) for figure in books.split("|"))
    assert balance == deltas
    assert count == 8 * PGBENCH_TRANSACTIONS


@pytest.mark.exhaustive
def test_ab_fetches_1_mb_on_100_connections_at_a_time(tmp_path: Path) -> None:
    ab = need("ab", "apache2-utils")
    with forwarded_files(tmp_path, 2**20) as url:
        said = run(ab, "-q", "-s", f"{PATIENCE_S:g}", "-n", "200", "-c", "100", url)
    assert re.search(r"Complete requests:\s+200\b", said), said
    assert re.search(r"Failed requests:\s+0\b", said), said


@pytest.mark.parametrize("count", [50, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_many_programs_upload_1_mb_each_at_the_same_time(tmp_path: Path, count: int) -> None:
    length = 2**20

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(length)
        writer.write(b"read")
        writer.close()

    async def upload(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(bytes(length))
        answer = await reader.read()
        writer.close()
        return answer

    async def main(here: int, there: int) -> None:
        async with (
            await asyncio.start_server(take, "127.0.0.1", there),
            asyncio.timeout(PATIENCE_S),
        ):
            for _ in range(2):
                answers = await asyncio.gather(*(upload(here) for _ in range(count)))
                assert answers == [b"read"] * count

    here, there = free_port(), free_port()
    with forwarding_nodes(tmp_path, [(here, there)]):
        asyncio.run(main(here, there))
