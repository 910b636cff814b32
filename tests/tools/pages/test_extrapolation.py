"""What the page on extrapolation says of the model, by making each of its runs again."""

from dataclasses import replace
from typing import Final

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.in_words import listed
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.search.template import Template
from scenarios.run import Experiment, Result, run
from scenarios.workload import find_workload
from tools.pages.console import PROJECT

PAGE: Final = (PROJECT / "docs/extrapolation.md").read_text("utf-8")
TEXT: Final = " ".join(PAGE.split())
AS_FITTED: Final = LinkParameters()

pytestmark = [pytest.mark.slow, pytest.mark.at_length]


def layout_of(chpids: int, ctcs_per_chpid: int) -> Layout:
    systems = NodeName("ATLANTA"), NodeName("BOSTON")
    return Template(systems, ("FICON Express4",), chpids, ctcs_per_chpid).layout()


def go(layout: Layout, pairs: int, link: LinkParameters = AS_FITTED) -> Result:
    return run(Experiment(layout, find_workload("HL"), pairs, seconds=1.0, seed=1, link=link))


def heads(first: str) -> list[int]:
    """The numbers that a table whose first heading is ``first`` has columns for."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {first} |"))
    return [int(cell) for cell in line.split("|")[2:-1]]


def row(name: str, *cells: str) -> str:
    return f"| {' | '.join((name, *cells))} |\n"


def ms(time_ms: float) -> str:
    """In two digits, or to the hundredth."""
    return f"{time_ms:.{2 if time_ms < 1 else 1 if time_ms < 10 else 0}f}"


@pytest.mark.parametrize("pairs", [50, 100])
def test_ctcs_on_one_chpid_do_what_the_table_says(pairs: int) -> None:
    results = [go(layout_of(1, count), pairs) for count in heads("CTCs on one chpid")]
    firsts = [result.devices[0] for result in results]
    assert row(f"{pairs} pairs", *(f"{result.mb_per_s:.0f}" for result in results)) in PAGE
    pend = row(f"PEND ms of the first CTC, {pairs} pairs", *(ms(each.pend_ms) for each in firsts))
    conn = row("CONN ms of the same", *(ms(each.conn_ms) for each in firsts))
    assert pend + conn in PAGE


@pytest.mark.parametrize("pairs", [50, 100, 500])
def test_fibres_of_one_ctc_each_do_what_the_table_says(pairs: int) -> None:
    results = [go(layout_of(count, 1), pairs) for count in heads("fibres of one CTC each")]
    assert row(f"{pairs} pairs", *(f"{result.mb_per_s:,.0f}" for result in results)) in PAGE


def test_the_receive_lock_limits_wide_links_and_not_the_fastest_that_was_measured() -> None:
    links = [replace(AS_FITTED, receive_ns_per_byte=ns) for ns in (0.25, 0.5, 0.75, 1.2)]
    measured, wide = (
        [f"{go(layout, 100, link).mb_per_s:,.0f}" for link in links]
        for layout in (load_layout("published-16"), layout_of(16, 1))
    )
    told = f"instead of {AS_FITTED.receive_ns_per_byte:.2g} it has {listed(measured)} MB/s with 100"
    assert told in TEXT
    assert f"16 fibres of one CTC each have {listed(wide)}." in TEXT
