"""What ``--json`` prints of CTCs and disks on one chpid. The keys and their meanings stay."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.limit_record import Limits
from isfc.layout.note import Note
from isfc.link.name import NodeName
from isfc.reports.ranges import RangeJson, range_json
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import links_rate
from scenarios.runs.notes import CHANNELS_UNRANGED

if TYPE_CHECKING:
    from scenarios.runs.shared_channel import SharedChannel, SharedRun


class BesideJson(Struct, frozen=True):
    """What a link carries without the disks on its chpids, and with them, both ways."""

    mb_per_s_alone: float
    mb_per_s_beside: float
    range_alone: RangeJson | None
    range_beside: RangeJson | None


class DiskLoadJson(Struct, frozen=True):
    """What a workload of disks gets without CTCs, and with them."""

    io_per_s_alone: float
    io_per_s_beside: float
    response_us_alone: float
    response_us_beside: float


class SharedChpidJson(Struct, frozen=True):
    """A chpid that CTCs and disks use."""

    node: str
    ctc_processor_percent_alone: float
    ctc_processor_percent_beside: float
    disk_processor_percent_alone: float
    disk_processor_percent_beside: float
    workloads: dict[str, DiskLoadJson]


class SharedJson(Struct, frozen=True, kw_only=True):
    """What CTCs and the disks on their chpids get alone, and beside each other."""

    link: BesideJson | UnsetType = UNSET
    """MB are 2^20 bytes"""
    links: dict[str, BesideJson] | UnsetType = UNSET
    """the same by name, in its place, of links that run together"""
    channels: dict[str, SharedChpidJson]
    """by chpid"""
    notes: list[Note]
    limits: Limits | UnsetType = UNSET
    """of `isfc io run` of a second or more: the link beside the disks"""


def shared_json(
    run: "SharedRun",
    side: NodeName | None = None,
    *,
    together: bool = False,
    notes: Sequence[Note] = (),
) -> SharedJson:
    """The record of such a run, with ``notes`` of its own; the rest is as for `shared_rates`."""
    rates = {
        name: BesideJson(alone.value, beside.value, range_json(alone), range_json(beside))
        for name, alone, beside in shared_rates(run, side, together=together)
    }
    return SharedJson(
        link=UNSET if together else rates["link"],
        links=rates if together else UNSET,
        channels={each.chpid: _shared_chpid(each) for each in run.channels},
        notes=[*notes, CHANNELS_UNRANGED],
    )


def _shared_chpid(each: "SharedChannel") -> SharedChpidJson:
    pairs = zip(each.disks_alone.demands, each.disks_beside.demands, strict=True)
    return SharedChpidJson(
        each.node,
        100 * each.ctcs_alone.processor,
        100 * each.ctcs_beside.processor,
        100 * each.disks_alone.processor,
        100 * each.disks_beside.processor,
        {
            alone.demand.name: DiskLoadJson(
                alone.rate_per_s,
                beside.rate_per_s,
                alone.response_ns / 1e3,
                beside.response_ns / 1e3,
            )
            for alone, beside in pairs
        },
    )


def shared_rates(
    run: "SharedRun", side: NodeName | None = None, *, together: bool = False
) -> Iterator[tuple[str, Figure, Figure]]:
    """Of each link, alone and beside disks; only links that run ``together`` have names."""
    for link, *rates in run.rates(side):
        alone, beside = (links_rate(rate, [link]) for rate in rates)
        yield link.name if together else "link", alone, beside
