"""The socket of a node's control: whose it is, and what becomes of one that is left over."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.live.endpoint import PATH_LENGTH_MAX, connect_to, is_left_over, listen_at, peer_uid


@pytest.fixture(name="path")
def make_path(tmp_path: Path) -> Path:
    return tmp_path / "ATLANTA.control"


def test_only_the_owner_may_use_it(path: Path) -> None:
    mask = os.umask(0)
    try:
        with listen_at(path):
            assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    finally:
        os.umask(mask)


def test_it_tells_whose_process_connects(path: Path) -> None:
    with listen_at(path) as listener, connect_to(path) as connection:
        accepted, _ = listener.accept()
        with accepted:
            assert peer_uid(accepted) == peer_uid(connection) == os.getuid()


def test_two_cannot_listen_at_one_place(path: Path) -> None:
    with listen_at(path), pytest.raises(ConfigurationError, match="runs already"):
        listen_at(path)


def test_socket_left_over_is_replaced(path: Path) -> None:
    listen_at(path).close()
    assert path.exists()
    assert is_left_over(path)
    with listen_at(path) as listener, connect_to(path):
        listener.accept()[0].close()


def test_socket_of_a_killed_process_is_left_over(path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from isfc.live.endpoint import listen_at\n"
        "kept = listen_at(Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=60)
    assert is_left_over(path)


def test_nothing_is_not_left_over(path: Path) -> None:
    assert not is_left_over(path)


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


def test_path_that_is_too_long_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / ("x" * PATH_LENGTH_MAX)
    for use in (listen_at, connect_to):
        with pytest.raises(ConfigurationError, match="--run-dir"):
            use(path)


def test_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere: cannot be used: No such file"):
        listen_at(tmp_path / "nowhere" / "ATLANTA.control")


def test_nobody_there_is_an_error_of_the_system(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        connect_to(path)
    listen_at(path).close()
    with pytest.raises(ConnectionRefusedError):
        connect_to(path)


def test_failed_listener_leaves_no_socket_open(tmp_path: Path) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    with pytest.raises(ConfigurationError):
        listen_at(tmp_path / "nowhere" / "a.control")
    with pytest.raises(ConfigurationError, match="too long"):
        listen_at(tmp_path / ("x" * 200))
    assert set(Path("/proc/self/fd").iterdir()) == before


def test_path_may_have_any_length_up_to_the_limit() -> None:
    # the limit is the system's: one byte more does not fit
    with socket.socket(socket.AF_UNIX) as probe, pytest.raises(OSError, match="too long"):
        probe.bind("/tmp/" + "x" * (PATH_LENGTH_MAX - 4))
