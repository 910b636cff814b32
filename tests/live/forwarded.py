"""Two ``isfc node`` processes that forward a TCP port, for programs nobody here wrote."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import Isfc, isfc
from tests.waiting import wait_for


def free_port() -> int:
    """A TCP port that nobody uses at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def answers(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def forwarding_nodes(
    folder: Path, ports: Sequence[tuple[int, int]], *words: str, module: str = "isfc"
) -> Iterator[tuple[Isfc, Isfc]]:
    """Both systems; each (listening port at the first, service's port) is forwarded."""
    node = partial(isfc, folder, "node", module=module)
    link = f"unix:{folder / 'link'}"
    words = ("--run-dir", str(folder), *words)
    forwards = [
        word
        for here, there in ports
        for word in ("--forward", f"{FIRST}:{here}={SECOND}:127.0.0.1:{there}")
    ]
    with (
        node(FIRST, LAYOUT, "--listen", link, *forwards, *words) as first,
        node(SECOND, LAYOUT, "--connect", link, *forwards, *words) as second,
    ):
        # the link's socket comes last: by then the ports are there
        file = folder / "link"
        wait_for(lambda: file.exists() or first.process.poll() is not None, "the link")
        assert file.exists(), first.err
        yield first, second
        for each in (first, second):
            assert each.end() == 0, each.err


def say(port: int, data: bytes) -> bytes:
    """Send bytes to a TCP service, end our half, and return all it answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        answer = bytearray()
        while piece := connection.recv(65_536):
            answer += piece
    return bytes(answer)
