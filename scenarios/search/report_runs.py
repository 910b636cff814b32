"""What ``isfc report`` runs: a layout's throughput, losses and timeline, in virtual time.

What it says of channels and their I/O it estimates: `channel_estimates`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from msgspec import Struct

from isfc.io.charts import Chart, Curve, charts_of, memory_over_paths
from isfc.io.configuration import IoConfiguration
from isfc.io.plan import IoPlan, make_io_plan
from isfc.layout.capacity import end_to_count_on
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.plan import Plan, make_plan
from isfc.layout.sharing import only, others_on
from isfc.link.name import NodeName
from isfc.reports.figure import Figure
from scenarios.figures import changed
from scenarios.figures.cluster_plan import ClusterPlan, cluster_plan
from scenarios.figures.ranges import run_figures
from scenarios.figures.rates import Carried, ModelledRate, carry_all, link_rates, with_others_busy
from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome
from scenarios.moves.guest import KNOWN_GUESTS, GuestPlan
from scenarios.runs.experiment import WARMUP, Experiment, RunEach, stated_load
from scenarios.runs.shared_channel import SharedRun, run_over_load
from scenarios.runs.steady import Rate, SteadyRun, steady_run
from scenarios.runs.timeline import Timeline, record_timelines
from scenarios.runs.workload import Workload

PAIRS: Final = (1, 2, 5, 10, 20, 50, 100)
TIMELINE_PAIRS: Final = 50
TIMELINE_SECONDS: Final = 0.03
RELOCATED: Final = "direct-io"
"""The kind of guest that is moved: the one whose first pass is published and the shortest. The
other one, OLTP, has ten times as many pages, and takes as much longer to be simulated."""


class Point(Struct, frozen=True):
    """What the link did when so many pairs sent from one node, once that was steady."""

    experiment: Experiment
    run: SteadyRun

    @property
    def sender(self) -> NodeName:
        """The node that sent."""
        return self.experiment.client_node

    @property
    def measured(self) -> dict[str, float]:
        """What the charts show, by the names that `Result` has for it."""
        util, collisions = self.run.result.rdev_util_percent, self.run.result.collisions_per_s
        rate = self.rate.mb_per_s
        return {"mb_per_s": rate, "rdev_util_percent": util, "collisions_per_s": collisions}

    @property
    def rate(self) -> Rate:
        """What of the run's rate is to be counted on."""
        return end_to_count_on(self.run.rate, self.experiment.layout, self.sender)

    @property
    def figures(self) -> dict[str, Figure]:
        """Those that are `RANGED`."""
        modelled = {"mb_per_s": self.rate.modelled}
        found = run_figures(self.experiment, self.measured | modelled)
        return found | {name: found[name].of_run(self.rate) for name in modelled}


class DiskRuns(Struct, frozen=True):
    """The link and the disks alone and beside each other, at several loads of the disks."""

    points: tuple[tuple[float, SharedRun], ...]

    @property
    def now(self) -> SharedRun:
        """With the load that the layout says."""
        return dict(self.points)[1.0]

    @property
    def charts(self) -> tuple[Chart, Chart]:
        """Of the link, and of the disks."""
        runs = [run for _, run in self.points]
        rates = (
            Curve("without the disks", tuple(run.alone.mb_per_s for run in runs)),
            Curve("beside the disks", tuple(run.beside.mb_per_s for run in runs)),
        )
        over, percents = "% of the disks' load", tuple(100 * share for share, _ in self.points)
        title = "MB/s of the link over the load of the disks on its chpids"
        link = Chart(title, over, "MB/s (2^20)", percents, rates)
        title = "Response time of the disks, alone and beside the CTCs, over their load"
        return link, Chart(title, over, "us", percents, tuple(self._responses()))

    def _responses(self) -> Iterator[Curve]:
        for place, channel in enumerate(self.now.channels):
            for index, demand in enumerate(channel.disks_alone.demands):
                found = [run.channels[place] for _, run in self.points]
                name = f"{demand.demand.workload.name} on {channel.node} {channel.chpid}"
                alone = [each.disks_alone.demands[index].response_ns / 1e3 for each in found]
                beside = [each.disks_beside.demands[index].response_ns / 1e3 for each in found]
                yield Curve(f"{name}, alone", tuple(alone))
                yield Curve(f"{name}, beside", tuple(beside))


class ChannelEstimates(Struct, frozen=True):
    """All that the page shows of an I/O configuration; ``curves`` by name."""

    name: str
    plan: IoPlan
    curves: dict[str, Chart]


class ClusterRuns(Struct, frozen=True):
    """All that the page shows of a cluster: of many links what they come to, and not each.

    ``lefts`` has what each loss leaves, the whole first; nothing of many links.
    """

    collection: Collection
    plan: ClusterPlan | Carried
    lefts: tuple[changed.AfterLoss, ...] = ()


class LinkRuns(Struct, frozen=True):
    """All that the page shows."""

    name: str
    plan: Plan
    carried: tuple[ModelledRate, ...]
    tried: Mapping[str, Sequence[changed.TriedAdvice]]
    workload: Workload
    points: tuple[Point, ...]
    lefts: tuple[changed.AfterLoss, ...]
    timeline: Timeline
    relocation: Chart
    disks: DiskRuns | None = None
    relocated: tuple[EvacuationOutcome, ...] = ()
    """Guests as IBM measured, each moved alone."""
    mark: str = ""
    """What ends every id, where a page is about several links."""

    @property
    def layout(self) -> Layout:
        """What was run."""
        return self.plan.layout


def link_runs(
    name: str,
    layout: Layout,
    workload: Workload,
    tell: Callable[[str], None],
    run_each: RunEach,
    disks: IoConfiguration | None = None,
    collection: Collection | None = None,
) -> LinkRuns:
    """Run everything; ``tell`` is told what is run next.

    ``run_each`` does runs of which one needs nothing of another; ``disks`` are those on the
    chpids, ``collection`` the file that the link is of.
    """
    neighbours = () if collection is None else collection.beside(layout)
    if collection is not None and others_on(collection, layout):
        tell("beside all that decks have on its chpids")
        layout = with_others_busy(collection, layout, run_each)
    plan = make_plan(layout, neighbours, collection)
    rates, known = link_rates(layout, changed.changed_layouts(layout, plan.advice), run_each)
    tried = changed.try_advice(layout, plan.advice, rates, known)
    tell("throughput over pairs, each way")
    both = product(layout.nodes, PAIRS)
    experiments = [Experiment.of(layout, workload, pairs, client=node) for node, pairs in both]
    points = tuple(map(Point, experiments, run_each(steady_run, experiments)))
    tell("what each loss leaves")
    of_one = Collection.of(layout) if collection is None else only(collection, layout)
    lefts = tuple(changed.after_losses(of_one, None, run_each))
    tell("a timeline")
    (timeline,), _ = record_timelines(
        Experiment.of(layout, workload, TIMELINE_PAIRS, TIMELINE_SECONDS, WARMUP)
    )
    tell("a relocation of a guest as IBM measured, each way")
    relocated = tuple(run_each(evacuate, relocations(layout)))
    beside = None
    if disks is not None:
        tell("CTCs and disks beside each other")
        beside = DiskRuns(run_over_load(stated_load(layout), disks))
    return LinkRuns(
        name,
        plan,
        rates,
        tried,
        workload,
        points,
        lefts,
        timeline,
        memory_over_paths({f"from {each.sender}": each.rates[1].mb_per_s for each in rates}),
        beside,
        relocated,
    )


def relocations(layout: Layout) -> list[Evacuation]:
    """A guest of the kind `RELOCATED` moved alone, from either system."""
    guest = GuestPlan("GUEST", KNOWN_GUESTS[RELOCATED].memory)
    return [Evacuation.over(layout, [guest], source=node) for node in layout.nodes]


def cluster_runs(collection: Collection, run_each: RunEach) -> ClusterRuns:
    """Run each link alone and all together, and what each loss leaves."""
    lefts = changed.after_losses(collection, None, run_each)
    plan = cluster_plan(collection, run_each, lefts[0].carried)
    return ClusterRuns(collection, plan, tuple(lefts))


def many_runs(collection: Collection, run_each: RunEach) -> ClusterRuns:
    """Run all links together, and none alone, and find what limits them."""
    return ClusterRuns(collection, carry_all(collection, run_each))


def channel_estimates(name: str, configuration: IoConfiguration) -> ChannelEstimates:
    """Estimate the channels of a configuration, and the curves that concern them."""
    return ChannelEstimates(name, make_io_plan(configuration), charts_of(configuration))
