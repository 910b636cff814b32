"""What the other links of a cluster carried while one was measured, of the same files.

Pages and link activity of links that share channels with it tell that, or the layout's
``[[traffic]]``; RMF of a z/OS tells what that has of the channels. What a link carried and nobody
says is a reason not to believe a fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import time
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Annotated, Final

from msgspec import Struct, structs

from ctc.address import ChpidId, format_chpid
from ctc.channel import ChannelUse
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, spelt
from isfc.errors.in_words import find_node, listed
from isfc.io.rmf import read_rmf
from isfc.io.rmf_lines import RmfInterval
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.reports.figure import Unit
from isfc.reports.units import amount
from isfc.site.measurement import Measurement
from isfc.site.seen import APART_S, SeenInterval, at_one_time, seen_intervals
from scenarios.figures.site_beside import BesideLink
from scenarios.figures.site_compare import BUSY_LEAST
from scenarios.figures.site_exchanges import QuietLink
from scenarios.figures.site_workload import Derived, derive
from scenarios.runs.workload import LinkLoad, load_of

Channels = Annotated[
    Sequence[str],
    Argument(
        "NODE=FILE",
        "What a z/OS in a node's machine has of the channels: RMF's Channel Path Activity.",
    ),
]

PASSES: Final = 2
"""How often the loads of several others are inferred: alone, then beside each other. Chosen."""

_UNTOLD: Final = (
    "{} had CTCs busy on the same channels, and nothing says what it carried: add link activity of "
    "the same interval, or [[traffic]]"
)


class ZosChannels(Struct, frozen=True):
    """What a z/OS has of the channels of the machine in which a system is, as its RMF says."""

    node: NodeName
    source: str
    intervals: tuple[RmfInterval, ...]

    @staticmethod
    def read(text: str, link: Layout) -> "ZosChannels":
        """That of ``NODE=FILE``. Raises `ConfigurationError` for a file that tells no share."""
        name, _, source = text.partition("=")
        node = find_node(spelt("channels"), name, link.nodes)
        return ZosChannels(node, source, read_rmf(Path(source)))

    def uses(
        self, link: Layout, one: SeenInterval
    ) -> Iterator[tuple[NodeName, ChpidId, ChannelUse]]:
        """Its share of each channel of a link in an interval of that."""
        lines, end = (
            {line.chpid: line for line in self.at(one).channels},
            link.nodes.index(self.node),
        )
        if lines.keys().isdisjoint(names := [each.chpid_names[end] for each in link.fibres]):
            raise ConfigurationError(
                f"{self.source}: no chpid {listed(names, 'or')}; expected those of {self.node}"
            )
        for fibre in link.fibres:
            line = lines.get(fibre.chpid_names[end])
            if line is None:
                continue
            if None in line.part:
                raise ConfigurationError(
                    f"{self.source}: chpid {line.chpid}: no PART, which is what z/OS has of it; "
                    "expected Channel Path Activity of a shared channel"
                )
            processor, *ways = (each or 0.0 for each in line.part)
            read, write = (mb * fibre.profile.line_ns_per_byte / 1e3 for mb in ways)
            yield self.node, fibre.chpids[end], ChannelUse(processor / 100, write, read)

    def at(self, one: SeenInterval) -> RmfInterval:
        """The last interval begun before ``one`` ended, which is no longer ago than these last."""
        if len(self.intervals) == 1:
            return self.intervals[0]
        by_begin = {_second_of_day(each.time): each for each in self.intervals}
        longest_s = max((there - here for here, there in pairwise(sorted(by_begin))), default=0.0)
        ended_s = _second_of_day(one.ends[0].measurement.end or "")
        begun_s = max((each for each in by_begin if each + APART_S < ended_s), default=-inf)
        if ended_s - begun_s > longest_s + APART_S or begun_s == -inf:
            raise ConfigurationError(
                f"{self.source}: {len(self.intervals)} intervals, in none of which {one.place} "
                "ended; expected RMF of the same interval"
            )
        return by_begin[begun_s]


def _second_of_day(text: str) -> float:
    """Of a time such as 09.45.00 at the end of a text; minus infinity without one."""
    try:
        at = time.fromisoformat(text[-8:].replace(".", ":"))
    except ValueError:
        return -inf
    return 3_600 * at.hour + 60 * at.minute + at.second


class Cluster(Struct, frozen=True):
    """One link, and those that share channels with it, with what of them was measured."""

    links: Collection
    link: Layout
    own: tuple[Measurement, ...]
    """what is of the link, or of none"""
    others: tuple[tuple[Layout, tuple[SeenInterval, ...]], ...]
    channels: tuple[ZosChannels, ...] = ()

    @staticmethod
    def of(
        links: Collection,
        link: Layout,
        measurements: Sequence[Measurement],
        channels: Sequence[str] = (),
    ) -> "Cluster":
        """Part measurements by the links that they show; ``channels`` are ``NODE=FILE`` of RMF."""
        own = {id(one): one for one in measurements}
        others = []
        for other in links.beside(link):
            shown = []
            for one in measurements:
                part = _part(other, one)
                if part is not None:
                    is_own = _part(link, one) is not None
                    shown.append(replace(part, ran=None) if is_own else part)
                    if not is_own:
                        own.pop(id(one), None)
            if _share(link, other):
                others.append((other, tuple(seen_intervals(other, shown))))
        activity = tuple(ZosChannels.read(each, link) for each in channels)
        return Cluster(links, link, tuple(own.values()), tuple(others), activity)

    def derived(self, one: SeenInterval) -> Derived:
        """What ran in an interval of the link, beside the others; raises as `derive` does."""
        loads, untold = list[LinkLoad](), list[str]()
        told = dict[str, tuple[Layout, SeenInterval]]()
        for other, intervals in self.others:
            found = [each for each in intervals if _is_at(each, one)]
            traffic = [t for t in self.links.traffic if {t.client, t.server} == {*other.nodes}]
            if active := [each for each in found if _is_told(each)]:
                told[other.name] = other, active[0]
            elif traffic:
                loads += map(load_of, traffic)
            elif any(map(_is_busy, found)):
                untold.append(other.name)
        inferred = dict[str, LinkLoad]()
        for _ in range(min(len(told), PASSES)):
            for name, (other, its) in told.items():
                rest = [load for each, load in inferred.items() if each != name]
                inferred |= self._load(other, its, (*loads, *rest))
        loads += inferred.values()
        uses = tuple(use for each in self.channels for use in each.uses(self.link, one))
        beside = BesideLink(self.links, tuple(loads), uses) if loads or uses else None
        derived = derive(self.link, one, beside=beside)
        said = [f"beside it ran {say_beside(beside)}"] if beside else []
        doubts = [_UNTOLD.format(listed(untold))] if untold else []
        return structs.replace(
            derived, uncertain=(*derived.uncertain, *said), doubts=(*derived.doubts, *doubts)
        )

    def _load(
        self, other: Layout, seen: SeenInterval, rest: Sequence[LinkLoad]
    ) -> dict[str, LinkLoad]:
        """What another link carried, by its name; nothing of a quiet one."""
        try:
            found = derive(other, seen, beside=BesideLink(self.links, tuple(rest)))
        except QuietLink:
            return {}
        server = other.partner(found.client)
        return {other.name: LinkLoad(found.client, server, found.workload, found.pairs)}


def say_beside(beside: BesideLink) -> str:
    """``ALPHA-GAMMA:HL:20, 19 % of chpid 40 at ALPHA``: what runs beside a link."""
    shares = (
        f"{amount(100 * use.processor, Unit.PERCENT)} of chpid {format_chpid(chpid)} at {node}"
        for node, chpid, use in beside.uses
    )
    return ", ".join([*map(str, beside.loads), *shares])


def _share(one: Layout, other: Layout) -> bool:
    """Whether two links have a channel or an inter-switch link in common."""
    names, others = ({*_shared(link)} for link in (one, other))
    return not names.isdisjoint(others)


def _shared(link: Layout) -> Iterator[str]:
    for fibre in link.fibres:
        yield from fibre.channels
        if fibre.path is not None and fibre.isl is not None:
            yield f"path {fibre.path.name}"


def _part(link: Layout, one: Measurement) -> Measurement | None:
    """What a measurement shows of a link; None if that is nothing."""
    node = (one.system or "").upper()
    if node not in link.nodes:
        return None
    node = NodeName(node)
    rdevs = {device.rdev for device in link.devices(node)}
    devices = tuple(each for each in one.devices if each.rdev in rdevs)
    links = tuple(each for each in one.links if each.partner == link.partner(node))
    return replace(one, devices=devices, links=links) if devices or links else None


def _is_at(interval: SeenInterval, one: SeenInterval) -> bool:
    return at_one_time(interval.ends[0].measurement, one.ends[0].measurement)


def _is_told(interval: SeenInterval) -> bool:
    return any(end.measurement.links or end.measurement.ran for end in interval.ends)


def _is_busy(interval: SeenInterval) -> bool:
    devices = (device for end in interval.ends for device in end.measurement.devices)
    return any((device.busy_percent or 0.0) >= BUSY_LEAST for device in devices)
