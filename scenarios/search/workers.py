"""Work shared out among processes, which end with the one that started them, or over a cluster."""

import gc
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from importlib import import_module
from multiprocessing import current_process, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from operator import call
from threading import Thread, active_count, current_thread, main_thread
from typing import Any, Final, TypeVar, cast
from urllib.parse import urlsplit

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.loading import check_library
from scenarios.runs.experiment import RunEach

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_GENERATION_SIZES: Final = (50_000, 10, 10)
"""When Python's collector runs, in a process that runs links: objects made, runs of the generation
below. Messages under way come and go by hundreds, so that its own 700 has it look through a run
again and again, for a tenth of the run's time, and there is no garbage before the run ends."""

_UNGUARDED: Final = 78
"""Exit code of a worker that ran its caller's script: it would start workers of its own."""


def shared_out(
    work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int
) -> Generator[tuple[int, _Result], None, None]:
    """Do ``work`` on every item, ``jobs`` at a time; yield (index of the item, result).

    Results come as they are ready. The workers end when all is done, when the iterator is
    closed and when anything, Ctrl-C included, breaks it off; they see no Ctrl-C themselves.
    If this process is killed, by whatever signal, they end in the middle of their work.
    Raises `ConfigurationError` as ``work`` does, and `ChildProcessError` when a worker dies. To be
    used in any thread, by a script below ``if __name__ == "__main__":``, as a new process runs the
    script for its names. With one job it is done in this process.
    """
    if jobs == 1:
        yield from enumerate(map(work, items))
    elif items:
        with staffed(work, jobs) as each:
            yield from each(items)


@contextmanager
def staffed(
    work: Callable[[_Item], _Result], jobs: int, *, copies: int = 0
) -> Iterator[Callable[[Sequence[_Item]], Iterator[tuple[int, _Result]]]]:
    """As `shared_out`, for items that come in several lots, each to its end.

    So many ``copies`` of this process begin now, where that can be: they have loaded what it has.
    Others are new processes, and begin when there is work.
    """
    if getattr(current_process(), "_inheriting", False):
        raise SystemExit(_UNGUARDED)
    staff: list[BaseProcess] = []
    lines: dict[Connection, BaseProcess] = {}

    def hire(count: int, method: str) -> None:
        while len(lines) < count:
            connection, process = _hire(work, staff, method)
            lines[connection] = process

    def each(items: Sequence[_Item]) -> Iterator[tuple[int, _Result]]:
        hire(min(jobs, len(items)), "spawn")
        yield from _shared(lines, items)

    try:
        # of several threads one may hold a lock; on macOS so may a library that has been loaded
        if sys.platform == "linux" and hasattr(os, "fork") and active_count() == 1:
            hire(min(jobs, copies), "fork")
        yield each
        for line in lines:
            with suppress(ConnectionError):
                line.send(None)  # there is no more to do
    except BaseException:
        for process in staff:
            process.terminate()
        raise
    finally:
        for process in staff:
            process.join()


def _shared(
    lines: Mapping[Connection, BaseProcess], items: Sequence[_Item]
) -> Iterator[tuple[int, Any]]:
    """The items' results, of workers at the ends of the lines."""
    waiting = deque(enumerate(items))
    busy = [*lines][: len(items)]
    for line in busy:
        with _deaths(lines[line]):
            line.send(waiting.popleft())
    while busy:
        for line in cast(list[Connection], wait(busy)):  # Windows' are of another class
            with _deaths(lines[line]):
                answer = line.recv()
                if waiting:
                    line.send(waiting.popleft())
                else:
                    busy.remove(line)
            if isinstance(answer[1], ConfigurationError):
                raise answer[1]
            yield answer


Calls = Callable[[Sequence[Callable[[], _Result]]], Iterator[tuple[int, _Result]]]
"""Makes calls; gives (index of the call, result) as they are ready."""


@contextmanager
def calling(jobs: int) -> Iterator[Calls[Any]]:
    """What makes calls, ``jobs`` at a time by processes that stay; with one job in this process."""
    if jobs == 1:
        yield lambda calls: enumerate(map(call, calls))
    else:
        with staffed(call, jobs) as each:
            yield each


_RUNNER: ContextVar[RunEach | None] = ContextVar("who does runs", default=None)

Interrupted = Callable[[float], str]
"""What to say after Ctrl-C, of how much was done."""

Bar = Callable[[float, str, Interrupted], AbstractContextManager[Callable[[float], None]]]
"""Shows how much of a total is done, in a unit; gives what is to be told that."""

_BAR: ContextVar[Bar | None] = ContextVar("who shows how far it is", default=None)


@contextmanager
def running_by(run_each: RunEach | None, bar: Bar | None = None) -> Iterator[None]:
    """While the body runs, let ``run_each`` do runs, and ``bar`` show what is done in other ways.

    As a command has it, on a terminal.
    """
    tokens = _RUNNER.set(run_each), _BAR.set(bar)
    try:
        yield
    finally:
        _RUNNER.reset(tokens[0])
        _BAR.reset(tokens[1])


@contextmanager
def told(total: float, unit: str, interrupted: Interrupted) -> Iterator[Callable[[float], None]]:
    """What is to be told how much is done while the body runs; `running_by` says who shows it."""
    if (bar := _BAR.get()) is None:
        yield lambda _: None
        return
    with bar(total, unit, interrupted) as advance:
        yield advance


def each_by(jobs: int) -> RunEach:
    """Does every run, ``jobs`` at a time, and gives what came of them in their order.

    Or what `running_by` says. Raises `ConfigurationError` for less than one process.
    """
    if jobs < 1:
        raise ConfigurationError(f"jobs {jobs}: expected 1 or more processes")
    if (chosen := _RUNNER.get()) is not None:
        return chosen

    def run_each(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        found = dict(shared_out(work, items, jobs))
        return [found[index] for index in range(len(items))]

    return run_each


def _hire(
    work: Callable[[_Item], _Result], staff: list[BaseProcess], method: str
) -> tuple[Connection, BaseProcess]:
    """A new worker, and the line to it."""
    context = get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(  # type: ignore[attr-defined]  # each kind of context has it
        target=serve, args=(theirs, work), daemon=True
    )
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
    gc.freeze()
    gc.set_threshold(*_GENERATION_SIZES)
    with suppress(EOFError, ConnectionError):
        while (given := connection.recv()) is not None:
            index, item = given
            answer: object
            try:
                answer = work(item)
            except ConfigurationError as error:
                answer = error  # for `_shared` to raise: the worker has not died
            connection.send((index, answer))


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


@contextmanager
def _deaths(process: BaseProcess) -> Iterator[None]:
    """Say of a line that breaks that its process died."""
    try:
        yield
    except (EOFError, ConnectionError):
        process.join()
        code = process.exitcode or 0
        reason = f"a worker died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
        if code == _UNGUARDED:
            reason = (
                "each worker runs the script that called: put the call below "
                "'if __name__ == \"__main__\":', or run with jobs=1"
            )
        raise ChildProcessError(reason) from None


CONNECT_S: Final = 10
"""Seconds for a scheduler to answer."""


def share_out_over(
    address: str, work: Callable[[_Item], _Result], items: Sequence[_Item]
) -> Generator[tuple[int, _Result], None, None]:
    """Do ``work`` on every item on the workers of the scheduler at ``address``.

    Yields (index of the item, result) as they finish. What a worker that dies had in hand, another
    one does again. When the iterator is closed, what has not begun is cancelled. The workers need
    the same version of isfc. Raises `ConfigurationError` where there is no scheduler.
    """
    check_library("distributed", spelt("cluster"))
    _check_listener(address)
    distributed: Any = import_module("distributed")
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigurationError(
            f"{spelt('cluster')} {address}: no scheduler answers ({error})"
        ) from None
    with client:
        futures = client.map(work, items, pure=False)
        order = {future.key: index for index, future in enumerate(futures)}
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield order[future.key], future.result()
                future.release()
        finally:
            client.cancel(futures)


def _check_listener(address: str) -> None:
    """Raise `ConfigurationError` unless somebody listens at the address.

    Dask's client tells the same 20 s later, with a traceback of what it could not close.
    """
    try:
        place = urlsplit(address if "://" in address else f"tcp://{address}")
        if place.scheme not in ("tcp", "tls"):
            return  # Dask knows others, which have no port
        if place.hostname is None or place.port is None:
            raise ValueError("it has no port")
        socket.create_connection((place.hostname, place.port), CONNECT_S).close()
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{spelt('cluster')} {address}: no scheduler answers ({error}); "
            "expected its address, such as tcp://scheduler:8786"
        ) from None
