"""The limit on each test, wherever it waits: that of pytest-timeout, and what it leaves open.

- Hypothesis takes an exception for a failure that it is to make smaller, and a loop of uvloop only
  tells of it: so it is an `Overdue`, or an `OverdueInLoop`. It says where other threads and the
  tasks of the loop stand.
- Compiled code that never comes back to Python sees no signal. `GRACE_S` later its process ends and
  prints where it stands; `tests.workers` puts another one in its place.
- A failure ends the limit of pytest-timeout: taking down what the test leaves has it again.
- What is made once for many tests, as isfc compiled, has `ONCE_S` for itself.
- A test that is `at_length` has `AT_LENGTH_S` when it runs on the source.
"""

import asyncio
import faulthandler
import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import suppress
from types import FrameType
from typing import Final

import pytest
import pytest_timeout
from _pytest.faulthandler import fault_handler_stderr_fd_key

from tests.compiled import HERE

GRACE_S: Final = 30.0
AGAIN_S: Final = 0.05
ONCE_S: Final = 900.0
AT_LENGTH_S: Final = 600.0
HAS_TIMERS: Final = hasattr(signal, "setitimer")
"""Windows has none: there only the process ends that holds a test without end."""


class Overdue(BaseException):
    """A test that has reached its limit."""


class OverdueInLoop(Overdue, SystemExit):
    """One that has done so in a loop, which lets no other exception through."""


class _Watchdog:
    """What ends the process: a thread, for which a process that is forked would wait for ever."""

    def __init__(self) -> None:
        self._end_s = 0.0
        self._file: int | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=faulthandler.cancel_dump_traceback_later, after_in_parent=self._resume
            )

    def begin(self, seconds: float, file: int) -> None:
        self._end_s, self._file = time.monotonic() + seconds, file
        self._resume()

    def cancel(self) -> None:
        self._file = None
        faulthandler.cancel_dump_traceback_later()

    def _resume(self) -> None:
        if self._file is not None:
            left_s = max(0.1, self._end_s - time.monotonic())
            faulthandler.dump_traceback_later(left_s, file=self._file, exit=True)


_watchdog: Final = _Watchdog()
_under_way: Final[list[str]] = []
"""What is run of a test at the moment: its setup, its call or its teardown."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give what is meant for isfc compiled longer on the source."""
    for item in items:
        if HERE is None and item.get_closest_marker("at_length"):
            item.add_marker(pytest.mark.timeout(AT_LENGTH_S))


def pytest_timeout_set_timer(item: pytest.Item, settings: pytest_timeout.Settings) -> bool:
    """Begin both limits; instead of what pytest-timeout does."""

    def end(_number: int, _frame: FrameType | None) -> None:
        if not _under_way:  # a report is made, which nothing may interrupt
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        elif not pytest_timeout.is_debugging():
            kind = OverdueInLoop if _in_loop() else Overdue
            raise kind(f"not ended within {settings.timeout:g} s\n{_elsewhere()}")

    if HAS_TIMERS:
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, settings.timeout)
    file = item.config.stash.get(fault_handler_stderr_fd_key, None)
    if file is not None:
        _watchdog.begin(settings.timeout + GRACE_S, file)
    return True


def pytest_timeout_cancel_timer() -> bool:
    """End both."""
    if HAS_TIMERS:
        signal.setitimer(signal.ITIMER_REAL, 0)
    _watchdog.cancel()
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    """Let the limit end it."""
    return (yield from _interrupted("setup"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Let the limit end it."""
    return (yield from _interrupted("call"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """What is left of a test is under its limit again."""
    _begin(item)
    return (yield from _interrupted("teardown"))


def _interrupted(phase: str) -> Generator[None, object, object]:
    _under_way.append(phase)
    try:
        return (yield)
    finally:
        _under_way.pop()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """What is made for many tests is not under the limit of the first of them."""
    if fixturedef.scope == "function":
        return (yield)
    item = request._pyfuncitem  # noqa: SLF001  # `request.node` is the module, or the session
    _begin(item, ONCE_S)
    try:
        return (yield)
    finally:
        _begin(item)


def _begin(item: pytest.Item, at_least_s: float = 0.0) -> None:
    settings = pytest_timeout._get_item_settings(item)  # noqa: SLF001  # marks and options
    if settings.timeout:
        settings = settings._replace(timeout=max(settings.timeout, at_least_s))
        item.config.hook.pytest_timeout_set_timer(item=item, settings=settings)


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _elsewhere() -> str:
    """Where the other threads stand, and what the tasks of a running loop wait for."""
    text = io.StringIO()
    frames = sys._current_frames()  # noqa: SLF001  # documented
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0)
        if frame is not None and thread is not threading.current_thread():
            text.write(f"Thread {thread.name}:\n{''.join(traceback.format_stack(frame))}")
    with suppress(RuntimeError):  # no loop runs
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.print_stack(file=text)
    return text.getvalue()
