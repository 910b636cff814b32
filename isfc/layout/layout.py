"""Layouts: the CTCs of a logical link, the fibres they use and its systems; and several links.

A `Layout` is one logical link between two systems. A `Collection` is any number of them; what
a layout file describes is one, mostly of a single link.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ctc.address import ChpidId, Rdev
from ctc.distance import NS_PER_KM
from ctc.profiles import ChpidProfile
from ctc.use import NOTHING, Use
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.link.schedule import LinkDevice


@dataclass(frozen=True, slots=True)
class Fibre:
    """One FICON path between the two systems; ``chpids`` is (first node's, second node's).

    ``disks`` is what disks want of the two chpids, where a file has them: `isfc.io.shared`. ``km``
    is its length beyond a machine room's.
    """

    name: str
    profile: ChpidProfile
    chpids: tuple[ChpidId, ChpidId]
    disks: tuple[Use, Use] = (NOTHING, NOTHING)
    km: float = 0.0

    @property
    def way_ns(self) -> int:
        """How long light takes for its ``km``, one way, in ns."""
        return round(self.km * NS_PER_KM)

    @property
    def kind(self) -> tuple[ChpidProfile, tuple[Use, Use], float]:
        """What makes it as fast as it is: two fibres of one kind may change places."""
        return self.profile, self.disks, self.km


@dataclass(frozen=True, slots=True)
class CtcPair:
    """One CTC; ``rdevs`` is its device number at (the first node, the second node)."""

    fibre: Fibre
    rdevs: tuple[Rdev, Rdev]


@dataclass(frozen=True, slots=True)
class Layout:
    """A logical link between two systems. ``nodes`` is (lesser name, greater name)."""

    nodes: tuple[NodeName, NodeName]
    fibres: tuple[Fibre, ...]
    ctcs: tuple[CtcPair, ...]

    def devices(self, node: NodeName) -> tuple[LinkDevice, ...]:
        """The CTCs as ``node`` sees them, in the order of the file."""
        here = self.nodes.index(node)
        return tuple(LinkDevice(ctc.rdevs[here], ctc.rdevs[1 - here]) for ctc in self.ctcs)

    def device_list(self) -> tuple[CtcPair, ...]:
        """The CTCs by the first node's device numbers: the list that both nodes scan.

        The first node scans it from the top down, the second from the bottom up.
        """
        return tuple(sorted(self.ctcs, key=lambda ctc: ctc.rdevs[0]))


@dataclass(frozen=True, slots=True)
class Collection:
    """Systems and the logical links between them: at most one for each two systems.

    What ISFC calls a collection. Two links may share a chpid of the system they have in common.
    """

    links: tuple[Layout, ...]
    io: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the file says of disks beside the links: tables that `isfc.io` knows."""

    @property
    def systems(self) -> tuple[NodeName, ...]:
        """Every system, the least name first."""
        names = {name for link in self.links for name in link.nodes}
        return tuple(sorted(names, key=lambda name: name.collation))

    def link(self, name: str | None = None, option: str = "--link") -> Layout:
        """The link that ``name``, such as ``ATLANTA-BOSTON``, means; if None, the only one.

        Either of its two systems may come first. ``option`` is where it is named, in the words of
        an error message. Raises `ConfigurationError` if there is no such
        link, or there are several and none is named.
        """
        names = ["-".join(link.nodes) for link in self.links]
        if name is None:
            if len(self.links) == 1:
                return self.links[0]
            known = ", ".join(names)
            raise ConfigurationError(
                f"[[link]]: {len(self.links)} links; expected {option} with one of {known}"
            )
        ends = set(name.upper().split("-"))
        for link in self.links:
            if ends == set(link.nodes):
                return link
        raise ConfigurationError(
            f"{option} {name[:40]!r}: no such link; expected {' or '.join(names)}"
        )

    def beside(self, link: Layout) -> tuple[Layout, ...]:
        """The other links, with which ``link`` may share chpids."""
        return tuple(other for other in self.links if other is not link)

    def links_of(self, system: NodeName) -> tuple[Layout, ...]:
        """The links that ``system`` has an end of, in the order of the file."""
        return tuple(link for link in self.links if system in link.nodes)
