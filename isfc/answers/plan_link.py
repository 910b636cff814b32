"""One link of a plan: who writes on which CTC, what it carries, what to change; and its report.

By rule of thumb it runs nothing, and loads no model: what that adds is in
`isfc.answers.plan_modelled`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, convert

from ctc.address import format_chpid, format_rdev
from isfc.errors.in_words import counted
from isfc.layout.capacity import slower_by_rule, speed_text
from isfc.layout.collection import Collection
from isfc.layout.loss import CHPID, losses
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Severity, count_of
from isfc.reports.figure import Figure, NoRange, Note, Reported, Unit
from isfc.reports.report import NODE_STYLES, Column, Report, Table
from isfc.reports.units import with_unit
from scenarios.runs.notes import plan_notes

if TYPE_CHECKING:
    from isfc.answers.limit import LimitedBy

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
    """What the model carries, or what IBM states of FICON in command mode if that is less."""

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
    limited_by: str
    """what limits each direction, in words"""
    ends_at: str
    """with machines in the layout: between which limits each direction ends, in words"""
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


class TriedChange(Struct, frozen=True, kw_only=True):
    """What the model makes of one change."""

    run: str
    not_run_because: str | None = None
    """null if it was run"""
    saturated: Compared | None = None
    """null if not run"""
    stated: Compared | None = None
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
    """``isfc plan`` of a link; with what only runs tell it is a `ModelledLink`."""

    reported_by = "isfc.answers.plan_link.plan_report"

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

    def more(self) -> tuple[list[Table], list[str]]:
        """The tables of what was asked beside, and what is known of them: of the model alone."""
        return [], []

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each node that sends, as a data frame takes them; MB/s one way.

        ``stated`` is with `stated_pairs`, ``low`` and ``high`` between what IBM's would lie in four
        of five cases; None by the rule of thumb alone.
        """
        return [
            {
                "sender": sender,
                "estimated_mb_per_s": by_rule,
                "saturated_mb_per_s": self.model and self.model.saturated[sender].value,
                "stated_mb_per_s": self.model and self.model.stated[sender].value,
                "low_mb_per_s": self.model and self.model.stated[sender].ends.low,
                "high_mb_per_s": self.model and self.model.stated[sender].ends.high,
            }
            for sender, by_rule in self.estimated_mb_per_s.items()
        ]


def planned_by_rule(plan: Plan) -> PlannedLink:
    """The answer of one link by IBM's rule of thumb alone."""
    known, layout = plan.to_dict(), plan.layout
    del known["advice"]
    return PlannedLink(
        **known
        | {
            "nodes": Nodes(*layout.nodes),
            "chpids": convert(known["chpids"], dict[str, list[PlannedChpid]]),
        },
        ctcs=[*_ctcs(plan)],
        model=None,
        worst_chpid=_worst_by_rule(plan),
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


def _worst_by_rule(plan: Plan) -> WorstLoss:
    """That of the chpids, by IBM's rule of thumb."""
    lefts = (
        (sum(map(slower_by_rule, loss.rest.links)), loss.name)
        for loss in losses(Collection.of(plan.layout), CHPID)
    )
    left, gone = min(lefts, key=lambda each: each[0])
    share = left / min(way.estimated_mb_per_s for way in plan.directions)
    return WorstLoss(gone, rule_figure(left), rule_figure(share, Unit.SHARE))


def rule_figure(value: float, unit: Unit = Unit.MB_PER_S) -> Figure:
    """A figure of IBM's rule of thumb, which has no range."""
    return Figure(value, unit, no_range=NoRange.BY_RULE)


def plan_report(found: PlannedLink) -> Report:
    """What a link carries, what limits it, what to do; then each direction and the device list."""
    ctcs, fibres = len(found.ctcs), len({each.fibre for each in found.ctcs})
    of = f"{counted(ctcs, 'CTC')} on {counted(fibres, 'fibre')}"
    first = [each for each in found.advice if each.severity is Severity.WARNING]
    advice = [*first, *(each for each in found.advice if each not in first)]
    tables, known = found.more()
    return Report(
        f"{found.nodes.first} - {found.nodes.second}: {of}",
        [*_answer(found)],
        [ways_table(found), ctcs_table(found), *tables],
        notes=[
            *(found.model.known if found.model else ()),
            *known,
            *(f"{each.severity.noun}: {each.text}" for each in advice),
        ],
        known=found.notes,
    )


def judgement_report(judged: Plan) -> Report:
    """The same by IBM's rule of thumb alone."""
    return plan_report(planned_by_rule(judged))


def _answer(found: PlannedLink) -> Iterator[tuple[str, str]]:
    model, worst = found.model, _worst(found)
    if model is None:
        ways = (f"{sender} {rate}" for sender, rate in found.estimated_mb_per_s.items())
        yield "Carries", f"{', '.join(ways)} MB/s one way, by IBM's rule of thumb"
        yield "Lose a chpid", worst
        yield "Found", f"{count_of(each.severity for each in found.advice)} (isfc check)"
        return
    rates = {sender: with_unit(rate) for sender, rate in model.stated.items()}
    differ = len({*rates.values()}) > 1
    ways = (f"{sender} {rate}" for sender, rate in rates.items())
    yield "Carries", ", ".join(ways) if differ else f"{next(iter(rates.values()))} each way"
    yield "Limited by", model.limited_by
    if model.ends_at:
        yield "Ends at", model.ends_at
    yield "Lose a chpid", worst
    yield "To do", model.to_do
    slower = min(model.stated, key=lambda sender: model.stated[sender].value)
    if slower in model.limits and (gain := model.limits[slower].gain):
        yield "To gain", f"{f'{slower}, ' * differ}saturated: {gain}"


def _worst(found: PlannedLink) -> str:
    """``worst is 42 (mate 52): 390 MB/s (335-454) left, 60 % (54-66)``."""
    worst = found.worst_chpid
    name = worst.gone.removeprefix("chpid ")
    if not worst.rate.value:
        return f"worst is {name}: nothing is left"
    is_by_rule = found.model is not None and worst.rate.no_range == NoRange.BY_RULE
    by_rule = ", by IBM's rule of thumb" * is_by_rule  # beside figures of the model
    return f"worst is {name}: {with_unit(worst.rate)} left, {with_unit(worst.left)}{by_rule}"


def ways_table(found: PlannedLink) -> Table:
    """How much each node can send, and over which chpids."""
    model, rule = found.model, found.estimated_mb_per_s
    columns = [Column("sender", "sender", value=str)]
    if model:
        columns += [
            Column("MB/s", "stated", value=lambda sender: model.stated[sender]),
            Column("saturated", "saturated", value=lambda sender: model.saturated[sender]),
        ]
    columns += [
        Column("rule", "rule", value=lambda sender: rule_figure(rule[sender])),
        Column("CTCs it writes on, in this order", "writes_on", value=partial(_chpids, found)),
    ]
    load = ""
    if model:
        from scenarios.runs.workload import explained  # by rule no model is loaded

        load = (
            f", {model.stated_pairs} pairs of {explained(model.workload)}; saturated and limits: "
            f"{model.saturating_pairs}"
        )
    return Table(f"MB/s (2^20) one way{load}", columns, [*rule], "ways")


def _chpids(found: PlannedLink, sender: str) -> str:
    """``4 on 40, 3 on 41``: how many CTCs of each, whichever fibres they are on."""
    counts = Counter[str]()
    for use in found.chpids[sender]:
        counts[use.chpid] += use.write_ctcs
    return ", ".join(f"{count} on {chpid}" for chpid, count in counts.items())


def ctcs_table(found: PlannedLink) -> Table:
    """The device list: as which choice each node writes on each CTC, if it does."""
    first, second = found.nodes.first, found.nodes.second
    here, there = NODE_STYLES
    width = max(len(each.speed) for each in found.ctcs)

    def fibre(ctc: PlannedCtc) -> str:
        back, forth = "<-" if second in ctc.writes else "--", "->" if first in ctc.writes else "--"
        return f"{back} {ctc.speed:^{width}} {forth}"

    columns = (
        Column(first, "first", style=here, value=lambda ctc: ctc.writes.get(first)),
        Column("RDEV", "first_rdev", style=here, value=lambda ctc: ctc.rdevs[first]),
        Column("chpid", "first_chpid", style=here, value=lambda ctc: ctc.chpids[first]),
        Column("fibre", "fibre", spare=True, value=fibre),
        Column("chpid", "second_chpid", style=there, value=lambda ctc: ctc.chpids[second]),
        Column("RDEV", "second_rdev", style=there, value=lambda ctc: ctc.rdevs[second]),
        Column(second, "second", style=there, value=lambda ctc: ctc.writes.get(second)),
    )
    return Table(_stop_short(found), columns, found.ctcs, "ctcs")


def _stop_short(found: PlannedLink) -> str:
    """The order in which each node writes, and what that leaves to one of them."""
    if not found.stop_short:
        return "A single CTC: the scan does not stop short, and both nodes write on it."
    short = found.stop_short
    own = (
        f"only {node} writes on {', '.join(sorted(rdevs))}"
        for node, rdevs in found.exclusive.items()
    )
    return (
        "The device list, numbered in each node's order of writing; arrows show who writes. "
        f"Each stops {short} CTC{'s' * (short > 1)} before the end: {', '.join(own)}."
    )
