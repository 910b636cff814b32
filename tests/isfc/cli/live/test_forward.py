"""``--forward`` on the command line: one connection that is carried, and what fails."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.live.cluster_member import LAYOUT as CLUSTER
from tests.live.cluster_member import NAMES
from tests.live.forwarded import Digest, answers, forwarding_nodes, free_port, say, service
from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import isfc
from tests.waiting import wait_for

DATA = b"over the link\n" * 1_000
DIGEST = sha256(DATA).hexdigest().encode()


@pytest.mark.slow
def test_a_connection_is_carried_and_what_fails_is_said(tmp_path: Path) -> None:
    with service(Digest) as there:
        port, nobody, free = free_port(), free_port(), free_port()
        ports = [(port, there), (nobody, free)]
        with forwarding_nodes(tmp_path, ports, "--verify") as both:
            assert say(port, DATA) == DIGEST
            with pytest.raises(ConnectionResetError):
                say(nobody, b"hello")
            complaint = f"127.0.0.1:{free}: Connection refused"
            wait_for(lambda: all(complaint in node.err for node in both), "complaints")
        for node in both:
            assert "messages, all as they were sent" in node.err


@pytest.mark.slow
def test_a_pair_forwards_in_either_direction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with service(Digest) as there:
        out, back = free_port(), free_port()
        forwards = ["--forward", f"{FIRST}:{out}={SECOND}:127.0.0.1:{there}"]
        forwards += ["--forward", f"{SECOND}:{back}={FIRST}:127.0.0.1:{there}"]
        with isfc(tmp_path, "up", LAYOUT, "--plain", *forwards) as up:
            wait_for(lambda: answers(out) and answers(back), "both ports")
            assert say(out, DATA) == say(back, DATA) == DIGEST
            assert up.end() == 0, up.err


WAYS = [(a, b) for a in NAMES for b in NAMES if a != b]


@pytest.mark.slow
@pytest.mark.parametrize("ways", [WAYS, WAYS[:1]], ids=["all", "one"])
def test_three_systems_forward_over_any_of_their_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ways: list[tuple[str, str]]
) -> None:
    """A system that no forward concerns runs beside those that forward."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with service(Digest) as there:
        ports = {free_port(): way for way in ways}
        words = [
            word
            for port, (here, partner) in ports.items()
            for word in ("--forward", f"{here}:{port}={partner}:127.0.0.1:{there}")
        ]
        with isfc(tmp_path, "up", CLUSTER, "--plain", *words) as up:
            wait_for(lambda: all(map(answers, ports)), "every port")
            assert {say(port, DATA) for port in ports} == {DIGEST}
            assert up.end() == 0, up.err
