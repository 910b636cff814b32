"""A root folder as of a container: an operating system, one Python, and what is given to it.

bubblewrap makes it of namespaces, so that it needs neither a daemon nor images. There are no
network, no variables of ours, no checkout and no files of whoever runs it; its user is not root.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools import PROJECT

HOME: Final = Path("/home/user")
GIVEN: Final = Path("/given")

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives")
"""Where the system is; on Debian `cc` is a link into the last."""

_PREFIX: Final = "import sys; print(sys.base_prefix)"
_EMPTY: Final = """
import importlib.util, os, sys
found = [name for name in ("ctc", "isfc", "scenarios") if importlib.util.find_spec(name)]
sys.exit(f"not bare: {found}" if found or os.path.exists(sys.argv[1]) else 0)
"""


class BareRoot:
    """Commands that run in such a root. Only its home can be written; it is kept between them."""

    def __init__(self, python: Path, given: Sequence[Path], home: Path) -> None:
        """The files of ``given`` will be in `GIVEN`. Raises `SystemExit` without bubblewrap."""
        if shutil.which("bwrap") is None:
            raise SystemExit("there is no bwrap: install the package bubblewrap")
        self.python = python
        self._words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
        self._words += ["--uid", "1000", "--gid", "1000", "--proc", "/proc", "--dev", "/dev"]
        for folder in _SYSTEM:
            self._words += ["--ro-bind-try", folder, folder]
        self._words += ["--tmpfs", "/usr/local", "--tmpfs", "/tmp"]
        asked = subprocess.run([python, "-c", _PREFIX], capture_output=True, text=True, check=True)
        if (prefix := asked.stdout.strip()) != "/usr":
            self._words += ["--ro-bind", prefix, prefix]
        for path in given:
            self._words += ["--ro-bind", str(path), str(GIVEN / path.name)]
        self._words += ["--bind", str(home), str(HOME), "--chdir", str(HOME)]
        self._words += ["--setenv", "HOME", str(HOME), "--setenv", "PATH", "/usr/bin:/bin"]

    def command(self, *words: str | Path, **variables: str) -> tuple[str, ...]:
        """The command line that runs ``words`` there, with ``variables``."""
        pairs = [word for pair in variables.items() for word in ("--setenv", *pair)]
        return (*self._words, *pairs, *map(str, words))

    def search(self) -> tuple[str, ...]:
        """A command line that fails if anything of the project can be seen there."""
        return self.command(self.python, "-c", _EMPTY, PROJECT)


@contextmanager
def bare_root(python: Path, *given: Path) -> Iterator[BareRoot]:
    """A root with ``python`` and what is ``given``, files or folders, until the block ends."""
    with TemporaryDirectory() as home:
        yield BareRoot(python, given, Path(home))
