"""Replaying a published table: each of its runs again in virtual time, and the difference."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from isfc.errors import ConfigurationError
from scenarios.catalog import load_layout
from scenarios.published import Bound, PublishedRow, PublishedTable, Role, Selection, Value
from scenarios.run import Experiment, Result, run
from scenarios.workload import find_workload

SECONDS: Final = 1.0
"""Virtual seconds measured of each run. IBM measured five minutes; ours is steady by then."""

WARMUP: Final = 0.5
"""Virtual seconds before that."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One published figure beside ours.

    ``error`` is a ratio, (emulated - published) / published, and None where the published
    figure is 0. ``within`` says whether that is tolerated, None if no tolerance is declared.
    """

    table: str
    key: str
    measure: str
    published: float
    emulated: float
    error: float | None
    role: Role
    within: bool | None


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """The sizes of the relative errors of some comparisons, and the worst of them."""

    count: int
    median: float
    p90: float
    worst: Comparison


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """A declared bound, and what it bounds."""

    bound: Bound
    summary: ErrorSummary

    @property
    def within(self) -> bool:
        """Whether both the median and the 90th percentile are small enough."""
        return self.summary.median <= self.bound.median and self.summary.p90 <= self.bound.p90


def choose(table: PublishedTable, wanted: Mapping[str, Sequence[Value]]) -> list[PublishedRow]:
    """The rows with one of the values wanted in each column; an empty list takes any value.

    Raises `ConfigurationError`, naming the option of the column, for a value that is not there.
    """
    selection = {column: values for column, values in wanted.items() if values}
    for column, values in selection.items():
        choices = table.choices(column)
        for value in values:
            if value not in choices:
                raise ConfigurationError(
                    f"--{column} {str(value)[:40]}: not in the table {table.name}; "
                    f"expected one of {', '.join(map(str, choices))}"
                )
    return list(table.select(selection))


def make_experiment(
    table: PublishedTable, row: PublishedRow, seconds: float = SECONDS, warmup: float = WARMUP
) -> Experiment:
    """What to run in order to repeat a published run."""
    return Experiment(
        load_layout(table.layout.format_map(row.columns)),
        find_workload(table.workload.format_map(row.columns)),
        pairs=int(row.number("pairs")),
        seconds=seconds,
        warmup=warmup,
    )


def emulate(experiment: Experiment) -> Result:
    """Run an experiment, seen from the client's node as the published runs are."""
    return run(experiment)


def compare(table: PublishedTable, row: PublishedRow, result: Result) -> Iterator[Comparison]:
    """Each published measure of a run beside ours."""
    for measure in table.measures:
        published, emulated = row.number(measure), float(getattr(result, measure))
        tolerance = table.tolerance(row, measure)
        yield Comparison(
            table=table.name,
            key=row.key,
            measure=measure,
            published=published,
            emulated=emulated,
            error=(emulated - published) / published if published else None,
            role=row.role,
            within=tolerance.admits(published, emulated) if tolerance else None,
        )


def summarise(comparisons: Iterable[Comparison]) -> ErrorSummary | None:
    """The median, the 90th percentile and the worst error; None if no figure has an error."""
    ordered = sorted(
        ((abs(c.error), c) for c in comparisons if c.error is not None), key=lambda pair: pair[0]
    )
    if not ordered:
        return None
    sizes = [size for size, _ in ordered]
    return ErrorSummary(len(sizes), _median(sizes), _percentile(sizes, 90), ordered[-1][1])


def check_bounds(table: PublishedTable, comparisons: Sequence[Comparison]) -> list[BoundCheck]:
    """The bounds of those groups of which every row has been run."""
    checks = []
    for bound in table.bounds:
        group = in_group(table, table.groups[bound.group], bound.measure, comparisons)
        if len(group) == len(table.select(table.groups[bound.group])):
            summary = summarise(group)
            assert summary is not None, "a bounded measure has published figures"
            checks.append(BoundCheck(bound, summary))
    return checks


def in_group(
    table: PublishedTable, group: Selection, measure: str, comparisons: Iterable[Comparison]
) -> list[Comparison]:
    """The comparisons of one measure in one group of rows."""
    keys = {row.key for row in table.select(group)}
    return [c for c in comparisons if c.measure == measure and c.key in keys]


def _median(ordered: Sequence[float]) -> float:
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _percentile(ordered: Sequence[float], percent: int) -> float:
    """The least of the values that ``percent`` % of them do not exceed (nearest rank)."""
    return ordered[-(-len(ordered) * percent // 100) - 1]
