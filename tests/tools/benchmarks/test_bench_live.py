"""Contenders measure themselves, and programs are run by every route."""

import pytest

from tests.lengthy import few_in_every_run
from tools.benchmarks import bench_live, forwarded, tcp_services
from tools.benchmarks.contenders import ContenderWork


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
