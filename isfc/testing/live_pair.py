"""Both systems of a layout live in one process, joined by a Unix socket: real races, real time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.live.session import OpenNode, open_node


@asynccontextmanager
async def open_pair(
    folder: str | Path, layout: str | Layout = "atlanta-boston", **options: Any
) -> AsyncIterator[tuple[OpenNode, OpenNode]]:
    """Run both systems of a layout within the block; the first one listens in ``folder``.

    ``options`` go to both `isfc.live.session.open_node`.
    """
    link = layout if isinstance(layout, Layout) else load_layout(layout)
    first, second = link.nodes
    address = f"unix:{Path(folder, 'isfc')}"
    async with (
        open_node(link, first, listen=address, **options) as listening,
        open_node(link, second, connect=address, **options) as connecting,
    ):
        yield listening, connecting
