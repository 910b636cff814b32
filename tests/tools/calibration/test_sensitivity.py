"""What moving a constant does to the fit, and what is kept of it."""

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from scenarios.published.companion import load_table
from tools.calibration import sensitivity
from tools.calibration.knobs import KNOBS, Values, present_values
from tools.calibration.loss import Case, calibration_cases
from tools.calibration.sensitivity import MORE_SEEDS, Sensitivity, load, measure, store

NAMES = ("link.build_package_ns", "guests.client_latency_ns")
FEW = [knob for knob in KNOBS if knob.name in NAMES]
ONE = Sensitivity("link.build_package_ns", 98_910.0, 0.25, 0.27, 0.26, 0.004)


def test_loss_is_the_mean_of_both_moves() -> None:
    assert ONE.loss == pytest.approx(0.06)


def test_what_chance_does_not_explain_matters() -> None:
    assert ONE.matters
    assert replace(ONE, down=0.2, up=0.25).matters
    assert not replace(ONE, down=0.261, up=0.239).matters


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "sensitivity.csv"
    assert load(path) == {}
    gone = replace(ONE, name="link.gone_ns")
    again = replace(ONE, name="guests.client_latency_ns", seeds=24)
    store({row.name: row for row in (ONE, gone, again)}, 0.5, path)
    assert load(path) == {row.name: row for row in (ONE, again)}
    assert "0.5 times" in path.read_text()


def test_each_constant_is_moved_both_ways_and_known_ones_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moves: list[Values] = []

    def losses(
        _: Sequence[Case], candidates: Sequence[Values], seed: int, __: Executor
    ) -> list[float]:
        moves.extend(candidates)
        return [1.0 + sum(values.values()) * (1 + seed / 100) for values in candidates]

    monkeypatch.setattr(sensitivity, "losses", losses)
    present = present_values()
    with ThreadPoolExecutor(1) as pool:
        first, second = measure([], FEW, {}, pool)
        assert [first.name, second.name] == list(NAMES)
        value = present[first.name]
        assert first.value == value
        assert first.unmoved == 1
        assert first.down == pytest.approx(1 + 0.8 * value * 1.025, rel=1e-5)
        assert first.up == pytest.approx(1 + 1.2 * value * 1.025, rel=1e-5)
        # four changes that are 1 % of the greater move apart
        assert first.noise == pytest.approx(0.0129 * 1.2 * value / 2, rel=0.01)
        moves.clear()
        again = list(measure([], FEW, {first.name: first}, pool))
        assert again == [first, second]
        assert {name for values in moves for name in values} == {second.name}
        other_model = replace(first, unmoved=2.0)
        moves.clear()
        assert next(iter(measure([], FEW, {first.name: other_model}, pool))) == first
        assert {name for values in moves for name in values} == {first.name}


def test_what_few_seeds_do_not_tell_from_chance_is_measured_with_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []

    def losses(
        _: Sequence[Case], candidates: Sequence[Values], seed: int, __: Executor
    ) -> list[float]:
        drawn.append(seed)
        # a move changes as much as the luck of a seed does
        return [1.0 + 0.01 * bool(values) * (1 + 3 * (seed % 2)) for values in candidates]

    monkeypatch.setattr(sensitivity, "losses", losses)
    with ThreadPoolExecutor(1) as pool:
        (found,) = measure([], FEW[:1], {}, pool)
        assert found.matters
        assert found.seeds == MORE_SEEDS
        assert max(drawn) == MORE_SEEDS
        assert list(measure([], FEW[:1], {found.name: found}, pool)) == [found]


@pytest.mark.at_length
@pytest.mark.slow
def test_slower_building_matters() -> None:
    cases = [
        case
        for case in calibration_cases([load_table("transport")], length=0.01)
        if case.shown[0][1].key == "HS/12/5"
    ]
    with ThreadPoolExecutor(1) as pool:
        (found,) = measure(
            cases, [knob for knob in FEW if knob.field == "build_package_ns"], {}, pool
        )
    assert found.down != found.up
