"""Where a node waits for its partner."""

import asyncio
import socket
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.live.endpoint import TcpEndpoint, UnixEndpoint
from isfc.live.listen import listening_sockets


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        endpoint = TcpEndpoint("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(OSError, match="Address already in use") as raised:
            asyncio.run(listening_sockets(endpoint, 1))
    assert raised.value.filename == f"--listen {endpoint}"


def test_a_host_that_is_none_is_named() -> None:
    with pytest.raises(OSError, match=r"--listen nosuch\.invalid:7000"):
        asyncio.run(listening_sockets(TcpEndpoint("nosuch.invalid", 7000), 1))


def test_a_file_that_is_no_socket_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("precious")
    with pytest.raises(ConfigurationError, match="is no socket"):
        asyncio.run(listening_sockets(UnixEndpoint(str(path)), 1))
    assert path.read_text() == "precious"


def test_every_address_of_a_host_is_listened_on() -> None:
    listeners = asyncio.run(listening_sockets(TcpEndpoint("localhost", 0), 1))
    found = socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)
    assert len(listeners) == len({address for *_, address in found})
    for listener in listeners:
        assert listener.getblocking() is False
        listener.close()
