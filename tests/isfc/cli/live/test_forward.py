"""``--forward`` on the command line: what is wrong with it, and one connection carried."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from isfc.cli.live.options import LiveOptions
from isfc.cli.options.option import words_of
from isfc.errors import ConfigurationError
from tests.isfc.cli.conftest import Refusal
from tests.live.forwarded import answers, forwarding_nodes, free_port, say
from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import isfc
from tests.waiting import PATIENCE_S, wait_for


class Upper(socketserver.StreamRequestHandler):
    """Answers in capitals once its client has ended."""

    def handle(self) -> None:
        self.wfile.write(self.rfile.read().upper())


@contextmanager
def upper_service() -> Iterator[int]:
    """The service in a thread; its port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Upper) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.mark.slow
def test_a_connection_is_carried_and_what_fails_is_said(tmp_path: Path) -> None:
    with upper_service() as service:
        port, nobody, free = free_port(), free_port(), free_port()
        ports = [(port, service), (nobody, free)]
        with forwarding_nodes(tmp_path, ports, "--verify") as (first, second):
            assert say(port, b"over the link\n" * 1_000) == b"OVER THE LINK\n" * 1_000
            with pytest.raises(ConnectionResetError):
                say(nobody, b"hello")
            complaint = f"127.0.0.1:{free}: Connection refused"
            wait_for(lambda: complaint in first.err and complaint in second.err, "complaints")
        for node in (first, second):
            assert "messages, all as they were sent" in node.err


@pytest.mark.slow
def test_a_pair_forwards_in_either_direction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with upper_service() as service:
        out, back = free_port(), free_port()
        forwards = [f"{FIRST}:{out}={SECOND}:127.0.0.1:{service}"]
        forwards += [f"{SECOND}:{back}={FIRST}:127.0.0.1:{service}"]
        words = [word for text in forwards for word in ("--forward", text)]
        with isfc(tmp_path, "up", LAYOUT, "--plain", *words) as up:
            for port in (out, back):
                wait_for(partial(answers, port), f"port {port}")
                assert say(port, b"over the link\n" * 1_000) == b"OVER THE LINK\n" * 1_000
            assert up.end() == 0, up.err


@pytest.mark.slow
def test_a_pair_says_which_forward_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with isfc(tmp_path, "up", LAYOUT, "--plain", "--forward", "ATLANTA:1=CHICAGO:h:1") as up:
        assert up.exit_code() == 2
        assert "expected one of ATLANTA and BOSTON on each side" in up.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--forward", "ATLANTA:1=BOSTON:1"], "expected NODE:PORT=NODE:HOST:PORT"),
        (["--forward", "ATLANTA:1=CHICAGO:h:1"], "expected one of ATLANTA and BOSTON"),
        (
            ["--forward", "ATLANTA:1=BOSTON:h:1", "--workload", "HS", "--pairs", "1"],
            "--forward: expected no --workload beside it",
        ),
    ],
)
def test_a_bad_forward_is_bad_input(
    words: list[str], why: str, tmp_path: Path, refusal: Refusal
) -> None:
    link = f"unix:{tmp_path / 'link'}"
    assert why in refusal("node", FIRST, LAYOUT, "--listen", link, *words)


def test_forwards_reach_the_processes_of_a_pair() -> None:
    forwards = ["ATLANTA:1=BOSTON:h:1", "BOSTON:2=ATLANTA:h:2"]
    words = words_of(LiveOptions(forward=forwards))
    assert words[-4:] == ["--forward", forwards[0], "--forward", forwards[1]]
    with pytest.raises(ConfigurationError, match="no --workload"):
        LiveOptions(workload="HS", pairs=1, forward=forwards)
