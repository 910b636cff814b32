"""The loop of a live command."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest
import uvloop

from isfc.cli.live.loops import LOOPS, loop_factory, run_live
from isfc.cli.output.exits import ENDING_SIGNALS
from isfc.errors import ConfigurationError


@pytest.mark.parametrize("number", ENDING_SIGNALS)
def test_each_signal_asks_for_an_end_and_the_exit_code_is_mains(number: signal.Signals) -> None:
    async def main(stop: asyncio.Event) -> int:
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        async with asyncio.timeout(10):
            await stop.wait()
        return 7

    assert run_live(main) == 7


def test_asyncios_own_loop_may_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISFC_LOOP", "asyncio")
    assert loop_factory() is asyncio.new_event_loop
    monkeypatch.setenv("ISFC_LOOP", "trio")
    with pytest.raises(ConfigurationError, match="ISFC_LOOP=trio: expected uvloop or asyncio"):
        loop_factory()


def test_the_loop_is_uvloops_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISFC_LOOP", raising=False)
    assert loop_factory() is uvloop.new_event_loop
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert loop_factory() is asyncio.new_event_loop


@pytest.mark.parametrize("loop", LOOPS)
def test_standard_files_that_are_closed_do_no_harm(
    loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISFC_LOOP", loop)
    script = (
        "import asyncio; from isfc.cli.live.loops import run_live\n"
        "async def main(stop):\n"
        "    server = await asyncio.start_server(print, '127.0.0.1')\n"
        "    return min(each.fileno() for each in server.sockets)\n"
        "raise SystemExit(run_live(main))"
    )
    words = ["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, script]
    done = subprocess.run(words, timeout=60, check=False)
    assert 2 < done.returncode < 100
