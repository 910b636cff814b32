"""Where running nodes are found, and what is in the way of it."""

import os
import stat
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from isfc.errors import ConfigurationError
from isfc.live import run_directory as run_module
from isfc.live.endpoint import connect_to, listen_at
from isfc.live.run_directory import (
    control_path,
    find_control,
    private_directory,
    run_directory,
    running_nodes,
    starting,
)
from tests.waiting import PATIENCE_S


@pytest.fixture(name="usual", autouse=True)
def make_usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run directory, of this test only."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "isfc"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_it_is_made_for_its_owner_only(usual: Path) -> None:
    mask = os.umask(0)
    try:
        assert run_directory() == usual
    finally:
        os.umask(mask)
    assert mode(usual) == 0o700
    assert run_directory() == usual


@pytest.mark.parametrize("runtime", [None, "", "relative", "/nowhere/at/all"])
def test_without_a_runtime_directory_it_is_among_temporary_files(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, runtime: str | None
) -> None:
    short = tmp_path_factory.mktemp("t")
    if runtime is None:
        monkeypatch.delenv("XDG_RUNTIME_DIR")
    else:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(short))
    assert run_directory() == short / f"isfc-{os.getuid()}"


def test_temporary_files_too_deep_for_a_socket_are_left_for_tmp(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.gettempdir", lambda: f"/{'deep' * 20}")
    found = run_module._usual()  # noqa: SLF001  # nothing is made there
    assert found == Path(f"/tmp/isfc-{os.getuid()}")


def test_another_may_be_chosen(tmp_path: Path) -> None:
    chosen = tmp_path / "some" / "where"
    assert run_directory(chosen) == chosen
    assert mode(chosen) == 0o700


NOT_OURS = "expected a directory of your own"


def test_directory_that_others_can_write_to_is_refused(usual: Path) -> None:
    """Nodes in it are not looked at, nor those in such a directory within it."""
    run_directory()
    with listen_at(usual / "ATLANTA.control"):
        for wrong in (0o720, 0o702, 0o777):
            usual.chmod(wrong)
            for look in (run_directory, partial(find_control, "ATLANTA")):
                with pytest.raises(ConfigurationError, match="others can write there"):
                    look()
        usual.chmod(0o755)
        assert run_directory() == usual
        private = usual / "up-1"
        private.mkdir()
        private.chmod(0o770)
        with listen_at(private / "BOSTON.control"):
            assert list(running_nodes()) == ["ATLANTA"]
            private.chmod(0o700)
            assert list(running_nodes()) == ["ATLANTA", "BOSTON"]


def test_what_is_no_directory_of_ones_own_is_refused(
    tmp_path: Path, usual: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a link to one followed."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    usual.symlink_to(elsewhere)
    for look in (run_directory, running_nodes):
        with pytest.raises(ConfigurationError, match=NOT_OURS):
            look()
    usual.unlink()
    usual.write_text("")
    with pytest.raises(ConfigurationError, match="cannot be made: File exists"):
        run_directory()
    usual.unlink()
    usual.mkdir(mode=0o700)
    monkeypatch.setattr("os.getuid", lambda: usual.lstat().st_uid + 1)
    with pytest.raises(ConfigurationError, match=NOT_OURS):
        run_directory()


def test_private_directory_comes_and_goes(usual: Path) -> None:
    with private_directory() as first, private_directory() as second:
        assert first != second
        assert {first.parent, second.parent} == {usual}
        assert mode(first) == 0o700
        listen_at(first / "ATLANTA.control").close()
    assert list(usual.iterdir()) == []


def test_private_directory_of_a_killed_process_is_swept_up_by_the_next(usual: Path) -> None:
    code = (
        "import os; from isfc.live.run_directory import private_directory\n"
        "with private_directory() as path: print(path, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False, timeout=60
    )
    left = Path(killed.stdout.strip())
    assert left.parent == usual
    assert left.is_dir()
    with private_directory() as fresh:
        assert list(usual.iterdir()) == [fresh]


def test_nodes_are_found_wherever_they_run(usual: Path) -> None:
    with private_directory() as private:
        paths = [control_path(usual, "ATLANTA"), control_path(private, "BOSTON")]
        with listen_at(paths[0]), listen_at(paths[1]):
            assert running_nodes() == {"ATLANTA": [paths[0]], "BOSTON": [paths[1]]}
            assert find_control("ATLANTA") == paths[0]
            assert find_control("boston") == paths[1]
            assert find_control("BOSTON", private) == paths[1]
            with pytest.raises(ConfigurationError, match=r"AKRON: no .* are ATLANTA, BOSTON$"):
                find_control("AKRON")


def test_no_node_at_all_says_what_starts_some_and_one_that_has_ended_is_told() -> None:
    with pytest.raises(ConfigurationError) as refused:
        find_control("ATLANTA")
    assert str(refused.value) == (
        "ATLANTA: no such node runs; running are none; 'isfc up' or 'isfc node' starts some"
    )
    path = control_path(run_directory(), "ATLANTA")
    listen_at(path).close()
    assert running_nodes() == {}
    with pytest.raises(ConfigurationError, match=f"that node has ended; only {path} is left"):
        find_control("ATLANTA")
    path.unlink()
    path.write_text("")  # what is no socket is no node
    assert running_nodes() == {}


def test_node_that_is_too_busy_to_accept_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    path = control_path(run_directory(), "ATLANTA")
    monkeypatch.setattr("isfc.live.run_directory.connect_to", partial(connect_to, timeout_s=0.05))
    with ExitStack() as stack:
        stack.enter_context(listen_at(path, backlog=1))
        for _ in range(2):  # its queue has one place more than it was asked for
            stack.enter_context(connect_to(path))
        with pytest.raises(TimeoutError):
            connect_to(path, 0.05)
        assert running_nodes() == {"ATLANTA": [path]}
        assert find_control("ATLANTA") == path


def test_two_nodes_of_one_name_have_to_be_told_apart() -> None:
    with private_directory() as first, private_directory() as second:
        places = [control_path(directory, "ATLANTA") for directory in (first, second)]
        with listen_at(places[0]), listen_at(places[1]):
            with pytest.raises(ConfigurationError) as refused:
                find_control("ATLANTA")
            assert "2 nodes of that name run; say which with --run-dir" in str(refused.value)
            assert str(first) in str(refused.value)
            assert find_control("ATLANTA", second) == places[1]


def test_node_that_has_ended_hides_none_that_runs() -> None:
    listen_at(control_path(run_directory(), "ATLANTA")).close()
    with private_directory() as private, listen_at(control_path(private, "ATLANTA")):
        assert find_control("ATLANTA").parent == private


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_directory_that_another_user_has_made_is_not_trusted(usual: Path) -> None:
    usual.mkdir(mode=0o700)
    with listen_at(usual / "ATLANTA.control"):
        os.chown(usual, 65_534, 65_534)
        with pytest.raises(ConfigurationError, match=NOT_OURS):
            find_control("ATLANTA")
        os.chown(usual, 0, 0)
        os.chown(usual / "ATLANTA.control", 65_534, 65_534)
        assert running_nodes() == {}


def test_nodes_of_a_name_are_started_by_one_at_a_time(usual: Path) -> None:
    for _ in range(2):
        with starting(["A", "B"]):
            said = pytest.raises(ConfigurationError, match="B is being started by another")
            with said, starting(["C", "B"]):
                pass
            with starting(["C"]):
                pass
    assert not list(usual.iterdir())


def test_of_many_who_start_at_the_same_time_one_does() -> None:
    """Also while the file of one that ends goes: who then holds what is gone tries again."""
    inside: list[int] = []
    overlaps: list[int] = []

    def start(number: int) -> None:
        for _ in range(200):
            try:
                with starting(["A"]):
                    inside.append(number)
                    overlaps.append(len(inside))
                    inside.remove(number)
            except ConfigurationError:
                continue

    threads = [Thread(target=start, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert overlaps
    assert set(overlaps) == {1}
