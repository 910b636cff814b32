"""Work shared out over a Dask cluster: the same function on the same items, wherever it runs."""

import socket
from collections.abc import Callable, Generator, Sequence
from importlib import import_module
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from isfc.arguments import spelt
from isfc.errors import ConfigurationError
from isfc.library import check_library

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

CONNECT_S: Final = 10
"""Seconds for a scheduler to answer."""


def share_out_over(
    address: str, work: Callable[[_Item], _Result], items: Sequence[_Item]
) -> Generator[tuple[int, _Result], None, None]:
    """Do ``work`` on every item on the workers of the scheduler at ``address``.

    Yields (index of the item, result) as they finish. What a worker that dies had in hand, another
    one does again. When the iterator is closed, what has not begun is cancelled. The workers need
    the same version of isfc. Raises `ConfigurationError` where there is no scheduler.
    """
    check_library("distributed", spelt("cluster"))
    _check_listener(address)
    distributed: Any = import_module("distributed")
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigurationError(
            f"{spelt('cluster')} {address}: no scheduler answers ({error})"
        ) from None
    with client:
        futures = client.map(work, items, pure=False)
        order = {future.key: index for index, future in enumerate(futures)}
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield order[future.key], future.result()
                future.release()
        finally:
            client.cancel(futures)


def _check_listener(address: str) -> None:
    """Raise `ConfigurationError` unless somebody listens at the address.

    Dask's client tells the same 20 s later, with a traceback of what it could not close.
    """
    try:
        place = urlsplit(address if "://" in address else f"tcp://{address}")
        if place.scheme not in ("tcp", "tls"):
            return  # Dask knows others, which have no port
        if place.hostname is None or place.port is None:
            raise ValueError("it has no port")
        socket.create_connection((place.hostname, place.port), CONNECT_S).close()
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{spelt('cluster')} {address}: no scheduler answers ({error}); "
            "expected its address, such as tcp://scheduler:8786"
        ) from None
