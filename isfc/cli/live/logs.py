"""The log of a live node: one logger, ``isfc``; events with stable names and fields; stderr.

``docs/monitoring.md`` lists the events. As JSON a record is one object on one line; as text it
is the time, the level, the event and ``field=value`` for each field.
"""

import asyncio
import json
import logging
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import format_rdev
from isfc.cli.live.loops import LateStream
from isfc.cli.live.options import LAG_PERCENT, LogFormat, LogLevel, ObserveOptions
from isfc.cli.output.streams import ERROR_PREFIX, show_log
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkUp, Sent, Severed
from isfc.link.name import NodeName
from isfc.live.connection import Attached, ConnectionRefused, Detached, LiveEvent
from isfc.live.endpoint import Endpoint
from isfc.live.engine import LiveEngine
from isfc.live.frames import FAREWELL_REASON
from isfc.live.operator import LiveSnapshot, look
from isfc.system.link_end import LinkEnd

LOGGER = logging.getLogger("isfc")

LAG_REMIND_S = 60.0
"""Between two records of lag: it lasts, as a rule."""

REFUSALS_PER_S = 5
"""Refused connections that are logged in one second; of further ones only how many."""


class EventKind(Struct, frozen=True):
    """A name that stays, how severe it is, and the fields it has besides node and partner."""

    name: str
    level: int
    fields: tuple[str, ...] = ()


STARTED = EventKind("started", logging.INFO, ("listen", "connect", "metrics"))
STOPPED = EventKind("stopped", logging.INFO)
LINK_UP = EventKind("link-up", logging.INFO)
LINK_DOWN = EventKind("link-down", logging.WARNING)
PARTNER_ENDED = EventKind("partner-ended", logging.INFO)
CTC_UP = EventKind("ctc-up", logging.INFO, ("rdev",))
CTC_DOWN = EventKind("ctc-down", logging.WARNING, ("rdev",))
ATTACHED = EventKind("attached", logging.DEBUG, ("rdev",))
DETACHED = EventKind("detached", logging.WARNING, ("rdev", "reason"))
REFUSED = EventKind("refused", logging.WARNING, ("peer", "reason", "by_partner", "unlogged_count"))
SEVERED = EventKind("severed", logging.ERROR, ("reason",))
DROPPED = EventKind("dropped", logging.WARNING, ("line_count",))
LAG = EventKind("lag", logging.WARNING, ("late_percent", "late_ms_max"))

_FREQUENT = frozenset({Delivered, Sent})


class LinkLog(Struct, eq=False):
    """Logs what happens to one node; `hear` listens to its engine.

    ``now_s`` is the time by which refused connections are counted, in seconds.
    """

    node: str
    partner: str
    now_s: Callable[[], float] = time.monotonic
    _second: int = 0
    _refused_count: int = 0
    _unlogged_count: int = 0
    _late_ns: int = 0
    _waited_ns: int = 0
    _lag_due_s: float = 0.0
    _partner_ended: bool = False
    """It has said so: that its CTCs go is no fault."""

    def hear(self, _end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        """Log an event as a `Listener`."""
        self.log_event(event)

    def log_event(self, event: LiveEvent) -> None:
        """Log an event of the engine, unless it is one of every package."""
        if type(event) in _FREQUENT:
            return
        match event:
            case LinkUp():
                self.log(LINK_UP)
            case LinkDown():
                self._log_loss(LINK_DOWN)
            case DeviceChanged(usable=True):
                self.log(CTC_UP, rdev=format_rdev(event.rdev))
            case DeviceChanged():
                self._log_loss(CTC_DOWN, rdev=format_rdev(event.rdev))
            case Attached():
                self._partner_ended = False
                self.log(ATTACHED, rdev=format_rdev(event.rdev))
            case Detached():
                if event.reason == FAREWELL_REASON and not self._partner_ended:
                    self._partner_ended = True
                    self.log(PARTNER_ENDED)
                self._log_loss(DETACHED, rdev=format_rdev(event.rdev), reason=event.reason)
            case ConnectionRefused():
                self._refuse(event)
            case Severed():
                self.log(SEVERED, reason=event.reason)

    def log(self, kind: EventKind, **fields: Any) -> None:
        """Write one record; ``fields`` are those that the kind of event has."""
        assert fields.keys() == {*kind.fields}, f"{kind.name} has the fields {kind.fields}"
        who = {"node": self.node, "partner": self.partner}
        LOGGER.log(kind.level, kind.name, extra={"fields": {**who, **fields}})

    def _log_loss(self, kind: EventKind, **fields: Any) -> None:
        """What is lost with a partner who has ended is worth no warning."""
        if self._partner_ended:
            kind = replace(kind, level=logging.DEBUG)
        self.log(kind, **fields)

    def watch_lag(self, snapshot: LiveSnapshot) -> None:
        """Log when since the last look more than `LAG_PERCENT` of the time was lateness.

        Once it is logged, not again for `LAG_REMIND_S`.
        """
        late_ns, waited_ns = snapshot.late_ns - self._late_ns, snapshot.waited_ns - self._waited_ns
        self._late_ns, self._waited_ns = snapshot.late_ns, snapshot.waited_ns
        late_percent = 100 * late_ns / max(1, waited_ns)
        if late_percent > LAG_PERCENT and self.now_s() >= self._lag_due_s:
            self._lag_due_s = self.now_s() + LAG_REMIND_S
            late_ms_max = round(snapshot.late_ns_max / 1e6, 3)
            self.log(LAG, late_percent=round(late_percent, 2), late_ms_max=late_ms_max)

    def _refuse(self, refused: ConnectionRefused) -> None:
        """Whoever floods a node with connections shall not flood its log."""
        second = int(self.now_s())
        if second != self._second:
            self._second, self._refused_count = second, 0
        self._refused_count += 1
        if self._refused_count > REFUSALS_PER_S:
            self._unlogged_count += 1
            return
        unlogged_count, self._unlogged_count = self._unlogged_count, 0
        self.log(
            REFUSED,
            peer=refused.peer,
            reason=refused.reason,
            by_partner=refused.by_partner,
            unlogged_count=unlogged_count,
        )


class RecordFormatter(logging.Formatter):
    """A record on one line: a JSON object in ASCII, or text that ``grep`` and ``awk`` can read."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__()
        self._is_json = log_format is LogFormat.JSON

    def format(self, record: logging.LogRecord) -> str:
        """The line: time, level, event, and the event's fields."""
        utc = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        when, level = utc.replace("+00:00", "Z"), record.levelname.lower()
        event, fields = record.getMessage(), getattr(record, "fields", {})
        if self._is_json:
            return _json({"time": when, "level": level, "event": event, **fields})
        words = (f"{name}={_word(value)}" for name, value in fields.items())
        return " ".join((when, f"{level:<7}", event, *words))


def start_log(log_format: LogFormat, level: LogLevel) -> None:
    """Let the logger write to stderr, and nobody else write its records."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RecordFormatter(log_format))
    LOGGER.handlers[:] = [handler]
    LOGGER.setLevel(level.upper())
    LOGGER.propagate = False


def note_drops(log_format: LogFormat, node: str, partner: str) -> None:
    """Where lines are dropped because nobody reads stderr, let a record say how many."""
    formatter = RecordFormatter(log_format)

    def note(count: int) -> str:
        fields = {"node": node, "partner": partner, "line_count": count}
        record = LOGGER.makeRecord(
            LOGGER.name, DROPPED.level, "", 0, DROPPED.name, (), None, extra={"fields": fields}
        )
        return f"{formatter.format(record)}\n"

    if isinstance(sys.stderr, LateStream):
        sys.stderr.note = note


def _word(value: object) -> str:
    """A value in a line of text: in quotes unless it is one plain word."""
    text = value if isinstance(value, str) else _json(value)
    plain = text.isascii() and text.isprintable() and not {*' ="\\'} & {*text}
    return text if text and plain else _json(text)


def _json(value: object) -> str:
    """JSON in printable ASCII: its writer leaves one control character as it is, DEL."""
    return json.dumps(value).replace("\x7f", "\\u007f")


LAG_LOOK_S = 1.0
"""Between two looks at the lag."""

Started = Callable[[Endpoint | None, Mapping[NodeName, Endpoint]], None]
"""Say that a node is there, where it listens, and to where it connects for which partner."""


@asynccontextmanager
async def observe(
    engines: Sequence[LiveEngine], options: ObserveOptions, *, paced: bool, insecure: bool = False
) -> AsyncIterator[Started]:
    """Let a node be seen for as long as the body runs, which says when it has started.

    There is an engine for each of its links.
    Raises `ConfigurationError` and `OSError` when metrics cannot be had where they should.
    """
    ends = [engine.definition for engine in engines]
    logs = [LinkLog(end.name, end.partner) for end in ends]
    start_log(options.log_format, options.log_level)
    note_drops(options.log_format, ends[0].name, " ".join(end.partner for end in ends))
    endpoint = options.endpoint()
    async with AsyncExitStack() as stack:
        if endpoint is not None:
            # with an HTTP server, which most do without
            from isfc.live.metrics import MetricsServer, families

            server = MetricsServer(lambda: families([look(each, paced=paced) for each in engines]))
            stack.push_async_callback(server.close)
            endpoint = await server.listen(endpoint, insecure=insecure)
        for engine, log in zip(engines, logs, strict=True):
            engine.listeners.append(log.hear)
            stack.callback(engine.listeners.remove, log.hear)
            if paced:
                watching = asyncio.get_running_loop().create_task(_watch_lag(engine, log))
                stack.callback(watching.cancel)

        def start(listen: Endpoint | None, connect: Mapping[NodeName, Endpoint]) -> None:
            """Log the start of each link now, and its stop in the end: never that alone."""
            for log in logs:
                goes_to = connect.get(NodeName(log.partner))
                comes_to = listen if goes_to is None else None
                places = {"listen": comes_to, "connect": goes_to, "metrics": endpoint}
                log.log(STARTED, **{key: at and str(at) for key, at in places.items()})
                stack.callback(log.log, STOPPED)

        yield start


async def _watch_lag(engine: LiveEngine, log: LinkLog) -> None:
    while True:
        await asyncio.sleep(LAG_LOOK_S)
        log.watch_lag(look(engine, paced=True))


async def relay(log: asyncio.StreamReader, said: set[str]) -> None:
    """Pass a node's log on to stderr, line by line, so that it does not run into the page.

    What both nodes say of the same mistake appears once: ``said`` is what one of them has said.
    """
    while True:
        try:
            line = await log.readline()
        except ValueError:  # too long for one; nothing of ours is
            continue
        if not line:
            return
        text = line.decode("utf-8", "replace").rstrip("\n")
        if not text.startswith(ERROR_PREFIX):
            show_log(text)
        elif text not in said:
            said.add(text)
            show_log(text)
