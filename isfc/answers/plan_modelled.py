"""What the model carries on one link, which `isfc plan --rule` does without."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from isfc.answers.advice import advice_text, to_do
from isfc.answers.carried import differences, to_count_on
from isfc.answers.given import OpenedLink
from isfc.answers.limit import limit_lines, limited_by, limits_of
from isfc.answers.losses import worst_loss
from isfc.answers.plan import (
    Advice,
    Compared,
    Modelled,
    PlannedLink,
    TriedChange,
    WorstLoss,
    planned_by_rule,
)
from isfc.answers.shared import shared_by
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import CHPID, losses
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Untried
from isfc.search.workers import each_by
from scenarios.figures.advice import ComparedLoad, TriedAdvice, changed_layouts, try_advice
from scenarios.figures.limit import rests_on
from scenarios.figures.losses import left_of
from scenarios.figures.rates import Carried, EndRate, ModelledRate, link_rates, with_others_busy
from scenarios.runs.experiment import (
    SATURATING_PAIRS,
    STATED,
    STATED_PAIRS,
    SUITE,
    RunEach,
    one_way,
    stated_load,
)
from scenarios.runs.notes import beyond_plan, plan_notes
from scenarios.runs.shared_channel import run_shared


def planned_by_model(opened: OpenedLink, judged: Plan, jobs: int, *, why: bool) -> PlannedLink:
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
        moved = rests_on(one_way(noted, slower.sender, SATURATING_PAIRS), run_each)
        found = replace(found, rests_on=moved)
    if opened.disks is not None:
        shared = run_shared(stated_load(opened.layout), opened.disks)
        found = replace(found, disks=shared_by(shared))
    return found


def _worst_chpid(
    layout: Layout, figures: Sequence[ModelledRate], run_each: RunEach
) -> WorstLoss | None:
    """That whose loss leaves least; what the whole carries with the same load is known."""
    first, second = (EndRate(each.runs[1], each.seen) for each in figures)
    whole = Carried(Collection.of(layout), STATED, {layout.name: (first, second)})
    return worst_loss(left_of(whole, [*losses(whole.links, CHPID)], run_each))


def modelled_link(
    plan: Plan,
    figures: Sequence[ModelledRate],
    tried: Mapping[str, Sequence[TriedAdvice]],
    worst_chpid: WorstLoss | None,
) -> PlannedLink:
    """The answer of one link with what the model said."""
    ways = [*zip(plan.directions, figures, strict=True)]
    model = Modelled(
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
        {rate.sender: to_count_on(way, rate) for way, rate in ways},
        limited_by(figures),
        to_do(plan.advice, tried, figures, "isfc check"),
        [*limit_lines(figures), " ".join(differences(plan, figures))],
        beyond_plan(plan.layout, figures),
    )
    advice = [
        Advice(
            each.id,
            each.severity,
            advice_text(each, tried),
            [*map(_trial, tried.get(each.id, ()))],
        )
        for each in plan.advice
    ]
    notes = [*plan_notes(plan.layout, figures)]
    by_rule = planned_by_rule(plan)
    return replace(by_rule, model=model, worst_chpid=worst_chpid, notes=notes, advice=advice)


def _trial(tried: TriedAdvice) -> TriedChange:
    """What the model makes of one change."""
    if isinstance(tried.outcome, Untried):
        return TriedChange(tried.trial.done, tried.outcome.because, None, None)
    return TriedChange(tried.trial.done, None, *map(_compared, tried.outcome))


def _compared(compared: ComparedLoad) -> Compared:
    return Compared(compared.verdict, *compared.figures, compared.odds.share)
