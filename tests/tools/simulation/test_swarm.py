"""What a swarm draws, that it finds what is broken, and that it makes it smaller."""

from collections import Counter
from collections.abc import Callable

import pytest

from isfc.link.package import Package
from isfc.link.sequence import Resequencer
from isfc.testing.pair import MS, Setup
from isfc.testing.plan import SendMessages, Wait
from scenarios.faults.fault import Fault, FaultKind
from tools.simulation.cluster_swarm import ClusterScenario, draw_cluster
from tools.simulation.simulate import FailedSeed, attempt, main, why_it_fails
from tools.simulation.swarm import KINDS, Scenario, Survived, draw, run, shrink


def test_many_seeds_draw_everything() -> None:
    scenarios = [draw(seed) for seed in range(300)]
    assert {scenario.setup.ctc_count for scenario in scenarios} == {*range(1, 17)}
    assert {scenario.setup.fibre_count for scenario in scenarios} == {1, 2, 3, 4}
    assert {fault.kind for scenario in scenarios for fault in scenario.faults} == {
        *KINDS,
        FaultKind.THROTTLED,
    }
    names = {name for scenario in scenarios for name in scenario.setup.names}
    assert {len(name) for name in names} == {*range(1, 9)}


def test_crash_severs_what_was_under_way_and_says_so() -> None:
    setup = Setup(ctc_count=2)
    plan = (SendMessages(0, (100_000,) * 10), Wait(3 * MS), SendMessages(1, (500,)), Wait(30 * MS))
    crash = Fault(FaultKind.CRASH, 2 * MS, setup.definition(0).name, 10 * MS)
    survived = run(Scenario(1, setup, plan, (crash,), answers=False))
    assert survived.faults == Counter({"crash": 1})
    assert survived.message_count + survived.severed_count == 11
    assert survived.severed_count > 0


def accept_all(_: Resequencer, package: Package) -> list[object]:
    return list(package.messages)


def test_broken_resequencer_is_found_and_its_scenario_made_small(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Resequencer, "accept", accept_all)
    seed = next(seed for seed in range(200) if why_it_fails(draw(seed)) is not None)
    scenario = draw(seed)
    least = shrink(scenario, lambda each: why_it_fails(each) is not None)
    assert why_it_fails(least) is not None
    assert len(least.plan) + len(least.faults) < len(scenario.plan) + len(scenario.faults)
    monkeypatch.setattr("tools.simulation.simulate.Pool", InProcess)
    assert main(["--seed", str(seed)]) == 1
    printed = capsys.readouterr().out
    assert f"python -m tools.simulation.simulate --seed {seed}" in printed
    assert "a smaller scenario fails in the same way" in printed


def test_summary_counts_what_happened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.simulation.simulate.Pool", InProcess)
    assert main(["--seeds", "5", "--first", "40"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("5 seeds, ")
    assert "messages delivered" in lines[1]
    assert "faults: " in lines[3]
    assert attempt(41) == run(draw(41))


def test_every_tenth_seed_draws_a_cluster_and_tells_of_one_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: ClusterScenario) -> int:
        raise AssertionError("something is lost")

    monkeypatch.setattr("tools.simulation.simulate.Pool", InProcess)
    monkeypatch.setattr("tools.simulation.simulate.run_cluster_scenario", fail)
    assert main(["--seeds", "3", "--first", "39"]) == 1
    printed = capsys.readouterr().out
    assert "seed 40: AssertionError: something is lost" in printed
    assert draw_cluster(40).text in printed


class InProcess:
    """In place of a pool of processes, which know of no patches."""

    def __init__(self, jobs: int | None) -> None:
        self.jobs = jobs

    def __enter__(self) -> "InProcess":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def imap(
        self, work: Callable[[int], Survived | FailedSeed], items: range, chunksize: int
    ) -> list[Survived | FailedSeed]:
        assert chunksize
        return [work(item) for item in items]
