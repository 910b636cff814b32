"""What is answered of who writes on which CTC: of one link, and of several together."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.found import advice_text
from isfc.answers.limit import limits_of
from isfc.answers.limit_record import LimitedBy
from isfc.answers.profile import Profile
from isfc.answers.shared import Shared
from isfc.layout.collection import Collection
from isfc.layout.note import Note
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Untried
from isfc.reports.record import record_of
from scenarios.figures.advice import ComparedLoad, TriedAdvice
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.figure import Figure
from scenarios.figures.limit import RestsOn
from scenarios.figures.rates import Carried, ModelledRate
from scenarios.runs.channels import SharedResult
from scenarios.runs.experiment import SATURATING_PAIRS, STATED_PAIRS, SUITE
from scenarios.runs.notes import beyond_plan, plan_notes


class Nodes(Struct, frozen=True):
    """Both ends of a link."""

    first: str
    second: str


class PlannedChpid(Struct, frozen=True):
    """A chpid that one node writes on."""

    chpid: str
    fibre: str
    feature: str
    link_gbps: float
    km: float
    write_ctcs: int
    """CTCs it writes on"""
    estimated_mb_per_s: float


class Modelled(Struct, frozen=True):
    """What the model carries."""

    workload: str
    saturating_pairs: int
    stated_pairs: int
    saturated: dict[str, Figure]
    """by sending node, with `saturating_pairs`"""
    stated: dict[str, Figure]
    """by sending node, with `stated_pairs`"""
    limits: dict[str, LimitedBy]
    """by sending node: [what limits](layouts.md#what-limits) the saturated rate, and what would
    help"""
    extrapolated: list[str]
    """what no published figure identifies: [extrapolation](extrapolation.md)"""


class Compared(Struct, frozen=True):
    """The slower direction at one load, as it is and changed."""

    verdict: str
    """agrees, sees no difference, contradicts"""
    before: Figure
    """what the slower direction carries as it is"""
    changed: Figure
    odds: float
    """how likely it is that the changed layout is ahead on real hardware, of 1"""


class TriedChange(Struct, frozen=True):
    """What the model makes of one change."""

    run: str
    not_run_because: str | None
    saturated: Compared | None
    """null if not run"""
    stated: Compared | None
    """the same with the stated pairs"""


class Advice(Struct, frozen=True):
    """What a rule has found."""

    id: str
    severity: str
    """info or warning"""
    text: str
    trials: list[TriedChange]
    """of each change that is advised and was to be run"""


class PlannedLink(Struct, frozen=True):
    """``isfc plan`` of a link."""

    nodes: Nodes
    """in the order of their names"""
    stop_short: int
    """how many CTCs each scan leaves to the partner"""
    write_order: dict[str, list[str]]
    """by node: its own RDEVs that it writes on, in the order of its scan"""
    exclusive: dict[str, list[str]]
    """by node: those of them that only it writes on"""
    chpids: dict[str, list[PlannedChpid]]
    """by node, in order of use"""
    estimated_mb_per_s: dict[str, float]
    """by sending node: one-way capacity by IBM's rule of thumb"""
    model: Modelled | None
    """what the model carries, null with `--rule`"""
    notes: list[Note]
    """what belongs to these figures"""
    advice: list[Advice]
    """findings, each with what came of trying its changes"""
    disks: Shared | UnsetType = UNSET
    """with `[[io]]` on its chpids"""
    rests_on: list[RestsOn] | UnsetType = UNSET
    """with `--why`: constants that move the saturated rate of the slower direction by more than
    2 %"""
    profile: Profile | UnsetType = UNSET
    """with `--profile`: the site's"""


def planned_link(
    plan: Plan,
    figures: Sequence[ModelledRate] = (),
    tried: Mapping[str, Sequence[TriedAdvice]] | None = None,
) -> PlannedLink:
    """The answer of one link."""
    known, tried = plan.to_dict(), tried or {}
    return PlannedLink(
        nodes=Nodes(**known["nodes"]),
        stop_short=plan.stop_short,
        write_order=known["write_order"],
        exclusive=known["exclusive"],
        chpids={
            node: [PlannedChpid(**each) for each in uses] for node, uses in known["chpids"].items()
        },
        estimated_mb_per_s=known["estimated_mb_per_s"],
        model=_modelled(plan, figures) if figures else None,
        notes=[*plan_notes(plan.layout, figures)],
        advice=[
            Advice(
                each.id,
                each.severity,
                advice_text(each, tried),
                [*map(_trial, tried.get(each.id, ()))],
            )
            for each in plan.advice
        ],
    )


def _modelled(plan: Plan, figures: Sequence[ModelledRate]) -> Modelled:
    """What the model carries one way and the other."""
    return Modelled(
        SUITE,
        SATURATING_PAIRS,
        STATED_PAIRS,
        {each.sender: each.saturated for each in figures},
        {each.sender: each.stated for each in figures},
        {
            each.sender: limits_of(each.limit, each.saturated.value)
            for each in figures
            if each.limit is not None
        },
        beyond_plan(plan.layout, figures),
    )


def _trial(tried: TriedAdvice) -> TriedChange:
    """What the model makes of one change."""
    if isinstance(tried.outcome, Untried):
        return TriedChange(tried.trial.done, tried.outcome.because, None, None)
    return TriedChange(tried.trial.done, None, *map(_compared, tried.outcome))


def _compared(compared: ComparedLoad) -> Compared:
    return Compared(compared.verdict, *compared.figures, compared.odds.share)


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


class MovedShare(Struct, frozen=True):
    """What a link moved over what it shares."""

    name: str
    mb_per_s_out: float
    mb_per_s_in: float


class ChannelOfLinks(Struct, frozen=True):
    """A channel that several fibres share."""

    name: str
    line_mb_per_s: float
    """one way"""
    processor_mb_per_s: float
    """both ways together"""
    mb_per_s_out: float
    """what it carried"""
    mb_per_s_in: float
    busy_percent: float
    links: list[MovedShare]
    """what each moved"""


class PathOfLinks(Struct, frozen=True):
    """A path whose inter-switch links several fibres take."""

    name: str
    mb_per_s_max: float
    """each way"""
    mb_per_s_out: float
    """what it carried from where `name` says"""
    mb_per_s_in: float
    busy_percent: float
    links: list[MovedShare]
    """what each moved"""


class PlannedLinks(Struct, frozen=True, kw_only=True):
    """``isfc plan`` of several links: by themselves and, if they share channels, all together."""

    links: list[PlannedLink] = []
    """what `isfc plan --json` prints of each; without the model's figures, if they share channels
    """
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
    disks: Shared | UnsetType = UNSET
    """with `[[io]]` on shared chpids"""
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""


def planned_together(plan: ClusterPlan, notes: Sequence[Note]) -> PlannedLinks:
    """What there is beside the answers of the links."""
    together, limit = plan.together, plan.together.limit
    return PlannedLinks(
        together=[_together(each, together) for each in plan.links],
        channels=[record_of(ChannelOfLinks, each, **_shared(each)) for each in together.channels],
        paths=[record_of(PathOfLinks, each, **_shared(each)) for each in together.paths],
        limits=UNSET if limit is None else limits_of(limit, together.rate.value),
        notes=[*notes],
    )


def _shared(shared: SharedResult) -> dict[str, Any]:
    links = [record_of(MovedShare, each, name=each.link) for each in shared.shares]
    return {"busy_percent": 100.0 * shared.busy, "links": links}


def _together(each: LinkPlan, carried: Carried) -> LinkTogether:
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
