"""Every published table again: each row is a case, with the bounds declared beside the table.

Bounds were made from these very rows: that they are kept says that nothing has got worse, not that
predictions are good. All runs are emulated once, for as long as bounds hold from, by whichever test
process comes first; the others wait for it. It is the compiled package that emulates them, if there
is a compiler: that it does the same as the source has a test of its own.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from isfc.link.parameters import LinkParameters
from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.decisions import check_decisions, declared
from scenarios.published.replay import ComparedFigure, Part, choose, compare_all, runs_of
from scenarios.published.table import Bound, Role
from scenarios.published.verdict import check_bounds, check_changes, judge
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import Recording, run
from scenarios.search.workers import shared_out
from tests.lengthy import made_once
from tools.calibration.judge import SEEDS_OF_LENGTH

pytestmark = [pytest.mark.slow, pytest.mark.at_length]

LOADED = {name: load_table(name) for name in TABLES}

Comparisons = Mapping[str, Sequence[ComparedFigure]]


@pytest.fixture(scope="session")
def comparisons(tmp_path_factory: pytest.TempPathFactory, compiled: Path | None) -> Comparisons:
    """Each published figure beside ours, by table."""
    store = made_once(
        tmp_path_factory,
        "published.json",
        lambda path: path.write_bytes(msgspec.json.encode(replay(compiled))),
    )
    found = msgspec.json.decode(store.read_bytes(), type=list[ComparedFigure])
    return {name: [c for c in found if c.table == name] for name in TABLES}


def replay(compiled: Path | None) -> list[ComparedFigure]:
    parts = choose(list(LOADED.values()), {}, min(SEEDS_OF_LENGTH))
    experiments = runs_of(parts)
    found = emulate(experiments, compiled)
    return compare_all(parts, {run: [found[index]] for index, run in enumerate(experiments)})


def emulate(experiments: Sequence[Experiment], compiled: Path | None) -> dict[int, Recording]:
    with pytest.MonkeyPatch.context() as patch:
        if compiled is not None:
            patch.syspath_prepend(compiled)  # of the processes that emulate: ours has isfc already
        found = dict(shared_out(run, experiments, os.cpu_count() or 1))
    return {index: outcome.link() for index, outcome in found.items()}


def keys(role: Role) -> list[tuple[str, str]]:
    """Table and key of the rows that have a bound of their own for something."""
    return [
        (table.name, row.key)
        for table in LOADED.values()
        for row in table.rows
        if row.role is role and any(table.tolerance(row, measure) for measure in table.measures)
    ]


def bounds() -> list[tuple[str, Bound]]:
    return [(table.name, bound) for table in LOADED.values() for bound in table.bounds]


def fail_outside_bounds(key: str, found: Sequence[ComparedFigure]) -> None:
    declared = [c for c in found if c.key == key and c.within is not None]
    assert declared
    assert [c for c in declared if not c.within] == []


@pytest.mark.parametrize(("name", "key"), keys(Role.ACCEPTANCE))
def test_row_outside_the_fit_keeps_its_bounds(
    name: str, key: str, comparisons: Comparisons
) -> None:
    fail_outside_bounds(key, comparisons[name])


@pytest.mark.parametrize(("name", "key"), keys(Role.CALIBRATION))
def test_row_of_the_fit_keeps_its_bounds(name: str, key: str, comparisons: Comparisons) -> None:
    fail_outside_bounds(key, comparisons[name])


@pytest.mark.parametrize(("name", "bound"), bounds(), ids=str)
def test_bound_of_a_group(name: str, bound: Bound, comparisons: Comparisons) -> None:
    checks = check_bounds(LOADED[name], comparisons[name])
    (check,) = (check for check in checks if check.bound == bound)
    assert check.within, check


@pytest.mark.parametrize("name", [name for name in TABLES if LOADED[name].changes])
def test_changes_from_one_release_to_the_next_go_the_right_way(
    name: str, comparisons: Comparisons
) -> None:
    checks = check_changes(LOADED[name], comparisons[name])
    assert checks
    assert [check for check in checks if not check.within] == []


def test_decisions_keep_their_bounds(comparisons: Comparisons) -> None:
    found = [comparison for of_table in comparisons.values() for comparison in of_table]
    made = check_decisions([*LOADED.values()], found)
    assert len(made) == len(declared())
    assert [one for one in made if not one.within] == []


@pytest.mark.parametrize("name", TABLES)
def test_every_figure_of_a_table_is_compared(name: str, comparisons: Comparisons) -> None:
    table = LOADED[name]
    published = [(r.key, m) for r in table.rows for m in table.measures if r.has_number(m)]
    assert [(c.key, c.measure) for c in comparisons[name]] == published


@pytest.mark.parametrize(
    ("constant", "factor"),
    [
        ("build_package_ns", 1.5),
        pytest.param("receive_ns_per_byte", 2.0, marks=pytest.mark.exhaustive),
        pytest.param("recovery_ns", 3.0, marks=pytest.mark.exhaustive),
    ],
)
def test_model_that_gets_worse_leaves_a_bound(
    constant: str, factor: float, compiled: Path | None
) -> None:
    """Bounds have room for a seed and a length, not for another model."""
    part = Part(LOADED["transport"], LOADED["transport"].rows[::9], 1.0)
    experiments = part.experiments()
    worse = [replace(run, link=moved(run.link, constant, factor)) for run in experiments]
    found = emulate(worse, compiled)
    (verdict,) = judge([part], {run: [found[index]] for index, run in enumerate(experiments)})
    assert not verdict.within


def moved(link: LinkParameters, constant: str, factor: float) -> LinkParameters:
    """One constant times a factor, of its own type."""
    value = getattr(link, constant)
    change: dict[str, Any] = {constant: type(value)(value * factor)}
    return replace(link, **change)
