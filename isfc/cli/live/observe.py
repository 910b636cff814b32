"""What lets a live node be seen: its log and its metrics, from its start to its end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from isfc.cli.live.logs import STARTED, STOPPED, LinkLog, note_drops, start_log
from isfc.cli.options.observe import ObserveOptions
from isfc.live.endpoint import Endpoint, TcpEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.metrics import families
from isfc.live.metrics_server import MetricsServer
from isfc.live.snapshot import look

LAG_LOOK_S = 1.0
"""Between two looks at the lag."""

Started = Callable[["Endpoint | None", "Endpoint | None"], None]
"""Say that a node is there, and where it listens or connects."""


@asynccontextmanager
async def observe(
    engine: LiveEngine, options: ObserveOptions, *, paced: bool, insecure: bool = False
) -> AsyncIterator[Started]:
    """Let ``engine`` be seen for as long as the body runs, which says when it has started.

    Raises `ConfigurationError` and `OSError` when metrics cannot be had where they should.
    """
    log = LinkLog(engine.definition.name, engine.definition.partner)
    start_log(options.log_format, options.log_level)
    note_drops(options.log_format, engine.definition.name, engine.definition.partner)
    async with AsyncExitStack() as stack:
        endpoint = options.endpoint()
        if endpoint is not None:
            endpoint = await _serve(engine, stack, endpoint, paced=paced, insecure=insecure)
        engine.listeners.append(log.hear)
        stack.callback(engine.listeners.remove, log.hear)
        if paced:
            watching = asyncio.get_running_loop().create_task(_watch_lag(engine, log))
            stack.callback(watching.cancel)
        yield partial(_log_start, stack, log, endpoint)


def _log_start(
    stack: AsyncExitStack,
    log: LinkLog,
    metrics: Endpoint | None,
    listen: Endpoint | None,
    connect: Endpoint | None,
) -> None:
    """Log the start now, and its stop when the stack ends: never that alone."""
    log.log(STARTED, listen=_text(listen), connect=_text(connect), metrics=_text(metrics))
    stack.callback(log.log, STOPPED)


def _text(endpoint: Endpoint | None) -> str | None:
    return None if endpoint is None else str(endpoint)


async def _serve(
    engine: LiveEngine,
    stack: AsyncExitStack,
    endpoint: TcpEndpoint,
    *,
    paced: bool,
    insecure: bool,
) -> TcpEndpoint:
    """Answer Prometheus until the stack ends; where."""
    server = MetricsServer(lambda: families(look(engine, paced=paced)))
    stack.push_async_callback(server.close)
    return await server.listen(endpoint, insecure=insecure)


async def _watch_lag(engine: LiveEngine, log: LinkLog) -> None:

    while True:
        await asyncio.sleep(LAG_LOOK_S)
        log.watch_lag(look(engine, paced=True))
