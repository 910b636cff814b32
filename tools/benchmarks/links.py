"""Several links run together, for the benchmark: messages carried, MB/s, messages a package."""

from collections.abc import Callable

from isfc.layout.file import parse_collection
from isfc.testing.cluster import mesh
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB
from scenarios.runs.run import build
from scenarios.runs.workload import LinkLoad


def run_links(count: int, *, shared: bool) -> Callable[[Experiment], tuple[int, float, float]]:
    """Runs so many links of a full mesh of four systems, each as the experiment's link is."""

    def model(experiment: Experiment) -> tuple[int, float, float]:
        collection = parse_collection(mesh(4, shared=shared))
        loads = [
            LinkLoad(*link.nodes, experiment.workload, experiment.pairs)
            for link in collection.links[:count]
        ]
        cluster = Experiment(
            collection, tuple(loads), experiment.seconds, experiment.warmup, experiment.seed
        )
        engine, systems = build(cluster)
        engine.run(cluster.end_ns)
        ends = [end.link.counters for system in systems for end in system.ends]
        messages: int = sum(end.write_message_count + end.read_message_count for end in ends)
        packages: int = sum(end.write_package_count + end.read_package_count for end in ends)
        length: int = sum(end.write_length for end in ends)
        seconds = experiment.warmup + experiment.seconds
        return messages // 2, length / seconds / MIB, messages / packages

    return model
