"""The figures of a run of several links, a row for each link, system and channel, and for all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scenarios.runs.channels import ChannelResult, PathResult
from scenarios.runs.repeat import mean_figures, spread_percent
from scenarios.runs.result import Result
from scenarios.runs.run import Outcome, SystemResult


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """One row. MB are 2^20 bytes.

    ``kind`` is ``link``, ``system``, ``channel``, ``path``, ``share`` (of a link in the channel or
    path above) or ``all``. Out is written: by the first node of a link, by a system, over a channel
    by the systems that it belongs to, over the inter-switch links of a path from where its name
    says. ``busy_percent`` is of the channel's line or data processor or the path's direction,
    whichever is nearer to its end. ``spread_percent`` is how far MB/s of several seeds differ.
    """

    kind: str
    name: str
    traffic: str
    mb_per_s_out: float
    mb_per_s_in: float
    mb_per_s: float
    messages_per_s: float | None = None
    collisions_per_s: float | None = None
    busy_percent: float | None = None
    spread_percent: float | None = None


def cluster_rows(results: Sequence[Outcome]) -> tuple[ClusterRow, ...]:
    """The rows of a run; the means of one that was repeated with several seeds, and the spread."""
    return tuple(_mean(rows) for rows in zip(*map(_rows, results), strict=True))


def _rows(result: Outcome) -> Iterator[ClusterRow]:
    messages = 0.0
    collisions = 0.0
    for recording in result.links:
        layout = recording.experiment.layout
        first = recording.at(layout.nodes[0]).whole.result
        messages += first.messages_per_s
        collisions += first.collisions_per_s
        loads = ", ".join(map(str, result.experiment.loads_of(layout)))
        yield _row("link", layout.name, loads, first)
    for system in result.systems:
        yield _row("system", system.node, "", system)
    for channel in result.channels:
        yield from _shared("channel", channel)
    for path in result.paths:
        yield from _shared("path", path)
    out = sum(system.mb_per_s_out for system in result.systems)
    back = sum(system.mb_per_s_in for system in result.systems)
    yield ClusterRow("all", "all links", "", out, back, result.mb_per_s, messages, collisions)


def _shared(kind: str, carried: ChannelResult | PathResult) -> Iterator[ClusterRow]:
    """A row of what several fibres share, then one of each link in it."""
    out, back = carried.mb_per_s_out, carried.mb_per_s_in
    busy = 100.0 * carried.busy
    yield ClusterRow(kind, carried.name, "", out, back, out + back, busy_percent=busy)
    for share in carried.shares:
        out, back = share.mb_per_s_out, share.mb_per_s_in
        yield ClusterRow("share", share.link, "", out, back, out + back)


def _row(kind: str, name: str, traffic: str, end: Result | SystemResult) -> ClusterRow:
    return ClusterRow(
        kind,
        name,
        traffic,
        end.mb_per_s_out,
        end.mb_per_s_in,
        end.mb_per_s,
        end.messages_per_s,
        end.collisions_per_s,
    )


def _mean(rows: Sequence[ClusterRow]) -> ClusterRow:
    """The mean of the same row of several runs."""
    if len(rows) == 1:
        return rows[0]
    spread = spread_percent([row.mb_per_s for row in rows])
    return replace(rows[0], **{**mean_figures(rows), "spread_percent": spread})
