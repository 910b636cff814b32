"""A new layout of a few options: systems, chpids, and how many CTCs are on each pair of them."""

from collections.abc import Iterator, Sequence
from typing import Final

from ctc.address import RDEV_MAX, ChpidId, Rdev, parse_chpid, parse_rdev
from ctc.profiles import ChpidProfile, find_profile
from isfc.arguments import checked, in_python
from isfc.errors import ConfigurationError
from isfc.layout.build import ASSUMED_FEATURE, CtcChoice, build_layout
from isfc.layout.checked_toml import within
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

RDEVS_PER_CHPID: Final = 16
"""Device numbers that are set aside for a chpid (published: IBM's advice for relocation)."""


@checked
def new(
    systems: str,
    chpids: str,
    *,
    ctcs: int = 4,
    feature: str = ASSUMED_FEATURE.feature,
    rdevs: str = "6000",
) -> Layout:
    """A layout as `isfc new` makes one: ``new("ATLANTA,BOSTON", "40:50,41:51")``.

    ``ctcs`` are on each pair of chpids, whose FICON ``feature`` is one for all or one each, with
    commas between. ``rdevs`` is the first device number of both systems, or of each; those of each
    further pair begin 16 higher. Raises `ConfigurationError` for what is no layout.
    """
    with in_python():
        with within(f"systems {systems[:40]!r}"):
            nodes = read_nodes(systems)
        with within(f"chpids {chpids[:40]!r}"):
            pairs = read_pairs(chpids)
        with within(f"ctcs {ctcs}"):
            count = read_count(str(ctcs))
        with within(f"feature {feature[:40]!r}"):
            profiles = read_profiles(feature, len(pairs))
        with within(f"rdevs {rdevs[:40]!r}"):
            firsts = read_firsts(rdevs)
        return layout_of(nodes, pairs, count, profiles, firsts)


def layout_of(
    nodes: tuple[NodeName, NodeName],
    pairs: list[tuple[ChpidId, ChpidId]],
    count: int,
    profiles: Sequence[ChpidProfile],
    firsts: tuple[Rdev, Rdev],
) -> Layout:
    """The layout with ``count`` CTCs on each pair of chpids."""
    of_pair = dict(zip(pairs, profiles, strict=True))
    return build_layout(
        nodes,
        _connections(pairs, count, firsts),
        lambda ends: of_pair[ends[nodes[0]], ends[nodes[1]]],
        too_many=f": --ctcs {CTCS_MAX // len(pairs)} at most with so many --chpids"
        if len(pairs) <= CTCS_MAX
        else ": fewer --chpids",
    )


def read_nodes(text: str) -> tuple[NodeName, NodeName]:
    """Two systems, from ``ATLANTA,BOSTON``."""
    names = [NodeName(name.strip().upper()) for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1]:
        raise ConfigurationError("expected two systems, such as ATLANTA,BOSTON")
    return names[0], names[1]


def read_pairs(text: str) -> list[tuple[ChpidId, ChpidId]]:
    """The chpids that are joined, from ``40:50,41:51``."""
    pairs = []
    for part in text.split(","):
        here, _, there = part.strip().partition(":")
        pairs.append((parse_chpid(here), parse_chpid(there or here)))
    if len(set(pairs)) < len(pairs):
        raise ConfigurationError("expected each pair of chpids once")
    return pairs


def read_profiles(text: str, pairs: int) -> list[ChpidProfile]:
    """The profile of each pair of chpids: one for all, or one each."""
    profiles = [_profile(part.strip()) for part in text.split(",")]
    if len(profiles) == 1:
        return profiles * pairs
    if len(profiles) != pairs:
        raise ConfigurationError(
            f"{len(profiles)} features for {pairs} pairs of chpids; expected one of all, or one "
            "of each pair"
        )
    return profiles


def _profile(text: str) -> ChpidProfile:
    """``FICON Express16S``, or ``FICON Express16S@8`` where the link runs at 8 Gb/s."""
    feature, at, gbps = text.partition("@")
    profile = find_profile(feature)
    if not at:
        return profile
    try:
        speed = float(gbps)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= profile.link_gbps:
        raise ConfigurationError(
            f"speed {gbps[:10]!r}: expected more than 0 Gb/s, and {profile.link_gbps:g} at most"
        )
    return find_profile(feature, speed)


def read_count(text: str) -> int:
    """CTCs on each pair of chpids."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= CTCS_MAX:
        raise ConfigurationError(f"expected a number from 1 to {CTCS_MAX}")
    return int(text)


def read_firsts(text: str) -> tuple[Rdev, Rdev]:
    """The first device numbers, from ``6000`` or ``6000,7000``."""
    here, comma, there = text.partition(",")
    return parse_rdev(here.strip()), parse_rdev((there if comma else here).strip())


def _connections(
    pairs: list[tuple[ChpidId, ChpidId]], count: int, firsts: tuple[Rdev, Rdev]
) -> Iterator[CtcChoice]:
    """So many CTCs on each pair of chpids."""
    for index, chpids in enumerate(pairs):
        for n in range(count):
            here, there = (first + RDEVS_PER_CHPID * index + n for first in firsts)
            if max(here, there) > RDEV_MAX:
                raise ConfigurationError(
                    "--rdevs: device numbers go beyond FFFF; expected lower ones"
                )
            yield CtcChoice(chpids, (Rdev(here), Rdev(there)))
