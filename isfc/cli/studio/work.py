"""Computations in processes of their own, each of which is killed when nobody wants it any more.

A process is forked from a server that has loaded what computations need, so that it begins within
milliseconds; the server and its processes end with the command. A process sends messages, and the
last one is its result or an error.
"""

import asyncio
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.util import get_temp_dir
from typing import Any, Final, TypeVar

from msgspec import Struct

from isfc import IsfcError

_Item = TypeVar("_Item")

Tell = Callable[[Any], None]
"""How a computation tells how far it is: any record that can be pickled."""

PROCESSES_MAX: Final = 16
"""Processes at a time; more computations are refused."""
NICENESS: Final = 10
"""Computations leave the processor to the page and to the browser."""

_FOLDER_LENGTH_MAX: Final = 70
"""Characters of the folder for temporary files. The server of processes listens at a socket in it,
whose path has 31 more; Linux allows 107, macOS 103 (published: unix(7), sys/un.h)."""

_ATTEMPTS: Final = 40
_PAUSE_S: Final = 0.05
"""Somebody may kill the server of processes, as the system does that lacks memory. For a moment it
still looks alive, and begins no process; then there is a new one."""

_PRELOADED: Final = (
    "isfc.cli.studio.tasks",
    "isfc.io.shared",
    "isfc.layout.edit",
    "isfc.layout.plan",
    "isfc.layout.write",
    "scenarios.figures.rates",
    "scenarios.runs.experiment",
    "encodings.cp037",  # names are compared as EBCDIC
    "encodings.utf_8_sig",
)
"""What judging a layout needs: ``isfc`` itself loads nothing before it is used."""


class Failed(Struct, frozen=True):
    """A computation ended by an error, in its words."""

    message: str


class Busy(Exception):
    """There are as many processes as there may be, or the command ends."""


class Work:
    """The processes of one command."""

    def __init__(self) -> None:
        if len(tempfile.gettempdir()) > _FOLDER_LENGTH_MAX:
            tempfile.tempdir = "/tmp"
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(list(_PRELOADED))
        self._processes: set[BaseProcess] = set()
        self._server: int | None = None
        self._ended = False
        self._warming = threading.Thread(target=self._warm_up, daemon=True)

    @property
    def count(self) -> int:
        """How many processes there are."""
        return len(self._processes)

    def warm_up(self) -> None:
        """Let the server of processes load what computations need, while other things are done."""
        get_temp_dir()  # now, so that whatever ends the command knows the folder
        self._warming.start()

    def _warm_up(self) -> None:
        # Ctrl-C goes to every process of the terminal. The command ends the others: what this
        # thread begins blocks the signal as the thread does, which the tracker would undo.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            ours, theirs = self._context.Pipe(duplex=False)
            process = self._context.Process(target=_tell_parent, args=(theirs,), daemon=True)
            process.start()
            self._server = ours.recv()
            process.join()
        except (OSError, EOFError):
            if not self._ended:  # else the folder of the server's socket is gone, as it should be
                raise

    async def stream(self, task: Callable[..., Any], *arguments: Any) -> AsyncGenerator[Any, None]:
        """Call ``task`` with a `Tell` and the arguments; yield what it tells, then its result.

        The result may be a `Failed`. The process is killed when the iterator is closed. Raises
        `Busy` if there are too many already.
        """
        if self._warming.is_alive():  # a process would hold everything up until that is done
            await asyncio.to_thread(self._warming.join)
        ours, process = await self._begin(task, arguments)
        try:
            while True:
                await _readable(ours)
                os.set_blocking(ours.fileno(), True)  # the loop lets it fail, halfway of a message
                try:
                    last, message = ours.recv()
                except (EOFError, ConnectionError):
                    process.join()
                    last, message = True, Failed(_death(process.exitcode))
                yield message
                if last:
                    return
        finally:
            ours.close()
            self._end(process)

    async def _begin(
        self, task: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> tuple[Connection, BaseProcess]:
        """A new process, and the line from it."""
        for left in reversed(range(_ATTEMPTS)):
            if self._ended:  # what waited for another process to end would begin now
                raise Busy("the studio ends")
            if len(self._processes) >= PROCESSES_MAX:
                raise Busy(f"{PROCESSES_MAX} computations are under way; wait for one, or end one")
            ours, theirs = self._context.Pipe(duplex=False)
            process = self._context.Process(target=_serve, args=(theirs, task, arguments))
            try:
                process.start()
            except (OSError, EOFError):
                ours.close()
                if not left:
                    raise
                await asyncio.sleep(_PAUSE_S)
            else:
                self._processes.add(process)
                return ours, process
            finally:
                theirs.close()
        raise AssertionError("the last attempt returns, or raises")

    async def together(
        self, task: Callable[..., Any], arguments: Sequence[_Item]
    ) -> AsyncIterator[tuple[_Item, Any]]:
        """Call ``task`` on each argument, as many together as there are processors.

        Yields (argument, what it tells).
        """
        free = asyncio.Semaphore(max(2, os.cpu_count() or 1))
        found: asyncio.Queue[tuple[_Item, Any] | None] = asyncio.Queue(PROCESSES_MAX)

        async def one(argument: _Item) -> None:
            try:
                async with free, aclosing(self.stream(task, argument)) as told:
                    async for each in told:
                        await found.put((argument, each))
            except Busy as error:
                await found.put((argument, Failed(str(error))))
            await found.put(None)

        tasks = [asyncio.create_task(one(argument)) for argument in arguments]
        try:
            for _ in tasks:
                while (come := await found.get()) is not None:
                    yield come
        finally:
            for each in tasks:
                each.cancel()

    def kill_all(self) -> None:
        """End every process immediately, and the server of processes; none can be begun then.

        The folder of the socket that the server listened at goes as well.
        """
        self._ended = True
        for process in list(self._processes):
            self._end(process)
        if self._server is not None:
            with suppress(ProcessLookupError):  # somebody else has ended it
                os.kill(self._server, signal.SIGKILL)
        shutil.rmtree(get_temp_dir(), ignore_errors=True)

    def _end(self, process: BaseProcess) -> None:
        if process in self._processes:
            self._processes.discard(process)
            with suppress(ProcessLookupError):  # it has ended, or begins just now
                os.killpg(process.pid or 0, signal.SIGKILL)
            process.kill()
            process.join()


def _death(code: int | None) -> str:
    """What is said of a process that ended without a result."""
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return (
        f"The computation ended without a result ({how}); the machine may lack memory. Nothing "
        "else is lost: the next change computes again."
    )


async def _readable(line: Connection) -> None:
    """Wait until there is something to be received."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(line.fileno(), ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(line.fileno())


def _tell_parent(line: Connection) -> None:
    """Tell the number of the process that this one was forked from."""
    with suppress(ConnectionError):
        line.send(os.getppid())


def _serve(line: Connection, task: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """What a process does: the task, and nothing beyond the life of its parent.

    It is a group of its own, with which the processes end that it may begin.
    """
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    # first of all: a parent that ends as this one begins does not know of it yet
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.nice(NICENESS)

    def tell(message: Any) -> None:
        line.send((False, message))

    with suppress(ConnectionError):
        try:
            result = task(tell, *arguments)
        except IsfcError as error:
            result = Failed(str(error))
        line.send((True, result))


def _end_with_parent() -> None:
    """End the process when its parent has ended, by whatever cause."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)
