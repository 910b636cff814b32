"""All systems of a layout as processes of this machine: start them, watch them, end them.

The nodes end with this process however it ends: each holds one end of a pipe, its standard
input, and stops when the other end is gone. A line on it says that all links are up: they are
measured from then on. Of three systems and more, one that ends before the others leaves them to go
on, once all links have been up; a file beside its control socket asks for it to be started again.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, convert

from ctc.address import Rdev
from isfc.cli.live.logs import note_drops, relay
from isfc.cli.live.loops import late_stdout
from isfc.cli.live.measured import Measured
from isfc.cli.live.options import LiveOptions, ObserveOptions
from isfc.cli.live.watch import LiveView
from isfc.cli.options.option import words_of
from isfc.cli.output.file import write_file
from isfc.cli.output.streams import ENDING_SIGNALS, ExitCode, discard_output, show_error, show_log
from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.link.name import NodeName
from isfc.link.state import LinkState
from isfc.live.control import ControlClient
from isfc.live.operator import LiveSnapshot, read_snapshot
from isfc.live.run_directory import again_path, control_path, private_directory
from scenarios.runs.result import Result

LOOK_S: Final = 1.0
"""Between two looks at the nodes."""

COMING_LOOK_S: Final = 0.05
"""Between two looks at whether the link is up."""

AGAIN_LOOK_S: Final = 0.1
"""Between two looks at whether a system is to be started again."""

BEGIN: Final = b"begin\n"
"""Says to a node that all links are up."""

END_S: Final = 10.0
"""How long a node may take to end before it is killed."""


_TOLD_TO_END: Final = (ExitCode.GOOD, *ENDING_SIGNALS.values())
"""How a node ends that a signal or its parent told to; not 0 if it had nothing measured yet."""

_End = tuple[int, bytes]
"""A node's exit code, and what it has printed."""


class LiveSystems(Struct):
    """The live systems of some links of a layout, which ``layout`` names as the command line does.

    Each system is a process. It listens for those that come after it in the order of their names,
    and goes to those before it.
    """

    layout: Sequence[str]
    links: Sequence[tuple[NodeName, NodeName]]
    options: LiveOptions
    journals: Path | None = None
    observed: ObserveOptions = ObserveOptions()
    on_up: Callable[[], None] = lambda: None
    """Called once, when both ends of every link are up."""
    chpids: Mapping[Rdev, str] = {}
    """Those of each CTC of the only link, by the first node's device numbers, to be shown."""
    nodes: "dict[NodeName, _Node]" = {}
    """Those that have been started."""
    lost: set[NodeName] = set()
    """Those of which it was said that they ended before the others."""
    said: set[str] = set()
    """What one of them has said of a mistake."""

    @property
    def names(self) -> tuple[NodeName, ...]:
        """The systems, each once, the least name first."""
        names = {name for link in self.links for name in link}
        return tuple(sorted(names, key=lambda name: name.collation))

    async def run(
        self, stop: asyncio.Event, measured: list[Measured], *, plain: bool, quiet: bool
    ) -> int:
        """Run all until ``stop`` or until they end; what they measured goes to ``measured``."""
        note_drops(self.observed.log_format, self.names[0], " ".join(self.names[1:]))
        with private_directory() as folder:
            async with self._running(folder):
                announcing = asyncio.create_task(self._announce(folder))
                watching = asyncio.create_task(self._watch(folder, plain=plain, quiet=quiet))
                try:
                    await self._supervise(folder, stop, watching, announcing)
                finally:
                    announcing.cancel()
                    watching.cancel()
                    (unshown,) = await asyncio.gather(watching, return_exceptions=True)
                outcomes = [self.nodes[name].outcome for name in self.names]
                for node in self.nodes.values():
                    node.stdin.close()  # it ends then
                await asyncio.wait(outcomes, timeout=END_S)
                ends = [outcome.result() if outcome.done() else None for outcome in outcomes]
        if isinstance(unshown, OSError):
            if not stop.is_set():
                raise unshown
            discard_output()  # the terminal was closed, which is how we were told to end
        for name, end in zip(self.names, ends, strict=True):
            if end is None:
                show_error(f"{name} did not end within {END_S:g} s and was killed")
                return ExitCode.FAILED
            code, output = end
            if output:
                measured += _read_measured(output)
            if stop.is_set() and -code in ENDING_SIGNALS:
                continue  # Ctrl-C met it as well: it was just being started, in our group yet
            if name in self.lost:
                return ExitCode.FAILED
            if code < 0:
                show_error(f"{name} was ended by signal {-code}")
                return ExitCode.FAILED
            if code not in _TOLD_TO_END:
                return code
        unfinished = self.options.seconds is not None and len(measured) < 2 * len(self.links)
        return ExitCode.INTERRUPTED if unfinished else ExitCode.GOOD

    @asynccontextmanager
    async def _running(self, folder: Path) -> AsyncIterator[None]:
        """All nodes run within the block; killed if they are still there in the end."""
        try:
            for name in self.names:
                await self.start(name, folder)
            yield
        finally:
            for node in self.nodes.values():
                with suppress(ProcessLookupError):
                    node.process.kill()
                await node.process.wait()

    def _meetings(self, name: NodeName, folder: Path) -> list[str]:
        """Where a system listens and connects, in words of the command line.

        Its socket is called by its place among the systems: a path has few characters.
        """
        names, words = self.names, list[str]()
        for link in self.links:
            if name in link:
                partner = link[1 - link.index(name)]
                if partner.precedes(name):
                    place = f"unix:{folder / f'link{names.index(partner)}'}"
                    words += ["--connect", f"{partner}={place}"]
                elif "--listen" not in words:
                    words += ["--listen", f"unix:{folder / f'link{names.index(name)}'}"]
        return words

    async def start(self, name: NodeName, folder: Path) -> "_Node":
        """Start the node of a system; its sockets are in ``folder``."""
        words = [*self._meetings(name, folder), "--run-dir", str(folder)]
        if self.journals is not None:
            make_folder("--journal", self.journals)
            words += ["--journal", str(self.journals / f"{name}.journal")]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "isfc", "node", name, *self.layout, "--lifeline", "--json"),
            *words,
            *words_of(self.options),
            *self.observed.arguments(self.names.index(name)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is ours to take
            env=os.environ | {"PYTHONSAFEPATH": "1"},
        )
        outcome = asyncio.create_task(_outcome(process, self.said))
        node = self.nodes[name] = _Node(process, outcome)
        return node

    async def _announce(self, folder: Path) -> None:
        """Wait until both ends of every link are up, and say so, to the nodes as well."""
        while True:
            ends = await self._look(folder)
            count = sum(end.node.state is LinkState.UP for end in ends)
            if count == 2 * len(self.links):
                self.on_up()
                for node in self.nodes.values():
                    node.stdin.write(BEGIN)
                return
            await asyncio.sleep(COMING_LOOK_S)

    async def _look(self, folder: Path) -> list[LiveSnapshot]:
        """How the link ends of all systems that answer are now."""
        seen = await asyncio.gather(
            *(asyncio.to_thread(look_at, control_path(folder, name)) for name in self.names)
        )
        return [end for ends in seen for end in ends]

    async def _watch(self, folder: Path, *, plain: bool, quiet: bool) -> None:
        """Show all, again and again."""
        if quiet:
            return
        dilation, chpids = self.options.factor, self.chpids
        shown = LiveView(self.links, plain=plain, dilation=dilation, chpids=chpids)
        with late_stdout(), shown as watch:
            while True:
                await asyncio.sleep(LOOK_S)
                watch.show(await self._look(folder))

    async def _supervise(
        self,
        folder: Path,
        stop: asyncio.Event,
        watching: asyncio.Task[None],
        announcing: asyncio.Task[None],
    ) -> None:
        """Wait until all nodes have ended, or until there is no more to wait for."""
        stopped = asyncio.create_task(stop.wait())
        try:
            while not stopped.done():
                left = {node.outcome for node in self.nodes.values() if not node.outcome.done()}
                if not left or self._is_over(announcing):
                    return
                if watching.done() and watching.exception() is not None:  # nothing can be shown
                    return
                waiting = {task for task in (stopped, watching, *left) if not task.done()}
                look_s = AGAIN_LOOK_S if self.lost else None
                await asyncio.wait(waiting, timeout=look_s, return_when=asyncio.FIRST_COMPLETED)
                await self._start_again(folder)
        finally:
            stopped.cancel()

    def _is_over(self, announcing: asyncio.Task[None]) -> bool:
        """Whether a node has ended without which the others cannot go on; say where they can.

        One that has measured as long as it should has ended in its time.
        """
        for name, node in self.nodes.items():
            if name in self.lost or not node.outcome.done():
                continue
            code = node.outcome.result()[0]
            if code == ExitCode.GOOD and self.options.seconds is not None:
                continue
            alive = {one for one, other in self.nodes.items() if not other.outcome.done()}
            told = code in _TOLD_TO_END
            if not announcing.done() or not any({*link} <= alive for link in self.links):
                if told:
                    self.lost.add(name)
                    show_error(f"{name} was told to end, and no link is left without it")
                return True
            self.lost.add(name)
            how = f"ended by signal {-code}" if code < 0 else f"ended with code {code}"
            words = " ".join(self.layout)
            show_error(
                f"{name} was {'told to end' if told else how}: the others go on; "
                f"'isfc up {words} --only {name}' starts it again"
            )
        return False

    async def _start_again(self, folder: Path) -> None:
        """Start those that somebody has asked for."""
        for name in sorted(self.lost):
            asked = again_path(folder, name)
            if asked.exists():
                asked.unlink()
                self.lost.discard(name)
                (await self.start(name, folder)).stdin.write(BEGIN)


def make_folder(option: str, folder: Path) -> None:
    """Make the folder that an option names. Raises `ConfigurationError` if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "is a file" if folder.is_file() else error.strerror
        raise ConfigurationError(f"{option} {folder}: {reason}; expected a directory") from None


def look_at(control: Path) -> list[LiveSnapshot]:
    """How the link ends of a control socket's node are now; none if it does not answer."""
    try:
        with ControlClient(control, LOOK_S) as client:
            reply: dict[str, Any] = client.ask("snapshot")
            return [*map(read_snapshot, reply["links"])]
    except (OSError, RemoteProtocolError):
        return []


class _Node(Struct, frozen=True):
    """The process of a system, and what comes of it."""

    process: asyncio.subprocess.Process
    outcome: asyncio.Task[_End]

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """What it ends with."""
        assert self.process.stdin is not None, "a pipe"
        return self.process.stdin


async def _outcome(process: asyncio.subprocess.Process, said: set[str]) -> _End:
    """A node's exit code and output, once it has ended; its log is passed on meanwhile."""
    assert process.stdout is not None, "a pipe"
    assert process.stderr is not None, "a pipe"
    output, _ = await asyncio.gather(process.stdout.read(), relay(process.stderr, said))
    return await process.wait(), output


def _read_measured(output: bytes) -> list[Measured]:
    """What a node printed with ``--json``, of each of its links."""
    record = json.loads(output)
    ends = zip(record["results"], record["lag_percent"].values(), strict=True)
    return [Measured(convert(end, Result), lag, end.get("partner")) for end, lag in ends]


def detach(words: Sequence[str], log: Path) -> int:
    """Run ``isfc up`` with these words until it says that its link is up; 0, or how it ended.

    What it says goes to ``log``, and is shown if it ended. Ctrl-C ends it as long as we wait.
    """
    write_file(log, "Starting\n")  # on a full disk nobody could read there what went wrong
    ours, theirs = os.pipe()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "isfc", "up", *words, "--ready", str(theirs)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(theirs,),
            start_new_session=True,
            env=os.environ | {"PYTHONSAFEPATH": "1"},
        )
    os.close(theirs)
    try:
        with os.fdopen(ours, "rb") as pipe:
            if pipe.read(1):
                return ExitCode.GOOD
    except BaseException:
        process.terminate()
        process.wait()
        raise
    code = process.wait()
    for line in log.read_text("utf-8", "replace").splitlines():
        show_log(line)
    return code or ExitCode.FAILED


def say_ready(descriptor: int) -> None:
    """Tell whoever detached us that the link is up.

    If it was killed while it waited, nobody knows of us: then all ends, as with Ctrl-C.
    """
    try:
        os.write(descriptor, b"up")
    except BrokenPipeError:
        os.kill(os.getpid(), signal.SIGTERM)
    os.close(descriptor)
