"""Computations of the studio that wait where a test says, so that they are there to be seen.

Every process of the command has `HOLD`, which Python itself takes up as it begins.
"""

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final


class At(StrEnum):
    """Where a computation waits."""

    BEGIN = "begin"
    TOLD = "told"  # after each thing it tells
    SHARED = "shared"  # in the processes that it shares work out to


HOLD: Final = """
import os, sys, time
from multiprocessing.connection import Connection

def held(function, place, *, first):
    def wait():
        end = time.monotonic() + 100  # the test has failed by then
        while os.path.exists(os.path.join(os.environ["HELD"], place)) and time.monotonic() < end:
            time.sleep(0.01)

    def call(*arguments):
        if first:
            wait()
        result = function(*arguments)
        if not first:
            wait()
        return result

    return call

os.nice = held(os.nice, "begin", first=True)  # the first thing that each does
Connection.send = held(Connection.send, "told", first=False)
if any("spawn_main" in word for word in sys.orig_argv):
    held(lambda: None, "shared", first=True)()
"""


class Holding:
    """What to put around a command, and whether its computations wait."""

    def __init__(self, folder: Path) -> None:
        self._hooks, self._held = folder / "hooks", folder / "held"
        for each in (self._hooks, self._held):
            each.mkdir()
        (self._hooks / "sitecustomize.py").write_text(HOLD)

    @property
    def environment(self) -> Mapping[str, str]:
        """For the command."""
        path = [str(self._hooks), os.environ.get("PYTHONPATH", "")]
        return {"PYTHONPATH": os.pathsep.join(filter(None, path)), "HELD": str(self._held)}

    def hold(self, place: At) -> None:
        """Let those that come there wait from now on."""
        (self._held / place).touch()

    def release(self, place: At) -> None:
        """Let all go on."""
        (self._held / place).unlink()
