"""Every published run again: each is a case, with the tolerance declared beside the table.

All are emulated once, by whichever test process comes first; the others wait for it.
"""

import fcntl
import os
from collections.abc import Sequence

import msgspec
import pytest

from isfc.cli.render_replay import describe_check, describe_failure
from isfc.cli.workers import share_out
from scenarios.published import PublishedRow, Role, load_table
from scenarios.replay import Comparison, check_bounds, compare, emulate, make_experiment

pytestmark = pytest.mark.slow

TABLE = load_table("transport")


@pytest.fixture(scope="session")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Comparison]:
    """Each published figure beside ours."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all test processes share
    store = folder / "transport.json"
    with (folder / "transport.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not store.exists():
            store.write_bytes(msgspec.json.encode(replay()))
    return msgspec.json.decode(store.read_bytes(), type=list[Comparison])


def replay() -> list[Comparison]:
    experiments = [make_experiment(TABLE, row) for row in TABLE.rows]
    results = dict(share_out(emulate, experiments, os.cpu_count() or 1))
    return [
        comparison
        for index, row in enumerate(TABLE.rows)
        for comparison in compare(TABLE, row, results[index])
    ]


def rows(role: Role) -> list[PublishedRow]:
    return [row for row in TABLE.rows if row.role is role]


def fail_outside_tolerance(row: PublishedRow, comparisons: Sequence[Comparison]) -> None:
    declared = [c for c in comparisons if c.key == row.key and c.within is not None]
    assert "mb_per_s" in {comparison.measure for comparison in declared}
    assert [describe_failure(TABLE, c) for c in declared if not c.within] == []


@pytest.mark.parametrize("row", rows(Role.ACCEPTANCE), ids=lambda row: row.key)
def test_prediction(row: PublishedRow, comparisons: Sequence[Comparison]) -> None:
    fail_outside_tolerance(row, comparisons)


@pytest.mark.parametrize("row", rows(Role.CALIBRATION), ids=lambda row: row.key)
def test_calibration(row: PublishedRow, comparisons: Sequence[Comparison]) -> None:
    """Constants were fitted to these rows: they prove nothing, but must not be lost again."""
    fail_outside_tolerance(row, comparisons)


@pytest.mark.parametrize("index", range(len(TABLE.bounds)))
def test_bound_of_a_group(index: int, comparisons: Sequence[Comparison]) -> None:
    checks = check_bounds(TABLE, comparisons)
    assert len(checks) == len(TABLE.bounds)
    assert checks[index].within, describe_check(checks[index])
