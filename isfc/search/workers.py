"""Work shared out among processes, which end with the one that started them."""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from multiprocessing import current_process, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread, current_thread, main_thread
from typing import Final, TypeVar

from isfc.errors import ConfigurationError
from scenarios.runs.saturation import RunEach

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_CONTEXT: Final = get_context("spawn")
"""New processes, not copies: a copy made while a progress bar's thread runs may hang."""

_UNGUARDED: Final = 78
"""Exit code of a worker that ran its caller's script: it would start workers of its own."""


def share_out(
    work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int
) -> Generator[tuple[int, _Result], None, None]:
    """Do ``work`` on every item, ``jobs`` at a time; yield (index of the item, result).

    Results come as they are ready. The workers end when all is done, when the iterator is
    closed and when anything, Ctrl-C included, breaks it off; they see no Ctrl-C themselves.
    If this process is killed, by whatever signal, they end in the middle of their work.
    Raises `ChildProcessError` when one of them dies. To be used in any thread, by a script below
    ``if __name__ == "__main__":``, as a new process runs the script for its names.
    """
    if getattr(current_process(), "_inheriting", False):
        raise SystemExit(_UNGUARDED)
    waiting = deque(enumerate(items))
    staff: list[BaseProcess] = []
    busy: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(min(jobs, len(items))):
            connection, process = _hire(work, staff)
            busy[connection] = process
            connection.send(waiting.popleft())
        while busy:
            for line in wait(list(busy)):
                assert isinstance(line, Connection)
                try:
                    answer = line.recv()
                    if waiting:
                        line.send(waiting.popleft())
                    else:
                        busy.pop(line)
                        line.close()  # which tells the worker that there is no more to do
                except (EOFError, ConnectionError):
                    raise _death(busy[line]) from None
                yield answer
    except BaseException:
        for process in staff:
            process.terminate()
        raise
    finally:
        for process in staff:
            process.join()


def check_jobs(jobs: int) -> None:
    """Raise `ConfigurationError` for less than one process."""
    if jobs < 1:
        raise ConfigurationError(f"jobs {jobs}: expected 1 or more processes")


def shared_out(
    work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int
) -> Iterator[tuple[int, _Result]]:
    """As `share_out`; with one job in this process."""
    if jobs == 1:
        yield from enumerate(map(work, items))
    elif items:
        with closing(share_out(work, items, jobs)) as answers:
            yield from answers


def each_by(jobs: int) -> RunEach:
    """Does every run, ``jobs`` at a time, and gives what came of them in their order."""

    def run_each(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        found = dict(shared_out(work, items, jobs))
        return [found[index] for index in range(len(items))]

    return run_each


def _hire(
    work: Callable[[_Item], _Result], staff: list[BaseProcess]
) -> tuple[Connection, BaseProcess]:
    """A new worker, and the line to it."""
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=serve, args=(theirs, work), daemon=True)
    with _interrupts_held():
        process.start()
        staff.append(process)
    theirs.close()
    return ours, process


def serve(connection: Connection, work: Callable[[_Item], _Result]) -> None:
    """What a worker does: item in, result out, until nobody is there any more."""
    if not hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            index, item = connection.recv()
            connection.send((index, work(item)))


def _end_with_parent() -> None:
    """End the process when the one that started it has ended, by whatever cause."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)  # immediately, whatever its main thread does


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C waiting; a process started meanwhile never sees it.

    The mask is for the new process, which inherits it. It does not do for this one, where the
    signal may come to another thread and still break off what the main thread does. Any other
    thread is never broken off.
    """
    with _handler_held() if current_thread() is main_thread() else nullcontext():
        if not hasattr(signal, "pthread_sigmask"):  # Windows: `serve` ignores it from its start on
            yield
            return
        resource_tracker.ensure_running()  # would undo the mask, at its own start
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def _handler_held() -> Iterator[None]:
    """Let what Ctrl-C does wait. Only the main thread may say so."""
    held: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            signal.raise_signal(signal.SIGINT)


def _death(process: BaseProcess) -> ChildProcessError:
    """Why a worker died, as far as its exit code tells."""
    process.join()
    code = process.exitcode or 0
    if code == _UNGUARDED:
        return ChildProcessError(
            "each worker runs the script that called: put the call below "
            "'if __name__ == \"__main__\":', or run with jobs=1"
        )
    return ChildProcessError(
        f"a worker died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
    )
