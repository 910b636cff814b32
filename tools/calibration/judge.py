"""Judge the model as it stands in the code: every figure at which new rules are taken, beside it.

``python -m tools.calibration.judge`` replays the published tables, with three seeds of 10 s each
unless told otherwise, and prints a line for each figure: what is reached, at what the structure is
taken, and whether that holds within a tenth. ``--stored`` judges ``docs/fidelity.csv`` instead,
without a run. ``--set chpid.turn_ns=0`` judges with another value of a constant. ``--csv FILE``
keeps the replay in the form of ``docs/fidelity.csv``, and ``--from FILE`` judges what was kept.

Relocations come from their own table, and suites left out from the latest search without them.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scenarios.published.companion import load_table
from scenarios.published.decisions import CHOICES, LEVEL, decide, emulated_figures, outliers, regret
from scenarios.published.replay import Comparison, compare
from scenarios.published.table import Deviation, PublishedRow, Selection
from scenarios.published.verdict import in_group, summarise
from tools.calibration.knobs import build_constants
from tools.calibration.left_out import EVERY, summed_up
from tools.calibration.replayed import FIGURES, ReplayedTable, load, replay_all, stored

SEEDS: Final = 3
SECONDS: Final = 10.0
"""What a judgement takes: collisions that happen twice a second are known within a seventh then."""

SLACK: Final = 1.1
"""A figure is reached within a tenth of it."""

COLLIDING_FACTOR: Final = 2.5
QUIET_MOST: Final = 2.0
"""Collisions a second: a colliding row within a factor, a quiet row not above."""

REPLIES: Final = {"H001709C": 236.7, "H001750C": 248.0}
"""Packages of replies a second that IBM's client reads: H001709C as its link activity says, the
other half of the I/Os of the devices that read, as a package takes a SENSE and a READ (derived)."""

READERS: Final = ("6062", "6063")
"""The devices on which the client of H001750C reads."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure: what it is called, what it is, the most that it may be, and in what unit.

    ``slack`` is what it may exceed that by; a count may not. ``at_least`` turns it around. ``at``
    says where it is reached if it is one row's.
    """

    name: str
    reached: float
    limit: float
    at: str = ""
    unit: str = "%"
    slack: float = SLACK
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is good enough to take the structure."""
        if self.at_least:
            return self.reached >= self.limit / self.slack
        return self.reached <= self.limit * self.slack

    def line(self) -> str:
        """As it is printed."""
        limit = f"{self.limit:g}{' or more' if self.at_least else ''}"
        return (
            f"{self.name:44} {self.reached:8.3g} {self.unit:5} "
            f"{limit:>12}  {'yes' if self.holds else 'NO ':3}  {self.at}"
        )


MULTI: Final[Selection] = {"rdevs": [4, 8, 10, 12, 14, 16]}
SINGLE: Final[Selection] = {"rdevs": [1]}

_STATISTICS: Final = ("median", "p90", "worst")
_SHOWN: Final = {"median": "median", "p90": "90 %", "worst": "worst"}


class Replay:
    """The means of a replay, by table, for whoever asks for figures of them."""

    def __init__(self, replays: Sequence[ReplayedTable]) -> None:
        self.tables = {one.name: one.verdict.table for one in replays}
        self.comparisons = [c for one in replays for c in one.verdict.comparisons]
        self.figures = emulated_figures(self.comparisons)

    def errors(
        self,
        table: str,
        group: Selection,
        measure: str,
        limits: Mapping[str, float],
        *,
        name: str,
        keep: Callable[[Comparison], bool] = lambda _: True,
    ) -> Iterator[Judged]:
        """Median, 90 % and worst of relative errors, of those that have a limit."""
        found = [
            c
            for c in in_group(self.tables[table], group, measure, self.comparisons)
            if c.table == table and keep(c)
        ]
        summary = summarise(found, Deviation.RELATIVE)
        assert summary is not None, "a judged measure has published figures"
        for statistic, limit in limits.items():
            at = summary.worst_key if statistic == "worst" else ""
            reached = 100 * getattr(summary, statistic)
            yield Judged(f"{name}: {_SHOWN[statistic]}", reached, limit, at)


def judge(replays: Sequence[ReplayedTable]) -> Iterator[Judged]:
    """Every figure of a replay beside its target."""
    found = Replay(replays)
    yield from _rates(found)
    yield from _collisions(found)
    yield from _devices(found)
    yield from _utilisation_and_cpu(found)
    yield from _choices(found)


def _three(*limits: float) -> dict[str, float]:
    return dict(zip(_STATISTICS, limits, strict=False))


def _rates(found: Replay) -> Iterator[Judged]:
    """Throughput: by far the most of what is asked of the model."""
    several, single = "MB/s, several CTCs", "MB/s, one CTC"
    yield from found.errors("transport", MULTI, "mb_per_s", _three(4.6, 12.6, 24), name=several)
    yield from found.errors(
        *("transport", MULTI, "mb_per_s", _three(4.9, 12.6)),
        name="MB/s, prediction rows",
        keep=lambda comparison: comparison.role == "acceptance",
    )
    one_ctc = {"median": 7.6, "worst": 23.0}
    yield from found.errors("transport", SINGLE, "mb_per_s", one_ctc, name=single)
    for release, limits in (("z/VM 6.2", (8.3, 29.0)), ("z/VM 6.1", (13.0, 35.0))):
        yield from found.errors(
            *("appc_regression", {"release": [release]}, "msgs_per_s", _three(*limits)),
            name=f"APPC/VM, {release}",
        )
    scaling = "APPC/VM, 1 to 16 CTCs"
    yield from found.errors("appc_scaling", {}, "msgs_per_s", _three(12.3, 25), name=scaling)


def _collisions(found: Replay) -> Iterator[Judged]:
    """How many rows collide as IBM's, and how many do where IBM's are quiet."""
    table = found.tables["transport"]
    ours = found.figures["transport", "collisions_per_s"]

    def rows(group: str) -> list[PublishedRow]:
        return list(table.select(table.groups[group]))

    factors = {
        row.key: Deviation.FACTOR.of(row.number("collisions_per_s"), ours[row.key])
        for row in rows("colliding")
    }
    near = sum(factor <= COLLIDING_FACTOR for factor in factors.values())
    worst = max(factors, key=lambda key: factors[key])
    name = f"colliding rows within x {COLLIDING_FACTOR:g}, of {len(factors)}"
    at = f"worst {worst}, x {factors[worst]:.3g}"
    yield Judged(name, near, 9, at, "rows", slack=1.0, at_least=True)
    quiet = {row.key: ours[row.key] for row in rows("quiet")}
    loud = sorted((key for key in quiet if quiet[key] > QUIET_MOST), key=lambda key: -quiet[key])
    name = f"quiet rows above {QUIET_MOST:g}/s, of {len(quiet)}"
    at = ", ".join(f"{key} {quiet[key]:.3g}" for key in loud[:4])
    yield Judged(name, len(loud), 2, at, "rows", slack=1.0)
    noisiest = max(quiet, key=lambda key: quiet[key])
    yield Judged("quiet rows: the worst", quiet[noisiest], 20, noisiest, "/s", slack=1.0)


def _devices(found: Replay) -> Iterator[Judged]:
    """What IBM's device reports show: how long devices are busy, and with what."""
    table = found.tables["device_reports"]
    busy = [c for c in found.comparisons if c.table == table.name and c.measure == "busy_percent"]
    for run in table.choices("run"):
        of_run = [c for c in busy if c.key.startswith(f"{run}/")]
        worst = max(of_run, key=lambda c: abs(c.emulated - c.published))
        off = abs(worst.emulated - worst.published)
        yield Judged(f"busy of devices, {run}: worst", off, 10, worst.key, "pts")
    writers = table.groups["writing devices"]
    for measure, limit in (("disc_ms", 16.0), ("conn_ms", 16.0), ("serv_ms", 8.0)):
        name = f"{measure.removesuffix('_ms').upper()} of writers"
        yield from found.errors(table.name, writers, measure, {"median": limit}, name=name)
    for run, ibm in REPLIES.items():
        ours = _replies(found, run)
        factor, at = Deviation.FACTOR.of(ibm, ours), f"{ours:.0f}/s, IBM {ibm:.0f}"
        yield Judged(f"packages of replies, {run}: factor", factor, 1.85, at, "x")


def _replies(found: Replay, run: str) -> float:
    """Packages of replies that the client reads a second."""
    if run == "H001709C":
        read = found.figures["link_activity", "read_pkgs_per_s"].values()
        return sum(read) / len(read)
    devices = found.figures["device_reports", "io_per_s"]
    return sum(devices[f"{run}/{rdev}"] for rdev in READERS) / 2


def _utilisation_and_cpu(found: Replay) -> Iterator[Judged]:
    util, cpu = "RDEV util, several CTCs", "%CPU/msg, several CTCs"
    limits = _three(9.5, 27, 55)
    yield from found.errors("transport", MULTI, "rdev_util_percent", limits, name=util)
    yield from found.errors("transport", MULTI, "cpu_percent_per_msg", {"p90": 25}, name=cpu)


def _choices(found: Replay) -> Iterator[Judged]:
    """Choices between links, and between numbers of pairs."""
    table = found.tables["transport"]
    layouts = next(c for c in CHOICES if (c.column, c.measure) == ("rdevs", "mb_per_s"))
    made = decide(layouts, table, found.figures["transport", "mb_per_s"])
    reached = (made.median, made.p90, made.worst)
    for statistic, limit, figure in zip(_STATISTICS, (4.0, 15.5, 33.0), reached, strict=True):
        name = f"ratio of two layouts, {made.count} pairs: {_SHOWN[statistic]}"
        yield Judged(name, 100 * figure, limit)
    lost = regret(table, found.figures["transport", "mb_per_s"])
    yield Judged("regret of the model's best link: mean", 100 * lost.mean, 0.9)
    yield Judged("regret: worst", 100 * lost.worst, 5.5, lost.worst_at)
    without = outliers(table)
    lost = regret(table, found.figures["transport", "mb_per_s"], without=without)
    yield Judged(f"regret without {len(without)} outliers: mean", 100 * lost.mean, 0.9)
    yield Judged("regret without outliers: worst", 100 * lost.worst, 5.5, lost.worst_at)
    for choice in CHOICES:
        if choice.measure == "cpu_percent_per_msg" and choice.column == "pairs":
            cpu = decide(choice, table, found.figures["transport", choice.measure])
            right = 100 * cpu.share(LEVEL)
            yield Judged("%CPU/msg over pairs: right direction", right, 94, at_least=True)


def judge_left_out() -> Iterator[Judged]:
    """Suites that nothing was fitted to, as they were searched for last."""
    for row in summed_up():
        if row["suite"] == EVERY:
            for statistic, limit in zip(_STATISTICS, (8.0, 18.0, 35.0), strict=True):
                name = f"suites left out, {row['rows']} rows: {_SHOWN[statistic]}"
                yield Judged(name, 100 * float(row[statistic]), limit, row["made"])


def judge_relocations() -> Iterator[Judged]:
    """The ten writers of a relocation: `isfc replay relocation` has the rest."""
    table = load_table("relocation")
    for row in table.rows:
        if row.columns["metric"] == "ssch_per_s_each_writer":
            for comparison in compare(table, row, []):
                off = 100 * abs(comparison.error or 0)
                at = f"{comparison.emulated:.3g}, IBM {comparison.published:.3g}"
                yield Judged("relocation: SSCH/s of a writer", off, 10, at, slack=1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge as the command line says; return 1 if a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m tools.calibration.judge", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="runs of each row (3)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="virtual time of each (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--set", action="append", default=[], metavar="OWNER.FIELD=VALUE")
    parser.add_argument("--csv", type=Path, help="keep the replay in this file")
    parser.add_argument("--from", type=Path, dest="kept", help="judge what was kept in this file")
    parser.add_argument("--stored", action="store_true", help="judge docs/fidelity.csv")
    options = parser.parse_args(arguments)
    kept = FIGURES if options.stored else options.kept
    try:
        values = dict(_setting(each) for each in options.set)
        constants = build_constants(values) if values else None
    except ValueError as error:
        parser.error(f"--set {error}")
    if kept:
        replays = load(kept)
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            replays = replay_all(options.seeds, options.seconds, pool, constants)
    if options.csv:
        options.csv.write_text(stored(replays), "utf-8")
    found = [*judge(replays), *judge_left_out(), *judge_relocations()]
    print(f"{'figure':44} {'reached':>8} {'':5} {'target':>12}  taken within a tenth")
    for each in found:
        print(each.line())
    missed = [each for each in found if not each.holds]
    print(f"{len(found) - len(missed)} of {len(found)} figures are within a tenth of their targets")
    return 1 if missed else 0


def _setting(text: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    try:
        return name, float(value if sign else "none")
    except ValueError:
        raise ValueError(f"{text}: expected OWNER.FIELD=VALUE, as chpid.turn_ns=0") from None


if __name__ == "__main__":
    sys.exit(main())
