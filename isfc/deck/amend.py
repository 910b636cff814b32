"""The decks that a layout keeps, brought up to date: what does not have to change stays as it was.

A CTC of the layout needs a device at each of its ends: on a control unit of the right channel, link
address and CUADD, with one unit address, and open to the system. Where the kept decks have that,
they stay. What is missing is added, and what contradicts it is taken from the system; every such
statement has a comment above it that begins with ``* isfc:``. A device that the layout does not use
stays defined, as ACTIVATE ISLINK leaves it out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from msgspec import Struct, structs

from ctc.address import Rdev, format_rdev
from ctc.features import ChpidProfile
from isfc.deck.deck import Channel, ControlUnit, DeckSystem, Ports, machine_type
from isfc.deck.draft import Draft, Image
from isfc.deck.hint import format_fibre_hints, format_hints, hinted_fibres, hinted_ports
from isfc.deck.kept import known_ports, switch_of
from isfc.deck.numbers import Units, check_numbers
from isfc.deck.pairing import cuadds_to, pair_all
from isfc.deck.written import UNIT_ADDRESS_MAX
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed, grouped
from isfc.layout.build import assumed_on
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.machines import on_type
from isfc.layout.parts import KeptDeck
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName

_NAMED_MAX: Final = 6


def amended(collection: Collection, said: Ports) -> tuple[tuple[KeptDeck, ...], tuple[str, ...]]:
    """The kept decks of a collection as its CTCs want them, and what a user should know.

    ``said`` are ports from elsewhere. Every system is in one of the decks. Raises
    `ConfigurationError` for what no deck can say.
    """
    joined = check_numbers(collection, said)
    amendment = _Amendment(collection, said)
    for link in collection.links:
        amendment.add(link)
    amendment.add_hints()
    again = _Amendment(replace(collection, decks=amendment.decks()), said)
    lacking = [ctc for link in collection.links for ctc in again.lacking(link)]
    assert not lacking, "an amended deck lacks a CTC of its layout"
    if not again.is_told():
        amendment.add_ports()
    return amendment.decks(), tuple(amendment.remarks(joined))


class _End(Struct, frozen=True):
    """One end of a fibre as its deck has it; ``links`` are the link addresses that lead onward."""

    draft: Draft
    system: DeckSystem
    channel: Channel
    links: tuple[str | None, ...]
    cuadds: tuple[int, ...]

    @property
    def image(self) -> Image:
        return self.system.css, self.system.partition.name

    @property
    def unit(self) -> ControlUnit | None:
        """Its control unit, if the deck has it."""
        return self.draft.unit(self.system.css, self.channel, self.links, self.cuadds)

    def made_unit(self, rdev: Rdev) -> ControlUnit:
        """Its control unit; one that the deck does not have is added for a device."""
        where = self.system.css, self.channel, self.links[0], self.cuadds[0]
        return self.unit or self.draft.add_unit(*where, rdev)

    def address(self, rdev: Rdev) -> int | None:
        """The unit address that the system has under a device number, if it has any there."""
        device = self.draft.device(self.unit, rdev, self.image) if self.unit else None
        return None if device is None else device.address


class _Amendment:
    """The drafts of all decks, and where each channel sits."""

    def __init__(self, collection: Collection, said: Ports) -> None:
        self._collection = collection
        self.drafts = [Draft(kept) for kept in collection.decks]
        self._homes = {node: draft for draft in self.drafts for node in draft.systems}
        self._systems = [each for draft in self.drafts for each in draft.systems.values()]
        self._ports: dict[int, str] = {}
        self._ways: dict[int, dict[int, NodeName]] = {}
        self._told = known_ports(collection, said)
        for link, fibre, _ in collection.fibres():
            channels = self._channels(link, fibre)
            for end, channel in enumerate(channels):
                if port := self._told.get((link.nodes[end], fibre.chpids[end])):
                    self._ports[id(channel)] = port
                far = id(channels[1 - end])
                self._ways.setdefault(id(channel), {})[far] = link.nodes[1 - end]

    def decks(self) -> tuple[KeptDeck, ...]:
        """The decks as they are by now."""
        return tuple(
            structs.replace(deck, cards=draft.text())
            for deck, draft in zip(self._collection.decks, self.drafts, strict=True)
        )

    def _channels(self, link: Layout, fibre: Fibre) -> tuple[Channel, Channel]:
        first, second = (
            self._homes[node].channel(node, fibre.chpids[end], self._switch(node, fibre, end))
            for end, node in enumerate(link.nodes)
        )
        return first, second

    def _switch(self, node: NodeName, fibre: Fibre, end: int) -> str | None:
        """The SWITCH of a channel that may be new: of its director, or of its whole port."""
        port = self._told.get((node, fibre.chpids[end]), "")
        named = switch_of(fibre.directors[end]) if fibre.directors else None
        return named or (port[:2] if len(port) == 4 else None)

    def _ends(self, link: Layout, fibre: Fibre) -> tuple[_End, _End]:
        """The two ends of a fibre. Raises `ConfigurationError` where a port is missing."""
        channels = self._channels(link, fibre)
        homes = [self._homes[node] for node in link.nodes]
        systems = [self._homes[node].systems[node] for node in link.nodes]
        ports = [self._ports.get(id(channel)) for channel in channels]
        names = [f"{node}:{fibre.chpid_names[end]}" for end, node in enumerate(link.nodes)]
        if None in ports:
            if any(ports):
                end = ports.index(None)
                raise ConfigurationError(
                    f"chpid {names[end]} leads to {names[1 - end]}, which is on a director; "
                    f"expected --ports {names[end]}=C1, its own port"
                )
            for end, channel in enumerate(channels):
                if homes[end].links(channel):
                    raise ConfigurationError(
                        f"chpid {names[end]} is on a director, by the link addresses of its "
                        f"control units, and its port is not known; expected --ports {names[end]}="
                        f"C1,{names[1 - end]}=C2 with the ports of both"
                    )
            for end, channel in enumerate(channels):
                ways = self._ways[id(channel)]
                if len(ways) > 1 or id(channel) in ways:
                    partners = " and ".join(dict.fromkeys(ways.values()))
                    raise ConfigurationError(
                        f"chpid {fibre.chpid_names[end]} at {link.nodes[end]} leads to {partners}, "
                        f"so it is on a director; expected --ports {names[end]}=C1 and so on, for "
                        "it and the chpids it leads to"
                    )
        first, second = (
            _End(
                home,
                systems[end],
                channels[end],
                _links(home.links(channels[end]), ports[1 - end], fibre, 1 - end),
                cuadds_to(systems[1 - end].partition, channels[1 - end]),
            )
            for end, home in enumerate(homes)
        )
        return first, second

    def _by_fibre(
        self, link: Layout, ctcs: Iterable[CtcPair]
    ) -> Iterator[tuple[tuple[_End, _End], list[CtcPair]]]:
        """CTCs of a link by fibre, with the two ends of each."""
        for fibre, found in grouped((ctc.fibre, ctc) for ctc in ctcs).items():
            yield self._ends(link, fibre), found

    def lacking(self, link: Layout) -> list[CtcPair]:
        """The CTCs of a link that the decks do not have."""
        by_fibre = self._by_fibre(link, link.device_list())
        return [ctc for ends, ctcs in by_fibre for ctc in ctcs if not _is_there(ctc, ends)]

    def add(self, link: Layout) -> None:
        """Define the CTCs of a link that are not there."""
        lacking = self.lacking(link)
        wanted: dict[tuple[Rdev, Rdev], list[int]] = {}
        for ends, ctcs in self._by_fibre(link, lacking):
            for ctc in ctcs:
                for end, rdev in zip(ends, ctc.rdevs, strict=True):
                    address = end.address(rdev)
                    wanted.setdefault(ctc.rdevs, []).extend([] if address is None else [address])
                    end.draft.bar(rdev, end.image)
        for ends, ctcs in self._by_fibre(link, lacking):
            for ctc in ctcs:
                _define(link, ctc, ends, wanted[ctc.rdevs])

    def add_hints(self) -> None:
        """Add what the decks have no keyword for and do not say in comments."""
        inside = frozenset(
            frozenset(zip(link.nodes, fibre.chpids, strict=True))
            for link, fibre, _ in self._collection.fibres()
            if len(set(fibre.directors)) == 1
        )
        hinted = hinted_fibres(self._systems, inside)
        for link, fibre, _ in self._collection.fibres():
            node, partner = link.nodes
            said = hinted(dict(zip(link.nodes, fibre.chpids, strict=True)))
            self._hint_channels(link, fibre, said.profile or assumed_on(link.machines))
            path = said.far_path
            km = path.km if path else said.km or 0.0
            numbered = said.fibre is None and all(each.name.isdigit() for each in link.fibres)
            is_named = fibre.name == said.fibre or (numbered and not self._homes[node].is_bare)
            if not is_named or (km, path) != (fibre.km, fibre.path):
                chpid, far = fibre.chpid_names
                hints = format_fibre_hints(chpid, fibre, f"{partner}:{far}", node)
                self._homes[node].hints += hints

    def _hint_channels(
        self, link: Layout, fibre: Fibre, profile: ChpidProfile, *, told: bool = False
    ) -> None:
        """Say of what feature a fibre is, and where new channels sit, or all that are ``told``."""
        for end, channel in enumerate(self._channels(link, fibre)):
            node, draft = link.nodes[end], self._homes[link.nodes[end]]
            far = f"{link.nodes[1 - end]}:{fibre.chpid_names[1 - end]}"
            port = self._ports.get(id(channel))
            chpid = fibre.chpid_names[end]
            feature, plug = format_hints(chpid, fibre.profile, port or far, draft.named(node))
            is_new = draft.is_new(channel)
            differs = is_new or (end == 0 and profile != fibre.profile)
            for needed, text in ((differs, feature), (is_new or (told and port), plug)):
                if needed and text not in draft.hints:
                    draft.hints.append(text)

    def add_ports(self) -> None:
        """Say in comments where all channels sit."""
        for link, fibre, _ in self._collection.fibres():
            self._hint_channels(link, fibre, fibre.profile, told=True)

    def is_told(self) -> bool:
        """Whether the decks as they are tell which channels lead to each other."""
        try:
            pairings = pair_all(self._systems, hinted_ports(self._systems, ()))
        except ConfigurationError:
            return False
        found = {
            frozenset(zip(pairing.nodes, ctc.rdevs, ctc.chpids, strict=True))
            for pairing in pairings
            for ctc in pairing.ctcs
        }
        return all(
            frozenset(zip(link.nodes, ctc.rdevs, ctc.fibre.chpids, strict=True)) in found
            for link in self._collection.links
            for ctc in link.ctcs
        )

    def remarks(self, joined: Units) -> Iterator[str]:
        """Devices and machines that the decks keep as they are and the layout has otherwise."""
        on = self._collection.machines
        for node, draft in self._homes.items():
            partition = draft.systems[node].partition
            found = machine_type(draft.deck.text)
            said = on_type(found[0]) if found else None
            here = on.get(node, said)
            if said and here and here.machine != said.machine:
                yield f"{node}: SYSTEM of its deck stays {said.machine}; here it is {here.machine}"
            used = self._collection.rdevs_of(node)
            left = [
                each.rdev
                for each in draft.devices
                if (partition.css, partition.name) in each.admitted
                and each.rdev not in used
                and (node, each.unit) in joined
            ]
            if left:
                some = f"{len(left)} devices of its deck are not in the layout and stay"
                if len(left) == 1:
                    some = "a device of its deck is not in the layout and stays"
                yield (
                    f"{node}: {some} defined "
                    f"({first_listed(format_rdevs(sorted(left)).split(','), _NAMED_MAX)}); "
                    "--as activate leaves them out of the links"
                )


def _links(
    there: Iterable[str], port: str | None, fibre: Fibre, far: int
) -> tuple[str | None, ...]:
    """The link addresses of a far port, in the form of those that are ``there`` first."""
    if port is None:
        return (None,)
    director = switch_of(fibre.directors[far]) if fibre.directors else None
    whole = f"{director}{port}" if director and len(port) == 2 else port
    forms: list[str] = [*dict.fromkeys((port, whole, port[-2:]))]
    if used := {len(link) for link in there}:
        forms.sort(key=lambda form: len(form) not in used)
    return tuple(forms)


def _is_there(ctc: CtcPair, ends: tuple[_End, _End]) -> bool:
    """Whether a CTC has a device at both ends, of one unit address that both units recognize."""
    address, *more = {end.address(rdev) for end, rdev in zip(ends, ctc.rdevs, strict=True)}
    return (
        address is not None
        and not more
        and all(end.unit and end.unit.recognizes(address) for end in ends)
    )


def _define(link: Layout, ctc: CtcPair, ends: tuple[_End, _End], wanted: Sequence[int]) -> None:
    """Define a CTC at both ends, at the first unit address that is free, the ``wanted`` before."""
    units = [end.made_unit(rdev) for end, rdev in zip(ends, ctc.rdevs, strict=True)]
    known = Counter(chain.from_iterable(unit.recognized for unit in units))
    top = max((sum(each) for unit in units for each in unit.unit_addresses), default=0)
    every = [*range(top, UNIT_ADDRESS_MAX + 1), *range(top)]
    every.sort(key=lambda address: known.get(address, 0), reverse=True)
    for address in (*wanted, *every):
        if all(
            end.draft.is_free(unit, address, rdev, end.image)
            for end, unit, rdev in zip(ends, units, ctc.rdevs, strict=True)
        ):
            break
    else:
        raise ConfigurationError(
            f"{link.name}: no unit address is left for {format_rdev(ctc.rdevs[0])} on "
            f"fibre {ctc.fibre.name}; expected fewer devices on its control units"
        )
    for end, unit, rdev in zip(ends, units, ctc.rdevs, strict=True):
        end.draft.admit(unit, address, rdev, end.image)
