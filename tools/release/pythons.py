"""The Pythons of this machine that a release is built and tried for; prints those of `others`."""

import json
import subprocess
import sys
from collections.abc import Iterable
from configparser import ConfigParser
from pathlib import Path
from typing import Final

from tools import PROJECT

PLACES: Final = (Path.home() / ".pyenv/versions", Path("/opt/python"))
"""Where pyenv and the manylinux images keep theirs; others are found by their name."""

_ASK: Final = "import json, sys; print(json.dumps([sys.version_info[:2], sys.executable]))"


def supported() -> tuple[str, ...]:
    """The versions that ``setup.cfg`` classifies as tested, such as ``3.11``, the oldest first."""
    setup = ConfigParser()
    setup.read(PROJECT / "setup.cfg", "utf-8")
    words = "Programming Language :: Python :: 3."
    found = [line for line in setup["metadata"]["classifiers"].split("\n") if words in line]
    minors = sorted(int(line.rpartition(".")[2]) for line in found)
    return tuple(f"3.{minor}" for minor in minors)


def pythons() -> dict[str, Path]:
    """By version, an interpreter for each supported one that this machine has."""
    found: dict[str, Path] = {}
    for version in supported():
        for candidate in _candidates(version):
            if (there := _asked(candidate)) and there[0] == version:
                found[version] = there[1]
                break
    return found


def _candidates(version: str) -> Iterable[str]:
    yield f"python{version}"
    for place in PLACES:
        yield from (str(path) for path in sorted(place.glob(f"{version}.*/bin/python3")))


def _asked(command: str) -> tuple[str, Path] | None:
    """What the interpreter says that it is; None if it is none."""
    try:
        done = subprocess.run([command, "-c", _ASK], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    (major, minor), executable = json.loads(done.stdout)
    return f"{major}.{minor}", Path(executable)


def others() -> list[Path]:
    """The oldest and the newest of them, but for the Python that this runs on."""
    this = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = pythons()
    ends = dict.fromkeys([*found][:1] + [*found][-1:])
    return [found[version] for version in ends if version != this]


if __name__ == "__main__":
    print(*others())
