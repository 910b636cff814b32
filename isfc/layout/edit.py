"""Changes of a layout, one record each, and what a layout is after one.

A CTC is named by its link and by its device number at the link's first node. A changed layout is
written and read again, so that whatever a file may not say no edit can bring about, and the error
is that of the file. `read_edit` reads one from JSON by its ``do``.

Of a link changed as a rule advises, the rule's trial says on which fibre each CTC down the device
list is. What it leaves of the list as it is stays; CTCs that it adds get free device numbers in
their places, fibres that it adds the next chpids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

import msgspec
from msgspec import structs

from ctc.address import RDEV_MAX, CtcError, Rdev, format_rdev, parse_chpid, parse_rdev
from ctc.features import FEATURES, find_profile
from isfc.errors import ConfigurationError
from isfc.errors.arguments import check_fields, checked
from isfc.errors.in_words import no_node
from isfc.errors.loading import named
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.file import check_speed, parse_collection
from isfc.layout.layout import CtcPair, Fibre, Layout, free_chpid
from isfc.layout.numbering import next_rdevs, numbers_down
from isfc.layout.plan import ways_of
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection
from isfc.link.scan import CTCS_MAX


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """One change of a layout."""

    def __post_init__(self) -> None:
        check_fields(self)

    def applied_to(self, collection: Collection) -> Collection:
        """What a layout is then, before it is checked."""
        raise NotImplementedError


class LinkEdit(Edit, frozen=True):
    """One change of a link."""

    link: str

    def applied_to(self, collection: Collection) -> Collection:
        """What a layout is then, before it is checked."""
        return collection.with_link(self.changed(collection.link(self.link), collection))

    def changed(self, link: Layout, collection: Collection) -> Layout:
        """What its link is then."""
        raise NotImplementedError


class MoveCtc(LinkEdit, frozen=True, tag="move"):
    """A CTC goes to another fibre of its link, and so to other chpids; its numbers stay."""

    rdev: str
    fibre: str

    def changed(self, link: Layout, _: Collection) -> Layout:
        """What its link is then."""
        fibre, ctc = _fibre(link, self.fibre), _ctc(link, self.rdev)
        return _with_ctcs(link, {ctc: structs.replace(ctc, fibre=fibre)})


class AddCtc(Edit, frozen=True, tag="add"):
    """A fibre gets one more CTC: with the device numbers given, or else with the next free ones."""

    fibre: str
    rdevs: tuple[str, str] | None = None

    def applied_to(self, collection: Collection) -> Collection:
        """What a layout is then, before it is checked."""
        owners = [link for link, fibre, _ in collection.fibres() if fibre.name == self.fibre]
        if not owners:
            raise ConfigurationError(f"there is no [fibre.{self.fibre}]")
        link, fibre = owners[0], _fibre(owners[0], self.fibre)
        rdevs = _read_rdevs(self.rdevs) if self.rdevs else _free(collection, link, fibre)
        return collection.with_link(replace(link, ctcs=(*link.ctcs, CtcPair(fibre, rdevs))))


class RemoveCtc(LinkEdit, frozen=True, tag="remove"):
    """A CTC goes, and with the last of a fibre the fibre."""

    rdev: str

    def changed(self, link: Layout, _: Collection) -> Layout:
        """What its link is then."""
        if len(link.ctcs) == 1:
            raise ConfigurationError(f"{self.rdev}: is the last CTC of {link.name}, which stays")
        return _with_ctcs(link, {_ctc(link, self.rdev): None})


class SwapRdevs(LinkEdit, frozen=True, tag="swap"):
    """Two CTCs of a link swap their device numbers: at one node, or at both if none is named."""

    rdev: str
    other: str
    node: str | None = None

    def changed(self, link: Layout, _: Collection) -> Layout:
        """What its link is then."""
        one, other = _ctc(link, self.rdev), _ctc(link, self.other)
        if self.node not in (None, *link.nodes):
            raise no_node("node", self.node, link.nodes)
        ends = [self.node in (None, node) for node in link.nodes]
        swapped = {one: _with_rdevs(one, other, ends), other: _with_rdevs(other, one, ends)}
        return _with_ctcs(link, swapped)


class RenumberCtc(LinkEdit, frozen=True, tag="renumber"):
    """A CTC gets other device numbers: the first node's, and the second's."""

    rdev: str
    rdevs: tuple[str, str]

    def changed(self, link: Layout, _: Collection) -> Layout:
        """What its link is then."""
        ctc = _ctc(link, self.rdev)
        return _with_ctcs(link, {ctc: structs.replace(ctc, rdevs=_read_rdevs(self.rdevs))})


class SetFibre(Edit, frozen=True, tag="set"):
    """A fibre gets another feature, speed (the feature's own if None) or length.

    Fibres on the same chpids get the same feature and speed: they are those of the channel.
    """

    fibre: str
    feature: str
    link_gbps: float | None = None
    km: float | None = None

    def applied_to(self, collection: Collection) -> Collection:
        """What a layout is then, before it is checked."""
        check_speed(f"[fibre.{self.fibre}]", self.feature, self.link_gbps)
        profile = find_profile(self.feature, self.link_gbps)
        same = _same_channels(collection, self.fibre)

        def changed(fibre: Fibre) -> Fibre:
            if fibre.name not in same:
                return fibre
            length = self.km if fibre.name == self.fibre else None
            if length is not None and fibre.path is not None and length != fibre.km:
                raise ConfigurationError(
                    f"[fibre.{fibre.name}]: its length is that of path {fibre.path.name}, "
                    f"{fibre.km:g} km"
                )
            return structs.replace(
                fibre, profile=profile, km=fibre.km if length is None else length
            )

        return replace(
            collection, links=tuple(link.with_fibres(changed) for link in collection.links)
        )


class AddFibre(LinkEdit, frozen=True, tag="add-fibre"):
    """A link gets one more fibre, between two chpids, with one CTC on it."""

    chpids: tuple[str, str]
    feature: str

    def changed(self, link: Layout, collection: Collection) -> Layout:
        """What its link is then."""
        name = next(collection.new_names())
        chpids = parse_chpid(self.chpids[0]), parse_chpid(self.chpids[1])
        fibre = Fibre(name, find_profile(self.feature), chpids)
        ctc = CtcPair(fibre, _free(collection, link, fibre))
        return replace(link, fibres=(*link.fibres, fibre), ctcs=(*link.ctcs, ctc))


class TakeAdvice(LinkEdit, frozen=True, tag="advise"):
    """A link is changed as the rule of a ``finding`` advises, in one of its ways."""

    finding: str
    way: int = 0

    def changed(self, link: Layout, collection: Collection) -> Layout:
        """What its link is then; refused if these CTCs cannot be so arranged."""
        ways = ways_of(self.finding)
        if not 0 <= self.way < len(ways):
            raise ConfigurationError(
                f"{self.finding[:40]}: expected a finding that has a way {self.way}"
            )
        ctcs = link.device_list()
        old = [ctc.fibre for ctc in ctcs]
        down = ways[self.way].change(old)
        if down is None:
            raise ConfigurationError(f"{self.finding}: these CTCs cannot be so arranged")
        new = [_of_file(collection, link, down)[fibre] for fibre in down]
        rdevs = _numbered(collection, link, _kept(old, new))
        fibres = (*link.fibres, *(fibre for fibre in new if fibre not in link.fibres))
        return replace(
            link,
            fibres=tuple(fibre for fibre in dict.fromkeys(fibres) if fibre in new),
            ctcs=tuple(map(CtcPair, new, rdevs)),
        )


_KINDS: Final = (
    MoveCtc | AddCtc | RemoveCtc | SwapRdevs | RenumberCtc | SetFibre | AddFibre | TakeAdvice
)


@checked
def edit(layout: AnyLayout, change: Edit) -> Collection:
    """All links of a layout after one change.

    Raises `ConfigurationError` where what is changed is not there, and for what no layout may be.
    """
    given = given_collection(layout)
    try:
        changed = change.applied_to(given)
    except CtcError as error:
        raise ConfigurationError(str(error)) from None
    edited = parse_collection(format_collection(in_use(changed)), "the changed layout")
    named("isfc.deck.numbers.check_numbers")(edited, known=given)
    return edited


@checked
def read_edit(record: object) -> Edit:
    """The edit that a JSON object is, such as ``{"do": "remove", "link": ..., "rdev": "6000"}``.

    Raises `ConfigurationError` for what is none.
    """
    try:
        return msgspec.convert(record, _KINDS)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"edit: {error}") from None


def _with_rdevs(ctc: CtcPair, other: CtcPair, ends: Sequence[bool]) -> CtcPair:
    """The CTC with the other's device numbers at some ends."""
    first, second = (
        theirs if taken else own
        for own, theirs, taken in zip(ctc.rdevs, other.rdevs, ends, strict=True)
    )
    return structs.replace(ctc, rdevs=(first, second))


def _fibre(link: Layout, name: str) -> Fibre:
    for fibre in link.fibres:
        if fibre.name == name:
            return fibre
    known = ", ".join(fibre.name for fibre in link.fibres)
    raise ConfigurationError(f"there is no [fibre.{name[:40]}] of {link.name}; expected {known}")


def _ctc(link: Layout, rdev: str) -> CtcPair:
    number = parse_rdev(rdev)
    for ctc in link.ctcs:
        if ctc.rdevs[0] == number:
            return ctc
    raise ConfigurationError(f"{link.nodes[0]} has no CTC {format_rdev(number)}")


def _read_rdevs(texts: tuple[str, str]) -> tuple[Rdev, Rdev]:
    return parse_rdev(texts[0].strip()), parse_rdev(texts[1].strip())


def _free(collection: Collection, link: Layout, fibre: Fibre) -> tuple[Rdev, Rdev]:
    """The first free device numbers after the fibre's own, or after all of the link's."""
    if len(link.ctcs) >= CTCS_MAX:
        raise ConfigurationError(
            f"{link.name} has {len(link.ctcs)} CTCs; expected at most {CTCS_MAX} in a logical link"
        )
    return next_rdevs(link, fibre, named("isfc.deck.numbers.numbers_of")(collection))


def _same_channels(collection: Collection, name: str) -> frozenset[str]:
    """The fibres on the same channels as the one named, itself among them, directly or not."""
    ends = {fibre.name: set(channels) for _, fibre, channels in collection.fibres()}
    if name not in ends:
        raise ConfigurationError(f"there is no [fibre.{name[:40]}]; expected {', '.join(ends)}")
    found, channels = {name}, ends[name]
    while more := {each for each, on in ends.items() if each not in found and on & channels}:
        found |= more
        channels = channels.union(*(ends[each] for each in more))
    return frozenset(found)


def _with_ctcs(link: Layout, changes: Mapping[CtcPair, CtcPair | None]) -> Layout:
    """The link, some of its CTCs replaced or gone, and fibres that carry none gone."""
    replaced = (changes.get(ctc, ctc) for ctc in link.ctcs)
    return link.with_ctcs(tuple(ctc for ctc in replaced if ctc is not None))


def features() -> tuple[str, ...]:
    """The names of the FICON features that a fibre may have, the oldest first."""
    return tuple(FEATURES)


def _of_file(collection: Collection, link: Layout, down: Sequence[Fibre]) -> dict[Fibre, Fibre]:
    """The fibres by those of a trial: new ones get a name and chpids that are free."""
    names, used = collection.new_names(), [*map(collection.chpids_of, link.nodes)]
    found = {}
    for fibre in dict.fromkeys(down):
        if fibre in link.fibres:
            found[fibre] = fibre
            continue
        near = free_chpid(max(used[0]) + 1, used[0])
        far = free_chpid(max(used[1]) + 1, used[1] | {near})
        km = 0 if fibre.path else fibre.km
        found[fibre] = Fibre(next(names), fibre.profile, (near, far), km=km)
        used[0].add(near)
        used[1].add(far)
    return found


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
    every = named("isfc.deck.numbers.numbers_of")(collection)
    taken = every[link.nodes[0]], every[link.nodes[1]]
    held = {place: own[was] for place, was in enumerate(kept) if was is not None}
    found = numbers_down(own, len(kept), held, taken)
    return found or _numbered(collection, link, _at_the_end(len(own), kept))


def _at_the_end(old: int, kept: Sequence[int | None]) -> list[int | None]:
    """All new CTCs behind the others, where there is no room between: these move then."""
    moved: list[int | None] = [*range(min(old, len(kept))), *[None] * (len(kept) - old)]
    if moved == kept:
        raise ConfigurationError(f"no device number up to {RDEV_MAX:04X} is free")
    return moved
