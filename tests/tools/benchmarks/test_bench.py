"""The SimPy model is the same link, and ours grows with nothing but what it carries."""

import gc
import sys
from dataclasses import replace
from statistics import mean

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.run import build, run
from scenarios.runs.workload import find_workload
from tools.benchmarks import bench
from tools.benchmarks.judged import judge
from tools.benchmarks.simpy_run import SimpyResult, simulate


def _both(suite: str, ctcs: int, pairs: int, seconds: float) -> list[tuple[Result, SimpyResult]]:
    """What the two models say, with each of three seeds: one alone varies by 1.5 %."""
    layout = load_layout(f"published-{ctcs}")
    usual = Experiment.of(layout, find_workload(suite), pairs, seconds, warmup=0.1)
    experiments = [replace(usual, seed=seed) for seed in (1, 2, 3)]
    return [(run(experiment).result, simulate(experiment)) for experiment in experiments]


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "ctcs", "pairs"),
    [
        pytest.param("HL", 16, 100, marks=pytest.mark.exhaustive),
        ("HL", 1, 10),  # collides at every exchange
        ("HY", 8, 5),  # every reply is acknowledged; on 4 CTCs its pace varies by the seed
    ],
)
def test_models_agree(suite: str, ctcs: int, pairs: int) -> None:
    both = _both(suite, ctcs, pairs, seconds=0.4)

    def means(name: str) -> tuple[float, float]:
        ours, simpy = zip(*([getattr(one, name) for one in pair] for pair in both), strict=True)
        return mean(ours), mean(simpy)

    ours, simpy = means("mb_per_s")
    assert simpy == pytest.approx(ours, rel=0.02)
    ours, simpy = means("rdev_util_percent")
    assert simpy == pytest.approx(ours, rel=0.04)
    ours, simpy = means("collisions_per_s")
    # the absolute part is for six rare collisions more or less
    assert simpy == pytest.approx(ours, rel=0.04, abs=15)


def _work(experiment: Experiment) -> tuple[int, int, int, float]:
    """Messages carried, events of the engine, the objects at the end, and messages a package."""
    engine, systems = build(experiment)
    engine.run(experiment.end_ns)
    end = systems[0].ends[0].snapshot(engine.now_ns)
    gc.collect()
    message_count = end.write_message_count + end.read_message_count
    packed = end.write_message_count / end.write_package_count
    return message_count, engine.event_count, sys.getallocatedblocks(), packed


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    ("few", "many", "packed"),
    [
        (bench.equal_packages(1, 0.1), bench.equal_packages(16, 0.1), 8),
        (bench.single_messages(1, 0.1), bench.single_messages(100, 0.1), 1),
    ],
    ids=["CTCs", "pairs"],
)
def test_a_message_takes_as_many_events_on_a_larger_link(
    few: Experiment, many: Experiment, packed: int
) -> None:
    events = []
    for each in (few, many):
        message_count, event_count, _, found = _work(each)
        assert found == pytest.approx(packed, rel=bench.PACKAGES_WITHIN)
        events.append(event_count / message_count)
    assert events[1] < bench.SLOWDOWN_MAX * events[0]


def test_a_longer_run_keeps_no_more_objects() -> None:
    _work(bench.published_cell("HL", 0.2))  # what is made only once is there from now on
    fewer, _, shorter, _ = _work(bench.published_cell("HL", 0.2))
    more, _, longer, _ = _work(bench.published_cell("HL", 0.8))
    assert longer - shorter < 0.2 * (more - fewer), "something is kept of every fifth message"


@pytest.mark.at_length
@pytest.mark.slow
def test_memory_is_small_and_flat() -> None:
    judged = judge({"memory": bench.memory(1.0)}, bench.GOALS)
    assert [goal.is_met(reached) for goal, reached in judged.items()] == [True, True]
