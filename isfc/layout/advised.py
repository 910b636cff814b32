"""A link changed as a rule advises, in a file: its CTCs keep their device numbers where they can.

A rule's trial says on which fibre each CTC down the device list is. What it leaves of the list as
it is stays; CTCs that it adds get free device numbers in their places, fibres that it adds the
next chpids.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import count

from ctc.address import CHPID_MAX, RDEV_MAX, ChpidId, Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.rules.book import ways_of


def advised(collection: Collection, link: Layout, finding: str, way: int) -> Layout:
    """The link, changed in one of the ways of a rule.

    Raises `ConfigurationError` if there is no such way, or it cannot be gone with these CTCs.
    """
    ways = ways_of(finding)
    if not 0 <= way < len(ways):
        raise ConfigurationError(f"{finding[:40]}: expected a finding that has a way {way}")
    ctcs = link.device_list()
    old = [ctc.fibre for ctc in ctcs]
    down = ways[way].change(old)
    if down is None:
        raise ConfigurationError(f"{finding}: these CTCs cannot be so arranged")
    new = [_of_file(collection, link, down)[fibre] for fibre in down]
    rdevs = _numbered(collection, link, _kept(old, new))
    fibres = (*link.fibres, *(fibre for fibre in new if fibre not in link.fibres))
    return replace(
        link,
        fibres=tuple(fibre for fibre in dict.fromkeys(fibres) if fibre in new),
        ctcs=tuple(map(CtcPair, new, rdevs)),
    )


def _of_file(collection: Collection, link: Layout, down: Sequence[Fibre]) -> dict[Fibre, Fibre]:
    """The fibres by those of a trial: new ones get a name and chpids that are free."""
    names = {fibre.name for each in collection.links for fibre in each.fibres}
    used: tuple[set[int], set[int]] = (set(), set())
    for end, node in enumerate(link.nodes):
        for each in collection.links_of(node):
            used[end].update(fibre.chpids[each.nodes.index(node)] for fibre in each.fibres)
    found = {}
    for fibre in dict.fromkeys(down):
        if fibre in link.fibres:
            found[fibre] = fibre
            continue
        name = next(str(n) for n in count(1) if str(n) not in names)
        near = _next_chpid(used[0], used[0])
        far = _next_chpid(used[1], used[1] | {near})  # a crossed connection
        found[fibre] = Fibre(name, fibre.profile, (near, far), km=0 if fibre.path else fibre.km)
        names.add(name)
        used[0].add(near)
        used[1].add(far)
    return found


def _next_chpid(used: set[int], not_these: set[int]) -> ChpidId:
    numbers = (*range(max(used) + 1, CHPID_MAX + 1), *range(max(used)))
    return next(ChpidId(number) for number in numbers if number not in not_these)


def _kept(old: Sequence[Fibre], new: Sequence[Fibre]) -> list[int | None]:
    """For each place of the new list: which of the old list it was, None for a CTC that is new."""
    if len(old) == len(new):
        return [*range(len(new))]
    rest = iter(enumerate(old))
    first = [next((place for place, was in rest if was == fibre), None) for fibre in new]
    if None not in first:  # CTCs are left out, and no more: the first of each fibre stay
        return first
    kept: list[int | None] = []
    names = [fibre.name for fibre in old], [fibre.name for fibre in new]
    for _, i1, i2, j1, j2 in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        places: list[int | None] = [*range(i1, i2)]
        kept += (places + [None] * (j2 - j1))[: j2 - j1]
    return kept


def _numbered(
    collection: Collection, link: Layout, kept: Sequence[int | None]
) -> list[tuple[Rdev, Rdev]]:
    """The device numbers down the list; those of new CTCs stand between their neighbours'."""
    own = [ctc.rdevs for ctc in link.device_list()]
    taken = [collection.rdevs_of(node) for node in link.nodes]
    found: list[tuple[Rdev, Rdev]] = []
    for place, was in enumerate(kept):
        if was is not None:
            found.append(own[was])
            continue
        after = next((own[each][0] for each in kept[place:] if each is not None), RDEV_MAX + 1)
        before, far = found[-1] if found else (Rdev(max(0, after - 256)), own[0][1])
        near = next((n for n in range(before + 1, after) if n not in taken[0]), None)
        if near is None:
            return _numbered(collection, link, _at_the_end(len(own), len(kept), after))
        numbers = (*range(far + 1, RDEV_MAX + 1), *range(far))
        found.append((Rdev(near), next(Rdev(n) for n in numbers if n not in taken[1])))
        taken[0].add(Rdev(near))
        taken[1].add(found[-1][1])
    return found


def _at_the_end(old: int, new: int, after: int) -> list[int | None]:
    """All new CTCs behind the others, where there is no room between: these move then."""
    if after > RDEV_MAX:
        raise ConfigurationError(f"no device number up to {format_rdev(Rdev(RDEV_MAX))} is free")
    return [*range(min(old, new)), *[None] * (new - old)]
