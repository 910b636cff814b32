"""What is run: a workload over a layout, and for how long."""

import copyreg
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from ctc.profiles import ChpidProfile
from ctc.sharing import ChannelUse
from isfc.errors import ConfigurationError
from isfc.layout.layout import Collection, Layout, no_node
from isfc.link.name import NodeName
from isfc.link.package import PackageLimit
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
    """One run: what is set up and for how long. Times in seconds of virtual time.

    ``client`` names the node of the clients, the layout's first node if it is None.
    """

    layout: Layout
    workload: Workload
    pairs: int
    seconds: float = 10.0
    warmup: float = WARMUP
    seed: int = 1
    client: NodeName | None = None
    link: LinkParameters = field(default_factory=LinkParameters)
    guests: GuestCosts = field(default_factory=GuestCosts)
    own_links: Mapping[NodeName, LinkParameters] = field(default_factory=dict, hash=False)
    """The link driver of a node that has another than ``link``."""

    def __post_init__(self) -> None:
        if not 1 <= self.pairs <= PAIRS_MAX:
            raise ConfigurationError(f"pairs {self.pairs}: expected 1 to {PAIRS_MAX}")
        outstanding = self.pairs * self.workload.window
        if outstanding > OUTSTANDING_MAX:
            raise ConfigurationError(
                f"pairs {self.pairs}: with a window of {self.workload.window} that is "
                f"{outstanding:,} messages at a time; expected at most {OUTSTANDING_MAX:,}"
            )
        if not 0 <= self.warmup <= SECONDS_MAX:
            raise ConfigurationError(f"warmup {self.warmup}: expected 0 <= s <= {SECONDS_MAX}")
        if not 1 / NS_PER_S <= self.seconds <= SECONDS_MAX or self.end_ns == self.begin_ns:
            raise ConfigurationError(
                f"seconds {self.seconds}: expected a nanosecond to {SECONDS_MAX} s"
            )
        check_node(self.layout, "client", self.client)

    @property
    def nodes(self) -> tuple[NodeName, ...]:
        """Both nodes, the lesser name first."""
        return self.layout.nodes

    @property
    def client_node(self) -> NodeName:
        """The node of the clients."""
        return self.client or self.layout.nodes[0]

    def link_at(self, node: NodeName) -> LinkParameters:
        """The link driver of a node."""
        return self.own_links.get(node, self.link)

    @property
    def collection(self) -> Collection:
        """The link as a cluster of one."""
        return Collection((self.layout,))

    @property
    def systems(self) -> tuple[NodeName, NodeName]:
        """Both nodes in the order in which they are built, that of the clients first."""
        first, second = self.nodes
        return (second, first) if self.client == second else (first, second)

    @property
    def experiments(self) -> tuple["Experiment", ...]:
        """That of each link with traffic."""
        return (self,)

    def loads_of(self, link: Layout) -> tuple[LinkLoad, ...]:
        """What runs over the link."""
        return (LinkLoad(*self.systems, self.workload, self.pairs),)

    @property
    def begin_ns(self) -> int:
        """When measuring begins, in ns of virtual time."""
        return round(self.warmup * NS_PER_S)

    @property
    def end_ns(self) -> int:
        """When it ends."""
        return round((self.warmup + self.seconds) * NS_PER_S)

    def settings(self) -> dict[str, Any]:
        """What was asked for, as every ``--json`` shows it."""
        return {
            "client": self.client_node,
            "workload": self.workload.name,
            "pairs": self.pairs,
            "seconds": self.seconds,
            "warmup": self.warmup,
            "seed": self.seed,
        }


def check_node(layout: Layout, what: str, name: str | None) -> None:
    """Raise `ConfigurationError` unless ``name``, if it is given, is a node of the layout."""
    if name is not None and name not in layout.nodes:
        raise no_node(what, name, layout.nodes)


def _reduce(record: Any) -> tuple[type[Any], tuple[Any, ...]]:
    return type(record), tuple(getattr(record, part.name) for part in fields(record))


# An experiment travels to another process. Compiled, these cannot be restored field by field.
for _record in (ChpidProfile, ChannelUse, PackageLimit, LinkParameters, GuestCosts):
    copyreg.pickle(_record, _reduce)
