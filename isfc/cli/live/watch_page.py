"""What ``isfc up`` shows of live links: rates between two looks, on a page or in lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ctc.address import Rdev, format_rdev
from isfc.cli.live.options import LAG_PERCENT
from isfc.cp.query import is_up
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.name import NodeName
from isfc.link.state import DeviceState, LinkState
from isfc.live.snapshot import LiveSnapshot
from isfc.reports.report import NODE_STYLES
from isfc.reports.table import plain_table
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB, Result, measure

_WRITTEN: Final = ("write_package_count", "write_length", "collision_count")
_NEW_DEVICE: Final[dict[str, Any]] = dict.fromkeys(
    (*_WRITTEN, "io_count", "pend_ns", "disc_ns", "conn_ns", "moved_length"), 0
)
_READ: Final = ("read_package_count", "read_message_count", "read_length")
_NEW_LINK: Final[dict[str, Any]] = dict.fromkeys(
    (*_WRITTEN, *_READ, "write_message_count", "cpu_ns"), 0
)
"""Counters that rates are made of, as they begin."""


@dataclass(frozen=True, slots=True)
class CtcRates:
    """One CTC at one end: what is written there, and what the ``device`` is doing now.

    MB are 2^20 bytes. ``turn`` counts from 1 in the write order; None if this end does not
    write here.
    """

    device: DeviceSnapshot
    turn: int | None
    mb_per_s: float
    packages_per_s: float
    collisions_per_s: float


@dataclass(frozen=True, slots=True)
class NodeRates:
    """One end of a live link, as ``seen`` last. ``link`` has what ``isfc run`` would measure.

    Seconds are the node's own: at ``--dilation K`` each of them takes K.
    """

    seen: LiveSnapshot
    link: Result
    late_percent: float
    ctcs: tuple[CtcRates, ...]


def rates(before: LiveSnapshot | None, after: LiveSnapshot) -> NodeRates:
    """What happened in between; since the node began, if ``before`` is None.

    A node that has restarted counts from zero: what it was before is not subtracted.
    """
    begin = _begin(before, after)
    first, last = begin.node, after.node
    seconds = (last.now_ns - first.now_ns) / NS_PER_S
    waited_ns = after.waited_ns - begin.waited_ns
    return NodeRates(
        seen=after,
        link=measure(NodeName(last.name), first, last),
        late_percent=100 * (after.late_ns - begin.late_ns) / max(1, waited_ns),
        ctcs=tuple(
            _ctc_rates(old, new, last.write_order, seconds)
            for old, new in zip(first.devices, last.devices, strict=True)
        ),
    )


def _ctc_rates(
    old: DeviceSnapshot, new: DeviceSnapshot, order: tuple[Rdev, ...], seconds: float
) -> CtcRates:
    return CtcRates(
        device=new,
        turn=order.index(new.rdev) + 1 if new.rdev in order else None,
        mb_per_s=(new.write_length - old.write_length) / seconds / MIB,
        packages_per_s=(new.write_package_count - old.write_package_count) / seconds,
        collisions_per_s=(new.collision_count - old.collision_count) / seconds,
    )


def _begin(before: LiveSnapshot | None, after: LiveSnapshot) -> LiveSnapshot:
    """What to subtract: ``before``, unless the process or its node has restarted since."""
    if before is None or after.node.now_ns <= before.node.now_ns:
        begin_ns = min(0, after.node.now_ns - 1)  # so that some time has passed
        return LiveSnapshot(_zero(after.node, begin_ns), 0, 0, 0, 0, 0, 0, 0)
    if after.severed_count != before.severed_count:
        used_ns = before.node.cpu_ns  # a process's goes on where the model's begins again
        cpu_ns = used_ns if used_ns <= after.node.cpu_ns else 0
        return replace(before, node=replace(_zero(after.node, before.node.now_ns), cpu_ns=cpu_ns))
    return before


def _zero(node: LinkEndSnapshot, now_ns: int) -> LinkEndSnapshot:
    """The node at ``now_ns``, having done nothing."""
    devices = tuple(replace(each, **_NEW_DEVICE) for each in node.devices)
    return replace(node, now_ns=now_ns, devices=devices, **_NEW_LINK)


BARS_COLUMNS = 100
"""Columns of a terminal from which there is room for bars and a sparkline."""

SPARKS_MAX = 40
_BAR_LENGTH: Final = 16
_HEIGHTS: Final = "▁▂▃▄▅▆▇█"
_OTHER_LINES: Final = 8
"""Of the page, besides one for each CTC."""

HEADINGS_EVERY = 20
"""Lines between two headings of the plain view, as vmstat has them."""

_STATES: Final = {
    DeviceState.INACTIVE: ("Inactive", "dim"),
    DeviceState.DOWN: ("Down", "red"),
    DeviceState.RESETTING: ("Reset", "red"),
    DeviceState.IDLE: ("Idle", "dim"),
    DeviceState.BUILDING: ("Busy", "green"),
    DeviceState.WRITING: ("Writing", "bold green"),
    DeviceState.ATTENTION: ("Attention", ""),
    DeviceState.READING: ("Reading", ""),
    DeviceState.RECOVERING: ("Collision", "yellow"),
    DeviceState.YIELDING: ("Yielding", "yellow"),
}
"""A word for each state that leaves room for sixteen CTCs of two systems in 80 columns."""

LINK_STYLES: Final = {LinkState.UP: "green", LinkState.DEGRADED: "yellow", LinkState.DOWN: "red"}
_WRITING: Final = frozenset({DeviceState.BUILDING, DeviceState.WRITING})

Ends = tuple[NodeRates | None, NodeRates | None]
"""Both systems in the layout's order; None for one that does not answer."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a page is shown in: a terminal of so many columns and lines, since when, at what pace.

    ``chpids`` has the two chpids of each CTC, by the first system's device numbers. ``dilation``
    is 0 with ``--pace none``; ``history`` has the link's MB/s at the last looks,
    both ends together.
    """

    columns: int = 80
    lines: int = 24
    elapsed_s: int = 0
    dilation: int = 0
    history: Sequence[float] = ()
    chpids: Mapping[Rdev, str] = field(default_factory=dict)


def watch_page(
    names: tuple[str, str], ends: Ends, around: Surroundings | None = None
) -> RenderableType:
    """The whole page: the two ends of the link, and its CTCs in write order.

    ``around`` adds what it means, and what there is room for.
    """
    heading = Text.assemble(
        "Logical link ",
        (names[0], f"bold {NODE_STYLES[0]}"),
        " - ",
        (names[1], f"bold {NODE_STYLES[1]}"),
        "; the figures are of what each end writes",
    )
    if around is None:
        return Group(heading, "", _link(names, ends), "", _ctcs(names, ends))
    chpids = around.chpids if around.columns >= BARS_COLUMNS else None
    ctcs = _ctcs(names, ends, chpids)
    return Group(heading, *notes(ends, len(_pairs(ends)), around), _link(names, ends), "", ctcs)


def notes(
    ends: Sequence[NodeRates | None], count: int, around: Surroundings
) -> Iterator[RenderableType]:
    """What the figures mean here, and what is not seen of them. ``count`` lines are of a table."""
    minutes, seconds = divmod(around.elapsed_s, 60)
    pace = f"dilation {around.dilation}: a second of the model takes {around.dilation} of yours"
    if not around.dilation:
        pace = "pace none: MB/s of this machine, not of FICON"
    spark = sparkline(around.history[-SPARKS_MAX:]) if around.columns >= BARS_COLUMNS else ""
    yield Text(f"{minutes}:{seconds:02}  {pace}  {spark}".rstrip(), no_wrap=True)
    if around.columns < 80 or around.lines < count + _OTHER_LINES:
        needed = f"80 x {count + _OTHER_LINES}"
        yield Text(f"not all fits: {needed} are needed, or --plain", "yellow")
    if any(end is not None and end.late_percent > LAG_PERCENT for end in ends):
        yield Text("late: take a larger --dilation", "yellow")
    yield ""


def sparkline(history: Sequence[float]) -> str:
    """Figures as bars of eight heights, the greatest of them the full one."""
    most = max(history, default=0.0)
    return "".join(_HEIGHTS[round(each / most * 7)] if most else _HEIGHTS[0] for each in history)


def watch_headings(names: tuple[str, str]) -> str:
    """The two lines above those of `watch_line`."""
    figures = f"{'link':<8} {'MB/s':>6} {'pkg/s':>7} {'pend':>5}"
    return (
        f"{'':8} {f'{names[0]} writes':<29} {names[1]} writes\n"
        f"{'time':<8} {figures} {figures} {'col/s':>5} {'lag %':>5}"
    )


def watch_line(time: str, ends: Ends) -> str:
    """One moment: what both ends write, and what waits; 80 columns. ``time`` has eight."""
    shown = [end for end in ends if end is not None]
    collisions = max((end.link.collisions_per_s for end in shown), default=0.0)
    late = max((end.late_percent for end in shown), default=0.0)
    return f"{time:<8} {_side(ends[0])} {_side(ends[1])} {fitted(collisions, 5)} {fitted(late, 5)}"


def _side(end: NodeRates | None) -> str:
    if end is None:
        return f"{'no answer':<29}"
    link = end.link
    return (
        f"{end.seen.node.state.value:<8} {fitted(link.mb_per_s_out, 6)} "
        f"{fitted(link.packages_per_s_out, 7)} {end.link.tx_pend_count:5.0f}"
    )


def fitted(figure: float, width: int) -> str:
    """A figure with one decimal, with none, or in thousands: what fits."""
    for text in (f"{figure:{width}.1f}", f"{figure:{width}.0f}"):
        if len(text) <= width:
            return text
    return f"{figure / 1000:{width - 1}.0f}k"


def _link(names: tuple[str, str], ends: Ends) -> Table:
    """One line for each end."""
    table = plain_table(gap=1)
    table.add_column("")
    table.add_column("link", min_width=9)
    for heading, width in (("MB/s", 6), ("msg/s", 7), ("pkg/s", 7), ("col/s", 5), ("pend", 5)):
        table.add_column(heading, justify="right", min_width=width)
    for heading in ("lag %", "refused", "lost", "severed"):
        table.add_column(heading, justify="right")
    for name, style, end in zip(names, NODE_STYLES, ends, strict=True):
        if end is None:
            table.add_row(Text(name, style), Text("no answer", "red"))
            continue
        link = end.link
        table.add_row(
            Text(name, style),
            Text(end.seen.node.state.value, LINK_STYLES[end.seen.node.state]),
            fitted(link.mb_per_s_out, 6),
            fitted(link.messages_per_s_out, 7),
            fitted(link.packages_per_s_out, 7),
            fitted(link.collisions_per_s, 5),
            f"{link.tx_pend_count:.0f}",
            fitted(end.late_percent, 5),
            str(end.seen.refused_count),
            str(end.seen.detached_count),
            str(end.seen.severed_count),
        )
    return table


def _ctcs(names: tuple[str, str], ends: Ends, chpids: Mapping[Rdev, str] | None = None) -> Table:
    """One line for each CTC, in the order of the first system's device numbers.

    With ``chpids`` each has its own, and a bar of its MB/s, both ways together, beside the busiest
    CTC's.
    """
    pairs = _pairs(ends)
    rates = [sum(ctc.mb_per_s for ctc in (here, there) if ctc) for *_, here, there in pairs]
    most = max(rates, default=0.0)
    (first, second), (here_style, there_style) = names, NODE_STYLES
    table = plain_table(gap=1)
    table.add_column("", justify="right", style=here_style, min_width=4)
    table.add_column("RDEV", style=here_style)
    table.add_column(first, header_style=f"bold {here_style}", min_width=9)
    for heading in ("MB/s", "pkg/s", "", "MB/s", "pkg/s"):
        table.add_column(heading, justify="right", min_width=6 if heading else 2)
    table.add_column(second, header_style=f"bold {there_style}", min_width=9)
    table.add_column("RDEV", style=there_style)
    table.add_column("", style=there_style, min_width=4)
    table.add_column("col/s", justify="right", min_width=5)
    if chpids is not None:
        table.add_column("chpids")
        table.add_column("", no_wrap=True)
    for (rdev, partner_rdev, here, there), rate in zip(pairs, rates, strict=True):
        turn = f"{here.turn} >" if here and here.turn else ""
        table.add_row(
            *(turn, format_rdev(rdev), _state(here), *_written(here)),
            _arrow(here, there),
            *(*_written(there), _state(there), format_rdev(partner_rdev)),
            f"< {there.turn}" if there and there.turn else "",
            fitted(max(ctc.collisions_per_s for ctc in (here, there) if ctc), 5),
            *(() if chpids is None else (chpids.get(rdev, ""), _bar(rate, most))),
        )
    return table


def _bar(rate: float, most: float) -> str:
    return "━" * round(rate / most * _BAR_LENGTH) if most else ""


def _pairs(ends: Ends) -> Sequence[tuple[Rdev, Rdev, CtcRates | None, CtcRates | None]]:
    """Each CTC's two device numbers and its two ends, one of which may be unknown."""
    here = {ctc.device.rdev: ctc for ctc in ends[0].ctcs} if ends[0] else {}
    there = {ctc.device.partner_rdev: ctc for ctc in ends[1].ctcs} if ends[1] else {}
    mates = {ctc.device.rdev: ctc.device.partner_rdev for ctc in here.values()}
    mates |= {ctc.device.partner_rdev: ctc.device.rdev for ctc in there.values()}
    return [(rdev, mates[rdev], here.get(rdev), there.get(rdev)) for rdev in sorted(mates)]


def _written(ctc: CtcRates | None) -> tuple[str, str]:
    """What is written on it; nothing where this end does not write."""
    if ctc is None or (ctc.turn is None and not ctc.packages_per_s):
        return "", ""
    return fitted(ctc.mb_per_s, 6), fitted(ctc.packages_per_s, 6)


def _state(ctc: CtcRates | None) -> Text:
    return Text("?", "red") if ctc is None else Text(*_STATES[ctc.device.state])


def _arrow(here: CtcRates | None, there: CtcRates | None) -> str:
    """Who is writing at this moment."""
    ours = here is not None and here.device.state in _WRITING
    theirs = there is not None and there.device.state in _WRITING
    if ours and theirs:
        return "><"
    return "->" if ours else "<-" if theirs else ""


_WORST = (LinkState.DOWN, LinkState.DEGRADED, LinkState.UP)


def links_page(
    links: Sequence[tuple[str, str]], ends: Sequence[Ends], around: Surroundings
) -> RenderableType:
    """The page: a line for each link, what each of its two systems writes."""
    systems = list(dict.fromkeys(name for names in links for name in names))
    answering = [end for both in ends for end in both]
    table = plain_table(gap=1)
    table.add_column("link", min_width=17)
    table.add_column("state", min_width=9)
    for heading, width in (
        ("CTCs", 5), ("MB/s ->", 7), ("<- MB/s", 7), ("msg/s", 7), ("col/s", 5), ("pend", 5),
        ("lost", 4), ("severed", 7),
    ):  # fmt: skip
        table.add_column(heading, justify="right", min_width=width)
    for names, both in zip(links, ends, strict=True):
        table.add_row("-".join(names), *_cells(both))
    heading = f"{len(links)} logical links of {', '.join(systems)}"
    return Group(heading, *notes(answering, len(links), around), table)


def links_headings() -> str:
    """The line above those of `links_line`."""
    return (
        f"{'time':<8} {'link':<17} {'state':<9} {'CTCs':>5} {'MB/s ->':>7} {'<- MB/s':>7} "
        f"{'col/s':>6} {'pend':>5} {'severed':>7}"
    )


def links_line(time: str, names: tuple[str, str], ends: Ends) -> str:
    """One link at one moment; 80 columns. ``time`` has eight."""
    here, there = ends
    shown = [end for end in ends if end is not None]
    if not shown:
        return f"{time:<8} {'-'.join(names):<17} no answer"
    pending = sum(end.link.tx_pend_count for end in shown)
    return (
        f"{time:<8} {'-'.join(names):<17} {_worst_state(ends):<9} {_up(shown):>5} {_out(here):>7} "
        f"{_out(there):>7} {fitted(max(end.link.collisions_per_s for end in shown), 6)} "
        f"{pending:5.0f} {sum(end.seen.severed_count for end in shown):7}"
    )


def _cells(ends: Ends) -> tuple[str | Text, ...]:
    here, there = ends
    shown = [end for end in ends if end is not None]
    if not shown:
        return (Text("no answer", "red"),)
    state = _worst_state(ends)
    style = LINK_STYLES[LinkState(state)] if len(shown) == len(ends) else "red"
    return (
        Text(state, style),
        _up(shown),
        _out(here),
        _out(there),
        fitted(sum(end.link.messages_per_s_out for end in shown), 7),
        fitted(max(end.link.collisions_per_s for end in shown), 5),
        f"{sum(end.link.tx_pend_count for end in shown):.0f}",
        str(sum(end.seen.detached_count for end in shown)),
        str(sum(end.seen.severed_count for end in shown)),
    )


def _worst_state(ends: Ends) -> str:
    """The worse of what the two systems see; a question mark if one of them does not answer."""
    states = [end.seen.node.state for end in ends if end is not None]
    worst = next(state for state in _WORST if state in states)
    return worst.value if len(states) == len(ends) else f"{worst.value} ?"


def _up(shown: Sequence[NodeRates]) -> str:
    """How many of the CTCs can be used at both ends."""
    count = min(sum(is_up(ctc.device.state) for ctc in end.ctcs) for end in shown)
    return f"{count}/{len(shown[0].ctcs)}"


def _out(end: NodeRates | None) -> str:
    return "?" if end is None else fitted(end.link.mb_per_s_out, 7)
