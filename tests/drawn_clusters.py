"""Layouts of several systems, drawn at random, for tests."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random
from typing import Final

SHARED_SHARE: Final = 0.4
LOADED_SHARE: Final = 0.7
LOADS: Final = ("HL", "HS", "HM", "HY")
"""Of the chpids of a drawn cluster some are of several systems, of its links most are loaded."""


@dataclass(frozen=True, slots=True)
class DrawnFibre:
    """A fibre of a drawn cluster: its two systems, their chpids, its CTCs, how long it is."""

    name: str
    nodes: tuple[str, str]
    chpids: tuple[str, str]
    rdevs: tuple[tuple[int, ...], tuple[int, ...]]
    km: float
    path: str = ""


@dataclass(frozen=True, slots=True)
class DrawnCluster:
    """Systems, links, and what they share, drawn at random; `text` is its file.

    ``shared`` are channels of several systems, ``isls`` the rate in Gb/s of the inter-switch link
    of each path, ``traffic`` what runs over a link: (from, to, workload, pairs).
    """

    feature: str
    fibres: tuple[DrawnFibre, ...]
    shared: tuple[tuple[tuple[str, str], ...], ...]
    isls: Mapping[str, float]
    traffic: tuple[tuple[str, str, str, int], ...]

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """The two systems of each link."""
        return tuple(dict.fromkeys(fibre.nodes for fibre in self.fibres))

    def loaded(self, nodes: tuple[str, str]) -> bool:
        """Whether anything runs over a link."""
        return any({sender, to} == set(nodes) for sender, to, *_ in self.traffic)

    def only(self, links: Collection[tuple[str, str]]) -> "DrawnCluster":
        """The cluster with these links alone."""
        return replace(
            self,
            fibres=tuple(fibre for fibre in self.fibres if fibre.nodes in links),
            traffic=tuple(
                load for load in self.traffic if any({*load[:2]} == {*nodes} for nodes in links)
            ),
        )

    def without(self, fibre: DrawnFibre) -> "DrawnCluster":
        """The cluster without a fibre and its CTCs."""
        return replace(self, fibres=tuple(each for each in self.fibres if each != fibre))

    def farther(self, km: float) -> "DrawnCluster":
        """The cluster, each fibre so much longer."""
        fibres = tuple(replace(fibre, km=fibre.km + km) for fibre in self.fibres)
        return replace(self, fibres=fibres)

    def channel(self, node: str, chpid: str) -> tuple[tuple[str, str], ...]:
        """The channel that a chpid is."""
        return next((each for each in self.shared if (node, chpid) in each), ((node, chpid),))

    def uses(self, nodes: tuple[str, str]) -> set[object]:
        """The channels and paths that a link uses."""
        found: set[object] = set()
        for fibre in self.fibres:
            if fibre.nodes == nodes:
                found |= {self.channel(*end) for end in zip(nodes, fibre.chpids, strict=True)}
                found |= {fibre.path} - {""}
        return found

    def text(self, order: Random | None = None, names: Mapping[str, str] | None = None) -> str:
        """Its file, the tables in another order and the systems with other names if wanted."""
        tables = [*self._links(), *self._fibres(), *self._paths_and_channels()]
        if order is not None:
            order.shuffle(tables)
        text = "\n".join([*tables, *self._traffic()])
        for old, new in (names or {}).items():
            text = text.replace(old, new)
        return text

    def _links(self) -> Iterator[str]:
        for one, other in self.links:
            yield f'[[link]]\nnodes = ["{one}", "{other}"]'

    def _fibres(self) -> Iterator[str]:
        for fibre in self.fibres:
            (one, other), (here, there) = fibre.nodes, fibre.chpids
            way = f'path = "{fibre.path}"' if fibre.path else f"km = {fibre.km}"
            yield (
                f'[fibre.{fibre.name}]\nfeature = "{self.feature}"\n'
                f'chpid = {{ {one} = "{here}", {other} = "{there}" }}\n{way}'
            )
            ends = [",".join(f"{rdev:04X}" for rdev in rdevs) for rdevs in fibre.rdevs]
            yield (
                f'[[ctc]]\nfibre = "{fibre.name}"\n'
                f'rdevs = {{ {one} = "{ends[0]}", {other} = "{ends[1]}" }}'
            )

    def _paths_and_channels(self) -> Iterator[str]:
        for name, gbps in self.isls.items():
            if any(fibre.path == name for fibre in self.fibres):
                km = max(fibre.km for fibre in self.fibres if fibre.path == name)
                yield f"[path.{name}]\nkm = {km}\nisl = {{ gbps = {gbps}, credits = 400 }}"
        known = {end for each in self.fibres for end in zip(each.nodes, each.chpids, strict=True)}
        for channel in self.shared:
            ends = [end for end in channel if end in known]
            if len(ends) > 1:
                chpids = ", ".join(f'{node} = "{chpid}"' for node, chpid in ends)
                yield f"[[shared_channel]]\nchpid = {{ {chpids} }}"

    def _traffic(self) -> Iterator[str]:
        for sender, to, workload, pairs in self.traffic:
            yield (
                f'[[traffic]]\nfrom = "{sender}"\nto = "{to}"\nworkload = "{workload}"\n'
                f"pairs = {pairs}"
            )


def draw_cluster(seed: int) -> DrawnCluster:
    """A cluster of two to six systems, always the same for a seed."""
    rng = Random(f"cluster {seed}")
    systems = [f"SYS{number}" for number in range(rng.randint(2, 6))]
    pairs = list(combinations(systems, 2))
    links = sorted(rng.sample(pairs, rng.randint(1, min(6, len(pairs)))))
    chpids = [f"{0x40 + number:02X}" for number in range(rng.randint(1, 3))]
    isls = {"P0": rng.choice((2.0, 4.0, 16.0))}
    next_rdev = dict.fromkeys(systems, 0x5000)
    fibres: list[DrawnFibre] = []
    for nodes in links:
        ends = list(product(chpids, chpids))
        for here, there in rng.sample(ends, min(rng.randint(1, 2), len(ends))):
            count, km = rng.randint(1, 4), rng.choice((0.0, 0.0, 0.0, 5.0, 20.0))
            rdevs = tuple(tuple(range(next_rdev[node], next_rdev[node] + count)) for node in nodes)
            for node in nodes:
                next_rdev[node] += count
            fibres.append(
                DrawnFibre(
                    f"F{len(fibres)}",
                    nodes,
                    (here, there),
                    (rdevs[0], rdevs[1]),
                    10.0 if km == 5.0 else km,
                    "P0" if km == 5.0 else "",
                )
            )
    known = {end for fibre in fibres for end in zip(fibre.nodes, fibre.chpids, strict=True)}
    shared = [
        tuple(end for end in ((systems[0], chpid), (systems[1], chpid)) if end in known)
        for chpid in chpids
        if rng.random() < SHARED_SHARE
    ]
    traffic = [
        (*(nodes if rng.random() < 0.5 else nodes[::-1]), rng.choice(LOADS), rng.choice((1, 8, 30)))
        for nodes in links
        if rng.random() < LOADED_SHARE
    ] or [(*links[0], "HL", 8)]
    return DrawnCluster(
        rng.choice(("FICON Express2", "FICON Express4", "FICON Express8S", "FICON Express16S")),
        tuple(fibres),
        tuple(channel for channel in shared if len(channel) > 1),
        isls,
        tuple(traffic),
    )
