"""Computations in processes: more than there may be at a time, and one that fails."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import aclosing
from multiprocessing import forkserver

import pytest

from isfc.cli.studio.work import PROCESSES_MAX, Busy, Failed, Tell, Work
from isfc.errors import ConfigurationError
from tests.waiting import PATIENCE_S


def double(_: Tell, number: int) -> int:
    if number < 0:
        raise ConfigurationError("expected a number from 0 on")
    return 2 * number


@pytest.mark.slow
def test_more_arguments_than_processes_are_all_computed() -> None:
    async def computed() -> dict[int, object]:
        work = Work()
        work.warm_up()
        numbers = range(-1, PROCESSES_MAX + 4)
        found = {number: told async for number, told in work.together(double, numbers)}
        assert work.count == 0
        return found

    found = asyncio.run(computed())
    assert found.pop(-1) == Failed("expected a number from 0 on")
    assert found == {number: 2 * number for number in range(PROCESSES_MAX + 4)}


def tell_number_and_wait(tell: Tell) -> int:
    tell((os.getpid(), os.getppid()))
    time.sleep(600)
    return 0


@pytest.mark.slow
@pytest.mark.parametrize("server_too", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_process_that_somebody_kills_is_told_and_the_next_one_computes(*, server_too: bool) -> None:
    async def told() -> tuple[object, list[object]]:
        work = Work()
        work.warm_up()
        async with aclosing(work.stream(tell_number_and_wait)) as messages:
            worker, server = await anext(messages)
            if server_too:
                os.kill(server, signal.SIGKILL)
            os.kill(worker, signal.SIGKILL)
            failed = await anext(messages)
        assert work.count == 0
        again = [each async for each in work.stream(double, 21)]
        return failed, again

    failed, again = asyncio.run(told())
    assert isinstance(failed, Failed)
    assert "ended without a result" in failed.message
    assert again == [42]


@pytest.mark.slow
@pytest.mark.parametrize("error", [EOFError, ConnectionRefusedError])
def test_server_that_is_just_being_killed_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    connect, failures = forkserver.connect_to_new_process, [error()] * 3

    def fail_first(fds: Sequence[int]) -> tuple[int, int]:
        if failures:
            raise failures.pop()
        return connect(fds)

    async def computed() -> list[object]:
        work = Work()
        work.warm_up()
        await asyncio.to_thread(work._warming.join, PATIENCE_S)  # noqa: SLF001  # it connects, too
        monkeypatch.setattr(forkserver, "connect_to_new_process", fail_first)
        found = [each async for each in work.stream(double, 21)]
        assert work.count == 0
        return found

    assert asyncio.run(computed()) == [42]
    assert not failures


def test_processes_that_can_never_begin_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise ConnectionRefusedError("nobody is there")

    monkeypatch.setattr("isfc.cli.studio.work._PAUSE_S", 0.0)
    monkeypatch.setattr(forkserver, "connect_to_new_process", fail)

    async def fails() -> None:
        work = Work()
        with pytest.raises(ConnectionRefusedError, match="nobody is there"):
            await anext(work.stream(double, 21))
        assert work.count == 0

    asyncio.run(fails())


ENDED_AT_ONCE = """
import os
from isfc.cli.studio.work import Work

work = Work()
work.warm_up()
work.kill_all()
work._warming.join()
os._exit(0)  # as the command ends at a signal
"""


@pytest.mark.slow
def test_work_that_is_ended_while_it_warms_up_says_nothing() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDED_AT_ONCE], capture_output=True, check=False, timeout=120
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.slow
def test_nothing_begins_when_all_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waited for a place began when the others were killed, and outlived the studio."""
    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)  # other tests' processes use it

    async def begun() -> None:
        work = Work()
        work.warm_up()
        async with aclosing(work.stream(tell_number_and_wait)) as messages:
            await anext(messages)
            work.kill_all()
        with pytest.raises(Busy):
            await anext(work.stream(double, 21))
        assert work.count == 0

    asyncio.run(begun())
