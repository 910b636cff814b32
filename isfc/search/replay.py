"""Published tables again, in virtual time, ours beside IBM's: what ``isfc replay`` does."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from isfc.arguments import checked, in_python
from isfc.errors import ConfigurationError
from isfc.layout.in_words import check_between
from isfc.layout.shown import html_table
from isfc.search.workers import check_jobs, each_by
from scenarios.published.companion import ALL_TABLES, load_table
from scenarios.published.replay import SECONDS, Part, choose, runs_of
from scenarios.published.verdict import TableVerdict, judge
from scenarios.runs.experiment import SECONDS_MAX, Experiment
from scenarios.runs.repeat import SEEDS_MAX, repetitions
from scenarios.runs.run import INTERVAL_MIN, Recording, run
from scenarios.runs.saturation import RunEach

Recordings = Mapping[Experiment, Sequence[Recording]]


@dataclass(frozen=True, slots=True, repr=False)
class Replayed:
    """Published rows beside ours; each of ``verdicts`` has a table's ``comparisons`` and checks."""

    verdicts: tuple[TableVerdict, ...]

    @property
    def within(self) -> bool:
        """Whether every figure keeps the tolerance that is declared for it."""
        return all(verdict.within for verdict in self.verdicts)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each figure, as a data frame takes them."""
        return [asdict(each) for verdict in self.verdicts for each in verdict.comparisons]

    def to_dict(self) -> dict[str, Any]:
        """Whether all keep their bounds, and every figure."""
        return {"within": self.within, "figures": self.rows()}

    def __repr__(self) -> str:
        count = sum(len(verdict.comparisons) for verdict in self.verdicts)
        kept = "all bounds kept" if self.within else "out of tolerance"
        tables = ", ".join(verdict.table.name for verdict in self.verdicts)
        return f"<Replayed {tables}: {count} figures, {kept}>"

    def _repr_html_(self) -> str:
        """A row for each table, for a notebook."""
        rows = [
            (each.table.name, len(each.comparisons), "yes" if each.within else "no")
            for each in self.verdicts
        ]
        return html_table("Replayed", ("table", "figures", "within"), rows)


@checked
def replay(
    table: str | None = None,
    *,
    suite: Sequence[str] = (),
    release: Sequence[str] = (),
    reply: Sequence[int] = (),
    rdevs: Sequence[int] = (),
    pairs: Sequence[int] = (),
    seconds: float = SECONDS,
    seeds: int = 1,
    jobs: int = 1,
) -> Replayed:
    """Replay IBM's published measurements, and lay ours beside them, as `isfc replay` does.

    ``table`` is one of its tables, all if it is None; the others choose rows of it. Each run is
    measured for ``seconds`` of virtual time, with so many ``seeds``. ``jobs`` processes share the
    runs. Raises `ConfigurationError` for what was not published.
    """
    check_jobs(jobs)
    check_between("seeds", seeds, 1, SEEDS_MAX)
    check_between("seconds", seconds, INTERVAL_MIN, SECONDS_MAX)
    with in_python():
        tables = [load_table(name) for name in ([table] if table else ALL_TABLES)]
        parts = choose(tables, wanted_rows(suite, release, reply, rdevs, pairs), seconds)
        if not parts:
            raise ConfigurationError("no published run has all of that: ask for less at a time")
        return Replayed(tuple(judge(parts, record_parts(parts, seeds, each_by(jobs)))))


def wanted_rows(
    suite: Sequence[str],
    release: Sequence[str],
    reply: Sequence[int],
    rdevs: Sequence[int],
    pairs: Sequence[int],
) -> dict[str, Sequence[str | int]]:
    """The values wanted of each column; none where any will do."""
    return {
        "suite": [name.upper() for name in suite],
        "release": [f"z/VM {name.removeprefix('z/VM ')}" for name in release],
        "reply_bytes": reply,
        "rdevs": rdevs,
        "pairs": pairs,
    }


def record_parts(
    parts: Sequence[Part], seeds: int, run_each: RunEach, interval: float | None = None
) -> Recordings:
    """Every run that some rows need, once for each seed."""
    experiments = runs_of(parts)
    repeated = [once for experiment in experiments for once in repetitions(experiment, seeds)]
    found = [each.link() for each in run_each(partial(run, interval=interval), repeated)]
    return {
        experiment: found[seeds * index : seeds * (index + 1)]
        for index, experiment in enumerate(experiments)
    }
