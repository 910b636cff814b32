"""The descent: what it counts, and that it keeps only what is better."""

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scenarios.published.companion import load_table
from scenarios.published.replay import Comparison
from scenarios.published.table import Role
from tools.calibration import descent
from tools.calibration.descent import MOVED, LossJudge, descend, goals_loss, main, missed_by, moved
from tools.calibration.knobs import Knob, Values, present_values

KNOB = next(knob for knob in MOVED if knob.field == "build_package_ns")
COPY = next(knob for knob in MOVED if knob.field == "appc_ns_per_byte_taken")
OTHER = next(knob for knob in MOVED if knob.field == "recovery_ns")


class Bowl(LossJudge):
    """Judges by the distance of one constant from a best value."""

    def __init__(self, best: float) -> None:
        self._best = best
        self.calls = 0

    def losses(self, candidates: Sequence[Values]) -> list[float]:
        self.calls += 1
        return [abs(math.log(values[KNOB.name] / self._best)) for values in candidates]


class Here(Executor):
    """Does everything immediately, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def steps(best: float, knobs: Sequence[Knob], count: int) -> list[tuple[float, str, Values]]:
    start = {KNOB.name: 50_000.0, OTHER.name: 100_000.0}
    return list(itertools.islice(descend(Bowl(best), start, knobs, 0.12, seed=1), count))


def test_processor_time_is_not_moved() -> None:
    assert not any("cpu" in knob.name for knob in MOVED)
    assert len(MOVED) == len(present_values()) - 4


def test_descent_never_gets_worse_and_comes_to_the_best_value() -> None:
    found = steps(70_000, [KNOB, OTHER], 60)
    losses = [loss for loss, _, _ in found]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.02


def test_descent_goes_down_as_well_as_up() -> None:
    assert steps(40_000, [KNOB], 30)[-1][2][KNOB.name] == pytest.approx(40_000, rel=0.02)


def test_a_valley_across_two_constants_is_found() -> None:
    class Valley(Bowl):
        def losses(self, candidates: Sequence[Values]) -> list[float]:
            return [
                10 * abs(math.log(values[KNOB.name] * values[OTHER.name] / 5e9))
                + abs(math.log(values[KNOB.name] / 60_000))
                for values in candidates
            ]

    start = {KNOB.name: 50_000.0, OTHER.name: 100_000.0}
    found = list(itertools.islice(descend(Valley(1), start, [KNOB, OTHER], 0.12, seed=6), 60))
    assert found[0][0] == pytest.approx(math.log(6 / 5))
    assert found[-1][0] < 0.05


def test_move_stays_between_the_bounds() -> None:
    assert moved(KNOB, {KNOB.name: KNOB.high}, 0.1)[KNOB.name] == KNOB.high
    assert moved(KNOB, {KNOB.name: KNOB.low}, -0.1)[KNOB.name] == KNOB.low


def test_missed_goal_counts_by_its_logarithm_and_one_that_is_met_a_little() -> None:
    assert missed_by(1, 2) == pytest.approx(0.1)
    assert missed_by(2, 2) == pytest.approx(0.2)
    assert missed_by(2 * math.e, 2) == pytest.approx(1.2)
    assert missed_by(math.inf, 2) == missed_by(1_000, 2) == pytest.approx(2.2)


def test_goals_are_missed_by_more_the_farther_the_figures_are_off() -> None:
    table = load_table("transport")
    row = next(row for row in table.rows if row.key == "HS/4/100")
    published = row.number("mb_per_s")
    exact = Comparison(
        table.name, row.key, "mb_per_s", published, published, 0, Role.CALIBRATION, None
    )
    losses = [
        goals_loss([table], [replace(exact, emulated=published * factor, error=factor - 1)])
        for factor in (1, 1.3, 1.6)
    ]
    assert losses == sorted(losses)
    assert losses[0] < losses[2]
    assert goals_loss([table], []) == 0


@pytest.mark.at_length
@pytest.mark.slow
def test_judge_finds_constants_that_are_far_off_worse() -> None:
    judge = LossJudge([load_table("appc_scaling")], 0.001, Here())
    good = present_values(MOVED)
    near, far = judge.losses([good, {**good, COPY.name: COPY.high}])
    assert near < far
    assert judge.losses([good]) == [near]


def test_command_stores_the_best_and_says_what_moved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    began: list[Values] = []

    def found(
        _: LossJudge, start: Values, knobs: Sequence[Knob], *__: object
    ) -> Iterator[tuple[float, str, Values]]:
        began.append(start)
        assert KNOB in knobs
        assert not any(knob.field.startswith("open_backlog") for knob in knobs)
        yield 2.0, "start", start
        yield 3.0, KNOB.name, {**start, KNOB.name: 1.0}
        yield 1.0, KNOB.name, {**start, KNOB.name: 77_000.0}

    monkeypatch.setattr(descent, "descend", found)
    start, store = tmp_path / "start.json", tmp_path / "found.json"
    start.write_text(json.dumps({OTHER.name: 123.0}), "utf-8")
    arguments = ["--jobs", "1", "--keep", "open_backlog", "--start", str(start)]
    arguments += ["--store", str(store)]
    assert main(arguments) == 0
    assert began[0] == {**present_values(MOVED), OTHER.name: 123.0}
    assert json.loads(store.read_text("utf-8"))[KNOB.name] == 77_000
    said = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in said] == ["2.0000 start", f"1.0000 {KNOB.name} 7.7e+04"]
