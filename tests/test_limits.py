"""The limit on each test ends whatever never would, and the tests after it go on."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.waiting import ran

PROJECT = Path(__file__).parents[1]

SETTINGS = """\
[pytest]
timeout = 1
asyncio_default_fixture_loop_scope = function
"""

ENDLESS = """\
import asyncio
import faulthandler
import os
import threading
import time

import pytest
import uvloop
from hypothesis import given
from hypothesis.strategies import integers

from tests import limits


@pytest.fixture(scope="session", autouse=True)
def short_grace():
    limits.GRACE_S = 0.5


@pytest.fixture(scope="session")
def made_once():
    time.sleep(1.2)


@pytest.fixture
def left():
    yield
    threading.Event().wait()


def test_made_once(made_once):
    pass


def test_fork():
    child = os.fork()
    if not child:
        faulthandler.cancel_dump_traceback_later()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_loop():
    while True:
        pass


def test_other_thread():
    threading.Thread(target=threading.Event().wait, name="stuck", daemon=True).start()
    threading.Event().wait()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_task(run):
    async def forgotten():
        await asyncio.Event().wait()

    run(forgotten())


@given(integers())
def test_examples(number):
    threading.Event().wait()


def test_reported():
    threading.Event().wait()


def test_left(left):
    assert not "right"


def test_compiled():
    sum(range(10**15))


def test_after():
    pass
"""


SLOW_REPORT = """\
import time


def pytest_runtest_logreport(report):
    if "test_reported" in report.nodeid and report.when == "setup":
        time.sleep(1.2)
"""


@pytest.mark.exhaustive
@pytest.mark.slow
def test_what_never_ends_fails_where_it_stands_and_the_rest_is_run(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "test_endless.py").write_text(ENDLESS)
    (tmp_path / "conftest.py").write_text(SLOW_REPORT)
    plugins = "-p tests.limits -p tests.workers.plugin --workers=1"
    command = f"-m pytest {plugins} --rootdir {tmp_path} -c {tmp_path / 'pytest.ini'}"
    done = ran(
        [sys.executable, *command.split(), str(tmp_path)],
        cwd=PROJECT,
        env=os.environ | {"COLUMNS": "200"},
    )
    said = done.stdout
    told = re.findall(r"^(FAILED|ERROR) \S+::(\S+)(?: - (.*))?", said, re.MULTILINE)
    overdue = "tests.limits.Overdue: not ended within 1 s"
    assert told == [
        ("FAILED", "test_loop", overdue),
        ("FAILED", "test_other_thread", overdue),
        ("FAILED", "test_task[asyncio]", overdue.replace(":", "InLoop:")),
        ("FAILED", "test_task[uvloop]", overdue.replace(":", "InLoop:")),
        ("FAILED", "test_examples", overdue),
        ("FAILED", "test_reported", overdue),
        ("FAILED", "test_left", "AssertionError: assert not 'right'"),
        (
            "FAILED",
            "test_compiled",
            "the process that ran it ended with exit code 1",
        ),
        ("ERROR", "test_left", overdue),
    ], said
    assert "3 passed" in said
    assert "Thread stuck:" in said
    assert "await asyncio.Event().wait()" in said  # by the stack of the task
    assert "Timeout (0:00:01" in said  # and the stacks of the process that is ended
    assert "in test_compiled" in said
