"""Watching: lines for logs, a page for a terminal."""

import asyncio
import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs
from rich.console import Console

from ctc.address import Rdev
from isfc.cli.live.logs import relay
from isfc.cli.live.measured import NodeRates, rates
from isfc.cli.live.watch import (
    HEADINGS_EVERY,
    LINKS_HEADINGS,
    Ends,
    LiveView,
    Surroundings,
    links_line,
    links_page,
    sparkline,
    watch_headings,
    watch_line,
    watch_page,
)
from isfc.cli.output.streams import show
from isfc.link.state import DeviceState, LinkState
from tests.isfc.cli.conftest import Terminal
from tests.isfc.live.snapshots import sight

NAMES = ("ATLANTA", "BOSTON")
NOWHERE = Surroundings()
PageOf = Callable[..., list[str]]


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One of 80 columns, which stdout is from now on."""
    made = Terminal()
    monkeypatch.setattr("sys.stdout", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return made


def watch_for(seconds: int, watch: LiveView) -> None:
    with watch:
        for second in range(1, seconds + 1):
            watch.show([sight("ATLANTA", second, second), sight("BOSTON", second, 2 * second)])


@pytest.fixture(autouse=True)
def make_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is noon."""
    monkeypatch.setattr("isfc.cli.live.watch.strftime", lambda form: {"%H:%M:%S": "12:00:00"}[form])


HEADINGS = [
    "         ATLANTA writes                BOSTON writes",
    "time     link       MB/s   pkg/s  pend link       MB/s   pkg/s  pend col/s lag %",
]


def test_pipe_gets_a_line_a_second_and_headings_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    watch_for(HEADINGS_EVERY + 1, LiveView([NAMES]))
    line = "12:00:00 Up          3.0     4.0     5 Up          6.0     8.0     5   4.0   2.0"
    assert capsys.readouterr().out.splitlines() == [
        *HEADINGS,
        *[line] * HEADINGS_EVERY,
        *HEADINGS,
        line,
    ]


def test_terminal_gets_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    watch_for(2, LiveView([NAMES]))
    text = terminal.getvalue()
    assert text.count("Logical link") == 3  # twice while it ran, and what stays at the end
    assert "\x1b[?25l" in text
    assert text.endswith("\x1b[?25h")  # the cursor is back


@pytest.mark.parametrize(("kind", "plain"), [("xterm", True), ("dumb", False)])
def test_terminal_gets_lines_if_they_are_wanted_or_it_can_do_no_more(
    monkeypatch: pytest.MonkeyPatch, kind: str, plain: bool
) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("TERM", kind)
    watch_for(1, LiveView([NAMES], plain=plain))
    assert "12:00:00 Up " in terminal.getvalue()
    assert "\x1b[?25l" not in terminal.getvalue()
    assert kind == "xterm" or "\x1b" not in terminal.getvalue()


def test_system_that_comes_back_is_not_compared_with_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    watch = LiveView([NAMES])
    watch.show([sight("ATLANTA", 10, 10)])
    watch.show([])
    watch.show([sight("ATLANTA", 12, 12), sight("BOSTON", 1, 1)])
    assert capsys.readouterr().out.splitlines()[-1] == (
        "12:00:00 Up          3.0     4.0     5 Up          3.0     4.0     5   2.0   2.0"
    )


def logged(data: bytes, limit: int = 2**16) -> asyncio.StreamReader:
    """The log of a node that has ended."""
    log = asyncio.StreamReader(limit)
    log.feed_data(data)
    log.feed_eof()
    return log


async def test_what_a_node_logs_scrolls_by_above_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr("sys.stderr", terminal)
    with LiveView([NAMES]) as watch:
        watch.show([sight("ATLANTA", 1)])
        await relay(logged(b"12:00 link-up node=ATLANTA\nlast \xff"), set())
    first, last = terminal.getvalue().split("12:00 link-up node=ATLANTA")
    assert first.count("Logical link") == 1
    assert last.count("Logical link") == 3  # the page comes again below each line, and at the end
    assert "last \N{REPLACEMENT CHARACTER}" in last


async def test_log_goes_to_stderr_when_that_is_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = on_terminal(monkeypatch)
    with LiveView([NAMES]) as watch:
        watch.show([sight("ATLANTA", 1)])
        await relay(logged(b"x" * 1_000 + b"\nlink-up\n", 100), set())
    assert capsys.readouterr().err == "link-up\n"
    assert "link-up" not in terminal.getvalue()


def test_rates_at_a_great_dilation_are_smoothed(capsys: pytest.CaptureFixture[str]) -> None:
    def rates_of(dilation: int) -> list[str]:
        with LiveView([NAMES], dilation=dilation) as watch:
            for second, scale in ((1, 1), (2, 1), (3, 5), (4, 5)):  # everything in one second
                watch.show([sight("ATLANTA", second, scale)])
        return [line.split()[2] for line in capsys.readouterr().out.splitlines()[2:]]

    flickering, smooth = rates_of(0), rates_of(100)
    assert flickering[2] != "0.0"
    assert flickering[1] == flickering[3] == "0.0"
    assert 0 < float(smooth[3]) < float(flickering[2])


def end_of(
    name: str, states: tuple[DeviceState, DeviceState], seconds: int = 2, scale: int = 2
) -> NodeRates:
    """One second of a system that does the same all the time."""
    return rates(
        sight(name, seconds - 1, scale - 1, states=states), sight(name, seconds, scale, states)
    )


ATLANTA = end_of("ATLANTA", (DeviceState.WRITING, DeviceState.READING))
BOSTON = end_of("BOSTON", (DeviceState.ATTENTION, DeviceState.BUILDING))


@pytest.fixture
def page_of(capsys: pytest.CaptureFixture[str]) -> PageOf:
    """The lines of the page of a link's ends."""

    def lines(ends: Ends, around: Surroundings = NOWHERE) -> list[str]:
        show(watch_page(NAMES, ends, around))
        return capsys.readouterr().out.splitlines()

    return lines


def test_page_shows_both_ends_and_who_writes_where(page_of: PageOf) -> None:
    assert page_of((ATLANTA, BOSTON)) == [
        "Logical link ATLANTA - BOSTON; the figures are of what each end writes",
        "0:00  pace none: MB/s of this machine, not of FICON",
        "late: take a larger --dilation",
        "",
        "        link        MB/s   msg/s   pkg/s col/s  pend lag % refused lost severed",
        "ATLANTA Up           3.0    20.0     4.0   2.0     5   2.0       3    0       0",
        "BOSTON  Up           3.0    20.0     4.0   2.0     5   2.0       3    0       0",
        "",
        "     RDEV ATLANTA     MB/s  pkg/s      MB/s  pkg/s BOSTON    RDEV      col/s",
        " 1 > 6000 Writing      3.0    4.0 ->               Attention 7000        2.0",
        "     6001 Reading                 <-    3.0    4.0 Busy      7001 < 1    2.0",
    ]


def test_system_that_does_not_answer_leaves_its_half_open(page_of: PageOf) -> None:
    page = page_of((None, BOSTON))
    assert page[5] == "ATLANTA no answer"
    assert page[9:] == [
        "     6000 ?                                        Attention 7000        0.0",
        "     6001 ?                       <-    3.0    4.0 Busy      7001 < 1    2.0",
    ]
    assert page_of((None, None))[4:6] == ["ATLANTA no answer", "BOSTON  no answer"]


@pytest.mark.parametrize(
    ("here", "there", "arrow"),
    [
        (DeviceState.WRITING, DeviceState.WRITING, "><"),
        (DeviceState.BUILDING, DeviceState.ATTENTION, "->"),
        (DeviceState.IDLE, DeviceState.WRITING, "<-"),
        (DeviceState.RECOVERING, DeviceState.YIELDING, "  "),
    ],
)
def test_arrow_shows_who_is_writing_now(
    here: DeviceState, there: DeviceState, arrow: str, page_of: PageOf
) -> None:
    idle = DeviceState.IDLE
    page = page_of((end_of("ATLANTA", (here, idle)), end_of("BOSTON", (there, idle))))
    assert page[-2][34:36] == arrow


def test_every_state_has_a_word(page_of: PageOf) -> None:
    for state in DeviceState:
        page = page_of((end_of("ATLANTA", (state, state)), BOSTON))
        assert page[-2][10:19].strip(), state
        assert max(map(len, page)) <= 80


@pytest.mark.parametrize("scale", [1, 100_000])
def test_large_links_and_long_names_fit_a_terminal(
    scale: int, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = (
        sight("ATLANTA", seconds, seconds * scale, (DeviceState.ATTENTION,) * 2)
        for seconds in (1, 2)
    )
    end = rates(before, after)
    ctcs, far = (
        tuple(
            structs.replace(
                ctc,
                device=replace(ctc.device, rdev=Rdev(here + n), partner_rdev=Rdev(there + n)),
                turn=14,
            )
            for n, ctc in enumerate(end.ctcs * 8)
        )
        for here, there in ((0x6000, 0x7000), (0x7000, 0x6000))
    )
    seen = structs.replace(end.seen, node=replace(end.seen.node, state=LinkState.DEGRADED))
    end = structs.replace(end, seen=seen, late_percent=0.0)
    ends = (structs.replace(end, ctcs=ctcs), structs.replace(end, ctcs=far))
    show(watch_page(("ATLANTA1", "BOSTON02"), ends, Surroundings()))
    page = capsys.readouterr().out.splitlines()
    assert len(page) == 24  # a terminal of 24 lines shows it all
    assert max(map(len, page)) <= 80
    assert page[3].endswith("severed")
    assert page[4].endswith(" 0")
    assert page[7].endswith("col/s")
    assert page[8].endswith("k" if scale > 10_000 else "2.0")
    lines = [*watch_headings(("ATLANTA1", "BOSTON02")).splitlines(), watch_line("12:00:00", ends)]
    assert max(map(len, lines)) <= 80


def test_line_keeps_its_columns_when_a_system_does_not_answer() -> None:
    assert [watch_line("12:00:01", ends) for ends in ((None, BOSTON), (None, None))] == [
        "12:00:01 no answer                     Up          3.0     4.0     5   2.0   2.0",
        "12:00:01 no answer                     no answer                       0.0   0.0",
    ]


@pytest.mark.parametrize(
    ("around", "shown", "hidden"),
    [
        (Surroundings(elapsed_s=75), "1:15  pace none: MB/s of this machine, not of FICON\n", None),
        (Surroundings(dilation=100), "dilation 100: ", None),
        (Surroundings(dilation=100), "late: take a larger --dilation", None),
        (Surroundings(60, 20), "not all fits: 80 x 10 are needed", None),
        (Surroundings(80, 9), "not all fits", None),
        (Surroundings(80, 10), "", "not all fits"),
        (Surroundings(80, 24, history=(1.0, 2.0)), "", "▁"),
        (Surroundings(120, 40, history=(1.0, 2.0)), "▅█", None),
    ],
)
def test_page_says_what_is_around_it(
    around: Surroundings, shown: str, hidden: str | None, page_of: PageOf
) -> None:
    """Whose MB/s these are, what to do about lag, what does not fit; bars where there is room."""
    page = "\n".join([*page_of((ATLANTA, BOSTON), around), ""])
    assert shown in page
    assert hidden is None or hidden not in page


@pytest.mark.parametrize(("history", "line"), [((), ""), ((0.0, 0.0), "▁▁"), ((0.0, 7.0), "▁█")])
def test_sparkline_is_of_what_was(history: tuple[float, ...], line: str) -> None:
    assert sparkline(history) == line


def test_larger_terminal_has_the_chpids() -> None:
    wide = Console(width=120, file=io.StringIO())
    around = Surroundings(120, 40, chpids={Rdev(0x6000): "40 50"})
    with wide.capture() as capture:
        wide.print(watch_page(NAMES, (ATLANTA, BOSTON), around))
    assert re.search(r"^ 1 > 6000 Writing .* 40 50 +━━", capture.get(), re.MULTILINE)


LINKS = [("ATLANTA", "BOSTON"), ("ATLANTA1", "CHICAGO2")]
ENDS: list[Ends] = [(rates(None, sight("ATLANTA")), rates(None, sight("BOSTON"))), (None, None)]


def test_page_has_a_line_for_each_link(capsys: pytest.CaptureFixture[str]) -> None:
    show(links_page(LINKS, ENDS, Surroundings()))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 logical links of ATLANTA, BOSTON, ATLANTA1, CHICAGO2"
    (line,) = [each for each in lines if each.startswith("ATLANTA-BOSTON")]
    assert line.split()[1:5] == ["Up", "2/2", "3.0", "3.0"]
    (line,) = [each for each in lines if each.startswith("ATLANTA1-CHICAGO2")]
    assert line.split()[1:] == ["no", "answer"]
    assert all(len(each) <= 80 for each in lines)


def test_plain_lines_say_when_one_end_does_not_answer() -> None:
    seen = (ENDS[0], (ENDS[0][0], None), (None, None))
    lines = [LINKS_HEADINGS, *(links_line("12:00:00", LINKS[0], ends) for ends in seen)]
    assert [line.split()[2] for line in lines[1:]] == ["Up", "Up", "no"]
    assert "Up ?" in lines[2]
    assert all(len(line) <= 80 for line in lines)
