"""What ``isfc plan --json`` prints of the model, which ``--rule`` does not load."""

from collections.abc import Sequence

from isfc.answers.limit import limits_of
from isfc.cli.plan.json import ComparedJson, ModelJson, TrialJson
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Untried
from isfc.reports.ranges import range_json
from scenarios.figures.advice import ComparedLoad, TriedAdvice
from scenarios.figures.link_rates import ModelledRate
from scenarios.runs.notes import beyond_plan
from scenarios.runs.saturation import SATURATING_PAIRS, STATED_PAIRS, SUITE


def trial_json(tried: TriedAdvice) -> TrialJson:
    """What the model makes of one change."""
    if isinstance(tried.outcome, Untried):
        return TrialJson(tried.trial.done, tried.outcome.because, None, None)
    saturated, stated = map(_compared, tried.outcome)
    return TrialJson(tried.trial.done, None, saturated, stated)


def _compared(compared: ComparedLoad) -> ComparedJson:
    before, changed = compared.before, compared.changed
    within, changed_within = map(range_json, compared.figures)
    return ComparedJson(
        compared.verdict,
        *(before.mb_per_s, before.spread_mb_per_s, before.second_mb_per_s),
        *(changed.mb_per_s, changed.spread_mb_per_s),
        range=within,
        changed_range=changed_within,
        odds=compared.odds.share,
    )


def model_json(plan: Plan, figures: Sequence[ModelledRate]) -> ModelJson:
    """What the model carries one way and the other."""
    saturated = {each.sender: each.runs[0] for each in figures}
    stated = {each.sender: each.runs[1] for each in figures}
    return ModelJson(
        workload=SUITE,
        saturating_pairs=SATURATING_PAIRS,
        stated_pairs=STATED_PAIRS,
        saturated_mb_per_s={node: rate.mb_per_s for node, rate in saturated.items()},
        saturated_spread_mb_per_s={node: rate.spread_mb_per_s for node, rate in saturated.items()},
        stated_mb_per_s={node: rate.mb_per_s for node, rate in stated.items()},
        saturated_second_mb_per_s={node: rate.second_mb_per_s for node, rate in saturated.items()},
        stated_spread_mb_per_s={node: rate.spread_mb_per_s for node, rate in stated.items()},
        stated_second_mb_per_s={node: rate.second_mb_per_s for node, rate in stated.items()},
        saturated_range={each.sender: range_json(each.saturated) for each in figures},
        stated_range={each.sender: range_json(each.stated) for each in figures},
        limits={
            each.sender: limits_of(each.limit, each.saturated.value)
            for each in figures
            if each.limit is not None
        },
        extrapolated=beyond_plan(plan.layout, figures),
    )
