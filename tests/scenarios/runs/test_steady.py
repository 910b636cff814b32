"""A steady rate: two beginnings agree on it, batches give its spread, and long runs agree."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ctc.features import FEATURES
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import Layout
from scenarios.runs import steady
from scenarios.runs.channels import MIXED_SHARE, time_share
from scenarios.runs.experiment import LIKE_SHARE, SATURATING_PAIRS, STATED, STATED_PAIRS, Experiment
from scenarios.runs.run import run
from scenarios.runs.steady import (
    BATCH_NS,
    BATCHES_MAX,
    BATCHES_MIN,
    GROWTH,
    SPREAD_SHARE,
    Rate,
    agreed,
    drifts,
    has_trend,
    is_steady,
    rate_of,
    steady_run,
    trend_score,
    until_steady,
    without_trend,
)
from scenarios.runs.workload import SUITES
from scenarios.search.workers import shared_out
from tests.layouts import mesh


def noise(seed: int, mean: float, deviation: float = 2, count: int = 20) -> list[float]:
    random = Random(seed)
    return [random.gauss(mean, deviation) for _ in range(count)]


def test_spread_is_students_of_the_batches() -> None:
    rate = rate_of([90, 110] * 4)
    assert rate.mb_per_s == 100
    assert rate.spread_mb_per_s == pytest.approx(2.36 * (800 / 7 / 8) ** 0.5)


def test_batches_that_happen_to_be_alike_do_not_make_a_rate_exact() -> None:
    assert rate_of([100.0] * 8) == Rate(100.0, 1.0)


@pytest.mark.parametrize(("other", "differs"), [(104.9, False), (105.1, True), (94.9, True)])
def test_rates_differ_beyond_both_spreads_together(other: float, differs: bool) -> None:
    assert Rate(100, 3).differs(Rate(other, 4)) is differs
    assert Rate(other, 4).differs(Rate(100, 3)) is differs


def test_rate_of_two_paces_differs_from_what_neither_of_them_is_near() -> None:
    two = Rate(100, 3, 120)
    assert [two.differs(Rate(other, 0)) for other in (98, 110, 118, 130)] == [
        False,
        True,
        False,
        True,
    ]
    assert not Rate(118).differs(two)
    assert not two.differs(Rate(80, 3, 101))


def test_two_beginnings_that_agree_give_one_rate_and_its_spread() -> None:
    together, gradual = noise(1, 100, 4), noise(2, 100, 4)
    rate = agreed(together, gradual)
    assert rate.mb_per_s == pytest.approx(sum(together + gradual) / 40)
    assert rate.second_mb_per_s is None
    assert rate.spread_mb_per_s < rate_of(together).spread_mb_per_s
    assert is_steady(together, gradual)


def test_two_beginnings_that_do_not_agree_are_not_steady_and_are_two_paces() -> None:
    together, gradual = noise(1, 100), noise(2, 127)
    assert not is_steady(together, gradual)
    rate = agreed(together, gradual)
    assert rate.mb_per_s == pytest.approx(100, rel=0.01)
    assert rate.second_mb_per_s == pytest.approx(127, rel=0.01)
    assert 1 <= rate.spread_mb_per_s < 2


def test_two_beginnings_that_differ_by_little_are_one_pace_whose_spread_covers_both() -> None:
    together, gradual = noise(1, 100, 0.1), noise(2, 101.8, 0.1)
    assert not is_steady(together, gradual)
    rate = agreed(together, gradual)
    assert rate.second_mb_per_s is None
    assert 0.9 <= rate.spread_mb_per_s <= 1.1


def test_trend_that_is_left_is_not_steady_however_small_its_spread() -> None:
    drift = [100 + 0.1 * index for index in range(20)]
    assert agreed(drift, drift).spread_mb_per_s < SPREAD_SHARE * 100
    assert not is_steady(drift, drift)


def test_beginning_of_another_pace_is_left_out() -> None:
    together = [115.0] * 6 + noise(1, 100, 1, 14)
    assert agreed(together, noise(2, 100, 1)).mb_per_s == pytest.approx(100, rel=0.01)


def test_mean_that_is_not_known_well_is_not_steady() -> None:
    assert not is_steady(noise(1, 100, 20), noise(2, 100, 20))


@pytest.mark.parametrize(
    ("layout", "busy", "share"),
    [
        (mesh(6, shared=True, ctcs=1), 15, MIXED_SHARE),
        (mesh(5, shared=True, ctcs=1), 10, 1),
        (mesh(6, shared=False, ctcs=1), 15, 1),
        (mesh(6, shared=True, ctcs=1), 14, 1),
    ],
    ids=["every channel has five links", "four", "one", "one has four that are busy"],
)
def test_runs_are_short_where_every_channel_has_many_busy_links(
    layout: str, busy: int, share: float
) -> None:
    experiment = STATED.runs(parse_collection(layout))[0]
    assert time_share(replace(experiment, loads=experiment.loads[:busy])) == share


class Exchanged:
    """A run of two ends: what one sends more in a batch, the other sends less."""

    def __init__(self, seed: int, within: float) -> None:
        self.sent = noise(seed, 100, within, BATCHES_MAX)
        self.count = 0

    def go_on(self, count: int) -> None:
        self.count = count

    def batches(self, end: str) -> list[float]:
        return [each if end == "one" else 200 - each for each in self.sent[: self.count]]


@pytest.mark.parametrize(
    ("within", "is_mixed", "count"),
    [(5, True, BATCHES_MIN), (5, False, 15), (25, True, 15)],
    ids=["mixed", "each by itself", "mixed, and hardly known"],
)
def test_links_that_are_mixed_are_steady_when_their_sum_is_and_each_is_about_known(
    within: float, is_mixed: bool, count: int
) -> None:
    runs: Any = Exchanged(1, within), Exchanged(2, within)
    ends: Any = ["one", "other"]
    rates = until_steady(runs, ends, is_mixed=is_mixed)
    assert runs[0].count == runs[1].count == count
    assert all(rate.spread_percent < 10 and not rate.second_mb_per_s for rate in rates)


def test_two_paces_of_mixed_links_are_farther_apart_than_figures_that_say_the_same() -> None:
    both = noise(1, 100, 1), noise(2, 106, 1)
    assert agreed(*both).second_mb_per_s is not None
    assert agreed(*both, LIKE_SHARE).second_mb_per_s is None


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("known", "counts"),
    [
        (True, [BATCHES_MIN]),
        (False, [BATCHES_MIN, round(GROWTH * BATCHES_MIN), 22, 33, BATCHES_MAX]),
    ],
)
def test_runs_go_on_until_they_are_steady_or_long_enough(
    monkeypatch: pytest.MonkeyPatch, known: bool, counts: Sequence[int]
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(steady, "BATCH_NS", BATCH_NS // 50)
    monkeypatch.setattr(steady, "WARMUP_NS", BATCH_NS // 5)

    def judged(together: Sequence[float], gradual: Sequence[float]) -> bool:
        assert len(together) == len(gradual)
        seen.append(len(together))
        return known

    monkeypatch.setattr(steady, "is_steady", judged)
    steady_run(Experiment.of(load_layout("published-1"), SUITES["HS"], 1))
    assert seen == counts


@pytest.mark.at_length
def test_what_is_seen_of_two_paces_is_of_the_one_that_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    experiment = Experiment.of(load_layout("published-1"), SUITES["HS"], 2)
    monkeypatch.setattr(steady, "WARMUP_NS", BATCH_NS // 5)
    monkeypatch.setattr(steady, "BATCH_NS", BATCH_NS // 20)
    both = steady_run(experiment).result
    monkeypatch.setattr(steady, "agreed", lambda *_: Rate(1, 0, 2))
    first = steady_run(experiment).result
    assert first != both
    assert first.mb_per_s == pytest.approx(both.mb_per_s, rel=0.1)


@pytest.mark.at_length
@pytest.mark.slow
def test_link_that_keeps_the_pace_it_begins_with_has_both_said() -> None:
    """HS with 10 pairs on 8 CTCs is half as fast again if its clients do not begin in step."""
    rate = steady_run(Experiment.of(load_layout("published-8"), SUITES["HS"], 10)).rate
    assert rate.paces == pytest.approx((54.8, 82.9), rel=0.01)
    assert rate.spread_mb_per_s <= SPREAD_SHARE * rate.mb_per_s


THREE_EXPRESS4 = parse_layout(
    "".join(
        f'[fibre.{name}]\nfeature = "FICON Express4"\n'
        f'chpid = {{ DALLAS = "5{place}", TULSA = "6{place}" }}\n'
        f'[[ctc]]\nfibre = "{name}"\n'
        f'rdevs = {{ DALLAS = "50{place}0,{second}", TULSA = "60{place}0,{third}" }}\n'
        for place, (name, second, third) in enumerate(
            (("a", "5030", "6030"), ("b", "5011", "6011"), ("c", "5021", "6021"))
        )
    )
)


@pytest.mark.at_length
@pytest.mark.slow
def test_first_half_second_is_not_taken_for_the_pace_that_follows() -> None:
    """It gave 879 MB/s once, known within 9; runs of five to thirty seconds give 781 to 790."""
    rate = steady_run(Experiment.of(THREE_EXPRESS4, SUITES["HL"], SATURATING_PAIRS)).rate
    assert abs(rate.mb_per_s - 785) <= rate.spread_mb_per_s
    assert rate.spread_mb_per_s <= SPREAD_SHARE * rate.mb_per_s
    assert rate.second_mb_per_s is None


def drawn(seed: int) -> Layout:
    """One to four fibres of any feature and length, CTCs numbered chpid by chpid or across."""
    random = Random(f"layout {seed}")
    fibres = range(random.randint(1, 4))
    counts = [random.randint(1, 16 // len(fibres)) for _ in fibres]
    order = [fibre for fibre in fibres for _ in range(counts[fibre])]
    if random.random() < 0.5:
        random.shuffle(order)
    return parse_layout(
        "".join(
            f'[fibre.{fibre}]\nfeature = "{random.choice([*FEATURES])}"\n'
            f"km = {random.choice([0, 0, 10, 50])}\n"
            f'chpid = {{ A = "{0x40 + fibre:X}", B = "{0x50 + fibre:X}" }}\n'
            for fibre in fibres
        )
        + "".join(
            f'[[ctc]]\nfibre = "{fibre}"\nrdevs = {{ A = "{0x6000 + unit:X}", B = "{unit:X}" }}\n'
            for unit, fibre in enumerate(order, start=1)
        )
    )


@dataclass(frozen=True)
class Held:
    """Rates of drawn layouts, held against long runs: how many are within what was said of them.

    ``worst`` is the farthest off, as a share, of those of which one pace was said.
    """

    count: int
    within: int
    two_paces: int
    worst: float
    worst_of: str


def hold(compiled: Path | None, layouts: int, seeds: int) -> Held:
    """Hold rates of drawn layouts, both loads, against 10 s after 3 s, the mean of the seeds."""
    asked = [
        Experiment.of(drawn(number), SUITES["HL"], pairs, 10.0, 3.0)
        for number in range(layouts)
        for pairs in (SATURATING_PAIRS, STATED_PAIRS)
    ]
    long = [replace(each, seed=seed) for each in asked for seed in range(1, seeds + 1)]
    with pytest.MonkeyPatch.context() as patch:
        if compiled is not None:
            patch.syspath_prepend(compiled)  # of the processes that emulate: ours has isfc already
        jobs = os.cpu_count() or 1
        said = {index: run.rate for index, run in shared_out(steady_run, asked, jobs)}
        ran = dict(shared_out(run, long, jobs))
    within, off = 0, {}
    for index in range(len(asked)):
        rate, first = said[index], seeds * index
        mean = sum(ran[each].result.mb_per_s_out for each in range(first, first + seeds)) / seeds
        within += min(abs(pace - mean) for pace in rate.paces) <= rate.spread_mb_per_s
        if rate.second_mb_per_s is None:
            off[index] = abs(rate.mb_per_s / mean - 1)
    worst = max(off, key=lambda index: off[index])
    name = f"layout {worst // 2}, {asked[worst].pairs} pairs"
    return Held(len(asked), within, len(asked) - len(off), off[worst], name)


@pytest.mark.exhaustive
@pytest.mark.at_length
def test_long_runs_of_three_layouts_are_within_the_spread_that_is_claimed(
    compiled: Path | None,
) -> None:
    held = hold(compiled, layouts=3, seeds=1)
    assert held.within >= 0.95 * held.count, held
    assert held.worst <= 0.03, held


@pytest.mark.timeout(1800)  # some 240 s of one processor, compiled
@pytest.mark.exhaustive
@pytest.mark.at_length
@pytest.mark.slow
def test_long_runs_of_two_hundred_layouts_are_within_the_spread_that_is_claimed(
    compiled: Path | None,
) -> None:
    """Of the figures 95 % are within what was said of them.

    None is off by more than 3 % of what it should be, unless two paces were said.
    """
    held = hold(compiled, layouts=200, seeds=3)
    assert held.within >= 0.95 * held.count, held
    assert held.worst <= 0.03, held


def test_score_is_that_of_the_book() -> None:
    # ten that grow: all of 45 pairs, less 1, by the root of 10 x 9 x 25 / 18
    assert trend_score(range(10)) == pytest.approx(44 / 125**0.5)
    assert trend_score(range(10, 0, -1)) == pytest.approx(-44 / 125**0.5)


def test_equal_batches_take_from_the_variance() -> None:
    # two groups of five: 25 pairs grow; 10 x 9 x 25 less twice 5 x 4 x 15, by 18
    assert trend_score([1] * 5 + [2] * 5) == pytest.approx(24 / (1650 / 18) ** 0.5)
    assert trend_score([7] * 12) == 0


def test_slow_drift_is_a_trend_that_the_spread_does_not_tell() -> None:
    drift = [100 + 0.1 * index + each for index, each in enumerate(noise(1, 0, 0.5, 30))]
    assert has_trend(drift)
    assert has_trend(drift[::-1])


def test_noise_is_taken_for_a_trend_in_one_of_twenty_cases() -> None:
    for count in (10, 20, 50):
        seen = sum(has_trend(noise(seed, 100, count=count)) for seed in range(1000))
        assert 30 <= seen <= 65


def test_pace_that_goes_to_and_fro_is_no_trend() -> None:
    assert not has_trend([90, 110] * 10)


def test_beginning_that_is_another_is_left_out() -> None:
    assert without_trend(noise(2, 100, count=30)) == 0
    batches = noise(3, 115, count=8) + noise(4, 100, count=22)
    assert 6 <= without_trend(batches) <= 10


def test_half_of_the_batches_are_kept_at_least() -> None:
    assert without_trend(range(20)) == 10
    assert without_trend(range(11)) == 5


def test_trend_counts_where_it_matters_to_the_mean() -> None:
    assert drifts([100 + index for index in range(10)])
    assert not drifts([100 + 0.1 * index for index in range(10)])
    assert not drifts([100, 110] * 5)
    assert not drifts([100, 120, 140])  # too few to tell
