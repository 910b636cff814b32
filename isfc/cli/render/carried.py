"""The model's figures in ``isfc plan``, beside the rule of thumb: why they differ, and advice."""

from collections.abc import Iterator, Sequence
from typing import Final

from ctc.address import format_chpid
from isfc.layout.capacity import FULL_CTC_COUNT, RULE_GBPS_MAX, Direction
from isfc.layout.layout import Fibre, Layout
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Finding
from scenarios.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    SUITE,
    Carried,
    alike,
    extrapolated,
    saturated_mb_per_s,
    thinned,
    turned_out,
)

_ALONE: Final = (
    "The rule's figure for a CTC that both ends write on is near what IBM measured with short "
    "messages; those of the model's runs are long."
)

Advice = tuple[Finding, str]
"""A finding, and what to say of it: of all the chpids that it concerns together."""


def differences(plan: Plan, figures: Sequence[Carried]) -> Iterator[str]:
    """What the figures mean: where rule and model disagree and why, and what is extrapolated."""
    yield (
        f"The model's figures are of {SUITE}: saturated, with {SATURATING_PAIRS} pairs, and with "
        f"{STATED_PAIRS}."
    )
    apart = [
        way
        for way, figure in zip(plan.directions, figures, strict=True)
        if not alike(way.estimated_mb_per_s, figure.saturated_mb_per_s)
    ]
    if apart:
        alone = len(plan.layout.ctcs) == 1
        each = [_ALONE] if alone else (reason for way in apart for reason in _reasons(way))
        reasons = " ".join(dict.fromkeys(each))
        yield f"Rule and model differ by more than a tenth. {reasons}".strip()
    if any(not alike(figure.saturated_mb_per_s, figure.stated_mb_per_s) for figure in figures):
        yield f"{STATED_PAIRS} pairs do not fill this link: each has two messages under way."
    if features := extrapolated(plan.layout):
        yield (
            f"The model is extrapolated: nothing is published of CTCs on {', '.join(features)}. "
            "Believe the lower figure."
        )


def _reasons(way: Direction) -> Iterator[str]:
    """Why rule and model may disagree on what one node can send."""
    few = any(use.ctc_count < FULL_CTC_COUNT for use in way.chpids)
    speeds = [use.fibre.profile.link_gbps for use in way.chpids]
    if few:
        yield (
            "By rule each CTC carries a quarter of its chpid; in the model, as in IBM's "
            "measurements, fewer than four carry more than that."
        )
    if max(speeds) > RULE_GBPS_MAX:
        yield f"The rule grows with the link's speed; it is not known beyond {RULE_GBPS_MAX} Gb/s."
    if max(speeds) >= RULE_GBPS_MAX:
        yield "In the model a chpid carries 620 MB/s of command-mode FICON, both ways together."
    if not few and max(speeds) < RULE_GBPS_MAX:
        yield "The rule is one for all loads; the model has its overheads for each package."


def gathered(plan: Plan, figures: Sequence[Carried]) -> list[Advice]:
    """The advice, once for all the chpids of which the same is to be said.

    Where the model contradicts it, that is said as well; no figures, no model.
    """
    layout, findings = plan.layout, plan.advice
    against = _objections(plan, figures) if figures else {}
    same: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        said = finding.text
        if finding.fibre is not None:
            said = said.removeprefix(_place(layout, [finding.fibre]))
        same.setdefault((finding.id, said), []).append(finding)
    return [
        (group[0], f"{_text(layout, said, group)} {against.get(name, '')}".strip())
        for (name, said), group in same.items()
    ]


def _text(layout: Layout, said: str, group: Sequence[Finding]) -> str:
    fibres = [finding.fibre for finding in group if finding.fibre is not None]
    if len(fibres) > 1:
        said = _place(layout, fibres) + said
    else:
        said = group[0].text
    return f"{said} {group[0].remedy}"


def _place(layout: Layout, fibres: Sequence[Fibre]) -> str:
    """``Chpid 40 at ATLANTA (50 at BOSTON)``, or each of several."""
    first, second = layout.nodes
    near, far = (", ".join(format_chpid(fibre.chpids[end]) for fibre in fibres) for end in (0, 1))
    words = "Chpid" if len(fibres) == 1 else "Each of the chpids"
    return f"{words} {near} at {first} ({far} at {second})"


def _objections(plan: Plan, figures: Sequence[Carried]) -> dict[str, str]:
    """By the id of an advice: what the model says against it."""
    found = {finding.id for finding in plan.advice}
    against = {}
    if "directions-unequal" in found:
        rates = [figure.saturated_mb_per_s for figure in figures]
        if alike(*rates):
            against["directions-unequal"] = (
                f"In the model both directions carry the same: {rates[0]:.0f} and {rates[1]:.0f} "
                "MB/s."
            )
    if "chpid-crowded" in found:
        here, thin = figures[0].saturated_mb_per_s, saturated_mb_per_s(thinned(plan.layout))
        if here > thin:
            against["chpid-crowded"] = (
                f"The model does not roll off: it carries {here:.0f} MB/s, and {thin:.0f} with "
                "four CTCs on a chpid."
            )
    if "speeds-slow-first" in found:
        here, ends = figures[0].saturated_mb_per_s, saturated_mb_per_s(turned_out(plan.layout))
        if here > ends:
            against["speeds-slow-first"] = (
                f"Under load the model prefers it as it is: it carries {here:.0f} MB/s, and "
                f"{ends:.0f} with the fast chpids at both ends."
            )
    return against
