"""What ``isfc plan`` shows: the device list as a picture, the capacities, the advice."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.cli.drawing.terminal import NODE_STYLES, narrow_drawing, speed_text
from isfc.cli.judgement.findings import SEVERITY_STYLES, advice_text
from isfc.cli.output.ranges import likely
from isfc.cli.output.table import PIPED_WIDTH, Fitted, apart, plain_table
from isfc.layout.capacity import WriteDirection
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import warnings_first
from scenarios.runs.notes import plan_notes

if TYPE_CHECKING:
    from scenarios.figures.advice import TriedAdvice
    from scenarios.figures.link_rates import ModelledRate


def plan_page(
    plan: Plan,
    figures: "Sequence[ModelledRate]" = (),
    tried: "Mapping[str, Sequence[TriedAdvice]] | None" = None,
) -> RenderableType:
    """The whole page; with what the model carries and makes of the advice, if that is given.

    It leads then with what a link carries, what limits it and what to do, on one screen.
    """
    first, second = plan.layout.nodes
    ctcs, fibres = len(plan.layout.ctcs), len(plan.layout.fibres)
    heading = Text.assemble(
        "Logical link ",
        (first, f"bold {NODE_STYLES[0]}"),
        " - ",
        (second, f"bold {NODE_STYLES[1]}"),
        f": {ctcs} CTC{'s' * (ctcs > 1)} on {fibres} fibre{'s' * (fibres > 1)}",
    )
    drawn = Fitted(_picture(plan), narrow_drawing(plan.layout))
    parts: list[RenderableType] = [drawn, _stop_short(plan)]
    if figures:
        from isfc.cli.judgement.advice import to_do  # the model, which a rule does without
        from isfc.cli.judgement.carried import differences
        from isfc.cli.judgement.limit import limit_lines

        said = f"To do: {to_do(plan.advice, tried or {}, figures, 'below')}"
        parts = [_capacity(plan, figures), *limit_lines(figures), said, *parts]
        parts.append(" ".join(differences(plan, figures)))
    else:
        parts.append(_capacity(plan, figures))
    parts += [note.text for note in plan_notes(plan.layout, figures)]
    parts.append(_advice(plan, tried or {}))
    return apart([heading, *parts])


_FIXED: Final = 36
"""Columns of the picture that no name widens: RDEVs, chpids, arrows, ``only``, and gaps."""


def _picture(plan: Plan) -> Table:
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


def _capacity(plan: Plan, figures: "Sequence[ModelledRate]") -> RenderableType:
    """How much each node can send, and over which chpids."""
    if not figures:
        table = Table.grid(padding=(0, 2, 0, 0))
        for way, style in zip(plan.directions, NODE_STYLES, strict=True):
            rule = Text(f"{way.estimated_mb_per_s} MB/s", "bold")
            table.add_row(Text(way.sender, style), rule, _chpids(way))
        heading = "One-way capacity by rule of thumb; chpids in order of use (CTCs written on):"
        return Group(heading, table)
    from scenarios.runs.saturation import STATED_PAIRS

    heads = (">rule", ">model", "~range", f">{STATED_PAIRS} pairs", "~range")
    table = plain_table("MB/s one way", *heads, "chpids in order of use (CTCs written on)")
    for way, rates, style in zip(plan.directions, figures, NODE_STYLES, strict=True):
        modelled = (cell for each in rates.figures for cell in (f"{each.value:.0f}", likely(each)))
        by_rule = f"{way.estimated_mb_per_s:.0f}"
        table.add_row(Text(way.sender, style), by_rule, *modelled, _chpids(way))
    return table


def _chpids(way: WriteDirection) -> str:
    return ", ".join(f"{format_chpid(chpid)} ({n})" for chpid, n in way.ctcs_by_chpid.items())


def _advice(plan: Plan, tried: "Mapping[str, Sequence[TriedAdvice]]") -> RenderableType:
    if not plan.advice:
        return "Nothing to change."
    table = Table.grid(padding=(0, 2, 0, 0))
    for finding in warnings_first(plan.advice):
        severity = Text(finding.severity, SEVERITY_STYLES[finding.severity])
        table.add_row(severity, advice_text(finding, tried))
    return table
