"""What ``isfc plan --json`` prints of a link. Names and meanings of the keys stay."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.findings import advice_text
from isfc.answers.limit_record import Limits
from isfc.answers.profile import Profile
from isfc.cli.results.shared_json import SharedJson
from isfc.layout.note import Note
from isfc.layout.plan import Plan
from isfc.reports.ranges import RangeJson
from scenarios.runs.notes import plan_notes

if TYPE_CHECKING:
    from scenarios.figures.advice import TriedAdvice
    from scenarios.figures.link_rates import ModelledRate
    from scenarios.figures.rests_on import RestsOn


class NodesJson(Struct, frozen=True):
    """Both ends of a link."""

    first: str
    second: str


class ChpidJson(Struct, frozen=True):
    """A chpid that one node writes on."""

    chpid: str
    fibre: str
    feature: str
    link_gbps: float
    km: float
    write_ctcs: int
    """CTCs it writes on"""
    estimated_mb_per_s: float


class ModelJson(Struct, frozen=True):
    """What the model carries."""

    workload: str
    saturating_pairs: int
    stated_pairs: int
    saturated_mb_per_s: dict[str, float]
    """by sending node, with `saturating_pairs`"""
    saturated_spread_mb_per_s: dict[str, float]
    """within what of it an endless run would be, with 95 % confidence"""
    stated_mb_per_s: dict[str, float]
    """by sending node, with `stated_pairs`"""
    saturated_second_mb_per_s: dict[str, float | None]
    """[the other pace](run.md#a-link-with-two-paces) that the link may keep, null if it has
    one"""
    stated_spread_mb_per_s: dict[str, float]
    stated_second_mb_per_s: dict[str, float | None]
    saturated_range: dict[str, RangeJson | None]
    """by sending node, in MB/s: [between what](fidelity.md) the rate would lie"""
    stated_range: dict[str, RangeJson | None]
    limits: dict[str, Limits]
    """by sending node: [what limits](layouts.md#what-limits) the saturated rate, and what would
    help"""
    extrapolated: list[str]
    """what no published figure identifies: [extrapolation](extrapolation.md)"""


class ComparedJson(Struct, frozen=True):
    """The slower direction at one load, as it is and changed."""

    verdict: str
    """agrees, sees no difference, contradicts"""
    mb_per_s: float
    """of the slower direction as it is"""
    spread_mb_per_s: float
    second_mb_per_s: float | None
    """its second pace, or null"""
    changed_mb_per_s: float
    changed_spread_mb_per_s: float
    range: RangeJson | None
    """between what `mb_per_s` would lie"""
    changed_range: RangeJson | None
    odds: float
    """how likely it is that the changed layout is ahead on real hardware, of 1"""


class TrialJson(Struct, frozen=True):
    """What the model makes of one change."""

    run: str
    not_run_because: str | None
    saturated: ComparedJson | None
    """null if not run"""
    stated: ComparedJson | None
    """the same with the stated pairs"""


class AdviceJson(Struct, frozen=True):
    """What a rule has found."""

    id: str
    severity: str
    """info or warning"""
    text: str
    trials: list[TrialJson]
    """of each change that is advised and was to be run"""


class PlanJson(Struct, frozen=True):
    """``isfc plan --json`` of a link."""

    nodes: NodesJson
    """in the order of their names"""
    stop_short: int
    """how many CTCs each scan leaves to the partner"""
    write_order: dict[str, list[str]]
    """by node: its own RDEVs that it writes on, in the order of its scan"""
    exclusive: dict[str, list[str]]
    """by node: those of them that only it writes on"""
    chpids: dict[str, list[ChpidJson]]
    """by node, in order of use"""
    estimated_mb_per_s: dict[str, float]
    """by sending node: one-way capacity by IBM's rule of thumb"""
    model: ModelJson | None
    """what the model carries, null with `--rule`"""
    notes: list[Note]
    """what belongs to these figures"""
    advice: list[AdviceJson]
    """findings, each with what came of trying its changes"""
    disks: SharedJson | UnsetType = UNSET
    """with `[[io]]` on its chpids"""
    rests_on: "list[RestsOn] | UnsetType" = UNSET
    """with `--why`: constants that move the saturated rate of the slower direction by more than
    2 %"""
    profile: Profile | UnsetType = UNSET
    """with `--profile`: the site's"""


def plan_json(
    plan: Plan,
    figures: "Sequence[ModelledRate]" = (),
    tried: "Mapping[str, Sequence[TriedAdvice]] | None" = None,
) -> PlanJson:
    """The record of one link."""
    known, tried = plan.to_dict(), tried or {}
    return PlanJson(
        nodes=NodesJson(**known["nodes"]),
        stop_short=plan.stop_short,
        write_order=known["write_order"],
        exclusive=known["exclusive"],
        chpids={
            node: [ChpidJson(**each) for each in uses] for node, uses in known["chpids"].items()
        },
        estimated_mb_per_s=known["estimated_mb_per_s"],
        model=_model(plan, figures),
        notes=list(plan_notes(plan.layout, figures)),
        advice=[
            AdviceJson(
                each.id,
                each.severity,
                advice_text(each, tried),
                _trials(tried.get(each.id, ())),
            )
            for each in plan.advice
        ],
    )


def _model(plan: Plan, figures: "Sequence[ModelledRate]") -> ModelJson | None:
    if not figures:
        return None
    from isfc.cli.plan.model_json import model_json  # the model, which a rule does without

    return model_json(plan, figures)


def _trials(tried: "Sequence[TriedAdvice]") -> list[TrialJson]:
    if not tried:
        return []
    from isfc.cli.plan.model_json import trial_json

    return [*map(trial_json, tried)]
