"""Who writes on which CTC of a link, what it carries, and what to change: answer and function.

By rule of thumb it runs nothing, and loads no model: what the model adds is in
`isfc.answers.plan_modelled`, what is of several links in `isfc.answers.plan_links`.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ctc.address import format_chpid, format_rdev
from isfc.answers.given import LINKS_IN_FULL, OpenedLink, open_links
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.layout.capacity import slower_by_rule, speed_text
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import CHPID, losses
from isfc.layout.plan import Plan, make_plan
from isfc.layout.rules.rule import Severity
from isfc.layout.sharing import shares_anything
from isfc.reports.figure import Figure, NoRange, Note, Unit
from isfc.reports.reported import Reported
from scenarios.runs.notes import plan_notes

if TYPE_CHECKING:
    from isfc.answers.limit import LimitedBy
    from isfc.answers.plan_links import PlannedLinks
    from isfc.answers.shared import Shared
    from isfc.layout.site import SiteProfile
    from scenarios.figures.limit import RestsOn
    from scenarios.runs.at_site import GivenSite

_Value = TypeVar("_Value")


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


class PlannedCtc(Struct, frozen=True):
    """A CTC of the device list; all by node."""

    rdevs: dict[str, str]
    chpids: dict[str, str]
    fibre: str
    """its name"""
    speed: str
    """its feature and speed, and how long it is"""
    writes: dict[str, int]
    """as which choice a node writes on it; without one that never does"""


class WorstLoss(Struct, frozen=True):
    """The loss that leaves least of a layout; a whole system counts only where nothing else may."""

    gone: str
    """the piece"""
    rate: Figure
    """what is carried then, as `rate` of the layout"""
    left: Figure
    """the share of the rate that this is"""


class Modelled(Struct, frozen=True):
    """What the model carries."""

    workload: str
    saturating_pairs: int
    stated_pairs: int
    saturated: dict[str, Figure]
    """by sending node, with `saturating_pairs`"""
    stated: dict[str, Figure]
    """by sending node, with `stated_pairs`"""
    limits: "dict[str, LimitedBy]"
    """by sending node: [what limits](layouts.md#what-limits) the saturated rate, and what would
    help"""
    to_count_on: dict[str, Figure]
    """by sending node: that of `stated`, or what IBM states of FICON in command mode if that is
    less"""
    limited_by: str
    """what limits each direction, in words"""
    to_do: str
    """what helps of what is found, in words"""
    known: list[str]
    """how the figures were made, and where rule and model differ"""
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
    severity: Severity
    """info or warning"""
    text: str
    trials: list[TriedChange]
    """of each change that is advised and was to be run"""


class PlannedLink(Reported, Struct, frozen=True):
    """``isfc plan`` of a link."""

    reported_by = "isfc.answers.plan_report.plan_report"

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
    ctcs: list[PlannedCtc]
    """down the device list"""
    estimated_mb_per_s: dict[str, float]
    """by sending node: one-way capacity by IBM's rule of thumb"""
    model: Modelled | None
    """what the model carries, null with `--rule`"""
    worst_chpid: WorstLoss
    """the chpid whose loss leaves least, as of `isfc plan --lose`: of the slower direction, with
    `stated_pairs` or by the rule of thumb"""
    notes: list[Note]
    """what belongs to these figures"""
    advice: list[Advice]
    """findings, each with what came of trying its changes"""
    disks: "Shared | UnsetType" = UNSET
    """with `[[io]]` on its chpids"""
    rests_on: "list[RestsOn] | UnsetType" = UNSET
    """with `--why`: constants that move the saturated rate of the slower direction by more than
    2 %"""
    profile: "SiteProfile | UnsetType" = UNSET
    """with `--profile`: the site's"""


def planned_by_rule(plan: Plan) -> PlannedLink:
    """The answer of one link by IBM's rule of thumb alone."""
    known, layout = plan.to_dict(), plan.layout
    return PlannedLink(
        nodes=Nodes(**known["nodes"]),
        stop_short=plan.stop_short,
        write_order=known["write_order"],
        exclusive=known["exclusive"],
        chpids={
            node: [PlannedChpid(**each) for each in uses] for node, uses in known["chpids"].items()
        },
        ctcs=[*_ctcs(plan)],
        estimated_mb_per_s=known["estimated_mb_per_s"],
        model=None,
        worst_chpid=_worst_by_rule(layout),
        notes=[*plan_notes(layout)],
        advice=[Advice(each.id, each.severity, each.advice, []) for each in plan.advice],
    )


def _ctcs(plan: Plan) -> Iterator[PlannedCtc]:
    orders = [way.write_order for way in plan.directions]

    def by_node(values: Iterable[_Value]) -> dict[str, _Value]:
        return dict(zip(plan.layout.nodes, values, strict=True))

    for ctc in plan.layout.device_list():
        ends = by_node(zip(ctc.rdevs, orders, strict=True))
        yield PlannedCtc(
            by_node(map(format_rdev, ctc.rdevs)),
            by_node(map(format_chpid, ctc.fibre.chpids)),
            ctc.fibre.name,
            speed_text(ctc.fibre),
            {node: order.index(rdev) + 1 for node, (rdev, order) in ends.items() if rdev in order},
        )


def _worst_by_rule(layout: Layout) -> WorstLoss:
    """That of the chpids, by IBM's rule of thumb."""
    lefts = (
        (sum(map(slower_by_rule, loss.rest.links)), loss.name)
        for loss in losses(Collection.of(layout), CHPID)
    )
    left, gone = min(lefts, key=lambda each: each[0])
    share = left / slower_by_rule(layout)
    return WorstLoss(
        gone,
        Figure(left, Unit.MB_PER_S, no_range=NoRange.BY_RULE),
        Figure(share, Unit.SHARE, no_range=NoRange.BY_RULE),
    )


@checked
def planned(
    layout: AnyLayout,
    *,
    link: str | None = None,
    profile: "GivenSite" = None,
    rule: Annotated[bool, Argument("", "By IBM's rule of thumb alone: no model is run.")] = False,
    why: Annotated[
        bool,
        Argument("", "Show also which constants of the model the rate rests on: it takes runs."),
    ] = False,
    jobs: int = 1,
) -> "PlannedLink | PlannedLinks":
    """Who writes on which CTC, what the link carries, what limits it and what to change.

    Of several links each, or all together where they share channels or are many and nobody asks
    ``why``. Rates are of one direction by the model, and by IBM's rule of thumb alone if ``rule``.

    Raises `ConfigurationError` for what is no layout, and for ``why`` of links that share channels.
    """
    opened = open_links(layout, link, profile, alone=rule or link is not None)
    collection = opened[0].collection
    shares = len(opened) > 1 and shares_anything(collection)
    if why and shares:
        raise ConfigurationError(
            f"{spelt('why')}: of one link; expected {spelt('link')}, as these share channels"
        )
    together = shares or (len(opened) > LINKS_IN_FULL and not why)
    links = [_planned(each, jobs, rule=rule or together, why=why) for each in opened]
    if len(links) == 1:
        found: PlannedLink | PlannedLinks = links[0]
    else:
        from isfc.answers.plan_links import planned_links  # most files have one link

        found = planned_links(opened[0], links, jobs, is_run=together and not rule)
    if profile is None:
        return found
    from scenarios.runs.at_site import given_site  # most commands name none

    return replace(found, profile=given_site(profile))


def _planned(opened: OpenedLink, jobs: int, *, rule: bool, why: bool) -> PlannedLink:
    judged = make_plan(opened.layout, opened.neighbours, opened.collection)
    if rule:
        return planned_by_rule(judged)
    from isfc.answers.plan_modelled import planned_by_model  # a rule of thumb does without

    return planned_by_model(opened, judged, jobs, why=why)
