"""The server of the page, on loopback: who may ask, what is answered, and how it all ends.

The page holds the layout, as text, and its history; the server keeps no more than what the model
has said. Each answer is lines of JSON, most with sections of the page as HTML by their ids.

Pages of this server alone may ask, at its own address, that know the token. A page of another site
cannot read the answers, cannot reach the server by a name of its own (the Host header is checked),
and does not know the token. The page itself may ask nobody else. Ctrl-C ends it all.
"""

import json
import os
import secrets
import signal
import socket
import webbrowser
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from secrets import compare_digest
from types import FrameType
from typing import Any, Final

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isfc import ConfigurationError, FileKind, ModelledRate, file_kind
from isfc.answers.drawing import SOLID_STYLE
from isfc.answers.drawing_link import STYLE
from isfc.cli.options.experiment import complete_workload
from isfc.cli.output.streams import ENDING_SIGNALS, ExitCode, show_lines
from isfc.cli.studio.command_line import Printed
from isfc.cli.studio.deciding import bring_in, decide
from isfc.cli.studio.importing import Asked, Import, opened
from isfc.cli.studio.judgement import judgement
from isfc.cli.studio.look import Judge, LayoutEdited, PieceChosen, choose, look
from isfc.cli.studio.panels import AnyPanel, Download, Run, download, run, show_panel
from isfc.cli.studio.tasks import Inquiry, Question, Subject, ask, questions
from isfc.cli.studio.work import Busy, Failed, Work
from isfc.reports import picture
from isfc.reports.html import render, resource

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


ANSWERS_MAX: Final = 512
"""Answers of the model that are kept, so that undo shows them immediately."""
BODY_LENGTH_MAX: Final = 64 * 2**20
"""Bytes of a request: what a site measured for days is the longest, a third longer in Base64."""


class Studio:
    """What one command serves."""

    def __init__(self, work: Work, text: str, source: str) -> None:
        self._work = work
        is_layout = file_kind(text.encode())[0] is FileKind.LAYOUT
        self._start = {"text": text, "source": source, "is_layout": is_layout}
        self._answers: OrderedDict[Question, ModelledRate] = OrderedDict()

    def app(self, token: str, port: int) -> GuardedApplication:
        """The application, below ``/TOKEN/``, for the host and the port that it is served at."""
        routes = [
            Route("/", self._page),
            _posted("/look", LayoutEdited, lambda wanted: _one(self._looked(wanted))),
            _posted("/chosen", PieceChosen, lambda wanted: _one(choose(wanted))),
            _posted("/judge", Judge, lambda wanted: _stream(self._judged(wanted))),
            _posted("/import", Import, lambda wanted: _stream(self._imported(bring_in, wanted))),
            _posted("/decide", Import, lambda wanted: _stream(self._imported(decide, wanted))),
            _posted("/run", Run, self._computed(run)),
            _posted("/panel", AnyPanel, self._computed(show_panel)),
            _posted("/download", Download, self._computed(download)),
            Route("/{name}", self._asset),
        ]
        refused = {
            ConfigurationError: lambda _, error: _one({"error": str(error)}, 422),
            KeyError: lambda _, error: _one({"error": f"there is no {error}"}, 404),
        }
        app = Starlette(routes=routes, exception_handlers=refused)
        return GuardedApplication(app, token, port, BODY_LENGTH_MAX)

    async def _page(self, _: Request) -> Response:
        return Response(page(self._start), media_type="text/html")

    async def _asset(self, request: Request) -> Response:
        content, kind = asset(request.path_params["name"])
        return Response(content, media_type=kind)

    def _computed(self, task: Callable[..., Any]) -> Callable[[Any], Response]:
        """What answers a request by a computation."""
        return lambda wanted: _stream(self._told(task, wanted))

    async def _told(self, task: Callable[..., Any], wanted: Any) -> AsyncIterator[Any]:
        """What a computation tells, each a record for the page, unless it is of an import."""
        async with aclosing(self._work.stream(task, wanted)) as told:
            async for each in told:
                if isinstance(each, Failed):
                    raise ConfigurationError(each.message)
                yield each

    async def _imported(
        self, task: Callable[..., Any], wanted: Import
    ) -> AsyncIterator[dict[str, Any]]:
        """What is to be told more, the layout with what the command says of it, or a decision."""
        async for each in self._told(task, wanted):
            match each:
                case Asked():
                    yield each.record(wanted)
                case Printed(out):
                    name = wanted.files[0].name
                    yield opened(wanted, each, self._looked(LayoutEdited(text=out, source=name)))
                case _:
                    yield each

    def _looked(self, wanted: LayoutEdited) -> dict[str, Any]:
        return look(wanted, self._answers.get)

    async def _judged(self, wanted: Judge) -> AsyncIterator[dict[str, Any]]:
        """Capacities in a line and as a table: what is known, and again with each of the model."""
        subject, before = wanted.subject, Subject(wanted.opened or wanted.text)

        def known() -> dict[str, Any]:
            return {"sections": judgement(subject, before, wanted.pairs, self._answers.get)}

        async def answered(asked: Sequence[Inquiry]) -> AsyncIterator[dict[str, Any]]:
            async for (question, _), answer in self._work.together(ask, asked):
                if isinstance(answer, Failed):
                    raise ConfigurationError(answer.message)
                self._answers[question] = answer
                if len(self._answers) > ANSWERS_MAX:
                    self._answers.popitem(last=False)
                yield known()

        yield known()
        for each in dict.fromkeys((subject, before)):
            every = questions(each, wanted.pairs)
            unknown: list[Inquiry] = [(one, None) for one in every if one not in self._answers]
            async for record in answered(unknown):
                yield record
        rates = ((one, self._answers.get(one)) for one in questions(subject, wanted.pairs))
        async for record in answered([each for each in rates if each[1] and not each[1].limit]):
            yield record
        yield {"done": True}


def _posted(path: str, kind: Any, answer: Callable[[Any], Response]) -> Route:
    """Where the page sends records of a ``kind``; what it does not send is refused."""

    async def answered(request: Request) -> Response:
        try:
            wanted = msgspec.json.decode(await request.body(), type=kind, strict=False)
        except msgspec.DecodeError as error:
            raise ConfigurationError(f"request: {error}") from None
        return answer(wanted)

    return Route(path, answered, methods=["POST"])


def _stream(records: AsyncIterator[Any]) -> Response:
    """A line of JSON for each record as it comes; an error is the last one.

    When the page ends the request, the iterator is cancelled, and what it computes with it.
    """

    async def lines() -> AsyncIterator[str]:
        try:
            async for record in records:
                yield json.dumps(record) + "\n"
        except (ConfigurationError, Busy) as error:
            yield json.dumps({"error": str(error)}) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def _one(record: dict[str, Any], status: int = 200) -> Response:
    """A single line of that kind."""
    return Response(json.dumps(record) + "\n", status, media_type="application/json")


_ASSETS: Final = {
    "studio.js": ("cli/studio/page/studio.js", "text/javascript"),
    "scroll.js": ("answers/page/scroll.js", "text/javascript"),
    "studio.css": ("cli/studio/page/studio.css", "text/css"),
}


def page(start: Mapping[str, Any]) -> str:
    """The document, which has what it begins with inside."""
    workloads = complete_workload("")
    return render("cli/studio/page/studio.html", start=start, workloads=workloads)


def asset(name: str) -> tuple[str, str]:
    """What else the page loads, and its media type. Raises `KeyError` for another name."""
    file, kind = _ASSETS[name]
    styles = STYLE + SOLID_STYLE + picture.STYLE + resource("answers/page/parts.css")
    return resource(file) + styles * (name == "studio.css"), kind


HOST: Final = "127.0.0.1"
TOKEN_LENGTH: Final = 16
"""Random bytes in the address."""
CONNECTIONS_MAX: Final = 64
"""Connections that wait; a browser has six."""


class _Server(uvicorn.Server):
    """Uvicorn's server, which ends at the first signal, and all its work with it."""

    def __init__(self, config: uvicorn.Config, work: Work) -> None:
        super().__init__(config)
        self._work = work

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End immediately: nothing is wanted any more, and nothing is to be undone."""
        self._work.kill_all()
        os._exit(ExitCode.GOOD)


def serve(text: str, source: str, port: int, *, open_browser: bool) -> None:
    """Serve the page of one layout, and say where; until Ctrl-C, SIGTERM or a closed terminal.

    Raises `OSError` for a port that is taken.
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(CONNECTIONS_MAX)
        bound = listening.getsockname()[1]
        token = secrets.token_urlsafe(TOKEN_LENGTH)
        work = Work()
        app = Studio(work, text, source).app(token, bound)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", server_header=False
        )
        server = _Server(config, work)
        for each in ENDING_SIGNALS:
            signal.signal(each, server.handle_exit)
        work.warm_up()
        address = f"http://{HOST}:{bound}/{token}/"
        show_lines([f"isfc studio is at {address}", "Ctrl-C ends it."])
        if open_browser:
            webbrowser.open(address)
        server.run(sockets=[listening])
