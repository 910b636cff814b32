"""A layout: the CTCs of one logical link, the fibres they ride and the two systems."""

from dataclasses import dataclass

from ctc.address import ChpidId, Rdev
from ctc.profiles import ChpidProfile
from isfc.link.name import NodeName
from isfc.link.schedule import LinkDevice


@dataclass(frozen=True, slots=True)
class Fibre:
    """One FICON path between the two systems; ``chpids`` is (first node's, second node's)."""

    name: str
    profile: ChpidProfile
    chpids: tuple[ChpidId, ChpidId]


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
