"""Contenders measure themselves, and programs are run by every route."""

import pytest
from msgspec import structs

from tests.lengthy import few_in_every_run
from tools.benchmarks import bench_live, forwarded, tcp_services
from tools.benchmarks.contenders import CASES
from tools.benchmarks.judged import judge
from tools.benchmarks.live_conversations import Transfers, beside


@pytest.mark.parametrize(
    ("name", "warmup", "count"),
    few_in_every_run(
        [
            ("pingpong", 10, 50),
            ("packages", 8, 32),
            ("large", 20, 200),
            ("blocks", 20, 500),
            ("small", 100, 4_000),
        ]
    ),
)
def test_every_contender_measures_itself(name: str, warmup: int, count: int) -> None:
    case = structs.replace(CASES[name], warmup=warmup, count=count)
    for run in bench_live.contenders_of(case).values():
        found = run()
        assert all(figure > 0 for figure in found.values())
        assert ("p50 us" in found) is (name == "pingpong")


@pytest.mark.exhaustive
def test_a_ping_pong_is_measured_beside_transfers() -> None:
    found = beside(Transfers(senders=1, to="other"), 0.2)
    assert all(figure > 0 for figure in found.values())


@pytest.mark.exhaustive
def test_programs_run_by_every_route_and_those_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find = tcp_services.find_program
    missing = ("redis-server", "initdb")
    for module in (forwarded, tcp_services):
        monkeypatch.setattr(
            module, "find_program", lambda name: None if name in missing else find(name)
        )
    runs = forwarded.measure_forwarded(1, 1.0)  # less moves none if busy
    assert {"direct", "isfc"} <= set(runs["64 bytes and back"])
    figures = [run for routes in runs.values() for taken in routes.values() for run in taken]
    assert all(figure > 0 for run in figures for figure in run.values())
    routes = {"direct", "isfc"}
    routes |= {"haproxy2"} if find(forwarded.PROXY) else set()
    routes |= {"TCP", "TLS"} if find("openssl") else set()
    wanted = [goal for goal in bench_live.GOALS if goal.case in runs and goal.peer in routes]
    assert [*judge(runs, wanted)] == wanted
    said = capsys.readouterr().out
    assert "redis, 1 client is not measured: redis-benchmark is missing\n" in said
