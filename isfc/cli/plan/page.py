"""What ``isfc plan`` shows: the device list as a picture, the capacities, the advice."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.console import Group
from rich.table import Table as RichTable

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.answers.found import advice_text, count_of
from isfc.cli.drawing.terminal import NODE_STYLES, narrow_drawing
from isfc.layout.capacity import WriteDirection, speed_text
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import warnings_first
from isfc.reports.report import Column, Report, Table, caveats
from isfc.reports.table import PIPED_WIDTH, Fitted, plain_table
from scenarios.figures.figure import Unit
from scenarios.runs.notes import plan_notes

if TYPE_CHECKING:
    from scenarios.figures.advice import TriedAdvice
    from scenarios.figures.figure import Figure
    from scenarios.figures.rates import ModelledRate


class WayRow(Struct, frozen=True):
    """What one node can send: with the stated load, saturated, and by IBM's rule of thumb."""

    sender: str
    stated: "Figure | None"
    saturated: "Figure | None"
    rule_mb_per_s: int
    writes_on: str


def plan_report(
    plan: Plan,
    figures: "Sequence[ModelledRate]" = (),
    tried: "Mapping[str, Sequence[TriedAdvice]] | None" = None,
) -> Report:
    """What a link carries, what limits it, what to do; then each direction and the device list."""
    ctcs, fibres = len(plan.layout.ctcs), len(plan.layout.fibres)
    of = f"{ctcs} CTC{'s' * (ctcs > 1)} on {fibres} fibre{'s' * (fibres > 1)}"
    remarks, rest = caveats(plan_notes(plan.layout, figures))
    advice = [
        f"{each.severity}: {advice_text(each, tried or {})}" for each in warnings_first(plan.advice)
    ]
    return Report(
        f"{' - '.join(plan.layout.nodes)}: {of}",
        [*_answer(plan, figures, tried or {})],
        [_ways(plan, figures)],
        Group(Fitted(_picture(plan), narrow_drawing(plan.layout)), "", _stop_short(plan)),
        remarks,
        [*_known(plan, figures), *rest, *advice],
    )


def _answer(
    plan: Plan,
    figures: "Sequence[ModelledRate]",
    tried: "Mapping[str, Sequence[TriedAdvice]]",
) -> Iterator[tuple[str, str]]:
    if not figures:
        ways = (f"{way.sender} {way.estimated_mb_per_s}" for way in plan.directions)
        yield "Carries", f"{', '.join(ways)} MB/s one way, by IBM's rule of thumb"
        yield "Found", f"{count_of(plan.advice)} (isfc check)"
        return
    from isfc.answers.advice import to_do  # the model, which a rule does without
    from isfc.answers.carried import to_count_on
    from isfc.answers.limit import limited_by, to_gain

    slower = min(figures, key=lambda each: each.stated.value)
    rates = [to_count_on(*each) for each in zip(plan.directions, figures, strict=True)]
    ways = (f"{each.sender} {rate}" for each, rate in zip(figures, rates, strict=True))
    yield "Carries", ", ".join(ways) if len({*rates}) > 1 else f"{rates[0]} each way"
    yield "Limited by", limited_by(figures)
    yield "To do", to_do(plan.advice, tried, figures, "isfc check")
    if slower.limit is not None and (gain := to_gain(slower.limit)):
        whose = f"{slower.sender} sending: " if len({*rates}) > 1 else ""
        yield "To gain", f"{whose}{gain}"


def _known(plan: Plan, figures: "Sequence[ModelledRate]") -> Iterator[str]:
    """How the figures were made."""
    if figures:
        from isfc.answers.carried import differences  # the model, as above
        from isfc.answers.limit import limit_lines

        yield from limit_lines(figures)
        yield " ".join(differences(plan, figures))


def _ways(plan: Plan, figures: "Sequence[ModelledRate]") -> Table:
    """How much each node can send, and over which chpids."""
    rates = {each.sender: each for each in figures}
    rows = [
        WayRow(
            way.sender,
            rates[way.sender].stated if rates else None,
            rates[way.sender].saturated if rates else None,
            way.estimated_mb_per_s,
            _chpids(way),
        )
        for way in plan.directions
    ]
    columns = [
        Column("sender", "sender"),
        *([Column("MB/s", "stated"), Column("saturated", "saturated")] if figures else []),
        Column("rule", "rule_mb_per_s", Unit.MB_PER_S),
        Column("writes on, in this order (CTCs)", "writes_on"),
    ]
    load = ""
    if figures:
        from scenarios.runs.experiment import SATURATING_PAIRS, SUITE

        load = (
            f", with {figures[0].pairs} pairs of {SUITE}, and saturated with {SATURATING_PAIRS}, "
            "which limits and gains are of"
        )
    return Table(f"MB/s (2^20) one way{load}; rule is IBM's rule of thumb", columns, rows)


_FIXED: Final = 36
"""Columns of the picture that no name widens: RDEVs, chpids, arrows, ``only``, and gaps."""


def _picture(plan: Plan) -> RichTable:
    """One line for each CTC, in the order of the device list."""
    (first, second), (down, up) = plan.layout.nodes, plan.directions
    here_style, there_style = NODE_STYLES
    ctcs = plan.layout.device_list()
    speeds = [speed_text(ctc.fibre) for ctc in ctcs]
    width = max(map(len, speeds))
    table = plain_table(gap=1)
    table.add_column(first, justify="right", style=here_style)
    table.add_column("RDEV", style=here_style)
    table.add_column("chpid", justify="right", style=here_style)
    table.add_column("FICON fibre", justify="center")
    table.add_column("chpid", style=there_style)
    table.add_column("RDEV", style=there_style)
    table.add_column(second, style=there_style)
    longest = max(len(first), len(second))
    has_room = _FIXED + width + len(first) + len(second) + longest <= PIPED_WIDTH
    if has_room:  # else the sentence below the table says whose CTCs are
        table.add_column("", style="bold")
    for ctc, speed in zip(ctcs, speeds, strict=True):
        (here, there), (near, far) = ctc.rdevs, ctc.fibre.chpids
        down_writes, up_writes = here in down.write_order, there in up.write_order
        table.add_row(
            f"{down.write_order.index(here) + 1} >" if down_writes else "",
            format_rdev(here),
            format_chpid(near),
            f"{'<-' if up_writes else '--'} {speed:^{width}} {'->' if down_writes else '--'}",
            format_chpid(far),
            format_rdev(there),
            f"< {up.write_order.index(there) + 1}" if up_writes else "",
            *([_owner(plan, here, there)] if has_room else []),
        )
    return table


def _owner(plan: Plan, here: Rdev, there: Rdev) -> str:
    """Who alone may write on a CTC, if anyone."""
    down, up = plan.directions
    if here in down.exclusive:
        return f"{down.sender} only"
    return f"{up.sender} only" if there in up.exclusive else ""


def _stop_short(plan: Plan) -> str:
    if not plan.stop_short:
        return "A single CTC: the scan does not stop short, and both nodes write on it."
    down, up = plan.directions
    return (
        f"Each scan stops short by {plan.stop_short}, and so leaves {_rdevs(down.exclusive)} to "
        f"{down.sender} and {_rdevs(up.exclusive)} to {up.sender}."
    )


def _rdevs(rdevs: Sequence[Rdev]) -> str:
    return ", ".join(map(format_rdev, sorted(rdevs)))


def _chpids(way: WriteDirection) -> str:
    return ", ".join(f"{format_chpid(chpid)} ({n})" for chpid, n in way.ctcs_by_chpid.items())
