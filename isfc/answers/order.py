"""A link with what is ordered for it: beside what it has, or in its place where that is alike.

Of kept decks and of all links the numbers of chpids and devices are known, so that the change from
the one to the other can be told.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from msgspec import structs

from ctc.address import RDEV_MAX, ChpidId, Rdev
from ctc.features import ChpidProfile
from isfc.deck.kept import kept_systems
from isfc.deck.numbers import numbers_of
from isfc.errors import ConfigurationError
from isfc.layout.build import RDEVS_PER_CHPID
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.layout import CtcPair, Fibre, Layout, free_chpid
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection


def with_order(collection: Collection, link: Layout, ordered: Layout) -> Collection:
    """The links with one as ``ordered``, whose chpids and CTCs are all alike.

    Raises `ConfigurationError` where device numbers run out.
    """
    pattern = ordered.fibres[0]
    on_each = len(ordered.ctcs) // len(ordered.fibres)
    alike = _kind(pattern)
    kept = [fibre for fibre in link.fibres if _kind(fibre) == alike][: len(ordered.fibres)]
    fibres = [*kept, *_new(collection, link, pattern, len(ordered.fibres) - len(kept))]
    blocks = _blocks(collection, link, on_each)
    ctcs: list[CtcPair] = []
    for fibre in fibres:
        own = [ctc for ctc in link.device_list() if ctc.fibre == fibre][:on_each]
        more = on_each - len(own)
        ctcs += [*own, *(CtcPair(fibre, rdevs) for rdevs in next(blocks)[:more] if more)]
    return _with(collection, link, fibres, ctcs)


def with_more(collection: Collection, link: Layout, profile: ChpidProfile, more: int) -> Collection:
    """The links with so many chpids more of a feature in one, each with as many CTCs as others.

    Raises `ConfigurationError` where device numbers run out, or it has too many CTCs then.
    """
    on_each = max(Counter(ctc.fibre for ctc in link.ctcs).values())
    pattern = structs.replace(link.fibres[0], profile=profile)
    fibres = [*_new(collection, link, pattern, more)]
    blocks = zip(fibres, _blocks(collection, link, on_each), strict=False)
    ctcs = [CtcPair(fibre, rdevs) for fibre, block in blocks for rdevs in block]
    return _with(collection, link, [*link.fibres, *fibres], [*link.ctcs, *ctcs])


def _with(
    collection: Collection, link: Layout, fibres: Iterable[Fibre], ctcs: Iterable[CtcPair]
) -> Collection:
    made = replace(link, fibres=tuple(fibres), ctcs=tuple(ctcs))
    return parse_collection(format_collection(in_use(collection.with_link(made))))


def _kind(fibre: Fibre) -> tuple[object, ...]:
    """What two fibres have alike if one is as good as the other."""
    return fibre.profile, fibre.km, fibre.disks, fibre.channels


def _new(collection: Collection, link: Layout, pattern: Fibre, wanted: int) -> Iterator[Fibre]:
    """Fibres between the next free chpids of both systems, with names of their own."""
    free = collection.new_names()
    ends = [[*_chpids(collection, link, end, wanted)] for end in (0, 1)]
    for here, there in zip(*ends, strict=True):
        yield Fibre(next(free), pattern.profile, (here, there), km=pattern.km)


def _chpids(collection: Collection, link: Layout, end: int, wanted: int) -> Iterator[ChpidId]:
    """The next chpids of a system that neither a link has nor its deck."""
    node = link.nodes[end]
    taken = collection.chpids_of(node)
    if system := kept_systems(collection).get(node):
        taken |= {int(chpid) for _, chpid in system.deck.channels}
    begin = max(fibre.chpids[end] for fibre in link.fibres)
    for _ in range(wanted):
        chpid = free_chpid(begin, taken)
        taken.add(chpid)
        yield chpid


def _blocks(
    collection: Collection, link: Layout, each: int
) -> Iterator[Sequence[tuple[Rdev, Rdev]]]:
    """Device numbers that are free at both ends, behind those of the link, a chpid's apart."""
    numbers = numbers_of(collection)
    firsts = [max(ctc.rdevs[end] for ctc in link.ctcs) for end in (0, 1)]
    steps = [first // RDEVS_PER_CHPID for first in firsts]
    for n in range(1, RDEV_MAX // RDEVS_PER_CHPID):
        begins = [(step + n) * RDEVS_PER_CHPID % (RDEV_MAX + 1) for step in steps]
        block = [(Rdev(begins[0] + k), Rdev(begins[1] + k)) for k in range(each)]
        ends = zip(link.nodes, zip(*block, strict=True), strict=True)
        if not any(numbers[node] & {*rdevs} for node, rdevs in ends):
            yield block
    raise ConfigurationError(f"{link.name}: no device numbers are free; expected some")
