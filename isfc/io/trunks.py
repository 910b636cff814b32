"""Trunks, what carries data of several channels: how a full one slows all that streams below it.

A card, an I/O interconnect and a fanout have ceilings (`isfc.io.machine`). `balance` has mean
values without a run: a trunk that more comes to than it carries slows all below it until that is no
more. One with room on average is full at moments, as streams begin at random. `isfc.io.run` does
that moment by moment.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from typing import Final

from msgspec import Struct

from isfc.io.estimate import ChannelEstimate
from isfc.io.machine import Ceiling, Trunk, total
from isfc.io.timescales import FlowKind, slowdowns

Slowness = tuple[float, float]
"""How many times slower reads and writes stream; 1 where nothing holds them back."""


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
        factors = (
            (trunk, (reads.factor * both.factor, writes.factor * both.factor))
            for trunk, (reads, writes, both) in brakes
        )
        slowness = _slowed_by(channels, factors)
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


class _Met(Struct):
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
