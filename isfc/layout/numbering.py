"""Device numbers of CTCs down the device list: new ones between those that stay.

Whoever adds CTCs in places of the list, or puts them into another order, asks here.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import islice, pairwise

from ctc.address import RDEV_MAX, Rdev
from isfc.layout.layout import Fibre, Layout, free_rdev
from isfc.link.name import NodeName

Rdevs = tuple[Rdev, Rdev]
"""The device numbers of a CTC at both ends."""

Taken = tuple[Set[Rdev], Set[Rdev]]
"""At each end, the numbers that devices have: a CTC may have one if it is its own link's."""


def next_rdevs(link: Layout, fibre: Fibre, taken: Mapping[NodeName, set[Rdev]]) -> Rdevs:
    """The first free numbers after those of a fibre, or after all of the link's; taken then."""
    own = [ctc.rdevs for ctc in link.ctcs if ctc.fibre == fibre] or [c.rdevs for c in link.ctcs]
    here, there = (
        free_rdev(max(rdevs) + 1, taken[node])
        for node, rdevs in zip(link.nodes, zip(*own, strict=True), strict=True)
    )
    taken[link.nodes[0]].add(here)
    taken[link.nodes[1]].add(there)
    return here, there


def numbers_down(
    own: Sequence[Rdevs], length: int, held: Mapping[int, Rdevs], taken: Taken
) -> list[Rdevs] | None:
    """The numbers of a list of so many CTCs in which some places keep those that they have.

    ``own`` are all that the link has. A new number is used at neither end, unless none such has
    room; it is the same at both ends if those of the link are. None if the numbers do not suffice.
    """
    used = {rdev for rdevs in own for rdev in rdevs}
    others = [each - {rdevs[end] for rdevs in own} for end, each in enumerate(taken)]
    if all(here == there for here, there in own):
        here = there = _numbers(own, 0, length, held, used, others[0] | others[1])
    else:
        here = _numbers(own, 0, length, held, used, others[0])
        there = _numbers(own, 1, length, held, used | {*here}, others[1])
    if min(len(here), len(there)) < length or max(*here, *there) > RDEV_MAX:
        return None
    return [*zip(here, there, strict=True)]


def _numbers(
    own: Sequence[Rdevs],
    end: int,
    length: int,
    held: Mapping[int, Rdevs],
    used: set[Rdev],
    others: Set[Rdev],
) -> list[Rdev]:
    """The number of each position at one end: those that are held, and others between them."""
    places = [-1, *sorted(held), length]
    least = min(rdevs[end] for rdevs in own)
    taken = {*others, *(rdevs[end] for rdevs in held.values())}
    found: list[Rdev] = []
    for one, other in pairwise(places):
        wanted = other - one - 1
        low = held[one][end] if one in held else least - 1
        high = held[other][end] if other in held else RDEV_MAX + 1 + length
        if one < 0 and other in held:
            found += _between(range(high - 1, -1, -1), wanted, used, taken)
        elif high > low:
            found += _between(range(low + 1, high), wanted, used, taken)
        if len(found) < other:  # held ones that stand in another order at this end
            found += _between(range(least, RDEV_MAX), wanted, used, taken)
        taken |= {*found}
        if other in held:
            found.append(held[other][end])
    return found


def _between(span: range, wanted: int, used: set[Rdev], taken: set[Rdev]) -> list[Rdev]:
    """The first numbers of a span that are not used; where they are too few, used ones as well."""
    free = [*islice((Rdev(n) for n in span if n not in used and n not in taken), wanted)]
    more = (Rdev(n) for n in span if n in used and n not in taken)
    found = sorted([*free, *islice(more, wanted - len(free))])
    return found if len(found) == wanted else []
