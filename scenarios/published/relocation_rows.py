"""Published rows of live guest relocation, and our figures in their place.

Each comes from guests that are moved over a link as IBM had it: one FICON Express4 channel with
twelve CTCs, the later system sending.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import Final

from isfc.layout.file import parse_layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX, stop_short
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, move
from scenarios.moves.guest import KNOWN_GUESTS, GuestMemory, GuestPlan, Limits
from scenarios.moves.relocation import Moved
from scenarios.published.table import Figures, PublishedRow, RowFunction
from scenarios.runs.result import MIB

_LAYOUT: Final = parse_layout(
    """
[fibre.1]
feature = "FICON Express4"
chpid = { LPAR1 = "3C", LPAR2 = "3D" }

[[ctc]]
fibre = "1"
rdevs = { LPAR1 = "D000-D00B", LPAR2 = "D000-D00B" }
"""
)
_PAGES: Final = 4096 * 1024
"""Bytes of the unit that passes are published in, 1024 pages."""

SCALE: Final = 16
"""Java's guest is moved in a sixteenth of its size. Passes then take a sixteenth of the time, and
leave the same share of the hot set (derived: H (1 - e^(-wT/H)) / H depends on T/H alone)."""

_KINDS: Final = {"fio, direct I/O": "direct-io", "OLTP: Oracle, memory target 1616 MiB": "oltp"}


def relocation_row(row: PublishedRow) -> Figures:
    """Ours in the place of a measurement."""
    metric = str(row.columns["metric"])
    if metric in _OF_DEVICES:
        idle = GuestMemory(size=1024 * MIB, touched=1024 * MIB)
        rates = sorted((each.io_per_s for each in _move(idle).devices), reverse=True)
        return {"value": _OF_DEVICES[metric](rates)}
    if metric.startswith("first_pass"):
        memory = KNOWN_GUESTS[_KINDS[str(row.columns["workload"])]].memory
        (guest,) = _move(memory, Limits(max_total=20.0)).guests
        return {"value": guest.passes[0].length / (_PAGES if metric.endswith("pages") else MIB)}
    if metric == "average_intermediate_pass_of_first":
        first, *between = _java_passes()
        return {"value": 100 * fmean(between) / first}
    return {}


def rule_row(row: PublishedRow) -> Figures:
    """Ours in the place of a rule."""
    ours = _RULES.get(str(row.columns["id"]))
    return {} if ours is None else {"value": float(ours())}


def _writers(rates: list[float]) -> list[float]:
    """Those that the memory goes over: the others have a few I/Os, of counts."""
    return [rate for rate in rates if rate > rates[0] / 2]


_OF_DEVICES: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "writers": lambda rates: len(_writers(rates)),
    "ssch_per_s_each_writer": lambda rates: fmean(_writers(rates)),
    "ssch_per_s_link": lambda rates: sum(_writers(rates)),
    "unidirectional": lambda rates: len(rates) - len(_writers(rates)),
    "ssch_per_s_each_unidirectional": lambda rates: max(rates[len(_writers(rates)) :]),
}


def _java_passes() -> list[int]:
    """Bytes of each pass before the guest is stopped."""
    java = KNOWN_GUESTS["java"].memory
    size, touched, hot_set = (each // SCALE for each in (java.size, java.touched, java.hot_set))
    scaled = replace(java, size=size, touched=touched, hot_set=hot_set)
    (guest,) = _move(scaled, Limits(quiesce_goal=0.0)).guests
    return [each.length for each in guest.passes if not each.quiesced]


_DEFAULTS: Final = Limits()


@cache
def _move(memory: GuestMemory, limits: Limits = _DEFAULTS) -> EvacuationOutcome:
    plan = GuestPlan("GUEST", memory, limits)
    return move(Evacuation.over(_LAYOUT, [plan], source=NodeName("LPAR2")))


def _small(*, immediate: bool = False) -> Moved:
    """A small guest that changes fast."""
    memory = GuestMemory(size=16 * MIB, touched=16 * MIB, change_rate=1024 * MIB)
    (guest,) = _move(memory, Limits(quiesce_goal=0.0, immediate=immediate)).guests
    return guest


def _passes(guest: Moved, *, quiesced: bool) -> int:
    return sum(each.quiesced is quiesced for each in guest.passes)


def _forks() -> int:
    """What goes beside each other once the guest is stopped: state and devices, and memory."""
    first = next(each for each in _small().passes if each.quiesced)
    return 2 * bool(first.state_length) + bool(first.length)


_RULES: Final[Mapping[str, Callable[[], float]]] = {
    "rule-01": lambda: _DEFAULTS.max_quiesce,
    "rule-04": lambda: _passes(_small(immediate=True), quiesced=False),
    "rule-05": lambda: _passes(_small(), quiesced=True),
    "rule-06": _forks,
    "rule-08": lambda: max(stop_short(count) for count in range(2, 9)),
    "rule-09": lambda: max(stop_short(count) for count in range(9, CTCS_MAX + 1)),
    "rule-10": lambda: CTCS_MAX,
}

RELOCATION_ROWS: Final[Mapping[str, RowFunction]] = {
    "relocation": relocation_row,
    "relocation_rules": rule_row,
}
"""Our figures by measure for a row of each table."""
