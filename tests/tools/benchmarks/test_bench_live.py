"""Contenders measure what they say, and the goals are judged by their ratios."""

import sys
from pathlib import Path

import pytest

from tests.lengthy import few_in_every_run
from tools.benchmarks import bench_live, forwarded, live_beside, resident, tcp_services
from tools.benchmarks.contenders import (
    ContenderCommand,
    ContenderError,
    ContenderRun,
    ContenderWork,
)
from tools.benchmarks.live_beside import Beside


@pytest.mark.parametrize(
    "work",
    few_in_every_run(
        [
            ContenderWork("pingpong", 10, 50),
            ContenderWork("packages", 8, 32),
            ContenderWork("large", 20, 200),
            ContenderWork("blocks", 20, 500),
            ContenderWork("small", 100, 4_000),
            ContenderWork("messages", 200, 800),
        ]
    ),
)
def test_every_contender_measures_itself(work: ContenderWork) -> None:
    for contender in bench_live.contenders_of(work.case):
        run = contender.run(work)
        assert run.count == work.count
        assert run.wall_s > 0
        assert run.cpu_s > 0
        assert (run.p99_us >= run.p50_us > 0) is (work.case == "pingpong")


def _python(script: str) -> ContenderCommand:
    return ContenderCommand("script", (sys.executable, "-c", script))


def test_a_run_adds_up_its_two_processes() -> None:
    script = (
        "import sys; far = sys.argv[1] == 'far';"
        'print(\'{"wall_ns": %d, "cpu_ns": 500000}\' % (4000000 if far else 2000000))'
    )
    run = _python(script).run(
        ContenderWork("packages", 1, 4)
    )  # the receiver's time is the far one's
    assert (run.rate, run.cpu_us) == pytest.approx((1_000, 250))
    run = _python(script).run(ContenderWork("messages", 1, 4))
    assert run.rate == pytest.approx(2_000)


def test_a_contender_that_fails_says_why_and_leaves_nothing() -> None:
    script = "import sys, time; sys.exit('no socket') if sys.argv[1] == 'near' else time.sleep(60)"
    with pytest.raises(ContenderError, match="script failed:\nno socket"):
        _python(script).run(ContenderWork("packages", 1, 1))


def test_goals_are_judged_by_the_medians_of_those_that_were_run() -> None:
    def runs(*rates: float) -> list[ContenderRun]:
        return [ContenderRun(1_000, 1_000 / rate, 1e-3, 1.0, 1.0) for rate in rates]

    timings = {
        goal.case: {"isfc": runs(550, 9, 900), "pyzmq": runs(1_100)} for goal in bench_live.GOALS
    }
    found = {
        check.name: (round(check.value, 3), check.passed) for check in bench_live.judge(timings)
    }
    assert found["packages: MB/s, isfc / pyzmq"] == (0.5, False)
    assert not any("/ C" in name or "API" in name for name in found)


def test_forwarded_programs_are_judged_by_other_ways() -> None:
    figures: dict[str, dict[str, list[float]]] = {
        "curl": {"direct": [100.0, 1.0, 900.0], "isfc": [27.0], "TCP": [40.0], "TLS": [1, 16, 30]},
        "64 bytes and back": {"direct": [10.0], "isfc": [190.5]},
        "redis, 1 client": {"direct": [90.0], "haproxy2": [30.0], "isfc": [18.0]},
    }
    judged = forwarded.judge_forwarded(figures)
    assert {
        each.name.partition(": ")[2]: (round(each.value, 2), each.passed) for each in judged
    } == {
        "curl, isfc / direct": (0.27, True),
        "curl, TLS / TCP": (0.4, True),
        "64 bytes and back, isfc / direct": (19.05, False),
        "redis, 1 client, isfc / direct": (0.2, True),
        "redis, 1 client, isfc / haproxy2": (0.6, True),
    }


def test_round_trips_beside_transfers_are_judged_by_those_alone() -> None:
    limits = live_beside.LIMITS
    assert limits.keys() == live_beside.TRANSFERS.keys()
    runs = {
        name: [Beside(100, 200, int(100 * limits[name]), 1_600, 20.0, 100.0)] for name in limits
    }
    assert all(check.passed for check in live_beside.judge(runs))
    late = {name: [Beside(100, 200, 1_601, 1_602, 19.0, 100.0)] for name in runs}
    assert not any(check.passed for check in live_beside.judge(late))


@pytest.mark.exhaustive  # on a busy machine a tenth of a second has no round trip
def test_round_trips_are_measured_beside_transfers(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("one receiver", "another link: 1", "one forwarded")
    few = {name: live_beside.TRANSFERS[name] for name in names}
    monkeypatch.setattr(live_beside, "TRANSFERS", few)
    runs, checks = live_beside.measure_beside(1, 0.1, lambda _: None)
    assert len(checks) == 3 * len(runs)
    assert all(run.bytes_per_s > 0 for taken in runs.values() for run in taken)


@pytest.mark.exhaustive
def test_programs_run_by_every_route_and_those_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = tcp_services.find_program
    missing = ("redis-server", "initdb")
    for module in (forwarded, tcp_services):
        monkeypatch.setattr(
            module, "find_program", lambda name: None if name in missing else find(name)
        )
    said: list[str] = []
    figures, checks = forwarded.measure_forwarded(1, 1.0, said.append)  # less moves none if busy
    assert {"direct", "isfc"} <= set(figures["64 bytes and back"])
    assert all(figure > 0 for routes in figures.values() for (figure,) in routes.values())
    has_proxy = find(forwarded.PROXY) is not None
    measured = [load for load in forwarded.LOADS if load.name in figures]
    of_hops = [load for load in measured if load.hops_limit] if has_proxy else []
    with_tls = [load for load in forwarded.LOADS if load.tls_limit and find("openssl")]
    of_tls = [load for load in with_tls if load in measured]
    assert of_tls == [load for load in with_tls if find(load.program)]
    assert all({"TCP", "TLS"} <= set(figures[load.name]) for load in of_tls)
    assert len(checks) == len(figures) + len(of_hops) + len(of_tls)
    (remark,) = [line for line in said if "redis, 1 client" in line]
    assert remark.split() == "redis, 1 client is not measured: redis-benchmark is missing".split()


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc tells the memory")
def test_memory_is_sampled_while_connections_are_forwarded_and_judged_at_its_peak() -> None:
    samples = resident.sample_forwarded(seconds=2.0)
    assert len(samples["near"]) == len(samples["far"]) >= 10
    assert max(samples["near"]) > samples["near"][0] + 5  # data of many connections wait
    near, far = resident.judge_forwarded({"near": [1, 200, 3], "far": [201, 1]})
    assert (near.passed, far.passed) == (True, False)
