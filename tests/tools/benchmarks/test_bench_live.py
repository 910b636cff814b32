"""Contenders run in turn and measure what they say, and the goals are judged by their ratios."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.benchmarks import bench_live, contenders, others, resident
from tools.benchmarks.contenders import Contender, ContenderError, Run, Work


def _run(rate: float, cpu_us: float = 1.0, p50_us: float = 1.0, p99_us: float = 1.0) -> Run:
    return Run(1_000, 1_000 / rate, cpu_us / 1e3, p50_us, p99_us)


TIMINGS = {
    "packages": {
        "isfc": [_run(500, 250), _run(9, 9_000), _run(900, 9)],
        "pyzmq": [_run(500)],
        "C": [_run(1_000, 100)],
    },
    "messages": {"isfc": [_run(300)], "pyzmq": [_run(200)]},
    "pingpong": {"isfc": [_run(1, p50_us=80, p99_us=80)], "echo": [_run(1, p50_us=10, p99_us=10)]},
}
"""Every ratio of medians is just what is asked."""


def test_goals_that_are_just_met() -> None:
    checks = bench_live.judge(TIMINGS)
    assert [check.value for check in checks] == pytest.approx([0.5, 2.5, 1.0, 1.5, 8.0, 8.0])
    assert [check.limit for check in checks] == [0.5, 2.5, 1.0, 1.5, 8.0, 8.0]
    assert [check.at_least for check in checks] == [True, False, True, True, False, False]


def test_conversations_are_judged_beside_c_where_they_were_run() -> None:
    packages = {**TIMINGS["packages"], "API": [_run(499)]}
    checks = bench_live.judge({**TIMINGS, "packages": packages})
    (check,) = [check for check in checks if "API" in check.name]
    assert check.value == pytest.approx(0.499)
    assert (check.limit, check.passed) == (0.5, False)


def test_without_a_compiler_nothing_is_judged_beside_c() -> None:
    packages = {name: runs for name, runs in TIMINGS["packages"].items() if name != "C"}
    checks = bench_live.judge({**TIMINGS, "packages": packages})
    assert len(checks) == 4
    assert not any("/ C" in check.name for check in checks)


@pytest.mark.parametrize(("rate", "status"), [(300, 0), (299, 1)])
def test_a_missed_goal_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rate: float, status: int
) -> None:
    timings = {**TIMINGS, "messages": {"isfc": [_run(rate)], "pyzmq": [_run(200)]}}
    monkeypatch.setattr(bench_live, "time_in_turn", lambda _, work, __: timings[work.case])
    assert bench_live.main(["--json"]) == status
    figures = json.loads(capsys.readouterr().out)
    assert figures["timings"]["messages"]["isfc"][0]["count"] == 1_000
    assert [check["passed"] for check in figures["checks"]].count(False) == status


def test_table_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_live, "time_in_turn", lambda _, work, __: TIMINGS[work.case])
    bench_live.main([])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[3].split() == ["isfc", "395", "7", "710", "250", "9", "9,000"]


def test_contenders_run_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []

    def run(self: Contender, _: Work) -> Run:
        log.append(self.name)
        return _run(len(log))

    monkeypatch.setattr(Contender, "run", run)
    pair = [Contender("A", ()), Contender("B", ())]
    runs = bench_live.time_in_turn(pair, Work("packages", 0, 1), repetitions=2)
    assert log == ["A", "B", "A", "B"]
    assert [run.rate for run in runs["B"]] == [2, 4]


@pytest.mark.slow
@pytest.mark.parametrize(
    "work", [Work("packages", 8, 32), Work("messages", 200, 800), Work("pingpong", 10, 50)]
)
def test_every_contender_measures_itself(work: Work) -> None:
    for contender in bench_live.contenders_of(work.case):
        run = contender.run(work)
        assert run.count == work.count
        assert run.wall_s > 0
        assert run.cpu_s > 0
        assert (run.p99_us >= run.p50_us > 0) is (work.case == "pingpong")


def _python(script: str) -> Contender:
    return Contender("script", (sys.executable, "-c", script))


def test_a_run_adds_up_its_two_processes() -> None:
    script = (
        "import sys; far = sys.argv[1] == 'far';"
        'print(\'{"wall_ns": %d, "cpu_ns": 500000}\' % (4000000 if far else 2000000))'
    )
    run = _python(script).run(Work("packages", 1, 4))  # the receiver's time is the far one's
    assert (run.rate, run.cpu_us) == pytest.approx((1_000, 250))
    run = _python(script).run(Work("messages", 1, 4))
    assert run.rate == pytest.approx(2_000)


def test_a_contender_that_fails_says_why_and_leaves_nothing() -> None:
    script = "import sys, time; sys.exit('no socket') if sys.argv[1] == 'near' else time.sleep(60)"
    with pytest.raises(ContenderError, match="script failed:\nno socket"):
        _python(script).run(Work("packages", 1, 1))


def test_a_contender_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders, "RUN_S_MAX", 0.05)
    with pytest.raises(ContenderError, match="did not end"):
        _python("import time; time.sleep(60)").run(Work("packages", 1, 1))


@pytest.mark.parametrize(
    ("taken", "growth"), [([9, 10, 10, 10, 10], 1.0), ([9, 10, 10, 10, 12], 1.2)]
)
def test_growth_leaves_out_the_beginning(taken: Sequence[float], growth: float) -> None:
    assert resident.growth_of(taken) == pytest.approx(growth)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc tells the memory")
def test_memory_is_sampled_of_both_processes() -> None:
    samples = resident.sample_memory(_python("import time; time.sleep(60)"), seconds=0.2)
    assert len(samples["near"]) == len(samples["far"]) >= 5
    assert all(1 < mb < 50 for mb in (*samples["near"], *samples["far"]))


def test_a_node_that_ends_while_its_memory_is_watched_is_an_error() -> None:
    with pytest.raises(ContenderError, match="a node has ended, status 0"):
        resident.sample_memory(_python(""), seconds=5.0)


@pytest.mark.skipif(not others.STAT.exists(), reason="the system tells who is busy")
def test_only_the_time_of_others_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    busy_s, own_s, now_s = [100.0, 107.0], [10.0, 13.0], [50.0, 52.0]
    monkeypatch.setattr(others, "_busy_s", lambda: busy_s.pop(0))
    monkeypatch.setattr(others, "_own_s", lambda: own_s.pop(0))
    clock = SimpleNamespace(monotonic=lambda: now_s.pop(0))
    monkeypatch.setattr("tools.benchmarks.others.time", clock)
    assert others.Others().processors() == pytest.approx(2.0)


def test_others_are_mentioned_when_they_matter() -> None:
    assert others.describe_others(0.05) == ""
    assert others.describe_others(1.25).startswith("Others took 1.2 of ")
    assert len(others.describe_others(1.25)) <= 80
