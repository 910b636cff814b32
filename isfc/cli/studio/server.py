"""The server of the page: who may ask, what is answered, and how it all ends.

The page holds the layout, as text, and its history; the server keeps no more than what the model
has said. Each request has the revision that it is about, and each answer the same one.
"""

import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from isfc import ConfigurationError, ModelledRate, __version__, features, source_kind
from isfc.cli.options.experiment import complete_workload
from isfc.cli.studio.command_line import Printed
from isfc.cli.studio.downloads import drawing, report
from isfc.cli.studio.guard import GuardedApplication
from isfc.cli.studio.importing import Asked, Import, import_files
from isfc.cli.studio.judgement import capacity, in_short
from isfc.cli.studio.look import LayoutEdited, look
from isfc.cli.studio.page import asset, page
from isfc.cli.studio.panels import PANELS, RunPair, compare, show_panel
from isfc.cli.studio.runs import Run, run
from isfc.cli.studio.tasks import (
    Beside,
    Question,
    Shown,
    Subject,
    Why,
    asides,
    ask,
    find_said,
    questions,
)
from isfc.cli.studio.work import Busy, Failed, Work

ANSWERS_MAX: Final = 512
"""Answers of the model that are kept, so that undo shows them immediately."""
BODY_LENGTH_MAX: Final = 4 * 2**20
"""Bytes of a request: a layout as it is and as it was opened are much shorter."""


class Judge(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layout is to be judged by the model, and the one as opened, to be compared with."""

    revision: int
    opened: str
    pairs: int = 50


class Studio:
    """What one command serves."""

    def __init__(self, work: Work, text: str, source: str) -> None:
        self._work = work
        self._start = {
            "text": text,
            "source": source,
            "kind": source_kind(text),
            "version": __version__,
            "features": features(),
            "workloads": complete_workload(""),
        }
        self._answers: OrderedDict[Question, ModelledRate] = OrderedDict()
        self._said: OrderedDict[Why | Beside, str] = OrderedDict()

    def app(self, token: str, port: int) -> GuardedApplication:
        """The application, below ``/TOKEN/``, for the host and the port that it is served at."""
        routes = [
            Route("/", self._page),
            Route("/look", self._look, methods=["POST"]),
            Route("/judge", self._judge, methods=["POST"]),
            Route("/import", self._import, methods=["POST"]),
            Route("/run", self._run, methods=["POST"]),
            Route("/panel", self._panel, methods=["POST"]),
            Route("/drawing", self._drawing, methods=["POST"]),
            Route("/report", self._report, methods=["POST"]),
            Route("/compare", self._compare, methods=["POST"]),
            Route("/{name}", self._asset),
        ]
        app = Starlette(
            routes=routes, exception_handlers={ConfigurationError: _refuse, KeyError: _missing}
        )
        return GuardedApplication(app, token, port, BODY_LENGTH_MAX)

    async def _page(self, _: Request) -> Response:
        return Response(page(self._start), media_type="text/html")

    async def _asset(self, request: Request) -> Response:
        content, kind = asset(request.path_params["name"])
        return Response(content, media_type=kind)

    async def _look(self, request: Request) -> Response:
        wanted = await _read(request, LayoutEdited)
        return JSONResponse(look(wanted, self._known, self._said.get))

    async def _judge(self, request: Request) -> Response:
        wanted = await _read(request, Judge)
        return _stream(self._judged(wanted))

    async def _import(self, request: Request) -> Response:
        return _stream(self._told(import_files, await _read(request, Import)))

    async def _run(self, request: Request) -> Response:
        return _stream(self._told(run, await _read(request, Run)))

    async def _panel(self, request: Request) -> Response:
        return _stream(self._told(show_panel, await _read(request, PANELS)))

    async def _drawing(self, request: Request) -> Response:
        wanted = await _read(request, Shown)
        return Response(drawing(wanted.subject), media_type="image/svg+xml")

    async def _report(self, request: Request) -> Response:
        return _stream(self._told(report, (await _read(request, Shown)).subject))

    async def _compare(self, request: Request) -> Response:
        return _stream(self._told(compare, await _read(request, RunPair)))

    async def _told(self, task: Callable[..., Any], wanted: Any) -> AsyncIterator[dict[str, Any]]:
        """What a computation tells, each as a record for the page."""
        async with aclosing(self._work.stream(task, wanted)) as told:
            async for each in told:
                match each:
                    case Failed(message):
                        raise ConfigurationError(message)
                    case Printed(out, err, code):
                        yield {"out": out, "err": err, "code": code}
                    case Asked():
                        yield each.record()
                    case _:
                        yield each

    def _known(self, question: Question) -> ModelledRate | None:
        return self._answers.get(question)

    async def _judged(self, wanted: Judge) -> AsyncIterator[dict[str, Any]]:
        """Capacities in a line and as a table: what is known, and again with each of the model."""
        subject, opened = wanted.subject, Subject(wanted.opened)

        def known() -> dict[str, Any]:
            of = subject, opened, wanted.pairs, self._known
            said = {"answer": in_short(*of), "capacity": capacity(*of, self._said.get)}
            return {"revision": wanted.revision, **said}

        yield known()
        for each in dict.fromkeys((subject, opened)):
            asked = questions(each, wanted.pairs)
            unknown = [question for question in asked if question not in self._answers]
            async for question, answer in self._work.together(ask, unknown):
                if isinstance(answer, Failed):
                    raise ConfigurationError(answer.message)
                _remember(self._answers, question, answer)
                yield known()
        every = asides(subject, wanted.pairs, self._known)
        unasked = [aside for aside in every if aside not in self._said]
        async for aside, said in self._work.together(find_said, unasked):
            if isinstance(said, Failed):
                raise ConfigurationError(said.message)
            _remember(self._said, aside, said)
            yield known()
        yield {"revision": wanted.revision, "done": True}


_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")


def _remember(kept: "OrderedDict[_Asked, _Answer]", asked: _Asked, answer: _Answer) -> None:
    kept[asked] = answer
    if len(kept) > ANSWERS_MAX:
        kept.popitem(last=False)


async def _read(request: Request, kind: Any) -> Any:
    """The body of a request. Raises `ConfigurationError` for what the page does not send."""
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.DecodeError as error:
        raise ConfigurationError(f"request: {error}") from None


def _stream(records: AsyncIterator[dict[str, Any]]) -> Response:
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


def _refuse(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=422)


def _missing(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"there is no {error}"}, status_code=404)
