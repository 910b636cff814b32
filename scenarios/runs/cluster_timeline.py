"""A run of several links I/O by I/O: a timeline of each link, all of the same time."""

from collections.abc import Callable, Iterable

from isfc.layout.layout import Layout
from isfc.system.link_end import LinkEnd
from scenarios.runs.cluster import ClusterExperiment, ClusterLooks, ClusterResult, build_cluster
from scenarios.runs.operation import OperatedRun, Operation
from scenarios.runs.run import NS_PER_S
from scenarios.runs.timeline import (
    TAIL_NS,
    Backlog,
    Io,
    IoRecorder,
    Timeline,
    backlog_times,
    backlogs_of,
)


def record_cluster_timeline(
    experiment: ClusterExperiment,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
) -> tuple[tuple[Timeline, ...], ClusterResult]:
    """Run the links together, and keep every I/O that went on between warm-up and end.

    The result is that of `scenarios.runs.cluster.run_cluster`: to look changes nothing. The
    timelines are in the order of the collection's links, also of those without traffic.
    """
    collection = experiment.collection
    recorder = IoRecorder(collection.systems)
    engine, systems = build_cluster(experiment, operation, trace=recorder.take, watch=recorder.look)
    operated = OperatedRun(engine, systems, operation)
    ends = [end for system in systems for end in system.ends]
    looks = ClusterLooks(experiment, systems)
    begin_ns, end_ns = experiment.begin_ns, experiment.end_ns
    operated.run(begin_ns)
    looks.look(begin_ns)
    backlogs = {link.nodes: list(_backlogs(link, ends, begin_ns)) for link in collection.links}
    for until_ns in backlog_times(begin_ns, end_ns):
        operated.run(until_ns)
        for link in collection.links:
            backlogs[link.nodes] += _backlogs(link, ends, until_ns)
        if progress is not None:
            progress(until_ns / NS_PER_S)
    looks.look(end_ns)
    engine.run(end_ns + TAIL_NS)  # until what has begun is over; nothing more is operated
    kept = list(recorder.between(begin_ns, end_ns))
    timelines = tuple(
        Timeline(link, begin_ns, end_ns, _of(link, kept), tuple(backlogs[link.nodes]))
        for link in collection.links
    )
    return timelines, looks.result()


def _of(link: Layout, ios: Iterable[Io]) -> tuple[Io, ...]:
    """The I/Os of a link's CTCs."""
    places = {place for ctc in link.ctcs for place in zip(link.nodes, ctc.rdevs, strict=True)}
    return tuple(io for io in ios if (io.node, io.rdev) in places)


def _backlogs(link: Layout, ends: Iterable[LinkEnd], at_ns: int) -> Iterable[Backlog]:
    return backlogs_of((end for end in ends if {end.name, end.partner} == set(link.nodes)), at_ns)
