"""Every published table again: each row is a case, with the tolerance declared beside the table.

All runs are emulated once, by whichever test process comes first; the others wait for it.
"""

import fcntl
import os
from collections.abc import Mapping, Sequence

import msgspec
import pytest

from isfc.cli.render.verdict import describe_change, describe_check, describe_failure
from isfc.search.workers import share_out
from scenarios.published.companion import TABLES, load_table
from scenarios.published.replay import Comparison, choose, compare_all, runs_of
from scenarios.published.table import Bound, PublishedTable, Role
from scenarios.published.verdict import check_bounds, check_changes
from scenarios.run import record

pytestmark = pytest.mark.slow

LOADED = {name: load_table(name) for name in TABLES}

Comparisons = Mapping[str, Sequence[Comparison]]


@pytest.fixture(scope="session")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> Comparisons:
    """Each published figure beside ours, by table."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all test processes share
    store = folder / "published.json"
    with (folder / "published.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not store.exists():
            store.write_bytes(msgspec.json.encode(replay()))
    found = msgspec.json.decode(store.read_bytes(), type=list[Comparison])
    return {name: [c for c in found if c.table == name] for name in TABLES}


def replay() -> list[Comparison]:
    parts = choose(list(LOADED.values()), {})
    experiments = runs_of(parts)
    recordings = dict(share_out(record, experiments, os.cpu_count() or 1))
    return compare_all(parts, {run: [recordings[index]] for index, run in enumerate(experiments)})


def keys(role: Role) -> list[tuple[str, str]]:
    """Table and key of the rows that have a tolerance for something."""
    return [
        (table.name, row.key)
        for table in LOADED.values()
        for row in table.rows
        if row.role is role and any(table.tolerance(row, measure) for measure in table.measures)
    ]


def bounds() -> list[tuple[str, Bound]]:
    return [(table.name, bound) for table in LOADED.values() for bound in table.bounds]


def fail_outside_tolerance(table: PublishedTable, key: str, found: Sequence[Comparison]) -> None:
    declared = [c for c in found if c.key == key and c.within is not None]
    assert declared
    assert [describe_failure(table, c) for c in declared if not c.within] == []


@pytest.mark.parametrize(("name", "key"), keys(Role.ACCEPTANCE))
def test_prediction(name: str, key: str, comparisons: Comparisons) -> None:
    fail_outside_tolerance(LOADED[name], key, comparisons[name])


@pytest.mark.parametrize(("name", "key"), keys(Role.CALIBRATION))
def test_calibration(name: str, key: str, comparisons: Comparisons) -> None:
    """Constants were fitted to these rows: they prove nothing, but must not be lost again."""
    fail_outside_tolerance(LOADED[name], key, comparisons[name])


@pytest.mark.parametrize(("name", "bound"), bounds(), ids=str)
def test_bound_of_a_group(name: str, bound: Bound, comparisons: Comparisons) -> None:
    checks = check_bounds(LOADED[name], comparisons[name])
    (check,) = (check for check in checks if check.bound == bound)
    assert check.within, describe_check(check)


@pytest.mark.parametrize("name", [name for name in TABLES if LOADED[name].changes])
def test_changes_from_one_release_to_the_next_go_the_right_way(
    name: str, comparisons: Comparisons
) -> None:
    checks = check_changes(LOADED[name], comparisons[name])
    assert checks
    assert [describe_change(check) for check in checks if not check.within] == []


@pytest.mark.parametrize("name", TABLES)
def test_every_figure_of_a_table_is_compared(name: str, comparisons: Comparisons) -> None:
    table = LOADED[name]
    published = [(r.key, m) for r in table.rows for m in table.measures if r.has_number(m)]
    assert [(c.key, c.measure) for c in comparisons[name]] == published
