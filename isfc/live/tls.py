"""TLS at the end that listens: accept first, then the handshake.

A TLS server of asyncio's own tells nobody of a handshake that fails, and lets any number of them
go on, each with a large buffer. Here whoever comes is counted immediately, and what fails is said.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from isfc.live.accepting import Admit, accept_all, anybody, spawn
from isfc.live.connection import Connection, reason_of

Tls = ssl.SSLContext | Callable[[], ssl.SSLContext]
"""A context, or what gives the present one: certificates are renewed while a node runs."""


def tls_now(tls: Tls | None) -> ssl.SSLContext | None:
    """The context for the next connection."""
    return tls if tls is None or isinstance(tls, ssl.SSLContext) else tls()


class Guard(Protocol):
    """Who decides about one that comes."""

    def come(self, peer: object, end: Callable[[], object]) -> None:
        """A connection was accepted; ``end`` ends its handshake."""

    def fail(self, reason: str | None) -> None:
        """The handshake has failed: ``reason``, None if this end ended it. Nothing follows."""


class TlsServer:
    """Accepts on ``listener`` until `close`; ``make`` makes a guard and a connection for each."""

    def __init__(
        self,
        listener: socket.socket,
        context: Callable[[], ssl.SSLContext | None],
        make: Callable[[], tuple[Guard, Connection]],
        admit: Admit = anybody,
    ) -> None:
        self._listener = listener
        self._context = context
        self._make = make
        self._tasks: set[asyncio.Task[None]] = set()
        self._accepting = spawn(accept_all(listener, self._take, admit), self._tasks)

    async def close(self) -> None:
        """Accept nobody any more, and give up the handshakes that are under way."""
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        # every handshake has begun by now: a task that is cancelled before it begins closes nothing
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._listener.close()

    async def _take(self, accepted: socket.socket, peer: object) -> None:
        guard, connection = self._make()
        task = spawn(self._secure(accepted, guard, connection), self._tasks)
        guard.come(peer, partial(_send_away, accepted, task))
        await asyncio.sleep(0)  # until the handshake has begun

    async def _secure(self, accepted: socket.socket, guard: Guard, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(lambda: connection, accepted, ssl=self._context())
        except (OSError, EOFError) as error:
            guard.fail(f"TLS: {reason_of(error)}")
        except asyncio.CancelledError:
            guard.fail(None)
            raise


def _send_away(accepted: socket.socket, task: "asyncio.Task[None]") -> None:
    """End a handshake. One that is about to begin would go on alone if it could still read."""
    task.cancel()
    with suppress(OSError):  # it may be gone
        accepted.shutdown(socket.SHUT_RDWR)


def certificate_names(certificate: dict[str, Any]) -> set[str]:
    """The names a certificate is for, as `ssl` gives it: its common name and its DNS names."""
    subject = {pair for part in certificate.get("subject", ()) for pair in part}
    names = [name for key, name in subject if key == "commonName"]
    names += [name for key, name in certificate.get("subjectAltName", ()) if key == "DNS"]
    return {name.upper() for name in names}
