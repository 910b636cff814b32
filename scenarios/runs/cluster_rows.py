"""The figures of a run of several links, a row for each link, system and channel, and for all."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import fields, replace

from scenarios.runs.channels import ChannelResult, PathResult
from scenarios.runs.repeat import means, spread_percent
from scenarios.runs.result import Result
from scenarios.runs.run import Outcome


class CarriedRates(Struct, frozen=True):
    """What a link, a system, a channel or all carried; None is what is not of it.

    MB are 2^20 bytes. Out is written: by the first node of a link, by a system, over a channel by
    the systems that it belongs to, over the inter-switch links of a path from where its name says.
    """

    name: str
    mb_per_s: float
    """both ways"""
    mb_per_s_out: float
    """written: by the first node of a link, by a system; over a path from where its name says"""
    mb_per_s_in: float
    messages_per_s: float | None = None
    collisions_per_s: float | None = None
    busy_percent: float | None = None
    """of the resource nearest to its end: line out, line in, data processor, starts of I/Os; disks
    are in it"""
    spread_percent: float | None = None
    """of MB/s, with `--seeds`"""


class ClusterRow(CarriedRates, frozen=True, kw_only=True):
    """One row of ``kind``: ``link``, ``system``, ``channel``, ``path``, ``share`` or ``all``.

    A share is of a link in the channel or path above.
    """

    kind: str
    traffic: str = ""
    """of a link"""


def cluster_rows(results: Sequence[Outcome]) -> tuple[ClusterRow, ...]:
    """The rows of a run; the means of one that was repeated with several seeds, and the spread."""
    return tuple(_mean(rows) for rows in zip(*map(_rows, results), strict=True))


def _rows(result: Outcome) -> Iterator[ClusterRow]:
    messages = collisions = 0.0
    for recording in result.links:
        layout = recording.experiment.layout
        first = recording.at(layout.nodes[0]).whole.result
        messages += first.messages_per_s
        collisions += first.collisions_per_s
        ways = first.mb_per_s, first.mb_per_s_out, first.mb_per_s_in
        others = first.messages_per_s, first.collisions_per_s
        loads = ", ".join(map(str, result.experiment.loads_of(layout)))
        yield ClusterRow(layout.name, *ways, *others, kind="link", traffic=loads)
    systems = [_system(name, ends) for name, ends in result.systems.items()]
    yield from systems
    for channel in result.channels:
        yield from _shared("channel", channel)
    for path in result.paths:
        yield from _shared("path", path)
    out = sum(system.mb_per_s_out for system in systems)
    back = sum(system.mb_per_s_in for system in systems)
    rates = result.mb_per_s, out, back, messages, collisions
    yield ClusterRow("all links", *rates, kind="all")


def _shared(kind: str, carried: ChannelResult | PathResult) -> Iterator[ClusterRow]:
    """A row of what several fibres share, then one of each link in it."""
    out, back = carried.mb_per_s_out, carried.mb_per_s_in
    busy = 100.0 * carried.busy
    yield ClusterRow(carried.name, out + back, out, back, busy_percent=busy, kind=kind)
    for share in carried.shares:
        out, back = share.mb_per_s_out, share.mb_per_s_in
        yield ClusterRow(share.link, out + back, out, back, kind="share")


def _system(name: str, ends: Sequence[Result]) -> ClusterRow:
    """A row of what a system saw at all its links."""
    out = sum(end.mb_per_s_out for end in ends)
    back = sum(end.mb_per_s_in for end in ends)
    messages = sum(end.messages_per_s for end in ends)
    collisions = sum(end.collisions_per_s for end in ends)
    return ClusterRow(name, out + back, out, back, messages, collisions, kind="system")


def _mean(rows: Sequence[ClusterRow]) -> ClusterRow:
    """The mean of the same row of several runs."""
    if len(rows) == 1:
        return rows[0]
    names = [field.name for field in fields(ClusterRow)]
    rates = [name for name in names if isinstance(getattr(rows[0], name), float)]
    spread = spread_percent([row.mb_per_s for row in rows])
    return replace(rows[0], **means(rows, rates), spread_percent=spread)
