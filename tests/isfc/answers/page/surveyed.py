"""Small surveys for the tests of the page: few points, and a short timeline."""

from dataclasses import replace

from isfc.io.charts import memory_over_paths
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.plan import make_plan
from isfc.layout.rules.rule import Untried
from scenarios.figures.changed import ComparedLoad, TriedAdvice, after_losses
from scenarios.figures.rates import ModelledRate
from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import Evacuation
from scenarios.moves.guest import GuestMemory, GuestPlan
from scenarios.runs.experiment import STATED, Experiment
from scenarios.runs.steady import Rate, SteadyRun
from scenarios.runs.timeline import record_timelines
from scenarios.runs.workload import SUITES
from scenarios.search.report_runs import LinkRuns, Point
from tests.isfc.answers.test_link_run import RESULT


def _steady(mb_per_s: float) -> SteadyRun:
    result = replace(RESULT, rdev_util_percent=10, collisions_per_s=0)
    return SteadyRun(Rate(mb_per_s), result)


def surveyed(name: str, link: str | None = None) -> LinkRuns:
    """A survey of a shipped layout, with figures that are made up but for the timeline's."""
    layout = load_layout(name, link)
    points = tuple(
        Point(Experiment.of(layout, SUITES["HM"], pairs, client=node), _steady(1.5 * pairs))
        for node in layout.nodes
        for pairs in (1, 5)
    )
    (timeline,), _ = record_timelines(
        Experiment.of(layout, SUITES["HM"], pairs=5, seconds=0.005, warmup=0.01)
    )
    lefts = tuple(after_losses(Collection.of(layout)))
    plan = make_plan(layout)
    half, more = (
        ComparedLoad(Rate(was), Rate(comes), (layout, layout), STATED)
        for was, comes in ((1000, 500), (900, 1000))
    )
    tried = {
        finding.id: [TriedAdvice(trial, (half, more)) for trial in finding.rule.trials]
        for finding in plan.advice
        if not isinstance(finding.rule.trials, Untried)
    }
    relocation = memory_over_paths(dict.fromkeys((f"from {node}" for node in layout.nodes), 300.0))
    rates = tuple(ModelledRate(layout, node, (Rate(400), Rate(300))) for node in layout.nodes)
    guest = GuestPlan("GUEST", GuestMemory(size=2**20, touched=2**20))
    moved = Evacuation.over(layout, [guest], source=layout.nodes[1])
    return LinkRuns(
        name,
        plan,
        rates,
        tried,
        SUITES["HM"],
        points,
        lefts,
        timeline,
        relocation,
        relocated=(evacuate(moved),),
    )
