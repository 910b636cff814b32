"""What ``--report`` shows: the views of IBM's report, column by column as it has them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, Self

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from isfc.answers.link_run import SERVICE, described, figures_of_run, measured_notes
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, spelt
from isfc.errors.in_words import check_known
from isfc.layout.checked_toml import within
from isfc.link.message import Traffic
from isfc.reports.figure import Figure, Note, Reported
from isfc.reports.measures import run_words
from isfc.reports.report import Column, Report, Table
from isfc.reports.units import factor_line, range_note
from scenarios.runs import report
from scenarios.runs.experiment import SECONDS_MAX, Experiment
from scenarios.runs.operation import ConsoleEntry
from scenarios.runs.report import MeasuredRun, Row, check_traffic
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import SUITES

INTERVAL = 1.0
"""Seconds of virtual time in a row of the link view, if not given."""

DOTS = "..."

DEVICE_HEAD = """\
<- Device Pa- <-Rate/s-> <------- Time (msec) -------> Req. <Percent>
Addr Type ths   I/O Avoid Pend Disc Conn Serv Resp CUWt Qued  Busy READ"""

DEVICE_LEGEND = """\
Dots stand where no I/O was done, and for what has no meaning here: Avoid, CUWt,
READ. Resp is Serv and nothing is Qued: what waits for a CTC waits in the link."""

LINK_HEAD = """\
                    <--------- Written ---------> <----------- Read ---------->
 Time TXPENDCT  WCol    MB   Msg   Pkg  Bytes  Msg    MB   Msg   Pkg  Bytes  Msg
    s           /sec  /sec  /sec  /sec   /Pkg /Pkg  /sec  /sec  /sec   /Pkg /Pkg"""

SUITE_HEAD = """\
      <----- Bytes ----->     Bytes                             %CPU   RDEV
Suite    Min    Max   %  Reply RDEVs Pairs Run      MB/sec    /msg   util Coll/s"""

APPC_HEAD = """\
  Reply                                               %CPU   RDEV
  bytes RDEVs Pairs Run                   Msgs/s      /msg   util"""


class Viewed(Struct, frozen=True):
    """What a view shows of a run."""

    of: str
    """the run, where it was measured, workload, pairs and CTCs"""
    rows: tuple[Row, ...]
    """with the columns of its CSV"""


def device_page(runs: Sequence[Viewed]) -> str:
    """Performance Toolkit's FCX108 DEVICE: a table for each run."""
    tables = (device_table(f"FCX108 DEVICE, {run.of}", run.rows) for run in runs)
    return "\n\n".join([*tables, DEVICE_LEGEND])


def device_table(title: str, rows: Iterable[Any]) -> str:
    """One table of FCX108 DEVICE."""
    return _table(title, DEVICE_HEAD, map(_device, rows))


def link_page(runs: Sequence[Viewed]) -> str:
    """The link activity of Monitor D9 R4: a table for each run, a line for each interval."""
    return "\n\n".join(
        _table(f"Link activity, {run.of}", LINK_HEAD, map(_link, run.rows)) for run in runs
    )


def suite_page(runs: Sequence[Viewed]) -> str:
    """The table of the ISFC Transport runs: a line for each."""
    lines = (_suite(row) for run in runs for row in run.rows)
    return _table("ISFC Transport", SUITE_HEAD, lines)


def appc_page(runs: Sequence[Viewed]) -> str:
    """The table of the APPC/VM runs: a line for each."""
    lines = (_appc(row) for run in runs for row in run.rows)
    return _table("APPC/VM, replies per second", APPC_HEAD, lines)


class View(StrEnum):
    """The views of IBM's report: what each shows of one run, and its page of all runs.

    A new view is a new member.
    """

    rows: Callable[[MeasuredRun], Iterable[Row]]
    page: Callable[[Sequence[Viewed]], str]
    traffic: Traffic | None
    """The traffic that alone it can show; None if it shows any."""
    sampled: bool
    """Whether a run is shown in intervals; else as a whole."""

    DEVICE = "device", report.device_rows, device_page
    LINK = "link", report.link_rows, link_page, None, True
    SUITE = "suite", report.suite_rows, suite_page, Traffic.TRANSPORT
    APPC = "appc", report.appc_rows, appc_page, Traffic.LEGACY

    def __new__(
        cls,
        name: str,
        rows: Callable[[MeasuredRun], Iterable[Row]],
        page: Callable[[Sequence[Viewed]], str],
        traffic: Traffic | None = None,
        sampled: bool = False,
    ) -> Self:
        """A member: its name on the command line, and its attributes."""
        view = str.__new__(cls, name)
        view._value_ = name
        view.rows, view.page, view.traffic, view.sampled = rows, page, traffic, sampled
        return view

    def of(self, run: MeasuredRun) -> Viewed:
        """What it shows of a run."""
        return Viewed(_describe(run), tuple(self.rows(run)))


Shown = Annotated[
    str | None,
    Argument(
        "|".join(View),
        "Show a view of IBM's report instead: FCX108 DEVICE, link activity, or the table of "
        "ISFC Transport or of APPC/VM runs.",
        complete=lambda incomplete: [each for each in View if each.startswith(incomplete)],
    ),
]
Interval = Annotated[
    float | None,
    Argument(
        "S",
        f"Virtual time in a row of '--report link'; {INTERVAL:g} second if not given.",
        INTERVAL_MIN,
        SECONDS_MAX,
    ),
]


class ViewedRuns(Reported, Struct, frozen=True):
    """A view of IBM's report of all runs, ours alone."""

    reported_by = "isfc.answers.views.view_report"

    view: View
    """`device`, `link`, `suite` or `appc`"""
    title: str
    """what was run, and for how long"""
    runs: tuple[Viewed, ...]
    """of each run `of`, which it is, and `rows`: [their keys](run.md#the-views-of-ibms-report)"""
    ranges: str
    """between what the figures would lie, in words"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""

    @classmethod
    def of(cls, view: View, title: str, runs: Sequence[MeasuredRun], **more: Any) -> Self:
        """That of runs that were measured; ``more`` are further fields."""
        notes = dict.fromkeys(note for each in runs for note in run_notes_of(each))
        seen = tuple(map(view.of, runs))
        return cls(view, title, seen, ranges_line(runs), tuple(notes), **more)

    @property
    def known(self) -> list[str]:
        """Their ranges, and notes: IBM's columns have no place for a mark."""
        return [self.ranges, *dict.fromkeys(note.text for note in self.notes)]

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each row of all runs, as a data frame takes them."""
        return [asdict(row) for run in self.runs for row in run.rows]


class RunView(ViewedRuns, frozen=True):
    """The same of a run of one's own."""

    cp: list[ConsoleEntry] | UnsetType = UNSET
    """with CP commands"""

    @property
    def record(self) -> list[dict[str, Any]]:
        """Its rows, as they are printed for programs."""
        return self.rows()


_DIGITS: Final = "The same with all digits"


def view_report(found: ViewedRuns) -> Report:
    """The view as IBM's report has it, what is known of its figures, and its rows for programs."""
    rows = [each for run in found.runs for each in run.rows]
    columns = [Column(name, name) for name in asdict(rows[0])] if rows else []
    return Report(
        found.title,
        [],
        [Table(_DIGITS, columns, rows, "view", detail=True)],
        found.view.page(found.runs),
        remarks=found.known,
        asked=_DIGITS,
    )


def view_title(experiment: Experiment, runs: Sequence[MeasuredRun], seeds: int | None) -> str:
    """What was run, for how long, and where it was measured."""
    lasts = run_words(experiment.seconds, experiment.warmup, experiment.seed, seeds or 1)
    if len(runs) > 1:
        return f"{len(runs)} logical links, together\n{lasts}"
    one, node = runs[0].experiment, runs[0].samples[0].result.node
    return (
        f"Logical link {' - '.join(one.layout.nodes)}, seen from {node}; clients on "
        f"{one.client_node}\n{described(one.workload)}\n"
        f"{one.pairs} pair{'s' * (one.pairs > 1)}, {lasts}"
    )


def find_view(name: str | None) -> View | None:
    """The view of that name, if one is wanted; `ConfigurationError` if there is none."""
    if name is None:
        return None
    check_known(spelt("report"), name, View)
    return View[name.upper()]


def sample_seconds(view: View | None, interval: float | None, seeds: int | None) -> float | None:
    """Seconds of virtual time in a sample; None if there is to be one of the whole run.

    Raises `ConfigurationError` for what contradicts the view.
    """
    if view is None or not view.sampled:
        if interval is not None:
            raise ConfigurationError(
                f"{spelt('interval')}: expected {spelt('report')} link as well"
            )
        return None
    if seeds is not None:
        raise ConfigurationError(
            f"{spelt('seeds')} and {spelt('report')} {view}: samples have no mean"
        )
    return INTERVAL if interval is None else interval


def check_view(view: View, experiments: Iterable[Experiment]) -> None:
    """Find out before anything is run whether the view can be had of all the experiments.

    Raises `ConfigurationError` for the table of the other kind of traffic.
    """
    for experiment in experiments:
        if view.traffic is not None:
            with within(f"{spelt('report')} {view}"):
                check_traffic(experiment, view.traffic)


_SAID: Final = {
    "mb_per_s": "MB/s together",
    "messages_per_s": "Messages/s together",
    "rdev_util_percent": "RDEV util %",
    "cpu_percent_per_msg": "%CPU/msg",
    SERVICE: "Disc, Conn, Serv",
}
"""What a range is of: bytes and messages are counted both ways."""


def ranges_line(runs: Sequence[MeasuredRun]) -> str:
    """Between what the figures of all runs would lie, each as a factor: the widest of all."""
    found: dict[str, list[Figure]] = {}
    for run in runs:
        for sample in run.samples:
            for name, known in figures_of_run(run.experiment, sample.result).items():
                found.setdefault(name, []).append(known)
    said = "; ".join(f"{_SAID[name]} {factor_line(each)}" for name, each in found.items())
    every = range_note(known for each in found.values() for known in each)
    return f"Range: {said}. {every}" if said else "Range: none, as nothing was carried."


def run_notes_of(run: MeasuredRun) -> tuple[Note, ...]:
    """The notes of a run, by its fastest sample."""
    fastest = max(run.samples, key=lambda sample: sample.result.mb_per_s)
    return measured_notes(run.experiment, fastest.result)


def _table(title: str, head: str, lines: Iterator[str]) -> str:
    return "\n".join([title, head, *lines])


def _describe(run: MeasuredRun) -> str:
    experiment = run.experiment
    ctc_count = len(experiment.layout.ctcs)
    return (
        f"run {run.name} at the {run.side}: {experiment.workload.name}, "
        f"{experiment.pairs} pair{'s' * (experiment.pairs > 1)}, "
        f"{ctc_count} CTC{'s' * (ctc_count > 1)}"
    )


def _device(row: Any) -> str:
    times = (row.pend_ms, row.disc_ms, row.conn_ms, row.serv_ms, row.resp_ms)
    return (
        f"{row.rdev} {report.DEVICE_TYPE} {report.PATHS:>3} {_toolkit(row.io_per_s):>5} {DOTS:>5} "
        f"{' '.join(f'{_toolkit(time):>4}' for time in times)} {DOTS:>4} "
        f"{_toolkit(0):>4} {row.busy_percent:>5.0f} {DOTS:>4}"
    )


def _toolkit(value: float | None) -> str:
    """A figure as Performance Toolkit prints it: three digits, and no 0 before the point."""
    if value is None:
        return DOTS
    return f"{value:.1f}".removeprefix("0") if value < 99.95 else f"{value:.0f}"


def _link(row: Any) -> str:
    return (
        f"{f'{row.timestamp:.6g}':>5} {row.tx_pend_count:>8.0f} "
        f"{_fit(row.write_collisions_per_s, 5)} {_way(row, 'write')} {_way(row, 'read')}"
    )


def _way(row: report.LinkRow, way: str) -> str:
    """One direction of a link."""
    rates = (getattr(row, f"{way}_{what}_per_s") for what in ("mb", "msgs", "pkgs"))
    length, messages = getattr(row, f"{way}_bytes_per_pkg"), getattr(row, f"{way}_msgs_per_pkg")
    return f"{' '.join(_fit(rate, 5) for rate in rates)} {length:>6.0f} {_fit(messages, 4)}"


def _suite(row: Any) -> str:
    name = row.run if len(row.run) <= len("H001709C") else DOTS
    return (
        f"{row.suite if row.suite in SUITES else 'own':<5} {row.min_bytes:>6} {row.max_bytes:>6} "
        f"{_fit(row.percent, 3)} {row.reply_bytes:>6} {row.rdevs:>5} {row.pairs:>5} {name:<8} "
        f"{_fit(row.mb_per_s, 6)} {row.cpu_percent_per_msg:>7.5f} "
        f"{_fit(row.rdev_util_percent, 6)} {_fit(row.collisions_per_s, 6)}"
    )


def _appc(row: Any) -> str:
    return (
        f"{row.reply_bytes:>7} {row.rdevs:>5} {row.pairs:>5} {row.run:<18} "
        f"{row.msgs_per_s:>9.2f} {row.cpu_percent_per_msg:>9.4f} {row.rdev_util_percent:>6.1f}"
    )


def _fit(value: float, width: int) -> str:
    """A figure with one decimal, if that fits; right-aligned."""
    text = f"{value:.1f}"
    return f"{text if len(text) <= width else f'{value:.0f}':>{width}}"
