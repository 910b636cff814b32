"""The live view, as an operator reads it."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from ctc.address import Rdev
from isfc.cli.live.rates import NodeRates, rates
from isfc.cli.live.watch_page import (
    Ends,
    Surroundings,
    sparkline,
    watch_headings,
    watch_line,
    watch_page,
)
from isfc.cli.output.streams import show
from isfc.link.state import DeviceState, LinkState
from tests.isfc.live.snapshots import sight

NAMES = ("ATLANTA", "BOSTON")


def end_of(
    name: str, states: tuple[DeviceState, DeviceState], seconds: int = 2, scale: int = 2
) -> NodeRates:
    """One second of a system that does the same all the time."""
    return rates(
        sight(name, seconds - 1, scale - 1, states=states), sight(name, seconds, scale, states)
    )


ATLANTA = end_of("ATLANTA", (DeviceState.WRITING, DeviceState.READING))
BOSTON = end_of("BOSTON", (DeviceState.ATTENTION, DeviceState.BUILDING))


def page_of(ends: Ends, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show(watch_page(NAMES, ends))
    return capsys.readouterr().out.splitlines()


def test_page_shows_both_ends_and_who_writes_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert page_of((ATLANTA, BOSTON), capsys) == [
        "Logical link ATLANTA - BOSTON; the figures are of what each end writes",
        "",
        "        link        MB/s   msg/s   pkg/s col/s  pend lag % refused lost severed",
        "ATLANTA Up           3.0    20.0     4.0   2.0     5   2.0       3    0       0",
        "BOSTON  Up           3.0    20.0     4.0   2.0     5   2.0       3    0       0",
        "",
        "     RDEV ATLANTA     MB/s  pkg/s      MB/s  pkg/s BOSTON    RDEV      col/s",
        " 1 > 6000 Writing      3.0    4.0 ->               Attention 7000        2.0",
        "     6001 Reading                 <-    3.0    4.0 Busy      7001 < 1    2.0",
    ]


def test_system_that_does_not_answer_leaves_its_half_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = page_of((None, BOSTON), capsys)
    assert page[3] == "ATLANTA no answer"
    assert page[7:] == [
        "     6000 ?                                        Attention 7000        0.0",
        "     6001 ?                       <-    3.0    4.0 Busy      7001 < 1    2.0",
    ]
    assert page_of((None, None), capsys)[3:5] == ["ATLANTA no answer", "BOSTON  no answer"]


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
    here: DeviceState, there: DeviceState, arrow: str, capsys: pytest.CaptureFixture[str]
) -> None:
    idle = DeviceState.IDLE
    page = page_of((end_of("ATLANTA", (here, idle)), end_of("BOSTON", (there, idle))), capsys)
    assert page[7][34:36] == arrow


@pytest.mark.parametrize("state", DeviceState)
def test_every_state_has_a_word(state: DeviceState, capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of((end_of("ATLANTA", (state, state)), BOSTON), capsys)
    assert page[7][10:19].strip()
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
            replace(
                ctc,
                device=replace(ctc.device, rdev=Rdev(here + n), partner_rdev=Rdev(there + n)),
                turn=14,
            )
            for n, ctc in enumerate(end.ctcs * 8)
        )
        for here, there in ((0x6000, 0x7000), (0x7000, 0x6000))
    )
    seen = replace(end.seen, node=replace(end.seen.node, state=LinkState.DEGRADED))
    ends = (replace(end, seen=seen, ctcs=ctcs), replace(end, seen=seen, ctcs=far))
    show(watch_page(("ATLANTA1", "BOSTON02"), ends))
    page = capsys.readouterr().out.splitlines()
    assert len(page) == 23  # a terminal of 24 lines shows it all
    assert max(map(len, page)) <= 80
    assert page[2].endswith("severed")
    assert page[3].endswith(" 0")
    assert page[6].endswith("col/s")
    assert page[7].endswith("k" if scale > 10_000 else "2.0")
    lines = [*watch_headings(("ATLANTA1", "BOSTON02")).splitlines(), watch_line("12:00:00", ends)]
    assert max(map(len, lines)) <= 80


def test_line_has_the_figures_below_their_headings() -> None:
    assert [*watch_headings(NAMES).splitlines(), watch_line("12:00:00", (ATLANTA, BOSTON))] == [
        "         ATLANTA writes                BOSTON writes",
        "time     link       MB/s   pkg/s  pend link       MB/s   pkg/s  pend col/s lag %",
        "12:00:00 Up          3.0     4.0     5 Up          3.0     4.0     5   2.0   2.0",
    ]


def test_line_keeps_its_columns_when_a_system_does_not_answer() -> None:
    assert [watch_line("12:00:01", ends) for ends in ((None, BOSTON), (None, None))] == [
        "12:00:01 no answer                     Up          3.0     4.0     5   2.0   2.0",
        "12:00:01 no answer                     no answer                       0.0   0.0",
    ]


def around_page(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> str:
    show(watch_page(NAMES, (ATLANTA, BOSTON), around))
    return capsys.readouterr().out


def test_page_says_whose_mb_these_are_and_what_to_do_about_lag(
    capsys: pytest.CaptureFixture[str],
) -> None:
    free = around_page(Surroundings(elapsed_s=75), capsys)
    assert "1:15  pace none: MB/s of this machine, not of FICON\n" in free
    assert "late: take a larger --dilation" in around_page(Surroundings(dilation=100), capsys)
    assert "dilation 100: " in around_page(Surroundings(dilation=100), capsys)


def test_page_that_does_not_fit_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "not all fits: 80 x 10 are needed" in around_page(Surroundings(60, 20), capsys)
    assert "not all fits" in around_page(Surroundings(80, 9), capsys)
    assert "not all fits" not in around_page(Surroundings(80, 10), capsys)


def test_larger_terminal_has_bars_and_a_sparkline(capsys: pytest.CaptureFixture[str]) -> None:
    assert "▁" not in around_page(Surroundings(80, 24, history=(1.0, 2.0)), capsys)
    assert "▅█" in around_page(Surroundings(120, 40, history=(1.0, 2.0)), capsys)
    assert sparkline(()) == ""
    assert sparkline((0.0, 0.0)) == "▁▁"
    assert sparkline((0.0, 7.0)) == "▁█"


def test_larger_terminal_has_the_chpids() -> None:
    wide = Console(width=120, file=io.StringIO())
    around = Surroundings(120, 40, chpids={Rdev(0x6000): "40 50"})
    with wide.capture() as capture:
        wide.print(watch_page(NAMES, (ATLANTA, BOSTON), around))
    assert re.search(r"^ 1 > 6000 Writing .* 40 50 +━━", capture.get(), re.MULTILINE)
