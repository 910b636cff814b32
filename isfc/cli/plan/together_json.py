"""What ``isfc plan --json`` prints of links that share channels. The keys and meanings stay."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.notes import NoteJson
from isfc.cli.output.ranges import RangeJson, range_json
from isfc.cli.results.shared_json import SharedJson
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.runs.cluster_shared import ChannelShare


class LinkTogetherJson(Struct, frozen=True):
    """What a link carries from its first node and to it, in MB/s."""

    name: str
    link: str
    """its name too, in this release"""
    traffic: tuple[str, ...]
    alone_mb_per_s: list[float]
    alone_spread_mb_per_s: list[float]
    """within which it is known"""
    alone_second_mb_per_s: list[float | None]
    """another pace that it may keep, or null"""
    together_mb_per_s: list[float]
    """while all the others run"""
    together_spread_mb_per_s: list[float]
    together_second_mb_per_s: list[float | None]
    together_range: RangeJson
    """between what both ways together would lie"""


class ShareJson(Struct, frozen=True):
    """What a link moved over what it shares."""

    name: str
    link: str
    """its name too, in this release"""
    mb_per_s_out: float
    mb_per_s_in: float


class SharedChannelJson(Struct, frozen=True):
    """A channel that several fibres share."""

    name: str
    channel: str
    """its name too, in this release"""
    line_mb_per_s: float
    """one way"""
    processor_mb_per_s: float
    """both ways together"""
    mb_per_s_out: float
    """what it carried"""
    mb_per_s_in: float
    busy_percent: float
    links: list[ShareJson]
    """what each moved"""


class SharedPathJson(Struct, frozen=True):
    """A path whose inter-switch links several fibres take."""

    name: str
    path: str
    """its name too, in this release"""
    mb_per_s_max: float
    """each way"""
    mb_per_s_out: float
    """what it carried from where `name` says"""
    mb_per_s_in: float
    busy_percent: float
    links: list[ShareJson]
    """what each moved"""


class ClusterPlanJson(Struct, frozen=True):
    """All links together."""

    together: list[LinkTogetherJson]
    """each link, from its first node and to it"""
    channels: list[SharedChannelJson]
    """those that several fibres share"""
    paths: list[SharedPathJson]
    """those whose inter-switch links several fibres take"""
    limits: LimitsJson
    """of all together"""
    notes: list[NoteJson]
    """of all links together"""
    disks: SharedJson | UnsetType = UNSET
    """with `[[io]]` on shared chpids"""


def cluster_plan_json(
    plan: ClusterPlan, limits: LimitsJson, notes: list[NoteJson]
) -> ClusterPlanJson:
    """The record beside those of the links."""
    return ClusterPlanJson(
        [_together(each) for each in plan.links],
        [
            SharedChannelJson(
                each.carried.name,
                each.carried.name,
                each.line_mb_per_s,
                each.processor_mb_per_s,
                each.carried.mb_per_s_out,
                each.carried.mb_per_s_in,
                100.0 * each.carried.busy,
                _shares(each.carried.shares),
            )
            for each in plan.channels
        ],
        [
            SharedPathJson(
                each.name,
                each.name,
                each.mb_per_s_max,
                each.mb_per_s_out,
                each.mb_per_s_in,
                100.0 * each.busy,
                _shares(each.shares),
            )
            for each in plan.paths
        ],
        limits,
        notes,
    )


def _shares(shares: Sequence[ChannelShare]) -> list[ShareJson]:
    return [ShareJson(one.link, one.link, one.mb_per_s_out, one.mb_per_s_in) for one in shares]


def _together(each: LinkPlan) -> LinkTogetherJson:
    alone, together = each.alone, each.together
    return LinkTogetherJson(
        each.name,
        each.name,
        each.traffic,
        [rate.mb_per_s for rate in alone],
        [rate.spread_mb_per_s for rate in alone],
        [rate.second_mb_per_s for rate in alone],
        [rate.mb_per_s for rate in together],
        [rate.spread_mb_per_s for rate in together],
        [rate.second_mb_per_s for rate in together],
        range_json(each.range),
    )
