"""Building a layout from its CTCs, as an import finds them or a user asks for them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ctc.address import ChpidId, Rdev
from ctc.profiles import FEATURES, ChpidProfile
from isfc.errors import ConfigurationError
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.path import FarPath
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

ASSUMED_FEATURE: Final = replace(FEATURES["FICON Express8S"])
"""The FICON feature where nobody says which: the fastest link that IBM's rule of thumb covers.

An object of its own, so that a fibre whose feature was assumed can be told from one that has it.
"""


Profiles = Callable[[Mapping[NodeName, ChpidId]], ChpidProfile | None]
"""What is known of the fibre between two nodes' chpids; None means `ASSUMED_FEATURE`."""

Names = Callable[[Mapping[NodeName, ChpidId]], str | None]
"""The name of the fibre between two nodes' chpids, if it has one."""

Lengths = Callable[[Mapping[NodeName, ChpidId]], float]
"""The length in km of the fibre between two nodes' chpids."""

Paths = Callable[[Mapping[NodeName, ChpidId]], FarPath | None]
"""The way of the fibre between two nodes' chpids, if one is named."""


@dataclass(frozen=True, slots=True)
class CtcChoice:
    """One CTC: its chpid and its device number at (one node, the other)."""

    chpids: tuple[ChpidId, ChpidId]
    rdevs: tuple[Rdev, Rdev]

    def turned(self) -> "CtcChoice":
        """The same, seen from the other node."""
        return CtcChoice(self.chpids[::-1], self.rdevs[::-1])


def build_layout(
    nodes: tuple[NodeName, NodeName],
    connections: Iterable[CtcChoice],
    profile: Profiles,
    name: Names = lambda _: None,
    km: Lengths = lambda _: 0.0,
    path: Paths = lambda _: None,
    too_many: str = "",
) -> Layout:
    """The layout with ``connections``, whose pairs are in the order of ``nodes``.

    ``too_many`` says what to do about more CTCs than a link may have, where something can be done.
    Fibres that have no ``name`` are numbered by the first node's device numbers.
    Raises `ConfigurationError` for what cannot be one logical link.
    """
    ctcs = list(connections)
    if nodes[1].precedes(nodes[0]):
        nodes, ctcs = (nodes[1], nodes[0]), [ctc.turned() for ctc in ctcs]
    ctcs.sort(key=lambda ctc: ctc.rdevs[0])
    if not ctcs:
        raise ConfigurationError(f"no CTC joins {nodes[0]} and {nodes[1]}; expected at least one")
    if len(ctcs) > CTCS_MAX:
        raise ConfigurationError(
            f"{len(ctcs)} CTCs join {nodes[0]} and {nodes[1]}; expected at most {CTCS_MAX} in a "
            f"logical link{too_many}"
        )
    used = {ctc.chpids: dict(zip(nodes, ctc.chpids, strict=True)) for ctc in ctcs}
    names = [name(chpids) for chpids in used.values()]
    if None in names or len(set(names)) < len(names):
        names = list(map(str, range(1, len(used) + 1)))
    fibres = {
        chpids: Fibre(
            str(called),
            profile(ends) or ASSUMED_FEATURE,
            chpids,
            km=km(ends),
            path=path(ends),
        )
        for called, (chpids, ends) in zip(names, used.items(), strict=True)
    }
    return Layout(
        nodes, tuple(fibres.values()), tuple(CtcPair(fibres[c.chpids], c.rdevs) for c in ctcs)
    )
