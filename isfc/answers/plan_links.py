"""Several links in a plan, alone and all together: the answer, and its function."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from isfc.answers.advice import to_do, two_paces
from isfc.answers.given import OpenedLink
from isfc.answers.limit import LimitedBy, limits_of
from isfc.answers.losses import Cut
from isfc.answers.plan_link import PlannedLink
from isfc.answers.shared import Shared, shared_by
from isfc.io.shared import find_shared
from isfc.layout.collection import Collection
from isfc.layout.plan import find_in
from isfc.layout.sharing import open_questions
from isfc.layout.site import SiteProfile
from isfc.reports.figure import Figure, Note, Reported, Unit, record_of
from isfc.reports.units import range_note, shown
from scenarios.figures import cluster_plan as cluster
from scenarios.figures.rates import Carried
from scenarios.runs.channels import ChannelResult, PathResult
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes
from scenarios.runs.shared_channel import run_shared
from scenarios.search.workers import each_by


class LinkTogether(Struct, frozen=True):
    """What a link carries from its first node and to it."""

    name: str
    traffic: tuple[str, ...]
    """that of the file; else 50 pairs of HL run, each way by itself"""
    alone: tuple[Figure, Figure]
    """with nothing on the other links"""
    together: tuple[Figure, Figure]
    """while all the others run"""
    left_share: float
    """what the slower direction keeps beside the others, of 1"""

    @property
    def slower(self) -> Figure:
        """What the slower direction carries together."""
        ways = [way for way in self.together if way.value]
        return min(ways or self.together, key=lambda way: way.value)


class MovedShare(Struct, frozen=True):
    """What a link moved over what it shares."""

    name: str
    mb_per_s_out: float
    mb_per_s_in: float


class SharedByLinks(Struct, frozen=True, kw_only=True):
    """What several fibres share."""

    name: str
    mb_per_s_out: float
    """what it carried; of a path from where `name` says"""
    mb_per_s_in: float
    busy_percent: float
    links: list[MovedShare]
    """what each moved"""


class ChannelOfLinks(SharedByLinks, frozen=True, kw_only=True):
    """A channel that several fibres share."""

    line_mb_per_s: float
    """one way"""
    processor_mb_per_s: float
    """both ways together"""


class PathOfLinks(SharedByLinks, frozen=True, kw_only=True):
    """A path whose inter-switch links several fibres take."""

    mb_per_s_max: float
    """each way"""


class PlannedLinks(Reported, Struct, frozen=True, kw_only=True):
    """``isfc plan`` of several links.

    By themselves and, if they share channels or are more than three, all together.
    """

    reported_by = "isfc.answers.plan_links_report.planned_links_report"

    links: list[PlannedLink] = []
    """what `isfc plan --json` prints of each; without the model's figures, if all run together"""
    systems: list[cluster.SystemOverview] = []
    """what each system has, and carries if all run together"""
    cecs: int = 0
    """machines that the file names"""
    busiest: list[cluster.Busiest] = []
    """what links share, the busiest first"""
    slowest: list[cluster.Slowest] = []
    """links that have traffic, with all together"""
    cuts: list[Cut] = []
    """the losses that cut most"""
    to_do: str = ""
    """what helps of what is found, in words"""
    load: str | UnsetType = UNSET
    """what runs over all together, in words"""
    rate: Figure | UnsetType = UNSET
    """of the slower direction of each link, in all, together"""
    together: list[LinkTogether] | UnsetType = UNSET
    """each link, from its first node and to it"""
    channels: list[ChannelOfLinks] | UnsetType = UNSET
    """those that several fibres share"""
    paths: list[PathOfLinks] | UnsetType = UNSET
    """those whose inter-switch links several fibres take"""
    limits: LimitedBy | UnsetType = UNSET
    """of all together"""
    notes: list[Note] | UnsetType = UNSET
    """of all links together"""
    known: list[str] = []
    """how the figures of all together were made"""
    disks: Shared | UnsetType = UNSET
    """with `[[io]]` on shared chpids"""
    profile: SiteProfile | UnsetType = UNSET
    """as of `isfc plan --json`"""

    @property
    def shared(self) -> list[SharedByLinks]:
        """Channels and paths that several fibres share."""
        return [*(self.channels or ()), *(self.paths or ())]

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each link and each node that sends over it, as `PlannedLink` has them.

        ``together`` is what it sends while all links run, None if that was not run.
        """
        together = {
            (each.name, way.sender): way.value
            for each in self.together or ()
            for way in each.together
        }
        return [
            {"link": name, **row, "together_mb_per_s": together.get((name, row["sender"]))}
            for link in self.links
            for name in [f"{link.nodes.first}-{link.nodes.second}"]
            for row in link.rows()
        ]


def planned_links(
    opened: OpenedLink, links: list[PlannedLink], jobs: int, *, is_run: bool
) -> PlannedLinks:
    """The answer of all ``links`` of a file; alone and together if that ``is_run``."""
    collection = opened.collection
    if not is_run:
        alone = PlannedLinks(notes=[*open_questions(collection)])
        return at_a_glance(alone, links, collection, None)
    plan = cluster.cluster_plan(collection, each_by(jobs))
    found, carried, disks = planned_together(plan), plan.together, opened.file_disks
    if disks is not None and carried.slower and find_shared(disks, *collection.links):
        found = replace(found, disks=shared_by(run_shared(carried.slower, disks)))
    return at_a_glance(found, links, collection, carried)


def at_a_glance(
    found: PlannedLinks, links: list[PlannedLink], collection: Collection, carried: Carried | None
) -> PlannedLinks:
    """The same with the answers of the links, and what they come to."""
    findings = chain.from_iterable(find_in(collection).values())
    return replace(
        found,
        links=links,
        systems=[cluster.system_overview(collection, name, carried) for name in collection.systems],
        busiest=[] if carried is None else cluster.busiest_of(carried),
        slowest=[] if carried is None else cluster.slowest_of(carried),
        cecs=len(collection.cecs),
        cuts=[record_of(Cut, each) for each in cluster.most_cut(collection)],
        to_do=to_do([*findings], {}, (), "isfc check"),
    )


def all_together(carried: Carried) -> PlannedLinks:
    """What all links carry together, and what limits that."""
    limit = carried.limit
    return PlannedLinks(
        load=carried.load.words,
        rate=carried.rate,
        limits=UNSET if limit is None else limits_of(limit, carried.rate.modelled),
        notes=[*cluster_notes(carried.links), SHARED_UNRANGED],
    )


def planned_together(plan: cluster.ClusterPlan) -> PlannedLinks:
    """The same with what each link carries alone and together, and what they share."""
    together = plan.together
    return replace(
        all_together(together),
        together=[_together(each, together) for each in plan.links],
        channels=[record_of(ChannelOfLinks, each, **_shared(each)) for each in together.channels],
        paths=[record_of(PathOfLinks, each, **_shared(each)) for each in together.paths],
        known=[*_known(plan)],
    )


def _shared(shared: ChannelResult | PathResult) -> dict[str, Any]:
    links = [record_of(MovedShare, each, name=each.link) for each in shared.shares]
    return {"busy_percent": 100.0 * shared.busy, "links": links}


def _together(each: cluster.LinkPlan, carried: Carried) -> LinkTogether:
    link = carried.links.link(each.name)
    alone = Carried(Collection.of(link), carried.load)
    first, second = each.alone
    out, back = each.together
    return LinkTogether(
        each.name,
        each.traffic,
        (alone.rate_of(link, first), alone.rate_of(link, second)),
        (carried.rate_of(link, out), carried.rate_of(link, back)),
        each.share,
    )


def known_together(plan: cluster.ClusterPlan) -> str:
    """How far the figures are known, which links have two paces, and of which run the rest is."""
    known = f"{shown(100 * plan.spread, Unit.SPREAD)} %"
    said = [f"Each run went on until what every link carries was known within {known}."]
    if paces := two_paces(plan.named_rates()):
        said.append(paces)
    if faster := plan.faster_together:
        said.append(
            f"{', '.join(faster)} {'carry' if faster[1:] else 'carries'} more beside the others "
            "than alone: where they delay it, more messages gather in a package, or fewer writes "
            "collide."
        )
    if plan.together.channels or plan.together.paths:
        said.append("What is shared is of the run whose guests begin together.")
    return " ".join(said)


def _known(plan: cluster.ClusterPlan) -> Iterator[str]:
    """How far the figures are known, and of which runs they are."""
    if said := range_note(link.rate for link in plan.links):
        yield said
    yield known_together(plan)
    if plan.together.channels or plan.together.paths:
        yield (
            "What is shared is of the direction of the links in which it is busier. Who gets how "
            "much is out/in."
        )
