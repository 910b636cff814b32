"""What is run: links, what runs over each, and for how long."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.in_words import check_between, no_node
from isfc.layout.layout import Fibre, Layout
from isfc.layout.whole import find_link
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import LinkLoad, Workload

NS_PER_S: Final = 1_000_000_000
PAIRS_MAX: Final = 10_000
OUTSTANDING_MAX: Final = 100_000
"""Messages of all pairs at a time: each takes some hundred bytes, and its turn at the start."""
SECONDS_MAX: Final = 86_400


@dataclass(frozen=True, slots=True)
class Experiment:
    """One run of links: what runs over each, and for how long. Times in seconds of virtual time.

    The links run together; one without a load comes up and stays idle. `of` is that of one link.
    """

    collection: Collection
    loads: tuple[LinkLoad, ...]
    seconds: float = 10.0
    warmup: float = WARMUP
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)
    guests: GuestCosts = field(default_factory=GuestCosts)
    own_links: Mapping[NodeName, LinkParameters] = field(default_factory=dict, hash=False)
    """The link driver of a node that has another than ``link``."""

    def __post_init__(self) -> None:
        if not self.loads:
            raise ConfigurationError("traffic: none; expected what runs over a link at least")
        for load in self.loads:
            find_link(self.collection, load.client, load.server)
            _check_pairs(load)
        if not 0 <= self.warmup <= SECONDS_MAX:
            raise ConfigurationError(f"warmup {self.warmup}: expected 0 <= s <= {SECONDS_MAX}")
        if not 1 / NS_PER_S <= self.seconds <= SECONDS_MAX or self.end_ns == self.begin_ns:
            raise ConfigurationError(
                f"seconds {self.seconds}: expected a nanosecond to {SECONDS_MAX} s"
            )

    @classmethod
    def of(
        cls,
        layout: Layout,
        workload: Workload,
        pairs: int,
        seconds: float = 10.0,
        warmup: float = WARMUP,
        seed: int = 1,
        client: NodeName | None = None,
        **constants: Any,
    ) -> "Experiment":
        """That of one link with one load. ``constants`` are `link`, `guests` and `own_links`.

        ``client`` is the node of the clients, the layout's first node if it is None.
        """
        check_node(layout, "client", client)
        first, second = layout.nodes
        ways = (second, first) if client == second else (first, second)
        load = LinkLoad(*ways, workload, pairs)
        return cls(Collection.of(layout), (load,), seconds, warmup, seed, **constants)

    def over(self, *links: Layout) -> "Experiment":
        """The same over links that have changed."""
        return replace(self, collection=replace(self.collection, links=links))

    def with_fibres(self, change: Callable[[Fibre], Fibre]) -> "Experiment":
        """The same over links whose fibres have changed."""
        return self.over(*(link.with_fibres(change) for link in self.collection.links))

    def with_load(self, **changed: Any) -> "Experiment":
        """The same with other pairs or another workload on every link."""
        loads = tuple(replace(load, **changed) for load in self.loads)
        return replace(self, loads=loads)

    @property
    def layout(self) -> Layout:
        """The only link."""
        (link,) = self.collection.links
        return link

    @property
    def workload(self) -> Workload:
        """That of the first load."""
        return self.loads[0].workload

    @property
    def pairs(self) -> int:
        """Those of the first load."""
        return self.loads[0].pairs

    @property
    def client_node(self) -> NodeName:
        """The node of the first load's clients."""
        return self.loads[0].client

    @property
    def nodes(self) -> tuple[NodeName, ...]:
        """All nodes, the least name first."""
        return self.collection.systems

    @property
    def systems(self) -> tuple[NodeName, ...]:
        """The same in the order in which they are built: of one link that of the clients first."""
        if len(self.collection.links) > 1:
            return self.nodes
        return self.loads[0].client, self.loads[0].server

    def link_at(self, node: NodeName) -> LinkParameters:
        """The link driver of a node."""
        return self.own_links.get(node, self.link)

    def loads_of(self, link: Layout) -> tuple[LinkLoad, ...]:
        """What runs over a link."""
        return tuple(load for load in self.loads if {load.client, load.server} == {*link.nodes})

    @property
    def sending(self) -> tuple[tuple[NodeName, NodeName], ...]:
        """The ends that have clients: of each the node, and its partner."""
        return tuple(dict.fromkeys((load.client, load.server) for load in self.loads))

    @property
    def each_alone(self) -> tuple["Experiment", ...]:
        """That of each link with traffic as if it were alone."""
        return tuple(
            replace(self, collection=Collection.of(link), loads=loads)
            for link in self.collection.links
            if (loads := self.loads_of(link))
        )

    @property
    def begin_ns(self) -> int:
        """When measuring begins, in ns of virtual time."""
        return round(self.warmup * NS_PER_S)

    @property
    def end_ns(self) -> int:
        """When it ends."""
        return round((self.warmup + self.seconds) * NS_PER_S)

    def settings(self, *, together: bool = False) -> dict[str, Any]:
        """What was asked for, as every ``--json`` shows it; ``together`` of any number of links."""
        if together:
            asked: dict[str, Any] = {"traffic": [str(load) for load in self.loads]}
        else:
            asked = {
                "client": self.client_node,
                "workload": self.workload.name,
                "pairs": self.pairs,
            }
        return {**asked, "seconds": self.seconds, "warmup": self.warmup, "seed": self.seed}


def _check_pairs(load: LinkLoad) -> None:
    check_between("pairs", load.pairs, 1, PAIRS_MAX)
    outstanding = load.pairs * load.workload.window
    if outstanding > OUTSTANDING_MAX:
        raise ConfigurationError(
            f"pairs {load.pairs}: with a window of {load.workload.window} that is "
            f"{outstanding:,} messages at a time; expected at most {OUTSTANDING_MAX:,}"
        )


def check_node(layout: Layout, what: str, name: str | None) -> None:
    """Raise `ConfigurationError` unless ``name``, if it is given, is a node of the layout."""
    if name is not None and name not in layout.nodes:
        raise no_node(what, name, layout.nodes)
