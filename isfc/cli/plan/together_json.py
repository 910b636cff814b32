"""What ``isfc plan --json`` prints of several links. The keys and meanings stay."""

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.limit_record import Limits
from isfc.answers.profile import Profile
from isfc.cli.plan.json import PlanJson
from isfc.cli.results.shared_json import SharedJson
from isfc.layout.note import Note
from isfc.reports.ranges import RangeJson
from isfc.reports.record import record_of

if TYPE_CHECKING:
    from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
    from scenarios.runs.cluster_shared import SharedResult


class LinkTogetherJson(Struct, frozen=True):
    """What a link carries from its first node and to it, in MB/s."""

    name: str
    link: str
    """its name too, in this release"""
    traffic: tuple[str, ...]
    """that of the file; else 50 pairs of HL run, each way by itself"""
    alone_mb_per_s: list[float]
    alone_spread_mb_per_s: list[float]
    """within which it is known"""
    alone_second_mb_per_s: list[float | None]
    """another pace that it may keep, or null"""
    together_mb_per_s: list[float]
    """while all the others run"""
    together_spread_mb_per_s: list[float]
    together_second_mb_per_s: list[float | None]
    left_share: float
    """what the slower direction keeps beside the others, of 1"""
    together_range: RangeJson | None
    """between what the slower direction would lie"""


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


class ClusterPlanJson(Struct, frozen=True, kw_only=True):
    """Several links: by themselves and, where they share channels, all together."""

    links: list[PlanJson] = []
    """what `isfc plan --json` prints of each; without the model's figures, if they share channels
    """
    together: list[LinkTogetherJson] | UnsetType = UNSET
    """each link, from its first node and to it"""
    channels: list[SharedChannelJson] | UnsetType = UNSET
    """those that several fibres share"""
    paths: list[SharedPathJson] | UnsetType = UNSET
    """those whose inter-switch links several fibres take"""
    limits: Limits | UnsetType = UNSET
    """of all together"""
    notes: list[Note] | UnsetType = UNSET
    """of all links together"""
    disks: SharedJson | UnsetType = UNSET
    """with `[[io]]` on shared chpids"""
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""


def cluster_plan_json(plan: "ClusterPlan", notes: list[Note]) -> ClusterPlanJson:
    """What there is beside the records of the links."""
    from isfc.answers.limit import limits_of  # the model, which a rule does without

    together, limit = plan.together, plan.together.limit
    return ClusterPlanJson(
        together=[_together(each) for each in plan.links],
        channels=[
            record_of(SharedChannelJson, each, channel=each.name, **_shared(each))
            for each in together.channels
        ],
        paths=[
            record_of(SharedPathJson, each, path=each.name, **_shared(each))
            for each in together.paths
        ],
        limits=UNSET if limit is None else limits_of(limit, together.rate.value),
        notes=notes,
    )


def _shared(shared: "SharedResult") -> dict[str, Any]:
    links = [record_of(ShareJson, each, name=each.link) for each in shared.shares]
    return {"busy_percent": 100.0 * shared.busy, "links": links}


def _together(each: "LinkPlan") -> LinkTogetherJson:
    figures = {
        f"{how}_{figure}": [getattr(rate, figure) for rate in rates]
        for how, rates in (("alone", each.rates[:2]), ("together", each.rates[2:]))
        for figure in ("mb_per_s", "spread_mb_per_s", "second_mb_per_s")
    }
    own = {"link": each.name, "left_share": each.share, "together_range": each.rate}
    return record_of(LinkTogetherJson, each, **own, **figures)
