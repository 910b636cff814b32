"""The log: stable names, fields that are documented, one line for each record."""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ctc.address import Rdev
from isfc.cli.live import logs
from isfc.cli.live.logs import LOGGER, REFUSALS_PER_S, EventKind, LinkLog, observe, start_log
from isfc.cli.live.options import LogFormat, LogLevel, ObserveOptions
from isfc.errors import ConfigurationError
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkUp, Sent, Severed
from isfc.live.connection import Attached, ConnectionRefused, Detached, LiveEvent
from isfc.live.endpoint import TcpEndpoint, parse_endpoint
from isfc.live.frames import FAREWELL_REASON
from tests.isfc.live.snapshots import sight
from tests.live.pair import LivePair
from tests.waiting import wait_until
from tools import PROJECT

PAGE = (PROJECT / "docs" / "monitoring.md").read_text("utf-8")


Records = Callable[[], list[dict[str, Any]]]


class Log:
    """What is written to the log of ATLANTA's link to BOSTON."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.now_s = 100.0
        self.link = LinkLog("ATLANTA", "BOSTON", now_s=lambda: self.now_s)
        self._capsys = capsys

    def text(self, *events: LiveEvent, level: LogLevel = LogLevel.INFO) -> str:
        """What events come to as text."""
        return self._write(events, LogFormat.TEXT, level)

    def records(self, *events: LiveEvent, level: LogLevel = LogLevel.INFO) -> list[dict[str, Any]]:
        """What events come to as JSON, but for the times."""
        return read(self._write(events, LogFormat.JSON, level))

    def _write(self, events: Iterable[LiveEvent], form: LogFormat, level: LogLevel) -> str:
        self._capsys.readouterr()
        start_log(form, level)
        for event in events:
            self.link.log_event(event)
        return self._capsys.readouterr().err


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Log:
    return Log(capsys)


@pytest.fixture(autouse=True)
def logger() -> Iterator[None]:
    """The logger is afterwards as it was."""
    before = (LOGGER.handlers[:], LOGGER.level, LOGGER.propagate)
    yield
    LOGGER.handlers[:], LOGGER.level, LOGGER.propagate = before


@pytest.fixture
def records(capsys: pytest.CaptureFixture[str]) -> Records:
    """All records logged so far."""
    seen: list[dict[str, Any]] = []

    def read() -> list[dict[str, Any]]:
        seen.extend(map(json.loads, capsys.readouterr().err.splitlines()))
        return seen

    return read


def read(text: str) -> list[dict[str, Any]]:
    """The records that were written as JSON, but for their times."""
    records = [json.loads(line) for line in text.splitlines()]
    for record in records:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record.pop("time"))
    return records


WHO = {"node": "ATLANTA", "partner": "BOSTON"}
ONE, TWO = Rdev(0x6000), Rdev(0x6001)
STRANGER = ConnectionRefused("there", "no greeting")


@pytest.mark.parametrize(
    ("event", "level", "record"),
    [
        (LinkUp(), "info", {"event": "link-up"}),
        (LinkDown(), "warning", {"event": "link-down"}),
        (DeviceChanged(Rdev(0x600A), usable=True), "info", {"event": "ctc-up", "rdev": "600A"}),
        (DeviceChanged(ONE, usable=False), "warning", {"event": "ctc-down", "rdev": "6000"}),
        (Attached(ONE), "debug", {"event": "attached", "rdev": "6000"}),
        (
            Detached(ONE, "reset"),
            "warning",
            {"event": "detached", "rdev": "6000", "reason": "reset"},
        ),
        (
            STRANGER,
            "warning",
            {"event": "refused", "peer": "there", "reason": "no greeting"}
            | {"by_partner": False, "unlogged_count": 0},
        ),
        (Severed("has restarted"), "error", {"event": "severed", "reason": "has restarted"}),
    ],
)
def test_what_happens_to_a_link_becomes_a_record(
    event: LiveEvent, level: str, record: dict[str, Any], log: Log
) -> None:
    assert log.records(event, level=LogLevel.DEBUG) == [{"level": level, **record, **WHO}]


def test_packages_and_what_is_less_severe_are_not_logged(log: Log) -> None:
    assert log.text(Delivered([]), Sent([]), level=LogLevel.DEBUG) == ""
    events = (LinkUp(), Attached(Rdev(1)), LinkDown(), Severed("over"))
    found = log.records(*events, level=LogLevel.WARNING)
    assert [record["event"] for record in found] == ["link-down", "severed"]


def test_text_is_one_line_that_can_be_cut_at_blanks_and_no_stranger_can_forge(log: Log) -> None:
    said = ConnectionRefused("here", 'says "no"\nand = more', by_partner=True)
    (line,) = log.text(said).splitlines()
    assert re.sub(r"^\S+Z ", "", line) == (
        "warning refused node=ATLANTA partner=BOSTON peer=here "
        r'reason="says \"no\"\nand = more" by_partner=true unlogged_count=0'
    )
    forged = "x\r\n2026-11-20T00:00:00.000Z info link-up\x1b[2J\u2028"
    text = log.text(ConnectionRefused("", forged))
    assert len(text.splitlines()) == 1
    assert text.isascii()
    assert "\x1b" not in text


def test_a_flood_of_connections_is_not_a_flood_of_records(log: Log) -> None:
    found = log.records(*[STRANGER] * 1_000)
    assert [record["unlogged_count"] for record in found] == [0] * REFUSALS_PER_S
    log.now_s += 1
    counts = [record["unlogged_count"] for record in log.records(STRANGER, STRANGER)]
    assert counts == [1_000 - REFUSALS_PER_S, 0]


def test_partner_that_said_farewell_is_told_in_one_record(log: Log) -> None:
    events: list[LiveEvent] = []
    for rdev in (ONE, TWO):
        events += [Detached(rdev, FAREWELL_REASON), DeviceChanged(rdev, usable=False)]
    found = log.records(*events, LinkDown())
    assert found == [{"level": "info", "event": "partner-ended", **WHO}]
    # a new life, whose loss is a fault again
    found = log.records(Attached(ONE), Detached(ONE, "Broken pipe"))
    assert [record["event"] for record in found] == ["detached"]


def test_lag_is_logged_while_it_lasts_once_a_minute(
    log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    log.records()
    for late_ns, waited_ns in ((0, 0), (1_000, 100_000), (6_000, 200_000), (6_500, 300_000)):
        log.link.watch_lag(sight(late_ns=late_ns, waited_ns=waited_ns, late_ns_max=1_250_000))
    assert read(capsys.readouterr().err) == [
        {"level": "warning", "event": "lag", "late_percent": 5.0, "late_ms_max": 1.25, **WHO}
    ]
    for number in range(120):
        log.now_s = 1_000.0 + number
        late_ns, waited_ns = 10_000 * (1 + number), 1_000_000 + 100 * number
        log.link.watch_lag(sight(late_ns=late_ns, waited_ns=waited_ns, late_ns_max=1))
    assert len(read(capsys.readouterr().err)) == 2


def test_an_event_has_its_own_fields_and_no_others() -> None:
    with pytest.raises(AssertionError, match="link-up has the fields"):
        LinkLog("ATLANTA", "BOSTON").log(logs.LINK_UP, rdev="6000")


def test_other_loggers_stay_as_they_are(log: Log) -> None:
    root = logging.getLogger().handlers[:]
    start_log(LogFormat.JSON, LogLevel.INFO)
    assert len(log.records(LinkUp())) == 1
    assert logging.getLogger().handlers == root


def test_every_event_is_documented_with_its_level_and_fields() -> None:
    section = PAGE.partition("## Log records")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| (.*?) \|", section, re.MULTILINE)
    assert rows == [
        (
            kind.name,
            logging.getLevelName(kind.level).lower(),
            ", ".join(f"`{field}`" for field in kind.fields),
        )
        for kind in vars(logs).values()
        if isinstance(kind, EventKind)
    ]


async def scrape(endpoint: str) -> str:
    where = parse_endpoint(endpoint)
    assert isinstance(where, TcpEndpoint)
    reader, writer = await asyncio.open_connection(where.host, where.port)
    writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
    text = (await reader.read()).decode()
    writer.close()
    return text


async def test_a_node_logs_its_life_and_answers_prometheus(
    tmp_path: Path, records: Records
) -> None:
    options = ObserveOptions("127.0.0.1:0", LogFormat.JSON, LogLevel.DEBUG)

    pair = LivePair(tmp_path)
    async with observe([pair.first.engine], options, paced=False) as start, pair:
        start(pair.endpoint, {})
        await pair.come_up()
        pair.first.send(b"x" * 1_000)
        await wait_until(lambda: pair.second.received() == [b"x" * 1_000])
        (started,) = [record for record in records() if record["event"] == "started"]
        assert (started["listen"], started["connect"]) == (str(pair.endpoint), None)
        text = await scrape(started["metrics"])
        pair.second.attachments.engine.close()
        await wait_until(lambda: records()[-1]["event"] == "link-down")
    with pytest.raises(ConnectionRefusedError):
        await scrape(started["metrics"])
    labels = r'{node="ATLANTA",partner="BOSTON"}'
    assert f"isfc_link_written_packages_total{labels} 1.0" in text
    assert re.search(r'isfc_ctc_state{.*isfc_ctc_state="Idle",.*rdev="6000".*} 1.0', text)

    events = [record["event"] for record in records()]
    assert events[0] == "started"
    assert events[-1] == "stopped"
    assert events.count("link-up") == events.count("link-down") == 1
    for each in ("attached", "ctc-up", "ctc-down", "detached"):
        assert events.count(each) == 4
    assert {(record["node"], record["partner"]) for record in records()} == {("ATLANTA", "BOSTON")}


PLAIN = ObserveOptions(log_format=LogFormat.JSON)


async def test_lag_is_looked_at_while_a_node_is_paced(
    pair: LivePair, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LAG_LOOK_S", 0.01)
    async with observe([pair.first.engine], PLAIN, paced=True):
        pair.first.engine.lag.note(0, 1_000_000, 3_000_000)
        await wait_until(lambda: any(r["event"] == "lag" for r in records()))


async def test_node_that_cannot_start_logs_neither_that_it_did_nor_that_it_stopped(
    pair: LivePair, records: Records
) -> None:
    """Metrics that cannot be had are an error before anything runs."""
    engine = pair.first.engine
    options = ObserveOptions(log_format=LogFormat.JSON, metrics="0.0.0.0:0")
    before = len(engine.listeners)
    with pytest.raises(ConfigurationError, match=r"--metrics 0\.0\.0\.0:0"):
        async with observe([engine], options, paced=False):
            pass
    assert len(engine.listeners) == before
    with pytest.raises(OSError, match="in use"):
        async with observe([engine], PLAIN, paced=False):
            raise OSError("in use")
    assert records() == []
