"""Real Hercules with a bare guest, started and watched by tests."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.isfc.live.ctce.guest import guest
from tests.waiting import wait_for

INSTALLED: Final = shutil.which("hercules")
needs_hercules = pytest.mark.skipif(INSTALLED is None, reason="Hercules is not installed")


@cache
def version() -> str:
    """That of the Hercules which is installed, such as 3.13 or 4.9.0; empty where none is."""
    if INSTALLED is None:
        return ""
    command = [INSTALLED, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    found = re.search(r"Hercules [Vv]ersion (\d[\d.]*)", said)
    return found[1].rstrip(".") if found else said


def is_older() -> bool:
    """Whether it is 3.13, which speaks the older form of CTCE."""
    return version().startswith("3")


PAUSES_S: Final = 110.0
"""How long a guest may take: 3.13 makes pauses of up to 21 s, each CTC its own."""

_CONFIGURATION: Final = """\
CPUSERIAL 000001
CPUMODEL 3090
MAINSIZE 2
XPNDSIZE 0
CNSLPORT {console}
NUMCPU 1
ARCHMODE ESA/390
PANRATE SLOW
{statements}
"""
_STOPPED: Final = re.compile(
    rb"(?:HHCCP011I .*?PSW=|HHC00809I .*? wait state )[0-9A-F]{8} 8([0-9A-F]{7})", re.DOTALL
)
_COMMANDS: Final = """\
pause {pause_s}
loadcore {folder}/{name}.core 0
restart
"""


class Hercules:
    """One Hercules with CTCE devices; its guest begins immediately."""

    def __init__(self, folder: Path, name: str, statements: Sequence[str], console: int) -> None:
        self._folder = folder
        self._name = name
        self._ctcs = len(statements)
        (folder / f"{name}.cnf").write_text(
            _CONFIGURATION.format(console=console, statements="\n".join(statements))
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(
        self,
        writes: int,
        reads: range,
        length: int = 64,
        *,
        typed: Sequence[str] = (),
        program: str = "guest",
        pause_s: int = 1,
        patience: int = 0,
    ) -> None:
        """Begin with a guest that does as `guest` says, over all CTCs, after a pause.

        ``typed`` is what an operator does then, a second apart.
        """
        folder, name = self._folder, self._name
        core = guest(writes, reads, length, self._ctcs, program, patience)
        (folder / f"{name}.core").write_bytes(core)
        commands = _COMMANDS.format(folder=folder, name=name, pause_s=pause_s)
        commands += "".join(f"pause 1\n{command}\n" for command in typed)
        (folder / f"{name}.rc").write_text(commands)
        assert INSTALLED is not None
        with (folder / f"{name}.log").open("wb") as log:
            self._process = subprocess.Popen(  # ended by `kill`
                [INSTALLED, "-d", "-f", str(folder / f"{name}.cnf")],
                stdin=subprocess.PIPE,  # never closed: at its end Hercules 4 ends
                stdout=log,
                stderr=subprocess.STDOUT,
                env={"PATH": "/usr/bin:/bin", "HERCULES_RC": str(folder / f"{name}.rc")},
            )

    def has_done(self, command: str) -> bool:
        """Whether it has come to something that is typed."""
        log = self._folder / f"{self._name}.log"
        done = rf"^(\S+ HHC01603I )?{re.escape(command)}$"
        return re.search(done, log.read_text(), re.MULTILINE) is not None

    def wait(self) -> int:
        """Where the guest's PSW points once it has done everything, or has failed."""
        log = self._folder / f"{self._name}.log"
        wait_for(lambda: _STOPPED.search(log.read_bytes()), f"{self._name}'s guest", PAUSES_S)
        found = _STOPPED.search(log.read_bytes())
        assert found is not None
        return int(found[1], 16)

    def kill(self) -> None:
        """End it, as a power failure would."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate(timeout=10)
