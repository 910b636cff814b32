"""Waiting for what is to happen: never without a bound, and a failure says what was waited for."""

import asyncio
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

PATIENCE_S: Final = 60.0
"""Bounds what would hang. No machine is so busy, and it is less than a test may take."""


def wait_for(condition: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait until something holds, of other processes and threads; fail with what it was."""
    end_s = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end_s, f"waited {patience_s:g} s for {what}"
        time.sleep(0.01)


async def wait_until(condition: Callable[[], object]) -> None:
    """Wait until something holds, while the loop goes on; the failure shows the condition."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  # whatever a test can look at
            await asyncio.sleep(0.002)


def ran(
    command: Sequence[str | Path], *, timeout: float = PATIENCE_S, check: bool = False, **more: Any
) -> "subprocess.CompletedProcess[str]":
    """What a command has said and ended with; ``more`` is as of `subprocess.run`."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=check, **more
    )
