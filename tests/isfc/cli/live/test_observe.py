"""A live node that is seen: its log and its metrics, on both kinds of loop."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from isfc.cli.live import logs
from isfc.cli.live.logs import LOGGER, observe
from isfc.cli.live.options import LogFormat, LogLevel, ObserveOptions
from isfc.errors import ConfigurationError
from isfc.live.endpoint import TcpEndpoint, parse_endpoint
from tests.live.pair import LivePair, Run
from tests.waiting import wait_until

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


def test_a_node_logs_its_life_and_answers_prometheus(
    run_live: Run, tmp_path: Path, records: Records
) -> None:
    options = ObserveOptions("127.0.0.1:0", LogFormat.JSON, LogLevel.DEBUG)

    async def main() -> None:
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

    run_live(main())
    events = [record["event"] for record in records()]
    assert events[0] == "started"
    assert events[-1] == "stopped"
    assert events.count("link-up") == events.count("link-down") == 1
    for each in ("attached", "ctc-up", "ctc-down", "detached"):
        assert events.count(each) == 4
    assert {(record["node"], record["partner"]) for record in records()} == {("ATLANTA", "BOSTON")}


def test_lag_is_looked_at_while_a_node_is_paced(
    run_live: Run, tmp_path: Path, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LAG_LOOK_S", 0.01)

    async def main() -> None:
        async with LivePair(tmp_path) as pair:
            engine = pair.first.engine
            async with observe([engine], ObserveOptions(log_format=LogFormat.JSON), paced=True):
                engine.lag.note(0, 1_000_000, 3_000_000)
                await wait_until(lambda: any(r["event"] == "lag" for r in records()))

    run_live(main())


def test_metrics_that_cannot_be_had_are_an_error_before_anything_runs(
    run_live: Run, tmp_path: Path, records: Records
) -> None:
    options = ObserveOptions(log_format=LogFormat.JSON, metrics="0.0.0.0:0")

    async def main() -> None:
        async with LivePair(tmp_path) as pair:
            with pytest.raises(ConfigurationError, match=r"--metrics 0\.0\.0\.0:0"):
                async with observe([pair.first.engine], options, paced=False):
                    pass
            assert records() == []
            assert len(pair.first.engine.listeners) == 1

    run_live(main())


def test_node_that_never_started_does_not_log_that_it_stopped(
    run_live: Run, tmp_path: Path, records: Records
) -> None:
    async def main() -> None:
        async with LivePair(tmp_path) as pair:
            with pytest.raises(OSError, match="in use"):
                async with observe(
                    [pair.first.engine], ObserveOptions(log_format=LogFormat.JSON), paced=False
                ):
                    raise OSError("in use")

    run_live(main())
    assert [record["event"] for record in records()] == []
