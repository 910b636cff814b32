"""The limit on each test, wherever it waits: that of pytest-timeout, and what it leaves open.

- A loop of uvloop only tells of an exception, and goes on, but for one that ends a program, as
  `Overdue` is. It says where other threads and the tasks of the loop stand.
- Compiled code that never comes back to Python sees no signal. `GRACE_S` later its process ends and
  prints where it stands; pytest-xdist puts another one in its place.
- A failure ends the limit of pytest-timeout: taking down what the test leaves has it again.
- What is made once for many tests, as isfc compiled, has `ONCE_S` for itself.
- A test that is `at_length` has `AT_LENGTH_S` when it runs on the source.
"""

import asyncio
import faulthandler
import io
import signal
import sys
import threading
import traceback
from collections.abc import Generator
from contextlib import suppress
from types import FrameType
from typing import Final

import pytest
import pytest_timeout
from _pytest.faulthandler import fault_handler_stderr_fd_key
from _pytest.outcomes import Failed

from tests.compiled import HERE

GRACE_S: Final = 30.0
ONCE_S: Final = 900.0
AT_LENGTH_S: Final = 600.0


class Overdue(Failed, SystemExit):
    """A test that has reached its limit."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give what is meant for isfc compiled longer on the source."""
    for item in items:
        if HERE is None and item.get_closest_marker("at_length"):
            item.add_marker(pytest.mark.timeout(AT_LENGTH_S))


def pytest_timeout_set_timer(item: pytest.Item, settings: pytest_timeout.Settings) -> bool:
    """Begin both limits; instead of what pytest-timeout does."""

    def end(_number: int, _frame: FrameType | None) -> None:
        if not pytest_timeout.is_debugging():
            raise Overdue(f"not ended within {settings.timeout:g} s\n{_elsewhere()}")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout)
    told = item.config.stash[fault_handler_stderr_fd_key]
    faulthandler.dump_traceback_later(settings.timeout + GRACE_S, file=told, exit=True)
    return True


def pytest_timeout_cancel_timer() -> bool:
    """End both."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    faulthandler.cancel_dump_traceback_later()
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """What is left of a test is under its limit again."""
    _begin(item)
    return (yield)


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
