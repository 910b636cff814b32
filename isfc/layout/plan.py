"""The judgement of a layout: who writes where, how much that can carry, and what to mend.

Capacity follows the rule of thumb in IBM's z/VM 6.2 performance report ("ISFC
Improvements"): a FICON chpid carries 175 MB/s one way for each 2 Gb/s of link speed when four
or more CTCs write on it, and pro rata with fewer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.layout.layout import Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.schedule import stop_short, write_order

MB_PER_S_PER_GBPS: Final = 87.5
"""One-way MB/s for each Gb/s of link speed (published: 175 for 2 Gb/s).

The report's own arithmetic, Mb/s / 10 x 0.85 with 1024 Mb/s to the Gb/s, gives 87.04.
"""

FULL_CTC_COUNT: Final = 4
"""CTCs that fill a chpid; more gain nothing, and IBM saw performance roll off (published)."""

SHARED_CTC_SHARE: Final = 16 / 35
"""What is left, each way, of a single CTC that both ends write on (published: 20 of 43.75)."""

RULE_GBPS_MAX: Final = 8
"""The fastest link for which the rule was published."""


class Severity(StrEnum):
    """How much an advice matters."""

    INFO = "info"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Advice:
    """Something that the layout's owner should know; ``id`` stays the same between releases."""

    id: str
    severity: Severity
    text: str


@dataclass(frozen=True, slots=True)
class ChpidUse:
    """One chpid as one node writes on it: so many CTCs, and MB/s by the rule of thumb."""

    fibre: Fibre
    chpid: ChpidId
    ctc_count: int
    mb_per_s: float


@dataclass(frozen=True, slots=True)
class Direction:
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
        return int(sum(use.mb_per_s for use in self.chpids))


@dataclass(frozen=True, slots=True)
class Plan:
    """How two systems would use a layout; ``directions`` has the first node's, the second's."""

    layout: Layout
    directions: tuple[Direction, Direction]
    advice: tuple[Advice, ...]

    @property
    def stop_short(self) -> int:
        """How many CTCs at the end of its scan each node leaves to its partner."""
        return stop_short(len(self.layout.ctcs))


def make_plan(layout: Layout) -> Plan:
    """Judge ``layout``."""
    directions = _direction(layout, 0), _direction(layout, 1)
    return Plan(layout, directions, tuple(_advise(layout, directions)))


def _direction(layout: Layout, end: int) -> Direction:
    sender, receiver = layout.nodes[end], layout.nodes[1 - end]
    by_rdev = {ctc.rdevs[end]: ctc for ctc in layout.ctcs}
    order = write_order(layout.devices(sender), lesser=end == 0)
    partner_order = write_order(layout.devices(receiver), lesser=end == 1)
    share = 1.0 if len(layout.ctcs) > 1 else SHARED_CTC_SHARE
    return Direction(
        sender=sender,
        write_order=order,
        exclusive=tuple(
            rdev for rdev in order if by_rdev[rdev].rdevs[1 - end] not in partner_order
        ),
        chpids=tuple(
            ChpidUse(
                fibre=fibre,
                chpid=fibre.chpids[end],
                ctc_count=count,
                mb_per_s=rule_of_thumb_mb_per_s(fibre.profile.link_gbps, count) * share,
            )
            for fibre, count in Counter(by_rdev[rdev].fibre for rdev in order).items()
        ),
    )


def rule_of_thumb_mb_per_s(link_gbps: float, ctc_count: int) -> float:
    """One-way MB/s of a chpid at ``link_gbps`` on which ``ctc_count`` CTCs write."""
    return link_gbps * MB_PER_S_PER_GBPS * min(ctc_count, FULL_CTC_COUNT) / FULL_CTC_COUNT


def _advise(layout: Layout, directions: tuple[Direction, Direction]) -> Iterator[Advice]:
    """All advice: first what one chpid or CTC calls for, then what the order does."""
    if len(layout.ctcs) == 1:
        yield Advice(
            "single-ctc",
            Severity.WARNING,
            "Both nodes write on the only CTC, so their writes collide about once for every "
            "message and most of the fibre stays idle. Define four CTCs on the chpid.",
        )
    for fibre in layout.fibres:
        yield from _advise_fibre(layout, fibre)
    yield from _advise_speeds(layout)
    yield from _advise_balance(layout, directions)


def _advise_fibre(layout: Layout, fibre: Fibre) -> Iterator[Advice]:
    place = _chpids_of(layout, fibre)
    ctc_count = sum(ctc.fibre == fibre for ctc in layout.ctcs)
    if ctc_count > FULL_CTC_COUNT:
        yield Advice(
            "chpid-crowded",
            Severity.WARNING,
            f"{place} carries {ctc_count} CTCs. Four fill a chpid; with more than four or "
            "five IBM saw performance roll off. Move the others to another chpid.",
        )
    if fibre.profile.link_gbps > RULE_GBPS_MAX:
        yield Advice(
            "beyond-the-rule",
            Severity.WARNING,
            f"{place} runs at {fibre.profile.link_gbps:g} Gb/s, and the rule of thumb was "
            f"published up to {RULE_GBPS_MAX}. CTCs use command-mode FICON, which does not "
            "gain with the link: on FICON Express16SA IBM measured little over 600 MB/s, both "
            "directions together.",
        )


def _advise_speeds(layout: Layout) -> Iterator[Advice]:
    """Mixed link speeds, and whether the two nodes meet them in the same order."""
    ctcs = layout.device_list()
    speeds = [ctc.fibre.profile.link_gbps for ctc in ctcs]
    fastest = max(speeds)
    if min(speeds) == fastest:
        return
    yield Advice(
        "speeds-mixed",
        Severity.INFO,
        f"Links of {_listed(sorted(set(speeds)))} Gb/s are mixed. IBM advises one speed for a "
        "logical link: the scan goes by device number and takes a slow chpid as gladly as "
        "a fast one.",
    )
    downward = [fibre.profile.link_gbps for fibre, _ in groupby(ctcs, key=lambda ctc: ctc.fibre)]
    fast_count = sum(fibre.profile.link_gbps == fastest for fibre in layout.fibres)
    remedy = (
        "Put the fast chpids at both ends of the device list and the slow ones in the middle."
        if fast_count > 1
        else "Put the fast chpid in the middle of the device list."
    )
    first, second = layout.nodes
    if speeds != speeds[::-1]:
        yield Advice(
            "speeds-asymmetric",
            Severity.WARNING,
            f"{first} meets chpids of {_listed(downward)} Gb/s, {second} of "
            f"{_listed(downward[::-1])}, in that order, so the two directions are not equally "
            f"fast. {remedy}",
        )
    elif fast_count > 1 and speeds[0] < fastest:
        yield Advice(
            "speeds-slow-first",
            Severity.INFO,
            f"Both nodes begin on a slow chpid and reach the fast ones under load only. {remedy}",
        )


def _advise_balance(layout: Layout, directions: tuple[Direction, Direction]) -> Iterator[Advice]:
    """Whether one node can use fewer chpids than the other, or slower ones."""
    weak, strong = sorted(directions, key=lambda way: (way.estimated_mb_per_s, len(way.chpids)))
    if (len(weak.chpids), weak.estimated_mb_per_s) == (
        len(strong.chpids),
        strong.estimated_mb_per_s,
    ):
        return
    end = layout.nodes.index(weak.sender)
    scanned = [ctc.rdevs[end] for ctc in layout.device_list()]
    left_out = [format_rdev(rdev) for rdev in scanned if rdev not in weak.write_order]
    yield Advice(
        "directions-unequal",
        Severity.WARNING,
        f"{weak.sender} can write on {len(weak.chpids)} of {len(layout.fibres)} chpids "
        f"({weak.estimated_mb_per_s} MB/s), {strong.sender} on {len(strong.chpids)} "
        f"({strong.estimated_mb_per_s} MB/s), because {weak.sender} never writes on its "
        f"{_listed(left_out)}. Let the device list begin and end with chpids of the same speed "
        f"and with equally many CTCs, more than {len(left_out)} each.",
    )


def _chpids_of(layout: Layout, fibre: Fibre) -> str:
    first, second = map(format_chpid, fibre.chpids)
    return f"Chpid {first} at {layout.nodes[0]} ({second} at {layout.nodes[1]})"


def _listed(items: Iterable[object]) -> str:
    """``2, 4 and 8``."""
    *most, last = (f"{item:g}" if isinstance(item, float) else str(item) for item in items)
    return f"{', '.join(most)} and {last}" if most else last
