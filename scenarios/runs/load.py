"""What runs over links: so many pairs of a workload over each, or the traffic that a file names."""

from dataclasses import dataclass, replace
from typing import Final

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from scenarios.runs.experiment import PAIRS_MAX, Experiment
from scenarios.runs.saturation import SATURATING_PAIRS, SECONDS, STATED_PAIRS, SUITE
from scenarios.runs.workload import SUITES, LinkLoad, Workload, load_of


@dataclass(frozen=True, slots=True)
class Load:
    """What runs: ``pairs`` of a workload over each link, or the ``traffic`` of several."""

    workload: Workload = SUITES[SUITE]
    pairs: int = STATED_PAIRS
    traffic: tuple[LinkLoad, ...] = ()

    @property
    def words(self) -> str:
        """The load, as every page says it."""
        if self.traffic:
            return "with the traffic of the file"
        return f"with {self.pairs} pairs of {self.workload.name}, each way by itself"

    @property
    def is_saturating(self) -> bool:
        """Whether more pairs would carry no more."""
        return not self.traffic and self.pairs >= SATURATING_PAIRS

    def of(self, collection: Collection) -> "Load":
        """The same of some links: with their traffic, if they are several and have some."""
        if len(collection.links) == 1:
            return self
        return replace(self, traffic=tuple(map(load_of, collection.traffic)))

    def runs(self, links: Collection) -> list[Experiment]:
        """The runs of some links: one for each direction, or that of their traffic."""
        if self.traffic:
            joined = [{*link.nodes} for link in links.links]
            every = [tuple(t for t in self.traffic if {t.client, t.server} in joined)]
        else:
            ends = [link.nodes for link in links.links]
            every = [
                tuple(LinkLoad(*end, self.workload, self.pairs) for end in ways)
                for ways in (ends, [(second, first) for first, second in ends])
            ]
        return [Experiment(links, loads, seconds=SECONDS) for loads in every if loads]


STATED: Final = Load()
SATURATED: Final = Load(pairs=SATURATING_PAIRS)


def read_load(option: str, text: str) -> tuple[str, int]:
    """A workload's name and how many pairs of guests run it, from ``HS:20``."""
    name, _, pairs = text.rpartition(":")
    if not (name and pairs.isascii() and pairs.isdigit() and 1 <= int(pairs[:9]) <= PAIRS_MAX):
        raise ConfigurationError(
            f"{option} {text[:40]}: expected NAME:PAIRS with 1 to {PAIRS_MAX} pairs, such as HS:20"
        )
    return name, int(pairs)
