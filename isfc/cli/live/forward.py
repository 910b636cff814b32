"""The ``--forward`` option: what a live node carries for TCP programs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

import typer

from isfc.cli.output.streams import show_error
from isfc.live.engine import LiveEngine
from isfc.live.forward import Forward, forwarding
from isfc.live.session import OpenNode

ForwardOption = Annotated[
    list[str] | None,
    typer.Option(
        "--forward",
        metavar="NODE:PORT=NODE:HOST:PORT",
        help="Listen on a TCP port at one system, and carry each connection over the link to a "
        "TCP service at the other. May be given again.",
    ),
]


@asynccontextmanager
async def forwarded(
    node: OpenNode, engines: Sequence[LiveEngine], forwards: Sequence[Forward]
) -> AsyncIterator[None]:
    """Carry what is forwarded within the block; what goes wrong with it is printed.

    Raises `ConfigurationError` for a port that cannot be listened on.
    """
    for exchange, engine in zip(node.exchanges.values(), engines, strict=True):
        exchange.engine = engine
    try:
        async with forwarding(node, forwards, show_error):
            yield
    finally:
        await node.close()
