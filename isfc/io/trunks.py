"""Trunks, what carries data of several channels: how a full one slows all that streams below it.

A card, an I/O interconnect and a fanout have ceilings (`isfc.io.bandwidth`). While more streams
below one than it carries, everything below it goes slower alike. `run_below` does that moment by
moment while channels run beside each other; `isfc.io.trunks` finds what mean values come to.

`balance` has mean values without a run: a trunk that more comes to than it carries slows all below
it until that is no more. One with room on average is full at moments, as streams begin at random.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from msgspec import Struct

from isfc.io.bandwidth import Ceiling, DataRates, finite, total
from isfc.io.configuration import Trunk
from isfc.io.demand import Demand
from isfc.io.estimate import ChannelEstimate
from isfc.io.simulation import ChannelSimulation
from isfc.io.timescales import FlowKind, slowdowns

Slowness = tuple[float, float]
"""How many times slower reads and writes stream; 1 where nothing holds them back."""

STEP_NS: Final = 10_000.0
STEPS_MIN: Final = 2.0
"""How often a run looks at what streams, at least, and how often while the shortest of its streams
goes on alone (chosen: far less than what fills a ceiling takes)."""


class TrunkLoad(Struct, frozen=True):
    """A card, interconnect or fanout."""

    level: str
    name: str
    channels: tuple[str, ...]
    """chpids"""
    gb_per_s_max: float | None
    """10^9 bytes, both ways together; null: no ceiling"""
    gb_per_s_one_way_max: float | None
    gb_per_s_read: float
    gb_per_s_write: float
    percent: float
    """of the nearest ceiling"""

    @property
    def title(self) -> str:
        """As people call it."""
        return f"{self.level} {self.name}"

    @property
    def count(self) -> int:
        """How many channels it carries."""
        return len(self.channels)


def trunk_loads(trunks: Sequence[Trunk], moved: Mapping[str, DataRates]) -> tuple[TrunkLoad, ...]:
    """What each trunk carries, of what each channel moves."""
    return tuple(
        _load(trunk, total([moved[chpid] for chpid in trunk.channels if chpid in moved]))
        for trunk in trunks
    )


def _load(trunk: Trunk, carried: DataRates) -> TrunkLoad:
    ceiling = trunk.ceiling
    return TrunkLoad(
        *(ceiling.level, trunk.name, trunk.channels),
        *(finite(ceiling.mb_per_s / 1e3), finite(ceiling.one_way_mb_per_s / 1e3)),
        *(carried.read_mb_per_s / 1e3, carried.write_mb_per_s / 1e3, 100 * ceiling.use(carried)),
    )


def reach(demands: Sequence[Demand]) -> DataRates:
    """More than a channel can ever carry for some demands: each way its line full of data."""
    flows = [flow for demand in demands for flow in demand.flows]
    reads = (1e3 * flow.work.data_length / flow.read_line_ns for flow in flows if flow.is_read)
    writes = (
        1e3 * flow.work.data_length / flow.write_line_ns for flow in flows if not flow.is_read
    )
    return DataRates(max(reads, default=0.0), max(writes, default=0.0))


def scarce(trunks: Sequence[Trunk], demands: Mapping[str, Sequence[Demand]]) -> tuple[Trunk, ...]:
    """The trunks that could ever be full, if each channel's line were full of its demands."""
    return tuple(
        trunk
        for trunk in trunks
        if trunk.ceiling.use(total([reach(demands.get(chpid, ())) for chpid in trunk.channels])) > 1
    )


def run_below(
    trunks: Sequence[Trunk],
    simulations: Mapping[str, ChannelSimulation],
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
    above: Sequence[tuple[Ceiling, Sequence[int]]], channels: Sequence[ChannelSimulation]
) -> list[Slowness]:
    """How much slower each channel has to stream; what one trunk holds back the next is spared."""
    wanted = [channel.wanted() for channel in channels]
    slowness: list[Slowness] = [_FREE] * len(channels)
    for ceiling, below in above:
        by_read, by_write = ceiling.slowness(total([wanted[at] for at in below]))
        if by_read > 1.0 or by_write > 1.0:
            for at in below:
                flow = wanted[at]
                wanted[at] = DataRates(flow.read_mb_per_s / by_read, flow.write_mb_per_s / by_write)
                slowness[at] = slowness[at][0] * by_read, slowness[at][1] * by_write
    return slowness


_CLOSE: Final = 0.002
"""How far above its ceiling a mean value may be (chosen)."""

_ROUNDS_MAX: Final = 200
_BOOST_MAX: Final = 16.0

_FREE: Final = (1.0, 1.0)
_CHANCE_ROUNDS_MAX: Final = 12
_EVEN: Final = 0.97
"""Use of a channel from which on data come from it evenly (chosen)."""

_RARELY: Final = 0.1
"""Use of a trunk up to which chance does not fill it (chosen)."""

_NEARLY: Final = 0.97
"""Use of a trunk beyond which its queue would be endless; it is taken for that at most (chosen)."""

_MANY: Final = 64.0
"""Outstanding I/Os of a closed workload on a channel that are taken as any number (chosen)."""

_MOST: Final = 4096
"""Streams at the same time below a trunk that are looked at (chosen)."""

_GAP_MIN: Final = 0.01
"""Between a closed I/O's streams, in streams: none ends and begins in the same moment (chosen)."""


class _Brake:
    """How much one limit of a trunk slows what is below it: so that no more comes than it carries.

    Where nothing else is full, what comes does not change with how fast it streams, until streams
    take so long that the lines are full of them: then each step goes farther than the last.
    """

    def __init__(self) -> None:
        self.factor = 1.0
        self._boost = 1.0
        self._use = 0.0

    def change(self, use: float) -> bool:
        """Slow down more or less by the share of the limit that is used; say whether it did."""
        before = self.factor
        if use > 1.0 + _CLOSE:
            is_unmoved = self._use > 1.0 + _CLOSE and use - 1.0 > (self._use - 1.0) / 2
            self._boost = min(_BOOST_MAX, 2 * self._boost) if is_unmoved else 1.0
            self.factor *= use**self._boost
        elif use < 1.0 - _CLOSE:
            self._boost = 1.0
            self.factor = max(1.0, self.factor * use)
        self._use = use
        return self.factor != before


def balance(
    trunks: Sequence[Trunk], channels: Mapping[str, Callable[[Slowness], ChannelEstimate]]
) -> dict[str, Slowness]:
    """How much slower each channel streams on average, so that every trunk carries what comes.

    ``channels`` say by chpid what each comes to if it is slowed so much.
    """
    brakes = [(trunk, (_Brake(), _Brake(), _Brake())) for trunk in trunks]
    slowness: dict[str, Slowness] = dict.fromkeys(channels, _FREE)
    found = {chpid: estimate(_FREE) for chpid, estimate in channels.items()}
    for _ in range(_ROUNDS_MAX):
        changed = False
        for trunk, (reads, writes, both) in brakes:
            flow = total([found[chpid].traffic for chpid in trunk.channels if chpid in found])
            ceiling = trunk.ceiling
            changed |= reads.change(flow.read_mb_per_s / ceiling.one_way_mb_per_s)
            changed |= writes.change(flow.write_mb_per_s / ceiling.one_way_mb_per_s)
            changed |= both.change(flow.mb_per_s / ceiling.mb_per_s)
        if not changed:
            break
        slowness = _slowed_by(
            channels,
            [
                (trunk, (reads.factor * both.factor, writes.factor * both.factor))
                for trunk, (reads, writes, both) in brakes
            ],
        )
        found = {chpid: estimate(slowness[chpid]) for chpid, estimate in channels.items()}
    roomy = [trunk for trunk, limits in brakes if all(limit.factor == 1.0 for limit in limits)]
    return _with_chance(roomy, channels, slowness, found)


def _slowed_by(
    channels: Iterable[str], factors: Iterable[tuple[Trunk, Slowness]]
) -> dict[str, Slowness]:
    """The slowness of each channel, from that of all trunks above it."""
    slowness: dict[str, Slowness] = dict.fromkeys(channels, _FREE)
    for trunk, (reads, writes) in factors:
        for chpid in trunk.channels:
            if chpid in slowness:
                by_read, by_write = slowness[chpid]
                slowness[chpid] = by_read * reads, by_write * writes
    return slowness


def _with_chance(
    roomy: Sequence[Trunk],
    channels: Mapping[str, Callable[[Slowness], ChannelEstimate]],
    slowness: Mapping[str, Slowness],
    found: Mapping[str, ChannelEstimate],
) -> dict[str, Slowness]:
    """The slowness, with that of trunks that have room on average and not at every moment."""
    factors = dict.fromkeys((trunk.title for trunk in roomy), _FREE)
    whole = dict(slowness)
    for _ in range(_CHANCE_ROUNDS_MAX):
        change = 0.0
        for trunk in roomy:
            below = [found[chpid] for chpid in trunk.channels if chpid in found]
            before = factors[trunk.title]
            after = _by_chance(trunk.ceiling, below, before)
            middle = (before[0] + after[0]) / 2, (before[1] + after[1]) / 2
            change = max(change, abs(after[0] / before[0] - 1), abs(after[1] / before[1] - 1))
            factors[trunk.title] = middle
        by_chance = _slowed_by(channels, [(trunk, factors[trunk.title]) for trunk in roomy])
        whole = {
            chpid: (reads * by_chance[chpid][0], writes * by_chance[chpid][1])
            for chpid, (reads, writes) in slowness.items()
        }
        if change < _CLOSE:
            break
        found = {chpid: estimate(whole[chpid]) for chpid, estimate in channels.items()}
    return whole


def _by_chance(ceiling: Ceiling, below: Sequence[ChannelEstimate], before: Slowness) -> Slowness:
    """How much slower reads and writes stream, as at times more of them meet than on average."""
    reads, writes = before
    both = _chance_of(ceiling.mb_per_s, below, (True, False), max(before))
    return (
        max(both, _chance_of(ceiling.one_way_mb_per_s, below, (True,), reads)),
        max(both, _chance_of(ceiling.one_way_mb_per_s, below, (False,), writes)),
    )


def _chance_of(
    mb_per_s: float, below: Sequence[ChannelEstimate], ways: Sequence[bool], before: float
) -> float:
    """Of one limit of a trunk, for reads (True), writes or both; a mean of all data.

    ``before`` is what it was taken for. What a full line brings comes evenly, not by chance; what
    waits for its line waits no second time.
    """
    kinds: dict[tuple[float, float], _Met] = {}
    steady = wanted = 0.0
    for channel in below:
        used = max(channel.line_read, channel.line_write, channel.bus)
        is_even = used > _EVEN
        for each in channel.demands:
            for flow in each.demand.flows:
                if flow.is_read not in ways:
                    continue
                weight = 1e3 * flow.work.data_length / flow.solo_ns / mb_per_s
                number = each.rate_per_s * flow.share * flow.solo_ns / 1e9
                if is_even:
                    steady += number * weight
                    continue
                wanted += number * weight
                is_open = each.demand.rate_per_s is not None or each.demand.outstanding > _MANY
                met = kinds.setdefault((flow.solo_ns, weight), _Met())
                met.number += number
                most = 0.0 if is_open else each.demand.outstanding * flow.share
                met.most += most
                met.is_open |= is_open
                line = max(flow.read_line_ns, flow.write_line_ns, flow.bus_ns) / flow.solo_ns
                alone = _Met(used * before / line, most, is_open=is_open)
                met.by_line += number * slowdowns([alone.kind(flow.solo_ns, line, 1.0, before)])[0]
    if not wanted or wanted + steady < _RARELY:
        return 1.0
    fitting = min(1.0, (_NEARLY - steady) / wanted)
    if fitting <= 0.0:
        return 1.0
    slower = slowdowns(
        [met.kind(solo_ns, weight, fitting, before) for (solo_ns, weight), met in kinds.items()],
        steady,
    )
    data = [met.number * weight for (_, weight), met in kinds.items()]
    lines = [met.by_line / met.number for met in kinds.values()]
    return (
        sum(
            max(1.0, whole / line) * part
            for whole, line, part in zip(slower, lines, data, strict=True)
        )
        / wanted
    )


@dataclass(slots=True)
class _Met:
    """Streams of one length and pace, of all channels below a trunk: how many there would be."""

    number: float = 0.0
    most: float = 0.0
    is_open: bool = False
    by_line: float = 0.0
    """The sum of how much slower each streams because of its own channel's line."""

    def kind(self, solo_ns: float, weight: float, fitting: float, before: float) -> FlowKind:
        """For `isfc.io.timescales`, if the part ``fitting`` of them is there."""
        if self.is_open:
            offered = min(fitting * self.number, _NEARLY / weight)
            return FlowKind(solo_ns, weight, offered, _MOST)
        gap = max(_GAP_MIN, self.most / max(self.number, 1e-9) - before)
        return FlowKind(solo_ns, weight, self.number, ceil(self.most), gap * solo_ns)
