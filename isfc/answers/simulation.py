"""A run from Python: a layout, a workload and pairs of guests in, a `Simulation` out.

What ``isfc run`` does for people, `simulate` does for programs; the figures are the same. And what
the page of ``isfc studio`` lays beside that: what each node can send, whether a change is better.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from msgspec import Struct, structs

from isfc.answers.link_run import LinkRun, link_run
from isfc.answers.links_run import LinksRun, links_run
from isfc.answers.running import check_traced
from isfc.errors.arguments import checked
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.site import GivenSite
from isfc.link.name import NodeName
from isfc.link.parameters import LinkRules
from isfc.reports.figure import Figure, NoRange, Note, Reported, Unit
from isfc.reports.report import Column, Lines, Report, report_of
from isfc.reports.units import shown
from scenarios.figures.certainty import FigureKind
from scenarios.figures.changed import AdviceVerdict, ComparedLoad
from scenarios.figures.ranges import figure_of, run_figures
from scenarios.figures.rates import ModelledRate, find_saturated, slower_rates, with_others_busy
from scenarios.runs.at_site import link_at, links_at
from scenarios.runs.experiment import SATURATED, WARMUP, Experiment, Load, in_turn, read_traffic
from scenarios.runs.notes import run_notes, unranged
from scenarios.runs.report import cluster_rows
from scenarios.runs.result import EndSamples, Result, Sample
from scenarios.runs.run import Outcome, Recording, check_interval, run
from scenarios.runs.timeline import Timeline, record_timelines
from scenarios.runs.workload import Workload, find_workload, load_of


class Simulation(Reported, Struct, frozen=True):
    """What both ends of a link saw of one run.

    ``client`` and ``server`` each have ``whole``, the figures of the measured time as one
    `Sample`, and ``parts``, one `Sample` for each interval. A sample's ``result`` has every
    figure (MB are 2^20 bytes, "out" is written by that end) and its ``devices``.
    """

    reported_by = "isfc.answers.simulation.simulation_report"

    recording: Recording
    timeline: Timeline | None = None
    """every I/O, if it was to be kept"""

    @property
    def experiment(self) -> Experiment:
        """What was run: layout, workload, pairs, seconds, warm-up and seed."""
        return self.recording.experiment

    @property
    def client(self) -> EndSamples:
        """What the system of the clients saw."""
        return self.recording.client

    @property
    def server(self) -> EndSamples:
        """What the system of the servers saw."""
        return self.recording.server

    @property
    def result(self) -> Result:
        """The figures of the whole measured time, seen from the clients' system."""
        return self.client.whole.result

    @property
    def mb_per_s(self) -> float:
        """MB/s (2^20) both ways, of the whole measured time."""
        return self.result.mb_per_s

    @property
    def mb_per_s_out(self) -> float:
        """MB/s (2^20) that the clients' system wrote."""
        return self.result.mb_per_s_out

    @property
    def messages_per_s(self) -> float:
        """Messages both ways."""
        return self.result.messages_per_s

    @property
    def rdev_util_percent(self) -> float:
        """Utilisation of its CTCs as the clients' system sees it, summed."""
        return self.result.rdev_util_percent

    @property
    def collisions_per_s(self) -> float:
        """Write collisions that the clients' system saw."""
        return self.result.collisions_per_s

    @property
    def figures(self) -> dict[str, Figure]:
        """What `result` has, by the same names, each with its range or why it has none."""
        found = run_figures(self.experiment, _figures(self.result))
        if OWN_RULES not in self.experiment.layout.notes:
            return found
        why = NoRange.OWN_RULES
        return {name: Figure(each.value, each.unit, no_range=why) for name, each in found.items()}

    @property
    def notes(self) -> tuple[Note, ...]:
        """What belongs to these figures, such as that the model is extrapolated."""
        run = self.experiment
        return run_notes(run.layout, run.workload, run.pairs, self.mb_per_s)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each interval and system, as a data frame takes them.

        ``until_s`` is when the interval ended, in seconds of virtual time with the warm-up.
        """
        return [{"until_s": sample.until, **_figures(sample.result)} for sample in self._samples()]

    def device_rows(self) -> list[dict[str, Any]]:
        """A flat record for each interval, system and RDEV; times in ms for each I/O."""
        return [
            {"until_s": sample.until, "node": sample.result.node, **asdict(device)}
            for sample in self._samples()
            for device in sample.result.devices
        ]

    @property
    def answer(self) -> LinkRun:
        """The record of the run as the clients' system saw it: that of ``isfc run --json``."""
        found = link_run(self.experiment, [self.result])
        return replace(found, figures=self.figures) if OWN_RULES in found.notes else found

    def _samples(self) -> Iterator[Sample]:
        """The intervals in the order of time, the clients' system first."""
        for pair in zip(self.client.parts, self.server.parts, strict=True):
            yield from pair


OWN_RULES: Final = unranged("rules of one's own")


class SimulatedLinks(Reported, Struct, frozen=True):
    """What several links carried in one run, beside each other. MB are 2^20 bytes."""

    reported_by = "isfc.answers.simulation.simulated_links_report"

    outcome: Outcome

    @property
    def mb_per_s(self) -> float:
        """MB/s of all links, both ways."""
        return self.outcome.mb_per_s

    @property
    def links(self) -> dict[str, Simulation]:
        """What both ends of each link saw, by its name."""
        return {each.experiment.layout.name: Simulation(each) for each in self.outcome.links}

    @property
    def answer(self) -> LinksRun:
        """The record of the run: that of ``isfc run --json`` of several links."""
        return links_run(self.outcome.experiment, cluster_rows([self.outcome]))

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each link, system, shared channel and path, and for all.

        A data frame takes them; MB/s have the ends of their ranges.
        """
        return self.answer.rows()


def simulation_report(found: Simulation) -> Report:
    """The page of ``isfc run``, and its course."""
    return structs.replace(report_of(found.answer), charts=[over_time(found.client.parts)])


def over_time(parts: Sequence[Sample]) -> Lines:
    """MB/s of each interval of a run, either way, and collisions."""
    rows = [
        {"until": part.until, "way": way, "mb_per_s": rate, "collisions": collisions}
        for part in parts
        for seen in [part.result]
        for way, rate, collisions in (
            ("sent", seen.mb_per_s_out, seen.collisions_per_s),
            ("received", seen.mb_per_s_in, None),
        )
    ]
    return Lines(
        caption="The run by intervals",
        rows=rows,
        across=Column("s of virtual time", "until", Unit.SECONDS),
        up=[Column("MB/s", "mb_per_s", Unit.MB_PER_S), _COLLISIONS],
        of=Column("", "way"),
    )


_COLLISIONS: Final = Column("collisions/s", "collisions", Unit.PER_S)


def run_cells(run: Simulation) -> list[Figure]:
    """MB/s out and in, messages a second and RDEV util."""
    experiment, result = run.experiment, run.result
    load = Load(experiment.workload, experiment.pairs)
    of = experiment.layout, load, result.collisions_per_s
    figures = (
        (FigureKind.RATE, result.mb_per_s_out, None),
        (FigureKind.RATE, result.mb_per_s_in, None),
        (FigureKind.RATE, result.messages_per_s, Unit.PER_S),
        (FigureKind.RDEV_UTIL, result.rdev_util_percent, None),
    )
    return [figure_of(kind, value, *of, unit) for kind, value, unit in figures]


def simulated_links_report(found: SimulatedLinks) -> Report:
    """The page of ``isfc run`` of several links."""
    return report_of(found.answer)


@checked
def simulate(
    layout: AnyLayout,
    workload: Workload | str,
    *,
    pairs: int,
    seconds: float = 10.0,
    warmup: float = WARMUP,
    interval: float = 1.0,
    seed: int = 1,
    client: str | None = None,
    progress: Callable[[float], None] | None = None,
    profile: GivenSite = None,
    rules: LinkRules | None = None,
    trace: bool = False,
) -> Simulation:
    """Run a workload over a layout in virtual time, and return what both ends measured.

    ``layout`` is a `Layout`, the name of a shipped one or the path of a file; ``workload`` a
    `Workload` or a name such as ``"HL"`` or ``"CDU:1000"``. Times are seconds of virtual time:
    ``seconds`` are measured after ``warmup``, in parts of ``interval``. ``client`` names the
    system of the clients, the layout's first if it is None. ``progress`` is told now and then how
    many seconds of virtual time have passed, those of the warm-up included. ``profile`` is a
    site's, as `isfc.measured.fit` gives it, or the path of its file. ``rules`` of one's own choose
    CTCs and fill packages in place of ISFC's (docs/testing.md); figures have no ranges then.
    ``trace`` keeps every I/O, as the answer's ``timeline``. The same arguments give the same
    figures, on every machine. Raises `ConfigurationError` for what cannot be run.
    """
    check_interval(interval)
    found = link_at(layout, profile)
    if rules is not None:
        found = replace(found, notes=(*found.notes, OWN_RULES))
    experiment = Experiment.of(
        found,
        find_workload(workload),
        pairs=pairs,
        seconds=seconds,
        warmup=warmup,
        seed=seed,
        client=None if client is None else NodeName(client.upper()),
    )
    check_traced(experiment, trace=trace)
    how: Any = {"interval": interval, "progress": progress, "rules": rules}
    if not trace:
        return Simulation(run(experiment, **how).link())
    (timeline,), outcome = record_timelines(experiment, **how)
    return Simulation(outcome.link(), timeline)


def _figures(result: Result) -> dict[str, Any]:
    """The figures of the link as a whole, without its devices."""
    figures = asdict(result)
    del figures["devices"]
    return figures


@checked
def simulate_links(
    layout: AnyLayout,
    traffic: Sequence[str] = (),
    *,
    seconds: float = 10.0,
    warmup: float = WARMUP,
    interval: float = 1.0,
    seed: int = 1,
    progress: Callable[[float], None] | None = None,
    profile: GivenSite = None,
) -> SimulatedLinks:
    """Run all links of a layout together in virtual time, as ``isfc run --traffic`` does.

    ``traffic`` says what runs over which, as ``"ALPHA-BETA:HL:50"``: clients on the first node; the
    layout's ``[[traffic]]`` if it is empty. The rest is as for `simulate`. Raises
    `ConfigurationError` for what cannot be run.
    """
    check_interval(interval)
    collection = links_at(layout, profile)
    loads = tuple(read_traffic(each, collection) for each in traffic)
    experiment = Experiment(
        collection,
        loads or tuple(map(load_of, collection.traffic)),
        seconds=seconds,
        warmup=warmup,
        seed=seed,
    )
    return SimulatedLinks(run(experiment, interval, progress=progress))


def explained(rate: ModelledRate, collection: Collection) -> ModelledRate:
    """What a node can send, with what limits it; of a link's first, what others make of the link.

    That is of the link, and takes a run of all of them.
    """
    limit = find_saturated((rate.layout, rate.sender, rate.runs[0].mb_per_s))
    if rate.sender != rate.layout.nodes[0]:
        return replace(rate, limit=limit)
    return replace(rate, limit=limit, layout=with_others_busy(collection, rate.layout, in_turn))


def compared(
    before: Sequence[ModelledRate],
    now: Sequence[ModelledRate],
    layouts: tuple[Layout, Layout],
    pairs: int,
) -> list[tuple[str, str]]:
    """How the slower direction changes, saturated and with so many pairs."""
    both = (before, now)
    (was, then), (comes, today) = map(slower_rates, both)
    return [
        _compared(ComparedLoad(was, comes, layouts, SATURATED)),
        _compared(ComparedLoad(then, today, layouts, Load(pairs=pairs))),
    ]


def _compared(load: ComparedLoad) -> tuple[str, str]:
    """How it changes at one load: better, worse or alike, and in words.

    A difference within the spread of both runs is none, nor is one of which the odds leave open who
    is ahead.
    """
    was, comes = load.before, load.changed
    figures = f"{shown(was.mb_per_s, Unit.MB_PER_S)} to {shown(comes.mb_per_s, Unit.MB_PER_S)} MB/s"
    if not comes.differs(was):
        return "alike", f"as much within the spread ({figures})"
    odds = f"({figures}; odds that it is ahead: {load.odds})"
    if load.verdict is AdviceVerdict.ALIKE:
        return "alike", f"as much as far as the odds tell {odds}"
    gained = load.ratio.value - 1
    kind, word = ("better", "more") if gained > 0 else ("worse", "less")
    return kind, f"{shown(abs(gained), Unit.SHARE)} % {word} {odds}"
