"""Hypothesis profiles, and what it takes to see a failure again."""

import gc
import os
import shlex
import subprocess
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from inspect import iscoroutinefunction, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import settings

from isfc.testing.plugin import register_profiles
from tests.compiled import HERE
from tests.compiled import compiled as compiled  # a fixture
from tests.lengthy import EXAMPLES_ELSEWHERE, EXAMPLES_FEW
from tests.live.nodes import nodes as nodes  # a fixture
from tests.live.pair import pair as pair  # a fixture
from tests.live.pair import patient as patient  # a fixture
from tests.live.pair import run_live as run_live  # a fixture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = [
    "tests.costs.plugin",
    "tests.limits",
    "tests.surroundings",
    "tests.workers.plugin",
]
gc.disable()  # until all tests are collected: nothing of that is garbage

register_profiles()
for name, count in {"few": EXAMPLES_FEW, "elsewhere": EXAMPLES_ELSEWHERE}.items():
    settings.register_profile(name, settings.get_profile("ci"), max_examples=count)
LONGEST: Final = {
    "test_instructions.py", "test_published.py", "test_chaos.py", "test_limits.py",
    "test_no_posix.py", "test_tasks.py", "test_server.py", "test_site_fit.py", "test_tutorial.py",
}  # fmt: skip
"""Modules with tests of ten seconds and more."""
PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE", "dev")
settings.load_profile(PROFILE)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from tests.browser import launched  # it loads much, and few tests need it

    with launched() as found:
        yield found


def _commit() -> str:
    """The commit under test, with ``-dirty`` when the tree differs from it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        run = subprocess.run(
            command,
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except FileNotFoundError:
        return "unknown"
    return run.stdout.strip() or "unknown"


def _circumstances(config: pytest.Config) -> str:
    """What decides a run besides the code: profile and seeds."""
    hash_seed = os.environ.get("PYTHONHASHSEED", "random")
    seed = config.getoption("--hypothesis-seed")
    chosen = f" --hypothesis-seed={seed}" if seed is not None else ""
    return f"HYPOTHESIS_PROFILE={PROFILE} PYTHONHASHSEED={hash_seed}{chosen}"


def pytest_report_header(config: pytest.Config) -> str:
    """Name the commit, the seeds and what is under test at the top of every run."""
    return (
        f"commit {_commit()}, {_circumstances(config)}, isfc {'compiled' if HERE else 'as source'}"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(obj: object) -> None:
    """A test that is a coroutine is run by `run_live`, on both kinds of loop."""
    if iscoroutinefunction(obj):
        pytest.mark.usefixtures("run_live")(obj)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine, within the asynchronous contexts among its arguments.

    Whether it was one.
    """
    if not iscoroutinefunction(pyfuncitem.function):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in signature(pyfuncitem.obj).parameters}
    run: Any = pyfuncitem.funcargs["run_live"]
    run(_entered(pyfuncitem.obj, arguments))
    return True


async def _entered(test: Callable[..., Awaitable[None]], arguments: dict[str, Any]) -> None:
    """A test's coroutine, which is given what its asynchronous contexts enter with."""
    async with AsyncExitStack() as stack:
        for name, value in arguments.items():
            if isinstance(value, AbstractAsyncContextManager):
                arguments[name] = await stack.enter_async_context(value)
        await test(**arguments)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest, so that no process works long after the others are done."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep the collector from what lives as long as the run.

    Each live test ends with a full collection, which took a second over the seven thousand tests.
    """
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Below each failure, say how to see it again."""
    report = yield
    if report.failed:
        command = f'pytest -m "" {shlex.quote(item.nodeid)}'
        again = f"commit {_commit()}, {_circumstances(item.config)}\n{command}"
        report.sections.append(("to see this again", again))
    return report
