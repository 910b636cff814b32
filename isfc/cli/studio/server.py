"""The server of the page: who may ask, what is answered, and how it all ends.

The page holds the layout, as text, and its history; the server keeps no more than what the model
has said. Each answer is lines of JSON, most with sections of the page as HTML by their ids.
"""

import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from isfc import ConfigurationError, ModelledRate, SourceKind, source_kind
from isfc.cli.studio.command_line import Printed
from isfc.cli.studio.downloads import Download, download
from isfc.cli.studio.guard import GuardedApplication
from isfc.cli.studio.importing import Asked, Import, import_files, opened
from isfc.cli.studio.judgement import judgement
from isfc.cli.studio.look import Chosen, Judge, LayoutEdited, choose, look
from isfc.cli.studio.page import asset, page
from isfc.cli.studio.panels import AnyPanel, show_panel
from isfc.cli.studio.runs import Run, run
from isfc.cli.studio.tasks import Inquiry, Question, Subject, ask, questions
from isfc.cli.studio.work import Busy, Failed, Work

ANSWERS_MAX: Final = 512
"""Answers of the model that are kept, so that undo shows them immediately."""
BODY_LENGTH_MAX: Final = 4 * 2**20
"""Bytes of a request: a layout as it is and as it was opened are much shorter."""


class Studio:
    """What one command serves."""

    def __init__(self, work: Work, text: str, source: str) -> None:
        self._work = work
        is_layout = source_kind(text) is SourceKind.LAYOUT
        self._start = {"text": text, "source": source, "is_layout": is_layout}
        self._answers: OrderedDict[Question, ModelledRate] = OrderedDict()

    def app(self, token: str, port: int) -> GuardedApplication:
        """The application, below ``/TOKEN/``, for the host and the port that it is served at."""
        routes = [
            Route("/", self._page),
            _posted("/look", LayoutEdited, lambda wanted: _one(self._looked(wanted))),
            _posted("/chosen", Chosen, lambda wanted: _one(choose(wanted))),
            _posted("/judge", Judge, lambda wanted: _stream(self._judged(wanted))),
            _posted("/import", Import, lambda wanted: _stream(self._imported(wanted))),
            _posted("/run", Run, self._computed(run)),
            _posted("/panel", AnyPanel, self._computed(show_panel)),
            _posted("/download", Download, self._computed(download)),
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

    async def _imported(self, wanted: Import) -> AsyncIterator[dict[str, Any]]:
        """What is to be told more, or the layout with what the command says of it."""
        async for each in self._told(import_files, wanted):
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


def _refuse(_: Request, error: Exception) -> Response:
    return _one({"error": str(error)}, 422)


def _missing(_: Request, error: Exception) -> Response:
    return _one({"error": f"there is no {error}"}, 404)
