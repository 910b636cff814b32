"""The event loop of a live command, and the signals that end it."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, Final

from isfc.cli.live.late_stream import late_stderr
from isfc.cli.output.exits import ENDING_SIGNALS, ExitCode
from isfc.cli.output.standard_files import open_closed_files
from isfc.errors import ConfigurationError

LOOP_VARIABLE: Final = "ISFC_LOOP"
LOOPS: Final = ("uvloop", "asyncio")


def run_live(main: Callable[[asyncio.Event], Coroutine[Any, Any, int]]) -> int:
    """Run ``main`` on an event loop and return its exit code.

    The event it is given is set by the first of `ENDING_SIGNALS`; a second one does no more harm.
    The code `ExitCode.INTERRUPTED` becomes that of the signal. The loop is uvloop's where that is
    installed, and asyncio's own where it is not.
    """
    open_closed_files()  # a loop forbids sockets in their place

    async def whole() -> int:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        came: list[int] = []

        def note(number: int) -> None:
            came.append(number)
            stop.set()

        for number in ENDING_SIGNALS:
            loop.add_signal_handler(number, note, number)
        code = await main(stop)
        return ENDING_SIGNALS[came[0]] if came and code == ExitCode.INTERRUPTED else code

    with late_stderr(), asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(whole())


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """What makes the fastest loop there is; asyncio's own if ``ISFC_LOOP=asyncio`` asks for it.

    Raises `ConfigurationError` for another value.
    """
    wanted = os.environ.get(LOOP_VARIABLE, "uvloop")
    if wanted not in LOOPS:
        raise ConfigurationError(f"{LOOP_VARIABLE}={wanted[:40]}: expected {' or '.join(LOOPS)}")
    if wanted == "asyncio":
        return asyncio.new_event_loop
    try:
        import uvloop
    except ImportError:  # it is not to be had for every platform
        return asyncio.new_event_loop
    return uvloop.new_event_loop
