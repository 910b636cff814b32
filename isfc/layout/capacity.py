"""What each node of a layout writes on, and how much that can carry by rule of thumb.

Capacity follows the rule of thumb in IBM's z/VM 6.2 performance report ("ISFC
Improvements"): a FICON chpid carries 175 MB/s one way for each 2 Gb/s of link speed when four
or more CTCs write on it, and pro rata with fewer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import inf
from typing import Final, TypeVar

from msgspec import Struct

from ctc.address import ChpidId, Rdev
from ctc.features import FEATURES, ChpidProfile
from isfc.errors.in_words import grouped
from isfc.layout.layout import CHANNELS_MAX, CtcPair, Fibre, Layout
from isfc.link.name import NodeName, Nodes
from isfc.link.scan import write_order
from isfc.reports.figure import OfRun

MB_PER_S_PER_GBPS: Final = 87.5
"""One-way MB/s for each Gb/s of link speed (published: 175 for 2 Gb/s).

The report's own arithmetic, Mb/s / 10 x 0.85 with 1024 Mb/s to the Gb/s, gives 87.04.
"""

FULL_CTC_COUNT: Final = 4
"""CTCs that fill a chpid by IBM's rule; IBM saw performance roll off with more (published)."""

SHARED_CTC_SHARE: Final = 16 / 35
"""What is left, each way, of a single CTC that both ends write on (published: 20 of 43.75)."""

RULE_GBPS_MAX: Final = 8
"""The fastest link for which the rule was published."""

COMMAND_MODE_MB_PER_S: Final = 600
"""What FICON Express16SA moves over a chpid in command mode with long disk I/Os, in 10^6 bytes a
second, both ways (published: FICON Express16SA Performance, "over 600 megabytes per second")."""

STATED_MB_PER_S: Final = COMMAND_MODE_MB_PER_S * 1e6 / 2**20
"""The same in the MB of all rates, 2^20 bytes."""


class ChpidUse(Struct, frozen=True):
    """One chpid as one node writes on it through one fibre: so many CTCs, and MB/s by the rule.

    Fibres that share a chpid, at either end, have their parts of what it can carry.
    """

    fibre: Fibre
    chpid: ChpidId
    ctc_count: int
    mb_per_s: float


class WriteDirection(Struct, frozen=True):
    """What one node does when it sends.

    ``write_order`` is its own device numbers as it scans them, ``exclusive`` those of them
    that its partner never writes on, ``chpids`` its chpids in order of first use.
    """

    sender: NodeName
    write_order: tuple[Rdev, ...]
    exclusive: tuple[Rdev, ...]
    chpids: tuple[ChpidUse, ...]

    @property
    def estimated_mb_per_s(self) -> int:
        """One-way capacity by the rule of thumb, in whole MB/s as the report prints it."""
        return int(round(sum(use.mb_per_s for use in self.chpids), 6))  # parts of a whole number

    @property
    def ctcs_by_chpid(self) -> dict[ChpidId, int]:
        """On how many CTCs of each of its chpids it writes, whichever fibres they are on."""
        counts = Counter[ChpidId]()
        for use in self.chpids:
            counts[use.chpid] += use.ctc_count
        return dict(counts)


def directions_of(layout: Layout) -> tuple[WriteDirection, WriteDirection]:
    """The first node's direction, and the second's."""
    down, up = (
        write_order(layout.devices(node), lesser=end == 0) for end, node in enumerate(layout.nodes)
    )
    return _direction(layout, 0, down, up), _direction(layout, 1, up, down)


def by_rule(link: Layout) -> tuple[float, float]:
    """What both ends of a link can send by IBM's rule of thumb, in MB/s."""
    down, up = directions_of(link)
    return down.estimated_mb_per_s, up.estimated_mb_per_s


def slower_by_rule(layout: Layout) -> float:
    """MB/s of the direction in which a link carries less."""
    return min(way.estimated_mb_per_s for way in directions_of(layout))


End = tuple[NodeName, NodeName]
"""An end of a link: the node that sends, and its partner."""

CTC_MB_PER_S: Final = 250
"""What each of few CTCs carries of a chpid in command mode, in the MB of all rates (derived: on
FICON Express16SA, which that is stated of, the model carries 500 over two)."""

_Channel = tuple[str, ...]
"""A channel by all its names."""

_Side = Mapping[_Channel, int]
"""On how many CTCs of each channel of one side of a link an end writes."""

_Sent = TypeVar("_Sent", bound=OfRun)

_ROUNDING: Final = 1e-9
"""Of a rate: what sums of its parts may be off."""

TOLD_MIN: Final = 0.01
"""A rate that is above what is stated by a lesser share of it is not held to that: none is known
better (chosen)."""

_HALVINGS: Final = 60
"""By which a share is found to the last digit that counts."""


def end_to_count_on(sent: _Sent, link: Layout, sender: NodeName) -> _Sent:
    """What one end of a link sends by itself, as `to_count_on` has it."""
    (counted,) = to_count_on([link], {(sender, link.partner(sender)): sent}).values()
    return counted


def to_count_on(links: Iterable[Layout], sent: Mapping[End, _Sent]) -> dict[End, _Sent]:
    """What ends of links send by the model, or what IBM states of their chpids, if less.

    MB/s (2^20), all at the same time. This is the one definition, wherever a rate is judged, ranked
    or chosen by. What an end sends is spread evenly over the CTCs that it writes on, and so over
    their chpids at both sides; of what a full one does not take others take more, up to what so
    many CTCs carry. Links that share a chpid have their parts of what is stated of it, and a
    straight connection takes each byte twice. Nothing is stated of a link whose chpids are all
    slower; one whose constants were fitted carries what these say, in the range of the fit.
    """
    return StatedOfChpids(links)(sent)


class StatedOfChpids:
    """The same of some links, for many rates of them."""

    def __init__(self, links: Iterable[Layout]) -> None:
        every = [*links]
        self._sides = {
            (way.sender, link.partner(way.sender)): _sides(link, way)
            for link in every
            for way in directions_of(link)
        }
        self._free = {link.nodes for link in every if not _is_held(link)}

    def __call__(self, sent: Mapping[End, _Sent]) -> dict[End, _Sent]:
        """What of these rates is to be counted on."""
        most = self._let_through({end: each.mb_per_s for end, each in sent.items()})
        return {
            end: each.no_more_than(most[end])
            if most[end] < each.mb_per_s * (1 - TOLD_MIN)
            else each
            for end, each in sent.items()
        }

    def room(self, mb_per_s: Mapping[End, float]) -> float:
        """How many times as much ends could send at most; infinite if nothing is stated of them."""
        sent = {end: rate for end, rate in mb_per_s.items() if rate}
        if all(map(self._is_free, sent)):
            return inf
        fits, most = 0.0, len(self._sides) * CHANNELS_MAX * STATED_MB_PER_S / min(sent.values())
        for _ in range(_HALVINGS):
            middle = (fits + most) / 2
            wanted = {end: rate * middle for end, rate in sent.items()}
            if self._let_through(wanted) == wanted:
                fits = middle
            else:
                most = middle
        return fits

    def _is_free(self, end: End) -> bool:
        return not self._free.isdisjoint({end, end[::-1]})

    def _let_through(self, sent: Mapping[End, float]) -> dict[End, float]:
        """What is left of MB/s by what is stated of the channels that they pass."""
        busy, uses = defaultdict[_Channel, float](float), Counter[_Channel]()
        for end, rate in sent.items():
            for side in self._sides[end]:
                for channel, ctcs in side.items():
                    busy[channel] += rate * ctcs / sum(side.values())
                    uses[channel] += 1
        return {
            end: rate
            if self._is_free(end)
            else min(_let_through(rate, side, busy, uses) for side in self._sides[end])
            for end, rate in sent.items()
        }


def newest(profiles: Iterable[ChpidProfile]) -> tuple[int, float]:
    """What puts the newest first of links that carry alike, by what each of their CTCs is on."""
    places = {name: place for place, name in enumerate(FEATURES, start=1)}
    on = [(places.get(each.feature, 0), each.link_gbps) for each in profiles]
    return -sum(place for place, _ in on), -sum(gbps for _, gbps in on)


def _is_held(link: Layout) -> bool:
    """Whether what IBM states counts of a link."""
    fitted = link.site is not None and link.site.tells_of(f.profile.feature for f in link.fibres)
    return not fitted and any(fibre.gbps >= RULE_GBPS_MAX for fibre in link.fibres)


def _sides(link: Layout, way: WriteDirection) -> tuple[_Side, _Side]:
    """The channels that an end writes on, at its own side and at its partner's."""
    own = link.nodes.index(way.sender)
    return _side(link, way, own), _side(link, way, 1 - own)


def _side(link: Layout, way: WriteDirection, end: int) -> _Side:
    counts = Counter[_Channel]()
    for use in way.chpids:
        counts[use.fibre.channel_ends(end, link.nodes[end])] += use.ctc_count
    return counts


def _let_through(
    rate: float, side: _Side, busy: Mapping[_Channel, float], uses: Mapping[_Channel, int]
) -> float:
    """The same of one rate, and of the channels of one side."""
    stated, found = STATED_MB_PER_S, 0.0
    if all(busy[channel] <= stated for channel in side):
        return rate
    for channel, ctcs in side.items():
        part = rate * ctcs / sum(side.values())
        found += min(part, stated * part / busy[channel])
        more = min(stated - busy[channel], CTC_MB_PER_S * ctcs - part)
        found += max(0.0, more) / uses[channel]
    return found if found < rate * (1 - _ROUNDING) else rate


def _direction(
    layout: Layout, end: int, order: tuple[Rdev, ...], partner_order: tuple[Rdev, ...]
) -> WriteDirection:
    by_rdev = {ctc.rdevs[end]: ctc for ctc in layout.ctcs}
    share = 1.0 if len(layout.ctcs) > 1 else SHARED_CTC_SHARE
    counts = Counter(by_rdev[rdev].fibre for rdev in order)
    return WriteDirection(
        layout.nodes[end],
        order,
        tuple(rdev for rdev in order if by_rdev[rdev].rdevs[1 - end] not in partner_order),
        tuple(
            ChpidUse(fibre, fibre.chpids[end], count, mb_per_s * share)
            for (fibre, count), mb_per_s in zip(counts.items(), _by_fibre(counts), strict=True)
        ),
    )


def _by_fibre(counts: Mapping[Fibre, int]) -> list[float]:
    """One-way MB/s of each fibre: no chpid, at either end, carries more than its line's."""
    rates = [rule_of_thumb_mb_per_s(f.profile.link_gbps, count) for f, count in counts.items()]
    for end in (0, 1):
        places = grouped((fibre.chpids[end], place) for place, fibre in enumerate(counts))
        fibres = [*counts]
        for chpid in places.values():
            gbps = max(fibres[place].profile.link_gbps for place in chpid)
            most = rule_of_thumb_mb_per_s(gbps, FULL_CTC_COUNT)
            wanted = sum(rates[place] for place in chpid)
            if len(chpid) > 1 and wanted > most:
                for place in chpid:
                    rates[place] *= most / wanted
    return rates


def rule_of_thumb_mb_per_s(link_gbps: float, ctc_count: int) -> float:
    """One-way MB/s of a chpid at ``link_gbps`` on which ``ctc_count`` CTCs write."""
    return link_gbps * MB_PER_S_PER_GBPS * min(ctc_count, FULL_CTC_COUNT) / FULL_CTC_COUNT


class CtcPlaces(Struct, frozen=True):
    """One CTC; ``places`` is its place in the first node's write order and in the second's.

    A place counts from 1, and is None for a node that never writes on the CTC.
    """

    ctc: CtcPair
    places: tuple[int | None, int | None]

    @property
    def writer(self) -> int | None:
        """Which node alone may write on it: 0 or 1, the first or the second; None if both may."""
        down, up = self.places
        if down is not None and up is not None:
            return None
        return 0 if up is None else 1


def fibre_uses(layout: Layout) -> dict[Fibre, list[CtcPlaces]]:
    """The CTCs of each fibre, down the device list, which first meets the fibres in this order."""
    down, up = (
        {rdev: place for place, rdev in enumerate(way.write_order, start=1)}
        for way in directions_of(layout)
    )
    return grouped(
        (ctc.fibre, CtcPlaces(ctc, (down.get(ctc.rdevs[0]), up.get(ctc.rdevs[1]))))
        for ctc in layout.device_list()
    )


def speed_text(fibre: Fibre) -> str:
    """A fibre's feature and speed, and its length if it is longer than a machine room."""
    speed = f"{fibre.profile.feature.removeprefix('FICON ')} {fibre.gbps:g} Gb/s"
    return f"{speed}, {fibre.km:g} km" if fibre.km else speed


def writer_name(nodes: Nodes, use: CtcPlaces) -> str:
    """``both``, or ``ATLANTA only``."""
    return "both" if use.writer is None else f"{nodes[use.writer]} only"
