"""What ``isfc up`` shows of several live links: a page with a line for each, or lines a second."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from isfc.cli.live.rates import NodeRates
from isfc.cli.live.watch_page import LINK_STYLES, Ends, Surroundings, fitted, notes
from isfc.cli.output.table import plain_table
from isfc.cp.query import is_up
from isfc.link.state import LinkState

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
        f"{time:<8} {'-'.join(names):<17} {_state(ends):<9} {_up(shown):>5} {_out(here):>7} "
        f"{_out(there):>7} {fitted(max(end.link.collisions_per_s for end in shown), 6)} "
        f"{pending:5.0f} {sum(end.severed_count for end in shown):7}"
    )


def _cells(ends: Ends) -> tuple[str | Text, ...]:
    here, there = ends
    shown = [end for end in ends if end is not None]
    if not shown:
        return (Text("no answer", "red"),)
    state = _state(ends)
    style = LINK_STYLES[LinkState(state)] if len(shown) == len(ends) else "red"
    return (
        Text(state, style),
        _up(shown),
        _out(here),
        _out(there),
        fitted(sum(end.link.messages_per_s_out for end in shown), 7),
        fitted(max(end.link.collisions_per_s for end in shown), 5),
        f"{sum(end.link.tx_pend_count for end in shown):.0f}",
        str(sum(end.detached_count for end in shown)),
        str(sum(end.severed_count for end in shown)),
    )


def _state(ends: Ends) -> str:
    """The worse of what the two systems see; a question mark if one of them does not answer."""
    states = [end.state for end in ends if end is not None]
    worst = next(state for state in _WORST if state in states)
    return worst.value if len(states) == len(ends) else f"{worst.value} ?"


def _up(shown: Sequence[NodeRates]) -> str:
    """How many of the CTCs can be used at both ends."""
    count = min(sum(is_up(ctc.state) for ctc in end.ctcs) for end in shown)
    return f"{count}/{len(shown[0].ctcs)}"


def _out(end: NodeRates | None) -> str:
    return "?" if end is None else fitted(end.link.mb_per_s_out, 7)
