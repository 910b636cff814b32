"""Commands whose output nobody reads: the link goes on, and Ctrl-C ends them."""

import fcntl
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.isfc_process import start
from tests.live.forwarded import answers, free_port
from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import isfc
from tests.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.slow

LINES_COUNT = 300
"""Complaints of some 100 bytes, where the pipe takes 4 KiB."""


@contextmanager
def unread(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command whose stdout and stderr are pipes that take a page, and that nobody reads."""
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    process = start(
        *words,
        environment={"XDG_RUNTIME_DIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        os.close(ours)


def complain(port: int) -> None:
    """Let a forward say that its service does not answer."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.recv(1)


def test_a_node_goes_on_and_ends_while_nobody_reads_its_log(tmp_path: Path) -> None:
    here, nobody = free_port(), free_port()
    link = f"unix:{tmp_path / 'link'}"
    words = ("--run-dir", str(tmp_path), "--forward", f"{FIRST}:{here}={SECOND}:127.0.0.1:{nobody}")
    with (
        unread(tmp_path, "node", FIRST, LAYOUT, "--listen", link, *words) as first,
        isfc(tmp_path, "node", SECOND, LAYOUT, "--connect", link, *words) as second,
    ):
        wait_for(lambda: answers(here), "the port")
        for _ in range(LINES_COUNT):
            complain(here)
        with isfc(tmp_path, "cp", FIRST, "QUERY ISLINK", "--run-dir", str(tmp_path)) as asked:
            assert asked.exit_code() == 0, asked.err
        first.send_signal(signal.SIGINT)
        assert first.wait(PATIENCE_S) == 0
        assert second.end() == 0


def test_ctrl_c_ends_a_pair_whose_view_nobody_reads(tmp_path: Path) -> None:
    here, nobody = free_port(), free_port()
    forward = f"{FIRST}:{here}={SECOND}:127.0.0.1:{nobody}"
    with unread(tmp_path, "up", LAYOUT, "--plain", "--forward", forward) as pair:
        wait_for(lambda: answers(here), "the port")
        for _ in range(LINES_COUNT):
            complain(here)
        pair.send_signal(signal.SIGINT)
        assert pair.wait(PATIENCE_S) == 0
