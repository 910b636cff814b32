"""What limits a run is found, whatever it is: a layout or a run made so for each resource."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest
from msgspec import structs

from ctc.channel import PORT_CREDITS
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.layout.layout import FarPath, Isl, Layout
from scenarios.figures.glance import Glance
from scenarios.figures.limit import find_limit
from scenarios.figures.rates import link_rates
from scenarios.figures.resources import (
    LINE,
    PROCESSOR,
    RESOURCES,
    Holder,
    Resource,
    scaled,
    time_constants,
)
from scenarios.runs.experiment import SATURATING_PAIRS, STATED_PAIRS, Experiment, RunEach, one_way
from scenarios.runs.steady import Rate, first_look
from scenarios.runs.workload import CONVERSATIONS, SUITES, LinkLoad, open_load
from tests.layouts import layout_of, mesh

FOUR = layout_of((4, 4))


def run_of(layout: Layout, workload: str = "HL", pairs: int = 20) -> Experiment:
    return Experiment.of(layout, SUITES[workload], pairs)


def over(layout: Layout, path: FarPath) -> Layout:
    """The fibres on channels of a fabric, over a path."""
    return layout.with_fibres(
        lambda fibre: structs.replace(
            fibre, km=path.km, path=path, channels=("ATLANTA 40", "BOSTON 50")
        )
    )


def far(km: float, ctcs: int = 8, port_credits: float = PORT_CREDITS) -> Layout:
    layout = layout_of((16, ctcs))
    return layout.with_fibres(lambda each: structs.replace(each, km=km, port_credits=port_credits))


def slowed(holder: Holder, name: str, factor: float, **changed: Any) -> Experiment:
    run = run_of(FOUR).with_loads(partial(structs.replace, **changed))
    return scaled(run, holder, (name,), factor)


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize(
    ("limiting", "experiment"),
    [
        ("line", run_of(layout_of((1, 4)))),
        ("processor", slowed(Holder.FEATURE, "processor_ns_per_byte", 4)),
        ("starts", slowed(Holder.FEATURE, "io_ns", 80)),
        ("delays", slowed(Holder.FEATURE, "write_interrupt_ns", 300, pairs=100)),
        ("distance", run_of(far(3000, ctcs=2, port_credits=1e5))),
        ("trunk", run_of(over(FOUR, FarPath("far", 1, Isl(1, 1, 90))))),
        ("credits", run_of(over(FOUR, FarPath("far", 100, Isl(1, 8, 20))))),
        ("ports", run_of(far(60))),
        ("send ATLANTA", slowed(Holder.LINK, "build_package_ns", 100)),
        ("receive BOSTON", slowed(Holder.LINK, "receive_ns_per_byte", 8)),
        ("collisions", slowed(Holder.LINK, "recovery_ns", 80).over(layout_of((4, 1)))),
        ("clients", slowed(Holder.GUESTS, "client_ns", 1000)),
        ("servers", slowed(Holder.GUESTS, "server_ns", 1000, workload=SUITES["HS"], pairs=5)),
        ("load", run_of(FOUR, "HS", 40)),
        ("offered", Experiment.of(FOUR, open_load(SUITES["HL"], 500), CONVERSATIONS)),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_each_kind_of_limit_is_found(limiting: str, experiment: Experiment) -> None:
    limit = find_limit(experiment)
    assert limiting in [each.resource.key for each in limit.first]
    assert limit.factor > 1.05
    (seen,) = (each for each in limit.resources if each.resource.key == limiting)
    if limiting in ("delays", "distance", "collisions"):
        assert seen.waited is None
    elif limiting != "offered":  # whose messages are what is short
        assert seen.waited is not None
        assert seen.waited.share > 0.5


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize(
    ("limiting", "experiment"),
    [
        ("delays", slowed(Holder.FEATURE, "write_interrupt_ns", 300, pairs=100)),
        ("distance", run_of(far(3000, ctcs=2, port_credits=1e5))),
    ],
    ids=["CTC", "open exchanges"],
)
def test_ctcs_limit_where_another_one_gains_though_the_channel_is_not_full(
    limiting: str, experiment: Experiment
) -> None:
    """A CTC has one exchange open at a time, whose time it waits for."""
    limit = find_limit(experiment)
    busy = {each.resource.key: each.busy for each in limit.resources}
    assert limit.first[0].resource.key == limiting
    assert (busy["line"] or 0) < (busy["ctcs ATLANTA"] or 0) < 0.9
    assert limit.reliefs[0].added.endswith("CTC on its chpid")
    assert limit.reliefs[0].ratio.value > 1.2


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize("what", ["director", "processors of a system"])
def test_what_no_run_waits_for_is_seen_and_limits_nothing(what: str) -> None:
    """A director's ports are as fast as their channels; CP's time is counted beside the run."""
    as_it_is, run = find_limit(run_of(FOUR)), run_of(FOUR)
    if what == "director":
        run = run_of(over(FOUR, FarPath("through it", 0)))
    else:
        run = replace(run, link=replace(run.link, cpu_ns_per_byte=100 * run.link.cpu_ns_per_byte))
    limit = find_limit(run)
    assert limit.shares == as_it_is.shares
    assert limit.factor == as_it_is.factor
    (cpu,) = (each.busy for each in limit.resources if each.resource.key == "cpu BOSTON")
    assert cpu is not None
    assert (cpu > 1) is (what != "director")


@pytest.mark.slow
@pytest.mark.at_length
def test_of_several_links_the_channel_that_limits_is_named() -> None:
    """Three systems, each with one channel for both its links."""
    collection = parse_collection(mesh(3, shared=True, ctcs=2))
    loads = tuple(LinkLoad(*link.nodes, SUITES["HL"], 10) for link in collection.links)
    experiment = Experiment(collection, loads)
    (share, *_) = find_limit(experiment).first
    assert share.resource.kind in (LINE, PROCESSOR)
    assert share.where.split()[0] in experiment.nodes


@pytest.mark.slow
@pytest.mark.at_length
def test_each_way_has_the_reason_of_its_own_run() -> None:
    layout = load_layout("atlanta-boston")
    changed = layout_of((16, 2))
    figures, slower = link_rates(layout, [changed])
    for way in figures:
        limit = find_limit(one_way(layout, way.sender, SATURATING_PAIRS))
        assert way.limit is not None
        assert way.limit == limit
    assert [each.sender for each in figures] == [*layout.nodes]
    looks = [
        first_look(one_way(changed, None, pairs)) for pairs in (SATURATING_PAIRS, STATED_PAIRS)
    ]
    assert slower == {changed: tuple(looks)}, "what advice changes gets a first look"


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize(
    ("layout", "most"),
    [
        (layout_of((16, 4), (16, 4), (16, 4), (16, 4)), 3),
        (layout_of((32, 8), (32, 8)), 3),
        (load_layout("published-16"), 23),
    ],
    ids=["clear", "clear of two", "a tie"],
)
def test_few_runs_find_what_limits_sixteen_ctcs(layout: Layout, most: int) -> None:
    """Of a tie all seeds try what one seed left out, too."""
    runs = 0

    def counting(work: Callable[..., Any], cases: Sequence[Any]) -> list[Any]:
        nonlocal runs
        runs += len(cases)
        return [work(case) for case in cases]

    for node in layout.nodes:
        runs = 0
        find_limit(one_way(layout, node, SATURATING_PAIRS), cast(RunEach, counting))
        assert runs <= most


@pytest.mark.at_length
def test_resources_whose_shares_are_alike_are_a_tie() -> None:
    def pretend(work: Callable[..., Any], cases: Sequence[Experiment]) -> list[Any]:
        """The line and one end's lock limit alike: 5 % of either gives 2 %."""
        if work is first_look:
            return [Rate(100.0)] * len(cases)
        found = []
        for case in cases:
            line = case.layout.fibres[0].profile.line_ns_per_byte
            faster = (line != FOUR.fibres[0].profile.line_ns_per_byte) + bool(case.own_links)
            busy = {"line": 0.9, "processor": 0.05, "starts": 0.05, "clients": 0.0, "servers": 0.0}
            locks = {"send ATLANTA": 0.0, "send BOSTON": 0.0, "receive ATLANTA": 0.0}
            found.append(Glance(100 + 2 * faster, {**busy, **locks, "receive BOSTON": 0.9}, 0.0))
        return found

    limit = find_limit(run_of(FOUR), cast(RunEach, pretend))
    assert {each.resource.key for each in limit.first} == {"line", "receive BOSTON"}
    assert [each.share for each in limit.first] == [pytest.approx(0.4)] * 2


def test_few_runs_find_what_limits_a_mesh_whose_locks_are_half_busy() -> None:
    """No lock is tried: each holds up a quarter of what is carried."""
    links = parse_collection(mesh(8, shared=True))
    loads = tuple(LinkLoad(*link.nodes, SUITES["HL"], 20) for link in links.links)
    runs = 0

    def pretend(_work: Callable[..., Any], cases: Sequence[Experiment]) -> list[Any]:
        nonlocal runs
        runs += len(cases)
        ns = links.links[0].fibres[0].profile.processor_ns_per_byte
        fibres = [case.collection.links[0].fibres[0] for case in cases]
        rates = [100 + 3 * (fibre.profile.processor_ns_per_byte != ns) for fibre in fibres]
        busy = {"processor": 0.9, **dict.fromkeys(("line", "starts", "clients", "servers"), 0.0)}
        locks = {f"{lock} {node}": 0.5 for lock in ("send", "receive") for node in links.systems}
        parts: Any = dict.fromkeys(links.systems, 1 / 4)
        return [Glance(rate, {**busy, **locks}, 0.0, parts=parts) for rate in rates]

    limit = find_limit(Experiment(links, loads), cast(RunEach, pretend))
    assert [each.resource for each in limit.first] == [Resource(PROCESSOR)]
    assert runs <= 15


@pytest.mark.parametrize("holder", [Holder.FEATURE, Holder.LINK, Holder.GUESTS])
def test_every_constant_that_takes_time_belongs_to_one_resource(holder: Holder) -> None:
    named = [name for kind in RESOURCES if kind.holder == holder for name in kind.fields]
    times = {name for name in time_constants(holder) if "_ns" in name or "_bits_" in name}
    assert sorted(named) == sorted(times)
