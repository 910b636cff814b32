"""Changes drawn at random: decks of one CEC or two, with subsystems and images, and two layouts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, count
from random import Random
from typing import Final

import isfc
from ctc.address import ChpidId, Rdev, format_rdev
from ctc.features import find_profile
from isfc.errors.in_words import grouped
from isfc.layout.change import link_of
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.layout import CtcPair, Fibre
from isfc.layout.parts import ChannelEnd
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection
from isfc.link.name import NodeName

CTCS_MAX: Final = {1: 5, 2: 3, 3: 2}
"""Of each link, by how many there are: all orders of more would be too many to try one by one."""

FIRST: Final = 0x6000
CHPIDS: Final = (0x50, 0x51)


@dataclass(frozen=True, slots=True)
class Image:
    """A system: its CEC, subsystem and MIF image id."""

    name: NodeName
    cec: int
    css: int
    mif: int

    @property
    def cuadd(self) -> int:
        """What leads to it."""
        return 16 * self.css + self.mif


@dataclass(frozen=True, slots=True)
class DrawnSite:
    """Systems that share the chpids of their CEC, on one director, and links of some of them.

    ``free`` has the numbers that no disk of a system has: few, so that many go from one link to
    another.
    """

    images: tuple[Image, ...]
    links: tuple[tuple[Image, Image], ...]
    disks: dict[NodeName, tuple[int, int]]
    free: dict[NodeName, list[int]]

    @classmethod
    def drawn(cls, random: Random) -> "DrawnSite":
        """Two to four systems and one to three links."""
        size, mifs = random.randint(2, 4), random.sample(range(1, 8), 4)
        images = tuple(
            Image(NodeName(name), random.randrange(2), random.randrange(2), mifs[n // 2])
            for n, name in enumerate("ABCD"[:size])
        )
        pairs = [*combinations(images, 2)]
        links = random.sample(pairs, min(len(pairs), random.randint(1, 3)))
        most = CTCS_MAX[len(links)] + len(links)
        disks = {one.name: (random.randrange(most), random.randint(1, 3)) for one in images}
        free = {
            name: [n for n in range(most + length) if not first <= n < first + length]
            for name, (first, length) in disks.items()
        }
        used = tuple(one for one in images if any(one in link for link in links))
        return cls(used, tuple(links), disks, free)

    def ctcs(self, random: Random) -> Iterator[tuple[tuple[Image, Image], list[CtcPair]]]:
        """CTCs of each link, which has one at least if there are numbers."""
        free = {name: random.sample(numbers, len(numbers)) for name, numbers in self.free.items()}
        for first, second in self.links:
            size = random.randint(1, CTCS_MAX[len(self.links)])
            size = min(size, len(free[first.name]), len(free[second.name]))
            rdevs = [
                (Rdev(FIRST + free[first.name].pop()), Rdev(FIRST + free[second.name].pop()))
                for _ in range(size)
            ]
            yield (first, second), [CtcPair(self.fibre(random, first, second), r) for r in rdevs]

    def fibre(self, random: Random, first: Image, second: Image) -> Fibre:
        """One of four between the same chpids; within a CEC they are two different ones."""
        near, far = random.choice(CHPIDS), random.choice(CHPIDS)
        if first.cec == second.cec:
            far = sum(CHPIDS) - near
        ends = (first, near), (second, far)
        profile = find_profile("FICON Express8S")
        chpids = ChpidId(near), ChpidId(far)
        ports = tuple(f"{port(one.cec, chpid):02X}" for one, chpid in ends)
        return Fibre("1", profile, chpids, directors=("61", "61"), ports=ports)

    def decks(self, links: list[tuple[tuple[Image, Image], list[CtcPair]]]) -> list[str]:
        """A deck for each CEC: what is of no CTC, and control units of the CTCs."""
        texts = []
        addresses = count()
        ends = [
            (link[end], link[1 - end], ctc.rdevs[end], ctc.fibre, end, address)
            for link, ctcs in links
            for ctc in ctcs
            for address in (next(addresses),)
            for end in (0, 1)
        ]
        for cec in sorted({one.cec for one in self.images}):
            here = [one for one in self.images if one.cec == cec]
            lines = [*self._others(here)]
            units: dict[tuple[int, str, str, int], list[str]] = {}
            for one, other, rdev, fibre, end, address in ends:
                if one.cec == cec:
                    key = one.css, fibre.chpid_names[end], fibre.ports[1 - end], other.cuadd
                    units.setdefault(key, []).append(
                        f" IODEVICE ADDRESS=({format_rdev(rdev)},1),CUNUMBR=%s,UNITADD="
                        f"{address:02X},\n               PARTITION=((CSS({one.css}),{one.name})),"
                        "UNIT=FCTC"
                    )
            for number, ((css, chpid, link, cuadd), devices) in enumerate(units.items()):
                cu = f"{0x4000 + number:04X}"
                lines.append(
                    f" CNTLUNIT CUNUMBR={cu},PATH=((CSS({css}),{chpid})),"
                    f"LINK=((CSS({css}),{link})),\n               CUADD={cuadd:X},"
                    "UNITADD=((00,256)),UNIT=FCTC"
                )
                lines += [device % cu for device in devices]
            texts.append("\n".join(lines) + "\n")
        return texts

    def _others(self, here: list[Image]) -> Iterator[str]:
        """The statements of a deck that are of no CTC."""
        csss = sorted({one.css for one in here})
        named = (
            f"(CSS({css}),{','.join(f'({x.name},{x.mif})' for x in here if x.css == css)})"
            for css in csss
        )
        yield f" RESOURCE PARTITION=({','.join(named)})"
        of = f"(CSS({','.join(map(str, csss))})"
        for chpid in (*CHPIDS, 0x80):
            yield f" CHPID PATH={of},{chpid:02X}),SHARED,SWITCH=61,TYPE=FC"
        for number, one in enumerate(here):
            first, length = self.disks[one.name]
            yield (
                f" CNTLUNIT CUNUMBR={0x9000 + number:X},PATH=((CSS({one.css}),80)),\n"
                f"               LINK=((CSS({one.css}),2A)),CUADD={number:X},UNITADD=((00,256)),\n"
                "               UNIT=2107"
            )
            yield (
                f" IODEVICE ADDRESS=({FIRST + first:X},{length}),CUNUMBR={0x9000 + number:X},\n"
                f"               PARTITION=((CSS({one.css}),{one.name})),UNIT=3390"
            )

    @property
    def channels(self) -> tuple[tuple[ChannelEnd, ...], ...]:
        """Each chpid of a CEC that several systems share."""
        ends = grouped(
            ((one.cec, chpid), ChannelEnd(one.name, ChpidId(chpid)))
            for chpid in CHPIDS
            for one in self.images
        )
        return tuple(tuple(each) for each in ends.values() if len(each) > 1)

    @property
    def ports(self) -> list[str]:
        """The director port of each chpid that CTCs use."""
        first = {one.cec: one for one in reversed(self.images)}
        return [
            f"{one.name}:{chpid:02X}={port(cec, chpid):02X}"
            for cec, one in first.items()
            for chpid in CHPIDS
        ]


def port(cec: int, chpid: int) -> int:
    """The director port of a chpid of a CEC."""
    return 0xC0 + 16 * cec + chpid % 16


@dataclass(frozen=True, slots=True)
class DrawnChange:
    """The decks of a site, the layout that they are imported as, and another one of its systems."""

    decks: list[str]
    before: Collection
    after: Collection


def drawn_change(random: Random) -> DrawnChange:
    """One with CSS and images, shared chpids, and disks whose numbers are among those of CTCs."""
    site = DrawnSite.drawn(random)
    given = [*site.ctcs(random)]
    decks = site.decks(given)
    names = ",".join(one.name for one in site.images)
    before = isfc.import_iocp(decks, partitions=names, ports=site.ports).collection
    before = parse_collection(format_collection(before))
    links = tuple(link_of((a.name, b.name), ctcs) for (a, b), ctcs in site.ctcs(random) if ctcs)
    other = in_use(replace(before, links=links, shared_channels=site.channels))
    after = parse_collection(format_collection(other))
    return DrawnChange(decks, before, after)
