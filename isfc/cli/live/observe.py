"""What lets a live node be seen: its log and its metrics, from its start to its end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from isfc.cli.live.logs import STARTED, STOPPED, LinkLog, note_drops, start_log
from isfc.cli.live.observe_options import ObserveOptions
from isfc.link.name import NodeName
from isfc.live.endpoint import Endpoint, TcpEndpoint
from isfc.live.engine import LiveEngine
from isfc.live.snapshot import look

LAG_LOOK_S = 1.0
"""Between two looks at the lag."""

Started = Callable[["Endpoint | None", Mapping[NodeName, Endpoint]], None]
"""Say that a node is there, where it listens, and to where it connects for which partner."""


@asynccontextmanager
async def observe(
    engines: Sequence[LiveEngine],
    options: ObserveOptions,
    *,
    paced: bool,
    insecure: bool = False,
) -> AsyncIterator[Started]:
    """Let a node be seen for as long as the body runs, which says when it has started.

    There is an engine for each of its links.
    Raises `ConfigurationError` and `OSError` when metrics cannot be had where they should.
    """
    ends = [engine.definition for engine in engines]
    logs = [LinkLog(end.name, end.partner) for end in ends]
    start_log(options.log_format, options.log_level)
    note_drops(options.log_format, ends[0].name, " ".join(end.partner for end in ends))
    async with AsyncExitStack() as stack:
        endpoint = options.endpoint()
        if endpoint is not None:
            endpoint = await _serve(engines, stack, endpoint, paced=paced, insecure=insecure)
        for engine, log in zip(engines, logs, strict=True):
            engine.listeners.append(log.hear)
            stack.callback(engine.listeners.remove, log.hear)
            if paced:
                watching = asyncio.get_running_loop().create_task(_watch_lag(engine, log))
                stack.callback(watching.cancel)
        yield partial(_log_start, stack, logs, endpoint)


def _log_start(
    stack: AsyncExitStack,
    logs: Sequence[LinkLog],
    metrics: Endpoint | None,
    listen: Endpoint | None,
    connect: Mapping[NodeName, Endpoint],
) -> None:
    """Log the start of each link now, and its stop when the stack ends: never that alone."""
    for log in logs:
        goes_to = connect.get(NodeName(log.partner))
        comes_to = listen if goes_to is None else None
        log.log(STARTED, listen=_text(comes_to), connect=_text(goes_to), metrics=_text(metrics))
        stack.callback(log.log, STOPPED)


def _text(endpoint: Endpoint | None) -> str | None:
    return None if endpoint is None else str(endpoint)


async def _serve(
    engines: Sequence[LiveEngine],
    stack: AsyncExitStack,
    endpoint: TcpEndpoint,
    *,
    paced: bool,
    insecure: bool,
) -> TcpEndpoint:
    """Answer Prometheus until the stack ends; where."""
    from isfc.live.metrics import families  # and an HTTP server, which most nodes do without
    from isfc.live.metrics_server import MetricsServer

    server = MetricsServer(lambda: families([look(engine, paced=paced) for engine in engines]))
    stack.push_async_callback(server.close)
    return await server.listen(endpoint, insecure=insecure)


async def _watch_lag(engine: LiveEngine, log: LinkLog) -> None:

    while True:
        await asyncio.sleep(LAG_LOOK_S)
        log.watch_lag(look(engine, paced=True))
