"""Where running nodes are found: a directory of this user's, with ``NAME.control`` for each node.

``$XDG_RUNTIME_DIR/isfc``, or ``isfc-UID`` in the directory for temporary files where there is
none; in ``/tmp`` if a socket in that would have too long a path. Each ``isfc up`` has a directory
of its own in it, so that two of them may run the same layout.
"""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.in_words import naming
from isfc.live.endpoint import PATH_LENGTH_MAX, connect_to

CONTROL_SUFFIX: Final = ".control"
PRIVATE_PREFIX: Final = "up-"
_LOCK: Final = "lock"
_STARTING_SUFFIX: Final = ".starting"
_LOOK_S: Final = 0.05
_TEMPORARY_LENGTH_MAX: Final = PATH_LENGTH_MAX - len(
    "/isfc-4294967295/up-12345678/NAMENAME.control"
)
"""Bytes of the directory for temporary files, with room for the path of a socket below it."""
_FOREIGN_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def control_path(directory: Path, name: str) -> Path:
    """Where the node of that name has its control socket."""
    return directory / f"{name}{CONTROL_SUFFIX}"


def again_path(directory: Path, name: str) -> Path:
    """What is there when an ``isfc up`` is to start the node of that name again."""
    return directory / f"{name}.again"


def lost_path(directory: Path) -> Path:
    """Where an ``isfc up`` has the names of the pieces of hardware that are lost, one on a line."""
    return directory / "lost"


def run_directory(chosen: Path | None = None) -> Path:
    """The run directory, made if it is not there; ``chosen`` instead of the usual one.

    Raises `ConfigurationError` when it is not ours alone to write to.
    """
    directory = _usual() if chosen is None else chosen.absolute()
    try:
        directory.mkdir(mode=0o700, parents=chosen is not None, exist_ok=True)
        found = directory.lstat()
    except OSError as error:
        raise ConfigurationError(f"{directory}: cannot be made: {error.strerror}") from None
    fault = _fault(found)
    if fault is not None:
        raise ConfigurationError(f"{directory}: {fault}")
    return directory


@contextmanager
def private_directory() -> Iterator[Path]:
    """A fresh directory in the run directory, which goes with the block.

    Those of processes that were killed go as well: nobody holds a lock on them any more.
    """
    usual = run_directory()
    for lock in usual.glob(f"{PRIVATE_PREFIX}*/{_LOCK}"):
        with suppress(OSError), _locked(lock):
            shutil.rmtree(lock.parent)
    directory = Path(tempfile.mkdtemp(prefix=PRIVATE_PREFIX, dir=usual))
    try:
        lock = directory / f"{_LOCK}.new"
        lock.touch(mode=0o600)
        with naming(lock):
            lock.write_text(f"{os.getpid()}\n", "ascii")
        with _locked(lock):
            lock.rename(directory / _LOCK)  # found by others only once it is held
            yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


class RunningGroup(Struct, frozen=True):
    """An ``isfc up`` that runs: the process, its directory, and the nodes that are there yet."""

    pid: int
    directory: Path
    names: tuple[str, ...]


def running_groups() -> list[RunningGroup]:
    """Every one that runs."""
    found = []
    for lock in sorted(path for d in _own_directories(None) for path in d.glob(_LOCK)):
        with suppress(OSError, ValueError):
            if _is_held(lock):
                names = sorted(path.stem for path in lock.parent.glob(f"*{CONTROL_SUFFIX}"))
                found.append(RunningGroup(int(lock.read_text("ascii")), lock.parent, (*names,)))
    return found


@contextmanager
def starting(names: Iterable[str]) -> Iterator[None]:
    """Be the only one that starts nodes of these names in the usual run directory.

    Raises `ConfigurationError` when another process is doing so at the moment.
    """
    directory = run_directory()
    with ExitStack() as stack:
        for name in sorted(names):
            try:
                stack.enter_context(_claimed(directory / f"{name}{_STARTING_SUFFIX}"))
            except BlockingIOError:
                raise ConfigurationError(
                    f"{name} is being started by another 'isfc up --detach'; "
                    "'isfc up LAYOUT --end' ends what it starts"
                ) from None
        yield


@contextmanager
def _claimed(path: Path) -> Iterator[None]:
    """Hold a file that is there for so long only; `BlockingIOError` if somebody else does."""
    while True:
        path.touch(mode=0o600)
        with suppress(FileNotFoundError), _locked(path) as descriptor:
            if path.lstat().st_ino != os.fstat(descriptor).st_ino:
                continue  # who held it has taken it away, and there may be another by now
            try:
                yield
            finally:
                path.unlink()
            return


def running_nodes(chosen: Path | None = None) -> dict[str, list[Path]]:
    """The control sockets of the nodes that run, by their names.

    Raises `ConfigurationError` when the run directory is not ours alone to write to: whoever
    made it would be given our commands.
    """
    running: dict[str, list[Path]] = {}
    for path in sorted(_control_paths(chosen)):
        if _runs(path):
            running.setdefault(path.stem, []).append(path)
    return running


def find_control(name: str, chosen: Path | None = None, patience_s: float = 0) -> Path:
    """The control socket of the one running node of that name; so long it may take to appear.

    Raises `ConfigurationError` when there is none, or more than one.
    """
    name = name.upper()
    end_s = time.monotonic() + patience_s
    while True:
        running = running_nodes(chosen)
        paths = running.get(name, [])
        if paths or time.monotonic() >= end_s:
            break
        time.sleep(_LOOK_S)
    if len(paths) == 1:
        return paths[0]
    if paths:
        directories = ", ".join(str(path.parent) for path in paths)
        raise ConfigurationError(
            f"{name[:40]}: {len(paths)} nodes of that name run; say which with --run-dir, "
            f"one of {directories}"
        )
    left = [path for path in _control_paths(chosen) if path.stem == name]
    if left:
        raise ConfigurationError(f"{name}: that node has ended; only {left[0]} is left of it")
    others = ", ".join(running) or "none; 'isfc up' or 'isfc node' starts some"
    raise ConfigurationError(f"{name[:40]}: no such node runs; running are {others}")


def _usual() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if Path(runtime).is_absolute() and Path(runtime).is_dir():
        return Path(runtime, "isfc")
    usual = tempfile.gettempdir()
    temporary = usual if len(os.fsencode(usual)) <= _TEMPORARY_LENGTH_MAX else "/tmp"
    return Path(temporary, f"isfc-{os.getuid()}")


def _control_paths(chosen: Path | None) -> list[Path]:
    """Sockets of this user's, in the run directory and in the private ones within it."""
    paths = [p for d in _own_directories(chosen) for p in d.glob(f"*{CONTROL_SUFFIX}")]
    return [path for path in paths if path.lstat().st_uid == os.getuid()]


def _own_directories(chosen: Path | None) -> list[Path]:
    """The run directory, if it is there, and the private ones within it, if nobody else can write.

    Raises `ConfigurationError` when the run directory is not ours alone to write to.
    """
    directory = _usual() if chosen is None else chosen.absolute()
    try:
        fault = _fault(directory.lstat())
    except OSError:
        return []
    if fault is not None:
        raise ConfigurationError(f"{directory}: {fault}")
    private = directory.glob(f"{PRIVATE_PREFIX}*")
    return [directory, *(path for path in private if _fault(path.lstat()) is None)]


def _fault(found: os.stat_result) -> str | None:
    """Why a directory is not to be trusted; None if it is."""
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return "expected a directory of your own"
    if found.st_mode & _FOREIGN_WRITE:
        return "others can write there; expected mode 0700"
    return None


def _runs(path: Path) -> bool:
    """Whether somebody listens there."""
    try:
        connect_to(path).close()
    except TimeoutError:
        return True  # it is very busy
    except OSError:
        return False
    return True


def _is_held(lock: Path) -> bool:
    """Whether a process has the lock, and so is still there."""
    try:
        with _locked(lock):
            return False
    except BlockingIOError:
        return True


@contextmanager
def _locked(lock: Path) -> Iterator[int]:
    """Hold the lock of a file, whose descriptor this is; `OSError` if somebody else does."""
    import fcntl  # Windows has none

    descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)
