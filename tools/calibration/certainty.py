"""What suites came to that no constant was fitted to, and what ranges and odds are made from.

``make left-out`` writes ``docs/left_out.csv``, row by row, and how the fit was made in each row.
What a search finds is chance in part. So there are several *draws*: searches from other starts,
each of which leaves out every suite in turn. All of them count.

``make docs`` makes ``certainty.csv`` of the errors of every draw and, of what these do not tell, of
those of ``docs/fidelity.csv``. Nothing is run. Each line says which of both it is from. It makes
``scenarios/published/left_out.csv`` as well, which sums the draws up for `isfc replay`.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, combinations
from pathlib import Path
from statistics import fmean
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from isfc.link.message import Traffic
from scenarios.figures.certainty import (
    ALL_LINKS,
    COLUMNS,
    FOUR_OF_FIVE,
    NINETEEN_OF_TWENTY,
    ONE_CTC,
    ROWS_MIN,
    SEVERAL_CTCS,
    Differs,
    Family,
    FigureKind,
    family_of,
    growth,
    octaves_from,
)
from scenarios.published.catalogue import load_table
from scenarios.published.replay import ComparedFigure, make_experiment
from scenarios.published.table import PublishedRow, PublishedTable, Selection
from scenarios.published.verdict import in_group, summarise
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import SUITES
from tools import DOCS, PROJECT
from tools.calibration.judge import load
from tools.tables import csv_text, read_csv

ROWS: Final = DOCS / "left_out.csv"
SUMMARY: Final = PROJECT / "scenarios" / "published" / "left_out.csv"
SUMMARY_COLUMNS: Final = ("suite", "rows", "median", "p90", "worst", "worst_row", "made")
EVERY: Final = "all"
"""In the place of a suite: all of them together."""

ROW_COLUMNS: Final = ("draw", "suite", "key", "measure", "published", "emulated", "made")


class Draw(Struct, frozen=True):
    """The rows of every suite that a draw of searches left out, and how they were made."""

    comparisons: Sequence[ComparedFigure]
    made: str


def load_draws(path: Path = ROWS) -> list[Draw]:
    """Every draw, in order; none if not done yet."""
    table = load_table("transport")
    rows = {row.key: row for row in table.rows}
    draws: dict[str, list[Mapping[str, str]]] = {}
    for line in read_csv(path):
        draws.setdefault(line["draw"], []).append(line)
    return [
        Draw(
            [
                ComparedFigure.of(
                    table, rows[line["key"]], line["measure"], float(line["emulated"])
                )
                for line in draws[draw]
            ],
            "; ".join(dict.fromkeys(line["made"] for line in draws[draw])),
        )
        for draw in sorted(draws, key=int)
    ]


def summed_up(path: Path = ROWS) -> list[tuple[str, ...]]:
    """How well each suite came out, and all together: multi-CTC rows, MB/s."""
    table, lines = load_table("transport"), read_csv(path)
    comparisons = [c for draw in load_draws(path) for c in draw.comparisons]
    found = []
    for suite in (*dict.fromkeys(line["suite"] for line in lines), EVERY):
        group: Selection = table.groups["multi-CTC"]
        if suite != EVERY:
            group = {**group, "suite": [suite]}
        summary = summarise(in_group(table, group, "mb_per_s", comparisons))
        assert summary is not None, "every suite has links of several CTCs"
        sizes = (summary.median, summary.p90, summary.worst)
        made = dict.fromkeys(line["made"] for line in lines if suite in (line["suite"], EVERY))
        figures = (str(summary.count), *(f"{size:.4f}" for size in sizes))
        found.append((suite, *figures, summary.worst_key, "; ".join(made)))
    return found


def store_rows(
    suite: str, comparisons: Iterable[ComparedFigure], made: str, draw: int = 1, path: Path = ROWS
) -> None:
    """Put the rows of one suite, of one draw, in the place of its former ones."""
    place = {"draw": str(draw), "suite": suite}
    former = [line for line in read_csv(path) if not place.items() <= line.items()]
    own = [
        {
            **place,
            "key": c.key,
            "measure": c.measure,
            "published": f"{c.published:g}",
            "emulated": f"{c.emulated:.5g}",
            "made": made,
        }
        for c in comparisons
        if c.key.split("/")[0] == suite
    ]
    lines = sorted([*former, *own], key=lambda line: (int(line["draw"]), line["suite"]))
    path.write_text(csv_text(ROW_COLUMNS, lines), "utf-8")


FOLDER: Final = PROJECT / "scenarios" / "figures"

MEASURES: Final = {
    "mb_per_s": FigureKind.RATE,
    "msgs_per_s": FigureKind.RATE,
    "rdev_util_percent": FigureKind.RDEV_UTIL,
    "cpu_percent_per_msg": FigureKind.CPU,
    "disc_ms": FigureKind.SERVICE,
    "conn_ms": FigureKind.SERVICE,
    "serv_ms": FigureKind.SERVICE,
}
"""The kind of a published measure."""

IN_SAMPLE: Final = "in sample"
"""Constants were fitted to some of these rows, and rules were chosen with all in sight."""

SHARES: Final = (0.5, FOUR_OF_FIVE, 0.9, NINETEEN_OF_TWENTY)
"""Of rows, by which suites are compared with each other; ranges have two of them."""

POWER_MAX: Final = 1.5
"""A family whose suites are so much farther off than the others say takes the wider one's."""


class Miss(Struct, frozen=True):
    """A published figure beside ours, in the family of its run. ``suite`` is empty for APPC/VM."""

    kind: str
    of: str
    family: Family
    suite: str
    key: str
    """Of the published row, or of the two."""
    published: float
    emulated: float
    source: str
    draw: int = 0
    """Of the searches that found the constants."""

    away: float = 0.0
    """Octaves from the suites that the constants were fitted to, in messages and replies."""

    @property
    def factor(self) -> float:
        """How many times the smaller figure the greater is, as it would be near those suites."""
        small, great = sorted((self.published, self.emulated))
        return (great / small) ** (1 / growth(self.away)) if small else math.inf


def figures() -> list[Miss]:
    """Every error of a figure that a range may be made from."""
    known = [c for one in load() if one.verdict.table.is_measured for c in one.verdict.comparisons]
    draws = load_draws()
    source = left_out(draws)
    found = [
        replace(miss, draw=place, away=_away(miss))
        for place, draw in enumerate(draws)
        for miss in _misses(draw.comparisons, source)
    ]
    told = {miss.of for miss in found}
    own = [c for c in known if c.table != "transport" or MEASURES.get(c.measure) not in told]
    return [*found, *_misses(own, IN_SAMPLE, beside=known)]


def _away(miss: Miss) -> float:
    """How far a suite that was left out is from the others, of a rate.

    RDEV util is off as much in the midst of the others, and of suites that were fitted to.
    """
    others = [each for name, each in SUITES.items() if name != miss.suite]
    return sum(octaves_from(SUITES[miss.suite], others)) if miss.of == FigureKind.RATE else 0.0


def left_out(draws: Sequence[Draw]) -> str:
    """What errors of suites left out are of."""
    made = dict.fromkeys(draw.made for draw in draws)
    return f"suites left out: {'; '.join(made)}"


def ratios() -> list[Miss]:
    """Errors of ratios of MB/s."""
    table, draws = load_table("transport"), load_draws()
    source = left_out(draws)
    found = []
    for place, draw in enumerate(draws):
        ours = {c.key: c.emulated for c in draw.comparisons if c.measure == "mb_per_s"}
        for differs in Differs:
            for a, b in combinations(table.rows, 2):
                differing = [name for name in table.key if a.columns[name] != b.columns[name]]
                if differing == [differs.value]:
                    theirs = b.number("mb_per_s") / a.number("mb_per_s")
                    model = ours[b.key] / ours[a.key]
                    suite = str(a.columns["suite"]) if differs is not Differs.WORKLOAD else ""
                    one_ctc = 1 in (a.columns["rdevs"], b.columns["rdevs"])
                    family = Family(ONE_CTC if one_ctc else SEVERAL_CTCS)
                    cell = (family, suite, f"{a.key} {b.key}", theirs, model, source, place)
                    found.append(Miss("ratio", differs, *cell))
    return found


def table_of(misses: Iterable[Miss]) -> list[dict[str, str]]:
    """The lines of ``certainty.csv``: each kind of figure, by family.

    A family whose suites say too little of each other has the factors of the next wider one that
    says enough, or what its own rows take, whichever is more.
    """
    cells = families(misses)
    lines = []
    for (kind, of, family), found in cells.items():
        wider = found
        if not tells(family, found):
            others = ((each, cells.get((kind, of, each), [])) for each in family.wider())
            wider = next(some for each, some in others if some and tells(each, some))
        lines.append(_line(kind, of, family, found, wider))
    return lines


def tells(family: Family, misses: Sequence[Miss]) -> bool:
    """Whether the suites of a family say enough of each other."""
    return family.regime == ALL_LINKS or max(power(misses, s) for s in SHARES) < POWER_MAX


def families(misses: Iterable[Miss]) -> dict[tuple[str, str, Family], list[Miss]]:
    """Errors by kind, what they are of, and family; each stands in every family that holds it."""
    cells: dict[tuple[str, str, Family], list[Miss]] = defaultdict(list)
    for miss in misses:
        for family in miss.family.wider():
            cells[miss.kind, miss.of, family].append(miss)
    return {cell: found for cell, found in cells.items() if rows(found) >= ROWS_MIN}


def rows(misses: Iterable[Miss]) -> int:
    """How many published rows some errors are of, or pairs of rows; each has one of every draw."""
    return len({miss.key for miss in misses})


def _line(
    kind: str, of: str, family: Family, misses: Sequence[Miss], wider: Sequence[Miss]
) -> dict[str, str]:
    own = [miss.factor for miss in misses]
    least = [1.0 if wider is misses else within(own, share) for share in SHARES]
    told = (covering(wider, share) for share in SHARES)
    factors = zip(SHARES, accumulate(map(max, told, least), max), strict=True)
    cells = (
        *(kind, of, family.regime, family.size, family.guests, str(rows(misses))),
        *(f"{f:.4g}" for share, f in factors if share in (FOUR_OF_FIVE, NINETEEN_OF_TWENTY)),
        "; ".join(dict.fromkeys(miss.source for miss in misses)),
    )
    return dict(zip(COLUMNS, cells, strict=True))


def covering(misses: Sequence[Miss], share: float) -> float:
    """The factor that covers such a share of a suite's rows, as far as it is told by the others.

    For each suite it is told by all others, which are off more or less than it. So it is taken to
    a power: that with which the share is covered of all suites, each left out in turn.
    """
    told = math.log(within((miss.factor for miss in misses), share))
    return math.exp(told * power(misses, share))


def power(misses: Sequence[Miss], share: float) -> float:
    """How much farther off a suite is than the others say, on the scale of logarithms."""
    scores = score(misses, share)
    return within(scores, share) if scores else 1.0


def score(misses: Sequence[Miss], share: float) -> list[float]:
    """Of each row the power that its factor is of what the other suites say; none of one suite."""
    found = []
    for suite in {miss.suite for miss in misses}:
        others = [miss.factor for miss in misses if miss.suite != suite]
        if others:
            told = math.log(within(others, share))
            found += [math.log(miss.factor) / told for miss in misses if miss.suite == suite]
    return found


def covered(family: Family, misses: Sequence[Miss], share: float, factor: float) -> float:
    """The share of rows that a factor covers: of suites left out where these tell each other."""
    scores = score(misses, share)
    if scores and tells(family, misses):
        taken = math.log(factor) / math.log(within((miss.factor for miss in misses), share))
        return fmean(one <= taken + 1e-3 for one in scores)
    return fmean(miss.factor <= factor * 1.001 for miss in misses)


def foretold(misses: Sequence[Miss], share: float) -> float | None:
    """The share of rows that is covered by what other suites say in other draws, if these do."""
    covers = [is_covered for _, is_covered in foretelling(misses, share)]
    return fmean(covers) if covers else None


def foretelling(misses: Sequence[Miss], share: float) -> Iterator[tuple[Miss, bool]]:
    """Of each row whether what other suites say in other draws covers it.

    This is a test of how ranges are made: a row is covered by factors that know neither its suite
    nor the search that it is of.
    """
    for suite, draw in {(miss.suite, miss.draw) for miss in misses}:
        told = [m.factor for m in misses if m.suite != suite and m.draw != draw]
        if told:
            factor = within(told, share)
            own = (m for m in misses if (m.suite, m.draw) == (suite, draw))
            yield from ((one, one.factor <= factor) for one in own)


def within(factors: Iterable[float], share: float) -> float:
    """The factor within which a further error would stay in such a share of all cases.

    Of n factors in order, the one at (n + 1) times the share: a new one is as likely to fall
    between any two neighbours.
    """
    ordered = sorted(factors)
    rank = min(len(ordered), math.ceil((len(ordered) + 1) * share))
    return ordered[rank - 1]


def _misses(
    comparisons: Sequence[ComparedFigure], source: str, beside: Sequence[ComparedFigure] = ()
) -> Iterator[Miss]:
    """The errors of some comparisons; how much a run collides may be told ``beside`` them."""
    collisions = {
        (c.table, c.key): c.emulated
        for c in (*comparisons, *beside)
        if c.measure == "collisions_per_s"
    }
    for c in comparisons:
        kind = MEASURES.get(c.measure)
        table, rows = _table(c.table)
        row = rows[c.key]
        if kind and c.published and c.emulated and _counts(table, row, kind):
            family = _family(c.table, c.key, collisions.get((c.table, c.key), 0.0))
            suite = str(row.columns.get("suite", ""))
            yield Miss("figure", kind, family, suite, c.key, c.published, c.emulated, source)


@cache
def _table(name: str) -> tuple[PublishedTable, Mapping[str, PublishedRow]]:
    table = load_table(name)
    return table, {row.key: row for row in table.rows}


def _counts(table: PublishedTable, row: PublishedRow, kind: FigureKind) -> bool:
    """Service times count of devices that mostly write; of the others IBM's are a tenth or two."""
    return kind is not FigureKind.SERVICE or row.is_in(table.groups["writing devices"])


@cache
def _experiment(table: str, key: str) -> Experiment:
    known, rows = _table(table)
    return make_experiment(known, rows[key])


def _family(table: str, key: str, collisions_per_s: float) -> Family:
    experiment = _experiment(table, key)
    workload = experiment.workload
    return family_of(
        len(experiment.layout.ctcs),
        workload.mean_length,
        experiment.pairs,
        collisions_per_s,
        appc=workload.traffic is Traffic.LEGACY,
    )


def files() -> dict[Path, str]:
    """The file, made of the errors that are stored, and what sums up the suites left out."""
    lines = table_of([*figures(), *ratios()])
    return {
        SUMMARY: csv_text(SUMMARY_COLUMNS, summed_up()),
        FOLDER / "certainty.csv": csv_text(COLUMNS, lines),
    }
