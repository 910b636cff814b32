"""Addresses of nodes."""

import asyncio
import os
import socket
import stat
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.live.endpoint import (
    PATH_LENGTH_MAX,
    TcpEndpoint,
    UnixEndpoint,
    connect_to,
    is_left_over,
    listen_at,
    listening_sockets,
    parse_endpoint,
    peer_uid,
)


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("unix:/run/isfc/link", UnixEndpoint("/run/isfc/link")),
        ("127.0.0.1:7000", TcpEndpoint("127.0.0.1", 7000)),
        ("boston.example.com:7000", TcpEndpoint("boston.example.com", 7000)),
        ("[::1]:0", TcpEndpoint("::1", 0)),
    ],
)
def test_an_address_reads_back_as_it_is_written(
    text: str, endpoint: UnixEndpoint | TcpEndpoint
) -> None:
    assert parse_endpoint(text) == endpoint
    assert str(endpoint) == text


@pytest.mark.parametrize(
    "text", ["", "unix:", "7000", "host", "host:", ":7000", "a:65536", "a:b:1"]
)
def test_what_is_no_address_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"expected unix:PATH, HOST:PORT"):
        parse_endpoint(text)


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("127.0.0.1:1", True),
        ("127.8.9.1:1", True),
        ("[::1]:1", True),
        ("localhost:1", True),
        ("0.0.0.0:1", False),
        ("10.0.0.1:1", False),
        ("[::]:1", False),
        ("boston:1", False),
    ],
)
def test_only_what_stays_on_this_machine_is_private(text: str, *, private: bool) -> None:
    endpoint = parse_endpoint(text)
    assert isinstance(endpoint, TcpEndpoint)
    assert endpoint.private is private


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
def test_a_host_that_nobody_could_look_up_is_refused_at_once(host: str) -> None:
    with pytest.raises(ConfigurationError, match="is no host: expected an address"):
        parse_endpoint(f"{host}:7700")


def test_a_path_that_no_socket_can_have_is_refused() -> None:
    assert parse_endpoint("unix:/" + "x" * 106) == UnixEndpoint("/" + "x" * 106)
    with pytest.raises(ConfigurationError, match="a path of 108 bytes"):
        parse_endpoint("unix:/" + "x" * 107)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        endpoint = TcpEndpoint("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(OSError, match="Address already in use") as raised:
            asyncio.run(listening_sockets(endpoint, 1))
    assert raised.value.filename == f"--listen {endpoint}"


def test_a_host_that_is_none_is_named() -> None:
    with pytest.raises(OSError, match=r"--listen nosuch\.invalid:7000"):
        asyncio.run(listening_sockets(TcpEndpoint("nosuch.invalid", 7000), 1))


def test_every_address_of_a_host_is_listened_on() -> None:
    listeners = asyncio.run(listening_sockets(TcpEndpoint("localhost", 0), 1))
    found = socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)
    assert len(listeners) == len({address for *_, address in found})
    for listener in listeners:
        assert listener.getblocking() is False
        listener.close()


@pytest.fixture(name="path")
def make_path(tmp_path: Path) -> Path:
    return tmp_path / "ATLANTA.control"


def test_only_the_owner_may_use_it_and_it_tells_whose_process_connects(path: Path) -> None:
    mask = os.umask(0)
    try:
        listener = listen_at(path)
    finally:
        os.umask(mask)
    with listener, connect_to(path) as connection:
        assert stat.S_IMODE(path.lstat().st_mode) == 0o600
        accepted, _ = listener.accept()
        with accepted:
            assert peer_uid(accepted) == peer_uid(connection) == os.getuid()


def test_two_cannot_listen_at_one_place_but_a_socket_left_over_is_replaced(path: Path) -> None:
    assert not is_left_over(path)
    with pytest.raises(FileNotFoundError):
        connect_to(path)
    with listen_at(path), pytest.raises(ConfigurationError, match="runs already"):
        listen_at(path)
    assert path.exists()
    assert is_left_over(path)
    with pytest.raises(ConnectionRefusedError):
        connect_to(path)
    with listen_at(path) as listener, connect_to(path):
        listener.accept()[0].close()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_left_alone(path: Path, kind: str) -> None:
    if kind == "file":
        path.write_text("precious")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path.parent / "elsewhere")
    with pytest.raises(ConfigurationError, match="is no socket"):
        listen_at(path)
    assert path.is_symlink() or path.exists()


def test_place_that_cannot_be_used_is_said_and_leaves_no_socket_open(tmp_path: Path) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    for use in (listen_at, connect_to):
        with pytest.raises(ConfigurationError, match=r"too long .*--run-dir"):
            use(tmp_path / ("x" * PATH_LENGTH_MAX))
    with pytest.raises(ConfigurationError, match=r"nowhere: cannot be used: No such file"):
        listen_at(tmp_path / "nowhere" / "ATLANTA.control")
    assert set(Path("/proc/self/fd").iterdir()) == before


def test_path_may_have_any_length_up_to_the_limit() -> None:
    # the limit is the system's: one byte more does not fit
    with socket.socket(socket.AF_UNIX) as probe, pytest.raises(OSError, match="too long"):
        probe.bind("/tmp/" + "x" * (PATH_LENGTH_MAX - 4))
