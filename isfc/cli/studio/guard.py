"""Who may ask: pages of this server alone, at its own address, that know the token.

A page of another site cannot read the answers, cannot reach the server by a name of its own (the
Host header is checked), and does not know the token. The page itself may ask nobody else.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from secrets import compare_digest
from typing import Any, Final

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
App = Callable[[_Message, _Receive, _Send], Awaitable[None]]

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""What every answer carries: nothing may be loaded from elsewhere, asked of elsewhere, or kept."""


class GuardedApplication:
    """An application below a token, for one host and port."""

    def __init__(self, app: App, token: str, port: int, length_max: int) -> None:
        self._app = app
        self._prefix = f"/{token}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._length_max = length_max

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        refused = self._refusal(scope["path"], headers)
        if refused is not None:
            status, text = refused
            await _answer(send, status, text)
            return

        async def guarded(message: _Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        path = scope["path"].removeprefix(self._prefix)
        await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, guarded)

    def _refusal(self, path: str, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is not answered: a status and a sentence. None if it is."""
        host = headers.get("host", "")
        if host not in self._hosts:
            return 421, "The Host header names another host."
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return 403, "The request comes from another site."
        token = path[: len(self._prefix)]
        if not compare_digest(token.encode(), self._prefix.encode()) or len(path) == len(token):
            return 404, "There is nothing here: the address that isfc studio prints has a token."
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdigit() or int(length) > self._length_max:
            return 413, f"A request has at most {self._length_max} bytes."
        return None


async def _answer(send: _Send, status: int, text: str) -> None:
    headers = {"content-type": "text/plain; charset=utf-8", **HEADERS}
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": text.encode()})
