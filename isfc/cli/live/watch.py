"""Watching live links, as ``isfc up`` does: a page that is redrawn every second, or lines."""

import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from time import strftime
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from ctc.address import Rdev, format_rdev
from isfc.cli.live.measured import CtcRates, NodeRates, rates
from isfc.cli.live.options import LAG_PERCENT
from isfc.cli.output.streams import show
from isfc.link.state import DeviceState, LinkState
from isfc.live.operator import LiveSnapshot
from isfc.reports.report import NODE_STYLES, Column, Styled, Table, headed
from isfc.reports.terminal import open_console, table_of
from isfc.reports.units import fitted
from isfc.system.cp.commands import is_up

SMOOTHED_DILATION = 10
SMOOTHED_LOOKS = 5
"""From that dilation on, rates are those since so many looks ago: a second has few packages."""

BARS_COLUMNS = 100
"""Columns of a terminal from which there is room for bars and a sparkline."""

SPARKS_MAX = 40
_BAR_LENGTH: Final = 16
_HEIGHTS: Final = "▁▂▃▄▅▆▇█"
_OTHER_LINES: Final = 8
"""Of the page, besides one for each CTC."""

CLOCK: Final = "%H:%M:%S"
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
"""By its state, from good to bad."""

_WRITING: Final = frozenset({DeviceState.BUILDING, DeviceState.WRITING})

Ends = tuple[NodeRates | None, NodeRates | None]
"""Both systems in the layout's order; None for one that does not answer."""


class Surroundings(Struct, frozen=True):
    """What a page is shown in: a terminal of so many columns and lines, since when, at what pace.

    ``chpids`` has the two chpids of each CTC, by the first system's device numbers; ``dilation`` is
    0 with ``--pace none``, ``history`` the link's MB/s at the last looks, both ends together.
    """

    columns: int = 80
    lines: int = 24
    elapsed_s: int = 0
    dilation: int = 0
    history: Sequence[float] = ()
    chpids: Mapping[Rdev, str] = {}


def watch_page(names: tuple[str, str], ends: Ends, around: Surroundings) -> RenderableType:
    """The whole page: the two ends of the link, and its CTCs in write order."""
    one, other = ((name, f"bold {style}") for name, style in zip(names, NODE_STYLES, strict=True))
    what = "; the figures are of what each end writes"
    heading = Text.assemble("Logical link ", one, " - ", other, what)
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
    most = f"{fitted(collisions, 5):>5} {fitted(late, 5):>5}"
    return f"{time:<8} {_side(ends[0])} {_side(ends[1])} {most}"


def _side(end: NodeRates | None) -> str:
    if end is None:
        return f"{'no answer':<29}"
    link = end.link
    return (
        f"{end.seen.node.state.value:<8} {fitted(link.mb_per_s_out, 6):>6} "
        f"{fitted(link.packages_per_s_out, 7):>7} {fitted(link.tx_pend_count, 5, 0):>5}"
    )


_NO_ANSWER: Final = Styled("no answer", "red")

_LINK: Final = (
    Column("", "name"),
    Column("link", "state", width=9),
    Column("MB/s", "mb_per_s_out", width=6, places=1),
    Column("msg/s", "messages_per_s_out", width=7, places=1),
    Column("pkg/s", "packages_per_s_out", width=7, places=1),
    Column("col/s", "collisions_per_s", width=5, places=1),
    Column("pend", "tx_pend_count", width=5),
    Column("lag %", "late_percent", width=5, places=1),
    *headed(refused_count="refused", detached_count="lost", severed_count="severed"),
)


def _link(names: tuple[str, str], ends: Ends) -> RenderableType:
    """One line for each end."""
    rows = []
    for name, style, end in zip(names, NODE_STYLES, ends, strict=True):
        row = dict.fromkeys(column.field for column in _LINK) | {"name": Styled(name, style)}
        rows.append(row | ({"state": _NO_ANSWER} if end is None else _seen(end)))
    return table_of(Table("", _LINK, rows))


def _seen(end: NodeRates) -> dict[str, Any]:
    """What stands in a line of an end: by its rates, by what was seen last, or by both."""
    state = end.seen.node.state
    figures = {
        column.field: getattr(source, column.field)
        for column in _LINK
        for source in (end.link, end.seen, end)
        if hasattr(source, column.field)
    }
    return figures | {"state": Styled(state.value, LINK_STYLES[state])}


def _ctcs(names: tuple[str, str], ends: Ends, chpids: Mapping[Rdev, str] | None) -> RenderableType:
    """One line for each CTC, in the order of the first system's device numbers.

    With ``chpids`` each has its own, and a bar of its MB/s, both ways together, beside the busiest
    CTC's.
    """
    pairs = _pairs(ends)
    written = [sum(ctc.mb_per_s for ctc in (here, there) if ctc) for *_, here, there in pairs]
    unit = max(written, default=0.0) / _BAR_LENGTH or 1.0
    (first, second), (here_style, there_style) = names, NODE_STYLES
    columns = [
        Column("", "turn", width=4, style=here_style),
        Column("RDEV", "rdev", style=here_style),
        Column(first, "state", width=9, style=here_style),
        Column("MB/s", "mb_per_s", width=6, places=1),
        Column("pkg/s", "packages_per_s", width=6, places=1),
        Column("", "arrow", width=2),
        Column("MB/s", "partner_mb_per_s", width=6, places=1),
        Column("pkg/s", "partner_packages_per_s", width=6, places=1),
        Column(second, "partner_state", width=9, style=there_style),
        Column("RDEV", "partner_rdev", style=there_style),
        Column("", "partner_turn", width=4, style=there_style),
        Column("col/s", "collisions_per_s", width=5, places=1),
    ]
    if chpids is not None:
        columns += [Column("chpids", "chpids"), Column("", "bar")]
    rows = [
        {
            "turn": f"{f'{here.turn} >' if here and here.turn else '':>4}",
            "rdev": format_rdev(rdev),
            "state": _state(here),
            "mb_per_s": _written(here, "mb_per_s"),
            "packages_per_s": _written(here, "packages_per_s"),
            "arrow": _arrow(here, there),
            "partner_mb_per_s": _written(there, "mb_per_s"),
            "partner_packages_per_s": _written(there, "packages_per_s"),
            "partner_state": _state(there),
            "partner_rdev": format_rdev(partner_rdev),
            "partner_turn": f"< {there.turn}" if there and there.turn else "",
            "collisions_per_s": max(ctc.collisions_per_s for ctc in (here, there) if ctc),
            "chpids": (chpids or {}).get(rdev, ""),
            "bar": "━" * round(rate / unit),
        }
        for (rdev, partner_rdev, here, there), rate in zip(pairs, written, strict=True)
    ]
    return table_of(Table("", columns, rows))


def _pairs(ends: Ends) -> Sequence[tuple[Rdev, Rdev, CtcRates | None, CtcRates | None]]:
    """Each CTC's two device numbers and its two ends, one of which may be unknown."""
    here = {ctc.device.rdev: ctc for ctc in ends[0].ctcs} if ends[0] else {}
    there = {ctc.device.partner_rdev: ctc for ctc in ends[1].ctcs} if ends[1] else {}
    mates = {ctc.device.rdev: ctc.device.partner_rdev for ctc in here.values()}
    mates |= {ctc.device.partner_rdev: ctc.device.rdev for ctc in there.values()}
    return [(rdev, mates[rdev], here.get(rdev), there.get(rdev)) for rdev in sorted(mates)]


def _written(ctc: CtcRates | None, name: str) -> float | None:
    """What is written on it; nothing where this end does not write."""
    if ctc is None or (ctc.turn is None and not ctc.packages_per_s):
        return None
    rate: float = getattr(ctc, name)
    return rate


def _state(ctc: CtcRates | None) -> Styled:
    return Styled("?", "red") if ctc is None else Styled(*_STATES[ctc.device.state])


def _arrow(here: CtcRates | None, there: CtcRates | None) -> str:
    """Who is writing at this moment."""
    ours, theirs = (ctc is not None and ctc.device.state in _WRITING for ctc in (here, there))
    return "><" if ours and theirs else "->" if ours else "<-" if theirs else ""


def links_page(
    links: Sequence[tuple[str, str]], ends: Sequence[Ends], around: Surroundings
) -> RenderableType:
    """The page: a line for each link, what each of its two systems writes."""
    systems = list(dict.fromkeys(name for names in links for name in names))
    answering = [end for both in ends for end in both]
    rows = [
        {"link": "-".join(names), **_of_link(both)} for names, both in zip(links, ends, strict=True)
    ]
    heading = f"{len(links)} logical links of {', '.join(systems)}"
    table = table_of(Table("", _LINKS, rows))
    return Group(heading, *notes(answering, len(links), around), table)


_LINKS: Final = (
    Column("link", "link", width=17),
    Column("state", "state", width=9),
    Column("CTCs", "up", width=5),
    Column("MB/s ->", "mb_per_s_out", width=7, places=1),
    Column("<- MB/s", "mb_per_s_in", width=7, places=1),
    Column("msg/s", "messages_per_s", width=7, places=1),
    Column("col/s", "collisions_per_s", width=5, places=1),
    Column("pend", "tx_pend_count", width=5),
    Column("lost", "detached_count", width=4),
    Column("severed", "severed_count", width=7),
)


_LINE: Final = "{:<8} {:<17} {:<9} {:>5} {:>7} {:>7} {:>6} {:>5} {:>7}"


LINKS_HEADINGS: Final = _LINE.format(
    *("time", "link", "state", "CTCs", "MB/s ->", "<- MB/s", "col/s", "pend", "severed")
)
"""The line above those of `links_line`."""


def links_line(time: str, names: tuple[str, str], ends: Ends) -> str:
    """One link at one moment; 80 columns. ``time`` has eight."""
    link, row = "-".join(names), _of_link(ends)
    if row["state"] is _NO_ANSWER:
        return f"{time:<8} {link:<17} no answer"
    out, back = (column.words(row) for column in _LINKS if "MB/s" in column.heading)
    collisions, pending = fitted(row["collisions_per_s"], 6), fitted(row["tx_pend_count"], 5, 0)
    figures = row["up"], out, back, collisions, pending, row["severed_count"]
    return _LINE.format(time, link, row["state"].text, *figures)


def _of_link(ends: Ends) -> dict[str, Any]:
    """What stands in a line of a link."""
    shown = [end for end in ends if end is not None]
    if not shown:
        return dict.fromkeys(column.field for column in _LINKS[1:]) | {"state": _NO_ANSWER}
    states = [end.seen.node.state for end in shown]
    worst = next(state for state in reversed(LINK_STYLES) if state in states)
    both = len(shown) == len(ends)  # else one of them does not answer
    up = min(sum(is_up(ctc.device.state) for ctc in end.ctcs) for end in shown)  # at both ends
    out, back = ("?" if end is None else end.link.mb_per_s_out for end in ends)
    return {
        "state": Styled(worst.value + " ?" * (not both), LINK_STYLES[worst] if both else "red"),
        "up": f"{f'{up}/{len(shown[0].ctcs)}':>5}",
        "mb_per_s_out": out,
        "mb_per_s_in": back,
        "messages_per_s": sum(end.link.messages_per_s_out for end in shown),
        "collisions_per_s": max(end.link.collisions_per_s for end in shown),
        "tx_pend_count": sum(end.link.tx_pend_count for end in shown),
        "detached_count": sum(end.seen.detached_count for end in shown),
        "severed_count": sum(end.seen.severed_count for end in shown),
    }


class LiveView(ExitStack):
    """Shows links as they are at every call of `show`, from entering to leaving.

    ``links`` have the names of their two systems in the layout's order; ``dilation`` and ``chpids``
    are as of `Surroundings`. With ``plain`` each call prints a line, as for a log; so it does where
    stdout is no terminal, or one that can do no more (``TERM=dumb``).
    """

    def __init__(
        self,
        links: Sequence[tuple[str, str]],
        *,
        plain: bool = False,
        dilation: int = 0,
        chpids: Mapping[Rdev, str] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self._links, self._dilation, self._chpids = links, dilation, chpids
        looks = SMOOTHED_LOOKS if dilation >= SMOOTHED_DILATION else 1
        self._before: defaultdict[tuple[str, str], deque[LiveSnapshot]] = defaultdict(
            lambda: deque(maxlen=looks)
        )
        self._history: deque[float] = deque(maxlen=SPARKS_MAX)
        self._look_count = 0
        self._console = console = open_console()
        self._live: Live | None = None
        if not plain and console.is_terminal and not console.is_dumb_terminal:
            self._live = Live(
                console=console,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=sys.stderr.isatty(),  # what is said there scrolls by above
                vertical_overflow="crop",
            )

    def __enter__(self) -> "LiveView":
        if self._live is not None:
            self.enter_context(self._live)
        return self

    def show(self, seen: Iterable[LiveSnapshot]) -> None:
        """The link ends of all systems that answer, as they are now."""
        found = {(each.node.name, each.node.partner): each for each in seen}
        ends: list[Ends] = [
            (self._rates(found.get((here, there))), self._rates(found.get((there, here))))
            for here, there in self._links
        ]
        self._look_count += 1
        self._history.append(sum(end.link.mb_per_s_out for both in ends for end in both if end))
        (names, *others), (one, *_) = self._links, ends
        if self._live is not None:
            columns, lines = self._console.size
            now = columns, lines, self._look_count, self._dilation, tuple(self._history)
            around = Surroundings(*now, self._chpids)
            self._live.update(
                links_page(self._links, ends, around) if others else watch_page(names, one, around),
                refresh=True,
            )
        elif others:
            rows = zip(self._links, ends, strict=True)
            show(LINKS_HEADINGS, *(links_line(strftime(CLOCK), *row) for row in rows))
        else:
            headings = [watch_headings(names)] * (self._look_count % HEADINGS_EVERY == 1)
            show(*headings, watch_line(strftime(CLOCK), one))

    def _rates(self, after: LiveSnapshot | None) -> NodeRates | None:
        if after is None:
            return None
        earlier = self._before[after.node.name, after.node.partner]
        before = earlier[0] if earlier else None
        earlier.append(after)
        return rates(before, after)
