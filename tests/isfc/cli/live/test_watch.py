"""Watching: lines for logs, a page for a terminal."""

import asyncio
import io

import pytest

from isfc.cli.live.watch import LiveView, local_time, relay
from isfc.cli.live.watch_page import HEADINGS_EVERY
from tests.isfc.live.snapshots import sight
from tests.live.pair import Run

NAMES = ("ATLANTA", "BOSTON")


class Terminal(io.StringIO):
    """A terminal, as rich sees it."""

    def isatty(self) -> bool:
        return True


def watch_for(seconds: int, watch: LiveView) -> None:
    with watch:
        for second in range(1, seconds + 1):
            watch.show([sight("ATLANTA", second, second), sight("BOSTON", second, 2 * second)])


def noon() -> str:
    return "12:00:00"


def test_pipe_gets_a_line_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    watch_for(2, LiveView([NAMES], time=noon))
    assert capsys.readouterr().out.splitlines() == [
        "         ATLANTA writes                BOSTON writes",
        "time     link       MB/s   pkg/s  pend link       MB/s   pkg/s  pend col/s lag %",
        "12:00:00 Up          3.0     4.0     5 Up          6.0     8.0     5   4.0   2.0",
        "12:00:00 Up          3.0     4.0     5 Up          6.0     8.0     5   4.0   2.0",
    ]


def test_headings_come_again(capsys: pytest.CaptureFixture[str]) -> None:
    watch_for(HEADINGS_EVERY + 1, LiveView([NAMES]))
    lines = capsys.readouterr().out.splitlines()
    assert [n for n, line in enumerate(lines) if line.startswith("time ")] == [
        1,
        HEADINGS_EVERY + 3,
    ]


def test_terminal_gets_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    watch_for(2, LiveView([NAMES]))
    text = terminal.getvalue()
    assert text.count("Logical link") == 3  # twice while it ran, and what stays at the end
    assert "\x1b[?25l" in text
    assert text.endswith("\x1b[?25h")  # the cursor is back


def test_terminal_gets_lines_if_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    watch_for(1, LiveView([NAMES], plain=True, time=noon))
    assert "12:00:00 Up " in terminal.getvalue()
    assert "\x1b[?25l" not in terminal.getvalue()


def test_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "dumb")
    watch_for(1, LiveView([NAMES], time=noon))
    assert "12:00:00 Up " in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()


def test_system_that_comes_back_is_not_compared_with_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    watch = LiveView([NAMES], time=noon)
    watch.show([sight("ATLANTA", 10, 10)])
    watch.show([])
    watch.show([sight("ATLANTA", 12, 12), sight("BOSTON", 1, 1)])
    assert capsys.readouterr().out.splitlines()[-1] == (
        "12:00:00 Up          3.0     4.0     5 Up          3.0     4.0     5   2.0   2.0"
    )


def test_what_a_node_logs_scrolls_by_above_the_page(
    monkeypatch: pytest.MonkeyPatch, run_live: Run
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")

    async def main() -> None:
        log = asyncio.StreamReader()
        log.feed_data(b"12:00 link-up node=ATLANTA\nlast \xff")
        log.feed_eof()
        with LiveView([NAMES]) as watch:
            watch.show([sight("ATLANTA", 1)])
            await relay(log)

    run_live(main())
    first, last = terminal.getvalue().split("12:00 link-up node=ATLANTA")
    assert first.count("Logical link") == 1
    assert last.count("Logical link") == 3  # the page comes again below each line, and at the end
    assert "last \N{REPLACEMENT CHARACTER}" in last


def test_log_goes_to_stderr_when_that_is_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run_live: Run
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")

    async def main() -> None:
        log = asyncio.StreamReader(limit=100)
        log.feed_data(b"x" * 1_000 + b"\nlink-up\n")
        log.feed_eof()
        with LiveView([NAMES]) as watch:
            watch.show([sight("ATLANTA", 1)])
            await relay(log)

    run_live(main())
    assert capsys.readouterr().err == "link-up\n"
    assert "link-up" not in terminal.getvalue()


def test_time_of_day_has_eight_characters() -> None:
    assert [len(part) for part in local_time().split(":")] == [2, 2, 2]


def test_rates_at_a_great_dilation_are_smoothed(capsys: pytest.CaptureFixture[str]) -> None:
    def rates_of(dilation: int) -> list[str]:
        with LiveView([NAMES], dilation=dilation, time=noon) as watch:
            for second, scale in ((1, 1), (2, 1), (3, 5), (4, 5)):  # everything in one second
                watch.show([sight("ATLANTA", second, scale)])
        return [line.split()[2] for line in capsys.readouterr().out.splitlines()[2:]]

    flickering, smooth = rates_of(0), rates_of(100)
    assert flickering[2] != "0.0"
    assert flickering[1] == flickering[3] == "0.0"
    assert 0 < float(smooth[3]) < float(flickering[2])
