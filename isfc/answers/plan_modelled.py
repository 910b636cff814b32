"""What the model carries on one link, which `isfc plan --rule` does without.

Its figures are beside the rule of thumb, with the reasons why they differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from ctc.features import ChpidProfile
from isfc.answers import plan_link
from isfc.answers.advice import advice_text, to_do, two_paces
from isfc.answers.given import OpenedLink
from isfc.answers.limit import limit_lines, limited_by, limits_of, rests_on_table
from isfc.answers.shared import Shared, disks_known, disks_tables, shared_by
from isfc.errors.in_words import counted
from isfc.layout import capacity
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout, machines_of
from isfc.layout.loss import CHPID, losses
from isfc.layout.machines import Estimate, on_machine
from isfc.layout.plan import Plan
from isfc.layout.processors import Processors
from isfc.layout.rules.rule import Untried
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.reports.figure import Interval, Unit
from isfc.reports.report import Table
from isfc.reports.units import range_note, shown
from scenarios.figures.changed import (
    AfterLoss,
    TriedAdvice,
    changed_layouts,
    left_of,
    try_advice,
    worst_of,
)
from scenarios.figures.limit import RestsOn, rests_on
from scenarios.figures.rates import Carried, EndRate, ModelledRate, link_rates, with_others_busy
from scenarios.runs import experiment
from scenarios.runs.notes import beyond_plan, plan_notes
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate
from scenarios.runs.workload import find_workload
from scenarios.search.workers import each_by


class ModelledLink(plan_link.PlannedLink, frozen=True):
    """``isfc plan`` of a link by the model, with what was asked beside."""

    disks: Shared | UnsetType = UNSET
    """with `[[io]]` on its chpids"""
    rests_on: list[RestsOn] | UnsetType = UNSET
    """with `--why`: constants that move the saturated rate of the slower direction by more than
    2 %"""
    profile: SiteProfile | UnsetType = UNSET
    """with `--profile`: the site's"""

    def more(self) -> tuple[list[Table], list[str]]:
        """The tables of what was asked beside, and what is known of them."""
        tables, known = list[Table](), list[str]()
        if self.rests_on is not UNSET:
            tables.append(rests_on_table(self.rests_on))
        if self.disks is not UNSET:
            tables += disks_tables(self.disks)
            known.append(disks_known(self.disks))
        return tables, known


_ALONE: Final = (
    "The rule's figure for a CTC that both ends write on is near what IBM measured with short "
    "messages; those of the model's runs are long."
)


def planned_by_model(opened: OpenedLink, judged: Plan, jobs: int, *, why: bool) -> ModelledLink:
    """Run a link, what is advised for it and the loss of each chpid; and disks beside it."""
    run_each = each_by(jobs)
    noted = with_others_busy(opened.collection, judged.layout, run_each)
    judged = replace(judged, layout=noted)
    changed = changed_layouts(noted, judged.advice)
    figures, known = link_rates(noted, changed, run_each)
    tried = try_advice(noted, judged.advice, figures, known)
    found = modelled_link(judged, figures, tried, _worst_chpid(noted, figures, run_each))
    if why:
        slower = min(figures, key=lambda each: each.saturated.value)
        moved = rests_on(
            experiment.one_way(noted, slower.sender, experiment.SATURATING_PAIRS), run_each
        )
        found = replace(found, rests_on=moved)
    if opened.disks is not None:
        from scenarios.runs.shared_channel import run_shared  # most chpids have none

        shared = run_shared(experiment.stated_load(opened.layout), opened.disks)
        found = replace(found, disks=shared_by(shared))
    return found


def _worst_chpid(
    layout: Layout, figures: Sequence[ModelledRate], run_each: experiment.RunEach
) -> plan_link.WorstLoss | None:
    """That whose loss leaves least; what the whole carries with the same load is known."""
    first, second = (EndRate(each.rates[1], each.seen) for each in figures)
    whole = Carried(Collection.of(layout), experiment.STATED, {layout.name: (first, second)})
    return worst_loss(left_of(whole, [*losses(whole.links, CHPID)], run_each))


def worst_loss(lefts: Sequence[AfterLoss]) -> plan_link.WorstLoss | None:
    """The loss that leaves least of the whole, which is first; None if there is none."""
    worst = worst_of(lefts)
    return None if worst is None else plan_link.WorstLoss(worst.gone, worst.rate, worst.share)


def modelled_link(
    plan: Plan,
    figures: Sequence[ModelledRate],
    tried: Mapping[str, Sequence[TriedAdvice]],
    worst_chpid: plan_link.WorstLoss | None,
) -> ModelledLink:
    """The answer of one link with what the model said."""
    model = plan_link.Modelled(
        experiment.SUITE,
        experiment.SATURATING_PAIRS,
        figures[0].pairs,
        {each.sender: each.saturated for each in figures},
        {each.sender: each.stated for each in figures},
        {
            each.sender: limits_of(each.limit, each.saturated.modelled)
            for each in figures
            if each.limit is not None
        },
        limited_by(figures),
        ends_at(plan),
        to_do(plan.advice, tried, figures, "isfc check"),
        [*limit_lines(figures), " ".join(differences(plan, figures))],
        beyond_plan(plan.layout, figures),
    )
    advice = [
        plan_link.Advice(
            each.id, each.severity, advice_text(each, tried), [*map(_trial, tried.get(each.id, ()))]
        )
        for each in plan.advice
    ]
    by_rule = asdict(plan_link.planned_by_rule(plan))
    said = {"model": model, "worst_chpid": worst_chpid, "advice": advice}
    return ModelledLink(**by_rule | said | {"notes": [*plan_notes(plan.layout, figures)]})


def _trial(tried: TriedAdvice) -> plan_link.TriedChange:
    """What the model makes of one change."""
    if isinstance(tried.outcome, Untried):
        return plan_link.TriedChange(run=tried.trial.done, not_run_because=tried.outcome.because)
    saturated, stated = (
        plan_link.Compared(each.verdict, *each.figures, each.odds.share) for each in tried.outcome
    )
    return plan_link.TriedChange(run=tried.trial.done, saturated=saturated, stated=stated)


def differences(plan: Plan, figures: Sequence[ModelledRate]) -> Iterator[str]:
    """What the figures mean: where rule and model disagree, and why."""
    pairs = figures[0].pairs
    yield from beyond_command_mode(plan, figures)
    rates = [rate for figure in figures for rate in figure.runs]
    spread = max(rate.spread_mb_per_s / rate.mb_per_s for rate in rates)
    within = f"{shown(100 * spread, Unit.SPREAD)} %"
    yield (
        f"The model's figures are of {experiment.SUITE}: saturated, with "
        f"{experiment.SATURATING_PAIRS} pairs, and with {pairs}; each run went on "
        f"until its figure was known within {within}."
    )
    if not all(isinstance(finding.rule.trials, Untried) for finding in plan.advice):
        yield "Advised changes were tried for a second of virtual time, its first half not counted."
    if said := range_note(figure for each in figures for figure in each.figures):
        yield said
    loads = [
        (f"{figure.sender} {load}", rate)
        for figure in figures
        for load, rate in zip(("saturated", f"with {pairs} pairs"), figure.runs, strict=True)
    ]
    if said := two_paces(loads):
        yield said
    apart = [
        (way, figure.saturated.modelled)
        for way, figure in zip(plan.directions, figures, strict=True)
        if not experiment.alike(way.estimated_mb_per_s, figure.saturated.modelled)
    ]
    if apart:
        alone = len(plan.layout.ctcs) == 1
        each = [_ALONE] if alone else (reason for one in apart for reason in _reasons(*one))
        reasons = " ".join(dict.fromkeys(each))
        yield f"Rule and model differ by more than a tenth. {reasons}".strip()
    if any(not experiment.alike(*(rate.mb_per_s for rate in figure.runs)) for figure in figures):
        yield f"{pairs} pairs do not fill this link: each has two messages under way."


def handled_mb_per_s(profile: ChpidProfile) -> float:
    """What a data processor handles of the longest messages, both ways, in MB/s (2^20)."""
    length = find_workload(experiment.SUITE).max_length
    ns = length * profile.processor_ns_per_byte + profile.processor_ns_per_ccw
    return length * 1e9 / ns / MIB


def ends_at(plan: Plan) -> str:
    """Between which limits each direction ends, on machines; nothing without, or at a site.

    A system of which no machine is said is on the z10 EC of the model.
    """
    on = machines_of([plan.layout] if plan.layout.site is None else [])
    receivers = [(way, plan.layout.partner(way.sender)) for way in plan.directions]
    known = partial(_between, plan.layout)
    said = [known(way, to, on.get(to, Processors("z10 EC"))) for way, to in receivers if on]
    is_open = any(_OPEN in each for each in said)
    return " ".join([*said, *[_TO_MEASURE] * is_open])


_MODE: Final = "command mode of "
_OPEN: Final = "the range cannot tell which"
_TO_MEASURE: Final = (
    "To know: one page of link activity and FCX108 from a busy hour, for 'isfc measured fit'."
)


def _between(
    link: Layout, way: capacity.WriteDirection, receiver: NodeName, machine: Processors
) -> str:
    """What CP's receive lock of an end may carry, what the chpids may, and which is less."""
    ends = (replace(machine, case=case) for case in (Estimate.LOW, Estimate.HIGH))
    paces = (on_machine(LinkParameters(), end).receive_ns_per_byte for end in ends)
    lock = Interval(*(1e9 / pace / MIB for pace in paces))
    profiles = [use.fibre.profile for use in way.chpids]
    lines = [1e9 / p.line_ns_per_byte / MIB for p in profiles]
    most = sum(map(min, lines, map(handled_mb_per_s, profiles)))
    chpids = Interval(capacity.end_to_count_on(Rate(most), link, way.sender).mb_per_s, most)
    is_lock, is_chpids = lock.high < chpids.low, chpids.high < lock.low
    mode, links = ("", "fibre links") if chpids.low == sum(lines) else (_MODE, "chpids")
    which = "the lock" if is_lock else f"the {links}" if is_chpids else _OPEN
    return (
        f"{way.sender}: CP's receive lock on {receiver} ({machine}) {_ends(lock)} MB/s, {mode}"
        f"{counted(len(profiles), links[:-1])} {_ends(chpids)}: {which}."
    )


def _ends(found: Interval) -> str:
    """As people read it; once, where both ends are the same."""
    low, _, high = str(found).partition("-")
    return low if low == high else str(found)


def beyond_command_mode(plan: Plan, figures: Sequence[ModelledRate]) -> Iterator[str]:
    """That the model carries more on chpids than IBM states, if it does."""
    most = max(
        (
            each.saturated.modelled / len(way.chpids)
            for way, each in zip(plan.directions, figures, strict=True)
            if each.saturated.by_model is not None
        ),
        default=None,
    )
    if most is not None:
        stated = shown(capacity.STATED_MB_PER_S, Unit.MB_PER_S)
        yield (
            f"The model carries {shown(most, Unit.MB_PER_S)} MB/s (2^20) one way on a chpid. What "
            f"IBM states of FICON in command mode is over {capacity.COMMAND_MODE_MB_PER_S} MB/s of "
            f"10^6 bytes both ways, which is {stated} here: count on no more."
        )


def _reasons(way: capacity.WriteDirection, model_mb_per_s: float) -> Iterator[str]:
    """Why rule and model may disagree on what one node can send."""
    is_more = model_mb_per_s > way.estimated_mb_per_s
    few = is_more and any(use.ctc_count < capacity.FULL_CTC_COUNT for use in way.chpids)
    fibres = [use.fibre for use in way.chpids]
    fast = max(fibre.gbps for fibre in fibres) >= capacity.RULE_GBPS_MAX
    far = not is_more and any(fibre.km for fibre in fibres)
    if few:
        yield (
            "By rule each CTC carries a quarter of its chpid; in the model, as in IBM's "
            "measurements, fewer than four carry more than that."
        )
    straight = not is_more and any(len(set(fibre.channels)) == 1 for fibre in fibres)
    if straight:
        yield (
            "The rule counts two channels; a straight connection is one, which handles each byte "
            "twice."
        )
    if far:
        yield "The rule knows neither distance nor inter-switch links."
    for path in {} if is_more else dict.fromkeys(fibre.path for fibre in fibres):
        if path is not None and path.isl is not None:
            rate = shown(1e9 / path.isl.ns_per_byte(path.km) / MIB, Unit.MB_PER_S)
            yield f"Those of path {path.name} let through {rate} MB/s each way."
    if fast:
        profile = max((fibre.profile for fibre in fibres), key=lambda each: each.link_gbps)
        handled = shown(handled_mb_per_s(profile), Unit.MB_PER_S)
        yield (
            f"In the model a chpid of {profile.feature} handles {handled} MB/s of such messages in "
            "command mode, both ways together."
        )
    if not (few or far or fast or straight):
        yield "The rule is one for all loads; the model has its overheads for each package."
