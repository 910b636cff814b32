"""Figures of pages that take runs, and ``docs/simulated.json``, which keeps them."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from isfc.errors.in_words import listed
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import STATED, Experiment
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload
from scenarios.search.candidate import numbered
from scenarios.search.grid import Template
from scenarios.search.scoring import Objective, Scoring
from tools import PROJECT
from tools.pages.spans import block
from tools.tables import markdown_table

STORE: Final = PROJECT / "docs" / "simulated.json"
AS_FITTED: Final = LinkParameters()
CROWDED: Final = (2, 3, 4, 5, 6, 8, 11, 16)
WIDE: Final = (4, 8, 12, 16)
RECEIVE_NS_PER_BYTE: Final = (0.25, 0.5, 0.75, 1.2)


def kept(page: str) -> dict[str, str]:
    """The figures of a page, as they were when the runs were last made."""
    found: dict[str, str] = json.loads(STORE.read_text("utf-8"))[page]
    return found


def measured() -> dict[Path, str]:
    """The figures of every page, by runs that take a minute on isfc compiled."""
    with ProcessPoolExecutor() as pool:
        asked = {page: pool.submit(figures) for page, figures in PAGES.items()}
        found = {page: future.result() for page, future in asked.items()}
    return {STORE: json.dumps(found, indent=1) + "\n"}


def extrapolation() -> dict[str, str]:
    """Of the page on what no published figure tests: HL on Express4, for a second."""
    links = [replace(AS_FITTED, receive_ns_per_byte=ns) for ns in RECEIVE_NS_PER_BYTE]
    faster, wide = (
        listed([f"{_hl(layout, 100, link).mb_per_s:,.0f}" for link in links])
        for layout in (load_layout("published-16"), _express4(16, 1))
    )
    fitted = f"{AS_FITTED.receive_ns_per_byte:.2g}"
    return {"crowded": crowded(), "fibres": _fibres(), "as_fitted": fitted, "faster": faster,
            "faster_wide": wide}  # fmt: skip


def crowded(counts: Sequence[int] = CROWDED) -> str:
    """So many CTCs on one chpid."""
    rates, times = [], []
    for pairs in (50, 100):
        results = [_hl(_express4(1, count), pairs) for count in counts]
        firsts = [result.devices[0] for result in results]
        rates.append([f"{pairs} pairs", *(f"{result.mb_per_s:.0f}" for result in results)])
        pend = [_ms(first.pend_ms) for first in firsts]
        times.append([f"PEND ms of the first CTC, {pairs} pairs", *pend])
        times.append(["CONN ms of the same", *(_ms(first.conn_ms) for first in firsts)])
    return block(markdown_table(["CTCs on one chpid", *map(str, counts)], [*rates, *times]))


def _fibres() -> str:
    rows = [
        [f"{pairs} pairs", *(f"{_hl(_express4(n, 1), pairs).mb_per_s:,.0f}" for n in WIDE)]
        for pairs in (50, 100, 500)
    ]
    return block(markdown_table(["fibres of one CTC each", *map(str, WIDE)], rows))


def _express4(chpids: int, ctcs_per_chpid: int) -> Layout:
    systems = NodeName("ATLANTA"), NodeName("BOSTON")
    return Template(systems, ("FICON Express4",), chpids, ctcs_per_chpid).layout()


def _hl(layout: Layout, pairs: int, link: LinkParameters = AS_FITTED) -> Result:
    experiment = Experiment.of(layout, find_workload("HL"), pairs, seconds=1.0, link=link)
    return run(experiment).result


def _ms(time_ms: float) -> str:
    """In two digits, or to the hundredth."""
    return f"{time_ms:.{2 if time_ms < 1 else 1 if time_ms < 10 else 0}f}"


def optimise() -> dict[str, str]:
    """Of the page on searches: IBM's advice, asked of the model alone."""
    middle, _ = _both_ways([2, 4, 2], 4)
    last_out, last_back = _both_ways([2, 2, 4], 4)
    inside, outside = (
        [_both_ways(order, each)[0] for each in (4, 3)] for order in ([2, 4, 4, 2], [4, 2, 2, 4])
    )
    gains = [a / b - 1 for a, b in zip(inside, outside, strict=True)]
    return {
        "counts": ", ".join(f"{mb_per_s(Objective.FORWARD, [4], n):.0f}" for n in range(2, 9)),
        "middle": str(middle),
        "last_out": str(last_out),
        "last_back": str(last_back),
        "inside_4": str(inside[0]),
        "inside_3": str(inside[1]),
        "outside_4": str(outside[0]),
        "outside_3": str(outside[1]),
        "gain_least": f"{100 * min(gains):.0f}",
        "gain_most": f"{100 * max(gains):.0f}",
    }


def mb_per_s(objective: Objective, features: Sequence[int], each: int) -> float:
    """What so many CTCs on each chpid carry, the chpids of Express2 or Express4 in this order."""
    candidate = tuple(number for number in range(len(features)) for _ in range(each))
    layout = numbered(_chpids(*features), candidate)
    assert layout is not None, "the numbers do not meet"
    scoring = Scoring((objective,), STATED, seconds=0.6, warmup=0.3)
    return scoring.figures(Collection.of(layout))[0].mb_per_s


def _both_ways(features: Sequence[int], each: int) -> tuple[int, int]:
    """MB/s forward and in reverse."""
    ways = (Objective.FORWARD, Objective.REVERSE)
    forward, reverse = (round(mb_per_s(way, features, each)) for way in ways)
    return forward, reverse


@cache
def _chpids(*features: int) -> Layout:
    """Fibres of FICON Express2 or Express4, with a CTC each."""
    names = tuple(f"FICON Express{feature}" for feature in features)
    return Template((NodeName("DALLAS"), NodeName("TULSA")), names, len(names), 1).layout()


PAGES: Final[dict[str, Callable[[], dict[str, str]]]] = {
    "docs/extrapolation.md": extrapolation,
    "docs/optimise.md": optimise,
}
"""The figures of each page, by name."""
