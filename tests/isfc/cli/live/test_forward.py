"""``--forward`` on the command line: one connection that is carried, and what fails."""

from hashlib import sha256
from pathlib import Path

import pytest

from isfc.cli.live.options import LiveOptions
from isfc.cli.options.option import words_of
from tests.live.forwarded import Digest, forwarding_nodes, free_port, say, service
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


def test_forwards_reach_the_processes_of_a_pair() -> None:
    forwards = ["ATLANTA:1=BOSTON:h:1", "BOSTON:2=ATLANTA:h:2"]
    words = words_of(LiveOptions(forward=forwards))
    assert words[-4:] == ["--forward", forwards[0], "--forward", forwards[1]]
