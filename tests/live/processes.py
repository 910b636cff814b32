"""Live nodes as processes: start, look, kill. Every wait is bounded."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.isfc_process import start
from tests.waiting import PATIENCE_S, wait_for

LAYOUT = "published-4"
NAMES = ("CLIENT", "SERVER")


class Isfc:
    """One ``isfc`` command as a process of its own; what it prints goes to files.

    Its run directory is in ``folder``, so that no other test's node has the same name there.
    ``prefix`` is what starts it.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        stdin: int = subprocess.DEVNULL,
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        self.name = "-".join(Path(word.strip("-")).stem for word in words[:2])
        self._out = folder / f"{self.name}.out"
        self._err = folder / f"{self.name}.err"
        own = {"COLUMNS": "80", "XDG_RUNTIME_DIR": str(folder)}
        with self._out.open("wb") as out, self._err.open("ab") as err:
            self.process = start(
                *words,
                environment=own | dict(environment or {}),
                prefix=prefix,
                stdin=stdin,
                stdout=out,
                stderr=err,
            )

    @property
    def out(self) -> str:
        """What it has printed."""
        return self._out.read_text("utf-8")

    @property
    def err(self) -> str:
        """What it has said on stderr."""
        return self._err.read_text("utf-8")

    def record(self) -> dict[str, Any]:
        """The JSON document it has printed."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def exit_code(self) -> int:
        """Its exit code, once it has ended; an output of any length helps who looks."""
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"{self.name} does not end: {self.err[-2000:]}") from None

    def end(self) -> int:
        """Ctrl-C, and its exit code."""
        self.signal(signal.SIGINT)
        return self.exit_code()


@contextmanager
def isfc(folder: Path, *words: str, **options: Any) -> Iterator[Isfc]:
    """A command that is killed if it is still there in the end; ``options`` as of `Isfc`."""
    command = Isfc(folder, *words, **options)
    try:
        yield command
    finally:
        if command.process.poll() is None:
            command.process.kill()
            command.process.wait(PATIENCE_S)
        if command.process.stdin is not None:
            command.process.stdin.close()


class TwoNodes:
    """Both systems of a layout, or one of them yet, joined by a socket; either may be killed.

    ``words`` are for both; ``{name}`` in one of them is the node's name.
    """

    def __init__(
        self, stack: ExitStack, folder: Path, words: Sequence[str], **options: Any
    ) -> None:
        self.socket = folder / "link"
        self.layout: str = options.pop("layout", LAYOUT)
        self.names: tuple[str, str] = options.pop("names", NAMES)
        self.endpoint: str = options.pop("endpoint", f"unix:{self.socket}")
        self.nodes: dict[str, Isfc] = {}
        self._stack, self._folder, self._words, self._options = stack, folder, words, options

    @property
    def both(self) -> list[Isfc]:
        """Their present lives, the first system's first."""
        return [self.nodes[name] for name in self.names]

    def start(self, name: str, *more: str, **options: Any) -> Isfc:
        """Start a node, for the first time or again."""
        door = "--listen" if name == self.names[0] else "--connect"
        words = [word.format(name=name) for word in self._words]
        every = ("node", name, self.layout, door, self.endpoint, *words, *more)
        command = isfc(self._folder, *every, **self._options | options)
        self.nodes[name] = self._stack.enter_context(command)
        return self.nodes[name]

    def kill(self, name: str) -> None:
        """Kill a node as nothing survives."""
        self.nodes[name].signal(signal.SIGKILL)
        self.nodes[name].process.wait(PATIENCE_S)

    def said(self, name: str, event: str) -> int:
        """How often a node, all its lives together, has logged an event, in JSON."""
        return self.nodes[name].err.count(f'"{event}"')

    def wait_up(self, *names: str, count: int = 1) -> None:
        """Wait until links of nodes, of both unless they are named, have come up so often."""
        for name in names or self.names:
            wait_for(partial(self._is_up, name, count), f"{name}: link-up number {count}")

    def _is_up(self, name: str, count: int) -> bool:
        return self.said(name, "link-up") >= count

    def end(self, *, verified: bool = False, codes: Sequence[int] = (0,)) -> None:
        """Ctrl-C for both, which must end well; what they verified must have been intact."""
        for node in reversed(self.both):
            assert node.end() in codes, node.err[-2000:]
            assert not verified or "all as they were sent" in node.err


@contextmanager
def two_nodes(folder: Path, *words: str, **options: Any) -> Iterator[TwoNodes]:
    """Both nodes, started; killed if they are still there in the end."""
    with ExitStack() as stack:
        pair = TwoNodes(stack, folder, words, **options)
        for name in pair.names:
            pair.start(name)
        yield pair
