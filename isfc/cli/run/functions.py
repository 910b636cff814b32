"""Several links in one run, as a function: the figures of ``isfc run --traffic``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins

from isfc.arguments import checked, in_python
from isfc.cli.run.together import cluster_json, csv_rows
from isfc.layout.catalogue import AnyLayout
from isfc.layout.shown import html_table
from isfc.search.simulation import Simulation
from scenarios.runs.at_site import GivenSite, links_at
from scenarios.runs.cluster_rows import ClusterRow, cluster_rows
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import Outcome, check_interval, run
from scenarios.runs.traffic_argument import read_traffic
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import load_of


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedLinks:
    """What several links carried in one run, beside each other. MB are 2^20 bytes."""

    outcome: Outcome

    @property
    def mb_per_s(self) -> float:
        """MB/s of all links, both ways."""
        return self.outcome.mb_per_s

    @property
    def links(self) -> dict[str, Simulation]:
        """What both ends of each link saw, by its name."""
        return {each.experiment.layout.name: Simulation(each) for each in self.outcome.links}

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each link, system, shared channel and path, and for all.

        A data frame takes them; MB/s have the ends of their ranges.
        """
        return csv_rows(self.outcome.experiment, self._rows())

    def to_dict(self) -> dict[str, Any]:
        """What ``isfc run --json`` prints of several links, but the command; the keys stay."""
        record = cluster_json(self.outcome.experiment, self._rows(), None)
        found: dict[str, Any] = to_builtins(record, enc_hook=str)
        del found["command"]
        return found

    def _rows(self) -> Sequence[ClusterRow]:
        return cluster_rows([self.outcome])

    def __repr__(self) -> str:
        return f"<SimulatedLinks {len(self.outcome.links)} links: MB/s {self.mb_per_s:,.1f}>"

    def _repr_html_(self) -> str:
        """A row for each link and system, for a notebook."""
        heads = ["name", "MB/s", "out", "in", "messages/s"]
        rows = [
            (each.name, each.mb_per_s, each.mb_per_s_out, each.mb_per_s_in, each.messages_per_s)
            for each in self._rows()
            if each.messages_per_s is not None
        ]
        return html_table("Links together", heads, rows)


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
    with in_python():
        loads = tuple(read_traffic(each, collection) for each in traffic)
        experiment = Experiment(
            collection,
            loads or tuple(map(load_of, collection.traffic)),
            seconds=seconds,
            warmup=warmup,
            seed=seed,
        )
    return SimulatedLinks(run(experiment, interval, progress=progress))
