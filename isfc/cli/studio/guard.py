"""Who may ask: pages of this server alone, at its own address, that know the token.

A page of another site cannot read the answers, cannot reach the server by a name of its own (the
Host header is checked), and does not know the token. The page itself may ask nobody else.
"""

from secrets import compare_digest
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

    def __init__(self, app: ASGIApp, token: str, port: int, length_max: int) -> None:
        self._app = app
        self._prefix = f"/{token}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._length_max = length_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        app = self._refusal(scope["path"], Headers(scope=scope)) or self._app
        path = scope["path"].removeprefix(self._prefix)
        await app({**scope, "path": path, "raw_path": path.encode()}, receive, guarded)

    def _refusal(self, path: str, headers: Headers) -> PlainTextResponse | None:
        """The answer to a request that is refused; None if it is not."""
        if headers.get("host") not in self._hosts:
            return PlainTextResponse("The Host header names another host.", 421)
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return PlainTextResponse("The request comes from another site.", 403)
        token = path[: len(self._prefix)]
        if not compare_digest(token.encode(), self._prefix.encode()) or len(path) == len(token):
            said = "There is nothing here: the address that isfc studio prints has a token."
            return PlainTextResponse(said, 404)
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdigit() or int(length) > self._length_max:
            return PlainTextResponse(f"A request has at most {self._length_max} bytes.", 413)
        return None
