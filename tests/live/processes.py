"""Live nodes as processes: start, look, kill. Every wait is bounded."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.isfc_process import start
from tests.waiting import PATIENCE_S


class Isfc:
    """One ``isfc`` command as a process of its own; what it prints goes to files.

    Its run directory is in ``folder``, so that no other test's node has the same name there.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        stdin: int = subprocess.DEVNULL,
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
        module: str = "isfc",
    ) -> None:
        self.name = "-".join(Path(word.strip("-")).stem for word in words[:2])
        self._out = folder / f"{self.name}.out"
        self._err = folder / f"{self.name}.err"
        own = {"COLUMNS": "80", "XDG_RUNTIME_DIR": str(folder)}
        with self._out.open("wb") as out, self._err.open("ab") as err:
            self.process = start(
                *words,
                module=module,
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
def isfc(
    folder: Path,
    *words: str,
    stdin: int = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    module: str = "isfc",
) -> Iterator[Isfc]:
    """A command that is killed if it is still there in the end; ``prefix`` is what starts it.

    ``module`` is what runs: ``isfc`` itself, or one of the tests that runs it with a change.
    """
    command = Isfc(
        folder, *words, stdin=stdin, environment=environment, prefix=prefix, module=module
    )
    try:
        yield command
    finally:
        if command.process.poll() is None:
            command.process.kill()
            command.process.wait(PATIENCE_S)
        if command.process.stdin is not None:
            command.process.stdin.close()
