"""The log: stable names, fields that are documented, one line for each record."""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterator
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


Written = Callable[[], str]


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Iterator[Written]:
    """What the log has written since the last call; the logger is afterwards as it was."""
    before = (LOGGER.handlers[:], LOGGER.level, LOGGER.propagate)
    yield lambda: capsys.readouterr().err
    LOGGER.handlers[:], LOGGER.level, LOGGER.propagate = before


def read(text: str) -> list[dict[str, Any]]:
    """The records that were written as JSON, but for their times."""
    records = [json.loads(line) for line in text.splitlines()]
    for record in records:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record.pop("time"))
    return records


WHO = {"node": "ATLANTA", "partner": "BOSTON"}


@pytest.mark.parametrize(
    ("event", "record"),
    [
        (LinkUp(), {"level": "info", "event": "link-up"}),
        (LinkDown(), {"level": "warning", "event": "link-down"}),
        (
            DeviceChanged(Rdev(0x600A), usable=True),
            {"level": "info", "event": "ctc-up", "rdev": "600A"},
        ),
        (
            DeviceChanged(Rdev(0x6000), usable=False),
            {"level": "warning", "event": "ctc-down", "rdev": "6000"},
        ),
        (Attached(Rdev(0x6000)), {"level": "debug", "event": "attached", "rdev": "6000"}),
        (
            Detached(Rdev(0x6000), "connection reset"),
            {
                "level": "warning",
                "event": "detached",
                "rdev": "6000",
                "reason": "connection reset",
            },
        ),
        (
            ConnectionRefused("10.0.0.9:4711", "no greeting"),
            {
                "level": "warning",
                "event": "refused",
                "peer": "10.0.0.9:4711",
                "reason": "no greeting",
                "by_partner": False,
                "unlogged_count": 0,
            },
        ),
        (
            Severed("BOSTON has restarted"),
            {"level": "error", "event": "severed", "reason": "BOSTON has restarted"},
        ),
    ],
)
def test_what_happens_to_a_link_becomes_a_record(
    event: LiveEvent, record: dict[str, Any], written: Written
) -> None:
    start_log(LogFormat.JSON, LogLevel.DEBUG)
    LinkLog("ATLANTA", "BOSTON").log_event(event)
    assert read(written()) == [record | WHO]


def test_packages_are_not_logged(written: Written) -> None:
    start_log(LogFormat.JSON, LogLevel.DEBUG)
    log = LinkLog("ATLANTA", "BOSTON")
    log.log_event(Delivered([]))
    log.log_event(Sent([]))
    assert written() == ""


def test_level_leaves_out_what_is_less_severe(written: Written) -> None:
    start_log(LogFormat.JSON, LogLevel.WARNING)
    log = LinkLog("ATLANTA", "BOSTON")
    for event in (LinkUp(), Attached(Rdev(1)), LinkDown(), Severed("over")):
        log.log_event(event)
    assert [record["event"] for record in read(written())] == ["link-down", "severed"]


def test_text_is_one_line_that_can_be_cut_at_blanks(written: Written) -> None:
    start_log(LogFormat.TEXT, LogLevel.INFO)
    LinkLog("ATLANTA", "BOSTON").log_event(
        ConnectionRefused("here", 'says "no"\nand = more', by_partner=True)
    )
    (line,) = written().splitlines()
    assert re.sub(r"^\S+Z ", "", line) == (
        "warning refused node=ATLANTA partner=BOSTON peer=here "
        r'reason="says \"no\"\nand = more" by_partner=true unlogged_count=0'
    )


def test_what_a_stranger_says_cannot_forge_a_record(written: Written) -> None:
    start_log(LogFormat.TEXT, LogLevel.INFO)
    log = LinkLog("ATLANTA", "BOSTON")
    log.log_event(ConnectionRefused("", "x\r\n2026-11-20T00:00:00.000Z info link-up\x1b[2J\u2028"))
    text = written()
    assert len(text.splitlines()) == 1
    assert text.isascii()
    assert "\x1b" not in text


def test_a_flood_of_connections_is_not_a_flood_of_records(written: Written) -> None:
    start_log(LogFormat.JSON, LogLevel.INFO)
    seconds = [100.0]
    log = LinkLog("ATLANTA", "BOSTON", now_s=lambda: seconds[0])
    for _ in range(1_000):
        log.log_event(ConnectionRefused("there", "no greeting"))
    assert [record["unlogged_count"] for record in read(written())] == [0] * REFUSALS_PER_S
    seconds[0] += 1
    log.log_event(ConnectionRefused("there", "no greeting"))
    log.log_event(ConnectionRefused("there", "no greeting"))
    counts = [record["unlogged_count"] for record in read(written())]
    assert counts == [1_000 - REFUSALS_PER_S, 0]


def test_partner_that_said_farewell_is_told_in_one_record(written: Written) -> None:
    start_log(LogFormat.JSON, LogLevel.INFO)
    log = LinkLog("ATLANTA", "BOSTON")
    for rdev in (Rdev(0x6000), Rdev(0x6001)):
        log.log_event(Detached(rdev, FAREWELL_REASON))
        log.log_event(DeviceChanged(rdev, usable=False))
    log.log_event(LinkDown())
    assert read(written()) == [{"level": "info", "event": "partner-ended", **WHO}]
    log.log_event(Attached(Rdev(0x6000)))  # a new life, whose loss is a fault again
    log.log_event(Detached(Rdev(0x6000), "Broken pipe"))
    assert [record["event"] for record in read(written())] == ["detached"]


def test_lag_is_logged_once_a_minute(written: Written) -> None:
    start_log(LogFormat.JSON, LogLevel.INFO)
    seconds = [0.0]
    log = LinkLog("ATLANTA", "BOSTON", now_s=lambda: seconds[0])
    for number in range(120):
        seconds[0] = float(number)
        log.watch_lag(sight(late_ns=10 * number, waited_ns=100 * number, late_ns_max=1))
    assert len(read(written())) == 2


def test_lag_is_logged_while_it_lasts(written: Written) -> None:
    start_log(LogFormat.JSON, LogLevel.INFO)
    log = LinkLog("ATLANTA", "BOSTON")
    for late_ns, waited_ns in ((0, 0), (1_000, 100_000), (6_000, 200_000), (6_500, 300_000)):
        log.watch_lag(sight(late_ns=late_ns, waited_ns=waited_ns, late_ns_max=1_250_000))
    assert read(written()) == [
        {"level": "warning", "event": "lag", "late_percent": 5.0, "late_ms_max": 1.25, **WHO}
    ]


def test_an_event_has_its_own_fields_and_no_others() -> None:
    with pytest.raises(AssertionError, match="link-up has the fields"):
        LinkLog("ATLANTA", "BOSTON").log(logs.LINK_UP, rdev="6000")


def test_other_loggers_stay_as_they_are(written: Written) -> None:
    root = logging.getLogger().handlers[:]
    start_log(LogFormat.JSON, LogLevel.INFO)
    start_log(LogFormat.JSON, LogLevel.INFO)
    assert logging.getLogger().handlers == root
    LinkLog("ATLANTA", "BOSTON").log_event(LinkUp())
    assert len(read(written())) == 1


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


Records = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def records(capsys: pytest.CaptureFixture[str]) -> Iterator[Records]:
    """All records logged so far; the logger is afterwards as it was."""
    before = (LOGGER.handlers[:], LOGGER.level, LOGGER.propagate)
    seen: list[dict[str, Any]] = []

    def read() -> list[dict[str, Any]]:
        seen.extend(map(json.loads, capsys.readouterr().err.splitlines()))
        return seen

    yield read
    LOGGER.handlers[:], LOGGER.level, LOGGER.propagate = before


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


async def test_lag_is_looked_at_while_a_node_is_paced(
    tmp_path: Path, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LAG_LOOK_S", 0.01)

    async with LivePair(tmp_path) as pair:
        engine = pair.first.engine
        async with observe([engine], ObserveOptions(log_format=LogFormat.JSON), paced=True):
            engine.lag.note(0, 1_000_000, 3_000_000)
            await wait_until(lambda: any(r["event"] == "lag" for r in records()))


async def test_metrics_that_cannot_be_had_are_an_error_before_anything_runs(
    tmp_path: Path, records: Records
) -> None:
    options = ObserveOptions(log_format=LogFormat.JSON, metrics="0.0.0.0:0")

    async with LivePair(tmp_path) as pair:
        with pytest.raises(ConfigurationError, match=r"--metrics 0\.0\.0\.0:0"):
            async with observe([pair.first.engine], options, paced=False):
                pass
        assert records() == []
        assert len(pair.first.engine.listeners) == 1


async def test_node_that_never_started_does_not_log_that_it_stopped(
    tmp_path: Path, records: Records
) -> None:
    async with LivePair(tmp_path) as pair:
        with pytest.raises(OSError, match="in use"):
            async with observe(
                [pair.first.engine], ObserveOptions(log_format=LogFormat.JSON), paced=False
            ):
                raise OSError("in use")

    assert [record["event"] for record in records()] == []
