"""The model's figures in ``isfc plan``, beside the rule of thumb, and why they differ."""

from collections.abc import Iterator, Sequence
from typing import Final

from ctc.profiles import ChpidProfile
from isfc.answers.advice import two_paces
from isfc.layout.capacity import (
    COMMAND_MODE_MB_PER_S,
    FULL_CTC_COUNT,
    RULE_GBPS_MAX,
    WriteDirection,
)
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Untried
from isfc.reports.ranges import range_note
from isfc.reports.units import shown
from scenarios.figures.figure import Figure, NoRange, Unit
from scenarios.figures.rates import ModelledRate
from scenarios.runs.experiment import SATURATING_PAIRS, SUITE, alike
from scenarios.runs.result import MIB
from scenarios.runs.workload import find_workload

CAPTION: Final = (
    f"MB/s (2^20) one way, {SUITE}: by rule, and by the model saturated and with these pairs; in "
    "brackets the difference to the layout as opened"
)
"""Of the table in which an edited layout stands beside the one that was opened."""

_ALONE: Final = (
    "The rule's figure for a CTC that both ends write on is near what IBM measured with short "
    "messages; those of the model's runs are long."
)


def differences(plan: Plan, figures: Sequence[ModelledRate]) -> Iterator[str]:
    """What the figures mean: where rule and model disagree, and why."""
    pairs = figures[0].pairs
    yield from beyond_command_mode(plan, figures)
    rates = [rate for figure in figures for rate in figure.runs]
    spread = max(rate.spread_mb_per_s / rate.mb_per_s for rate in rates)
    within = f"{shown(100 * spread, Unit.SPREAD)} %"
    yield (
        f"The model's figures are of {SUITE}: saturated, with {SATURATING_PAIRS} pairs, and with "
        f"{pairs}; each run went on until its figure was known within {within}."
    )
    if not all(isinstance(finding.rule.trials, Untried) for finding in plan.advice):
        yield "Layouts changed as advised ran for a second of virtual time; the second half counts."
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
        (way, figure.saturated.value)
        for way, figure in zip(plan.directions, figures, strict=True)
        if not alike(way.estimated_mb_per_s, figure.saturated.value)
    ]
    if apart:
        alone = len(plan.layout.ctcs) == 1
        each = [_ALONE] if alone else (reason for one in apart for reason in _reasons(*one))
        reasons = " ".join(dict.fromkeys(each))
        yield f"Rule and model differ by more than a tenth. {reasons}".strip()
    if any(not alike(*(rate.mb_per_s for rate in figure.runs)) for figure in figures):
        yield f"{pairs} pairs do not fill this link: each has two messages under way."


def handled_mb_per_s(profile: ChpidProfile) -> float:
    """What a data processor handles of the longest messages, both ways, in MB/s (2^20)."""
    length = find_workload(SUITE).max_length
    ns = length * profile.processor_ns_per_byte + profile.processor_ns_per_ccw
    return length * 1e9 / ns / MIB


def ceiling_mb_per_s(way: WriteDirection) -> float | None:
    """What IBM states of FICON in command mode on the chpids of a direction, in MB/s (2^20).

    None where they are slower than what it was stated of.
    """
    if all(use.fibre.profile.link_gbps < RULE_GBPS_MAX for use in way.chpids):
        return None
    return len(way.chpids) * COMMAND_MODE_MB_PER_S * 1e6 / MIB


def to_count_on(way: WriteDirection, rates: ModelledRate) -> Figure:
    """What a direction carries with the stated load; the ceiling, if that is less."""
    ceiling = ceiling_mb_per_s(way)
    if ceiling is None or rates.stated.value <= ceiling:
        return rates.stated
    return Figure(ceiling, Unit.MB_PER_S, no_range=NoRange.PUBLISHED)


def beyond_command_mode(plan: Plan, figures: Sequence[ModelledRate]) -> Iterator[str]:
    """That the model carries more on chpids than IBM states, if it does."""
    ways = zip(plan.directions, figures, strict=True)
    most = max(
        (
            figure.saturated.value / len(way.chpids)
            for way, figure in ways
            if figure.saturated.value > (ceiling_mb_per_s(way) or figure.saturated.value)
        ),
        default=None,
    )
    if most is not None:
        stated = shown(COMMAND_MODE_MB_PER_S * 1e6 / MIB, Unit.MB_PER_S)
        yield (
            f"The model carries {shown(most, Unit.MB_PER_S)} MB/s (2^20) one way on a chpid. What "
            f"IBM states of FICON in command mode is over {COMMAND_MODE_MB_PER_S} MB/s of 10^6 "
            f"bytes both ways, which is {stated} here: count on no more."
        )


def _reasons(way: WriteDirection, model_mb_per_s: float) -> Iterator[str]:
    """Why rule and model may disagree on what one node can send."""
    is_more = model_mb_per_s > way.estimated_mb_per_s
    few = is_more and any(use.ctc_count < FULL_CTC_COUNT for use in way.chpids)
    fibres = [use.fibre for use in way.chpids]
    fast = max(fibre.profile.link_gbps for fibre in fibres) >= RULE_GBPS_MAX
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
