"""What ``isfc run`` shows of several links: each link, system and shared channel, and all."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from isfc.cli.output.notes import note_lines
from isfc.layout.note import Note
from isfc.reports.measures import seed_words
from isfc.reports.ranges import range_note
from isfc.reports.table import plain_table
from isfc.reports.units import range_of
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import links_rate
from scenarios.runs.cluster_rows import ClusterRow
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes

_LINKS_MAX = 6
_SHOWN = 5
"""Links that a page holds, those of four members; and of more how many it shows."""


def cluster_heading(experiment: Experiment, seeds: int | None) -> str:
    """What was run, and for how long."""
    systems = experiment.collection.systems
    links = len(experiment.each_alone)
    seed = seed_words(experiment.seed, seeds or 1)
    return (
        f"{links} logical link{'s' * (links > 1)} of {', '.join(systems)}, together\n"
        f"{experiment.seconds:g} s of virtual time after {experiment.warmup:g} s of warm-up, {seed}"
    )


def cluster_page(
    experiment: Experiment, rows: Sequence[ClusterRow], seeds: int | None
) -> RenderableType:
    """The whole page."""
    ranges = {row.name: row_figure(experiment, row) for row in rows}
    parts: list[RenderableType] = [cluster_heading(experiment, seeds), ""]
    links = [row for row in rows if row.kind == "link"]
    systems = _systems([row for row in rows if row.kind in ("system", "all")], ranges)
    channels = [row for row in rows if row.kind in ("channel", "path", "share")]
    if len(links) > _LINKS_MAX:
        parts += [systems, "", *_shortened(links, channels, ranges, seeds)]
    else:
        parts += [_links(links, ranges, seeds), "", systems]
        parts += ["", _channels(channels)] if channels else []
    known = range_note(ranges.values())
    parts += ["", f"range: of MB/s together, and of the others in proportion. {known}"]
    parts += note_lines(run_cluster_notes(experiment))
    return Group(*parts)


def _shortened(
    links: Sequence[ClusterRow],
    channels: Sequence[ClusterRow],
    ranges: "_Figures",
    seeds: int | None,
) -> Iterator[RenderableType]:
    """Of many links the slowest, and what is busiest of what they share."""
    slowest = sorted(links, key=lambda row: row.mb_per_s)[:_SHOWN]
    yield f"The slowest {len(slowest)} of {len(links)} links; --csv and --json have all"
    yield _links(slowest, ranges, seeds)
    busy = [row for row in channels if row.kind != "share"]
    busy.sort(key=lambda row: row.busy_percent or 0.0, reverse=True)
    if busy:
        yield ""
        yield f"The busiest {len(busy[:_SHOWN])} of {len(busy)}"
        yield _channels(busy[:_SHOWN])


def run_cluster_notes(experiment: Experiment) -> tuple[Note, ...]:
    """The notes of a run of several links."""
    return (*cluster_notes(experiment.collection), SHARED_UNRANGED)


def row_figure(experiment: Experiment, row: ClusterRow) -> Figure | None:
    """The MB/s of a link, a system or all links; None for what several fibres share."""
    links = {
        "link": [link for link in experiment.collection.links if link.name == row.name],
        "system": [link for link in experiment.collection.links if row.name in link.nodes],
        "all": experiment.collection.links,
    }.get(row.kind)
    return links_rate(row.mb_per_s, links) if links else None


_Figures = Mapping[str, Figure | None]


def _links(rows: Sequence[ClusterRow], ranges: _Figures, seeds: int | None) -> Table:
    repeated = seeds is not None and seeds > 1
    figures = (">MB/s ->", "><- MB/s", ">together", "~range", ">msg/s", ">coll/s")
    spread = (">spread %",) if repeated else ()
    table = plain_table("link", *figures, *spread, "~traffic", no_wrap=True)
    for row in rows:
        first = row.name.partition("-")[0]
        spreads = (_number(row.spread_percent, 1),) if repeated else ()
        table.add_row(
            row.name,
            *_rates(row, ranges),
            *spreads,
            ", ".join(_arrow(each, first) for each in row.traffic.split(", ")),
        )
    return table


def _arrow(traffic: str, first: str) -> str:
    """``HL:50 ->`` if the clients are on the first node of the link, ``<- HL:50`` if not."""
    ends, _, load = traffic.partition(":")
    return f"{load} ->" if ends.partition("-")[0] == first else f"<- {load}"


def _systems(rows: Sequence[ClusterRow], ranges: _Figures) -> Table:
    figures = (">MB/s out", ">MB/s in", ">together", "~range", ">msg/s", ">coll/s")
    table = plain_table("system", *figures, no_wrap=True)
    for row in rows:
        table.add_row(row.name, *_rates(row, ranges), style="bold" if row.kind == "all" else None)
    return table


def _rates(row: ClusterRow, ranges: _Figures) -> Iterator[str]:
    """MB/s out, in and together, the range of these, messages and collisions a second."""
    for rate in (row.mb_per_s_out, row.mb_per_s_in, row.mb_per_s):
        yield f"{rate:.1f}"
    known = ranges[row.name]
    yield "" if known is None else range_of(known)
    yield _number(row.messages_per_s, 0)
    yield _number(row.collisions_per_s, 1)


def _channels(rows: Sequence[ClusterRow]) -> Table:
    figures = (">MB/s out", ">MB/s in", ">busy %")
    table = plain_table("what several fibres share", *figures, no_wrap=True)
    for row in rows:
        if row.kind == "share" and not row.mb_per_s:
            continue
        table.add_row(
            f"  {row.name}" if row.kind == "share" else row.name,
            f"{row.mb_per_s_out:.1f}",
            f"{row.mb_per_s_in:.1f}",
            _number(row.busy_percent, 1),
        )
    return table


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"
