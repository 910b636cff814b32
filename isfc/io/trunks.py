"""Trunks, what carries data of several channels: how a full one slows all that streams below it.

A card, an I/O interconnect and a fanout have ceilings (`isfc.io.bandwidth`). While more streams
below one than it carries, everything below it goes slower alike. `run_below` does that moment by
moment while channels run beside each other; `isfc.io.trunk_balance` finds what mean values come to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from isfc.io.bandwidth import Ceiling, Traffic
from isfc.io.configuration import Trunk
from isfc.io.demand import Demand
from isfc.io.simulation import Simulation

Slowness = tuple[float, float]
"""How many times slower reads and writes stream; 1 where nothing holds them back."""

STEP_NS: Final = 10_000.0
STEPS_MIN: Final = 2.0
"""How often a run looks at what streams, at least, and how often while the shortest of its streams
goes on alone (chosen: far less than what fills a ceiling takes)."""


@dataclass(frozen=True, slots=True)
class TrunkLoad:
    """A trunk and the data that it carries."""

    trunk: Trunk
    carried: Traffic

    @property
    def use(self) -> float:
        """The share of its ceiling, of whichever is nearest: either way, or both together."""
        return self.trunk.ceiling.use(self.carried)


def total(flows: Sequence[Traffic]) -> Traffic:
    """All of them together."""
    return Traffic(
        sum(flow.read_mb_per_s for flow in flows), sum(flow.write_mb_per_s for flow in flows)
    )


def reach(demands: Sequence[Demand]) -> Traffic:
    """More than a channel can ever carry for some demands: each way its line full of data."""
    flows = [flow for demand in demands for flow in demand.flows]
    reads = (1e3 * flow.work.data_length / flow.read_line_ns for flow in flows if flow.is_read)
    writes = (
        1e3 * flow.work.data_length / flow.write_line_ns for flow in flows if not flow.is_read
    )
    return Traffic(max(reads, default=0.0), max(writes, default=0.0))


def scarce(trunks: Sequence[Trunk], demands: Mapping[str, Sequence[Demand]]) -> tuple[Trunk, ...]:
    """The trunks that could ever be full, if each channel's line were full of its demands."""
    return tuple(
        trunk
        for trunk in trunks
        if trunk.ceiling.use(total([reach(demands.get(chpid, ())) for chpid in trunk.channels])) > 1
    )


def run_below(
    trunks: Sequence[Trunk],
    simulations: Mapping[str, Simulation],
    until_ns: float,
    *,
    measuring: bool,
) -> None:
    """Run channels beside each other until then, no trunk above them carrying more than it can."""
    names = tuple(simulations)
    channels = tuple(simulations.values())
    above = [
        (trunk.ceiling, [names.index(chpid) for chpid in trunk.channels if chpid in names])
        for trunk in trunks
    ]
    now_ns = channels[0].now_ns
    step_ns = min([STEP_NS, *(channel.shortest_ns / STEPS_MIN for channel in channels)])
    while now_ns < until_ns:
        now_ns = min(until_ns, now_ns + step_ns)
        for channel in channels:
            channel.run(now_ns, measuring=measuring)
        for channel, (reads, writes) in zip(channels, _slownesses(above, channels), strict=True):
            channel.hold(reads, writes)


def _slownesses(
    above: Sequence[tuple[Ceiling, Sequence[int]]], channels: Sequence[Simulation]
) -> list[Slowness]:
    """How much slower each channel has to stream; what one trunk holds back the next is spared."""
    wanted = [channel.wanted() for channel in channels]
    reads = [flow.read_mb_per_s for flow in wanted]
    writes = [flow.write_mb_per_s for flow in wanted]
    slowness: list[Slowness] = [(1.0, 1.0)] * len(channels)
    for ceiling, below in above:
        by_read, by_write = ceiling.slowness(
            Traffic(sum(reads[at] for at in below), sum(writes[at] for at in below))
        )
        if by_read > 1.0 or by_write > 1.0:
            for at in below:
                reads[at] /= by_read
                writes[at] /= by_write
                slowness[at] = slowness[at][0] * by_read, slowness[at][1] * by_write
    return slowness
