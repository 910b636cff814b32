"""A layout from what a site has: IOCP decks, console logs, activation statements.

Each import is a function of texts, which is told what a reader should know as it goes, and a public
one that takes paths too and keeps that in its record.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import starmap, zip_longest
from typing import Any, Self

from ctc.address import ChpidId, format_chpid, format_rdev, parse_chpid
from ctc.profiles import ChpidProfile, find_profile
from isfc.arguments import checked, in_python
from isfc.deck.activation import Activation, imbedded, parse_activations
from isfc.deck.active import Wired, active_ctcs, choose, choose_from, paired_devices, wire
from isfc.deck.cabling import Cabling, parse_ports
from isfc.deck.cec import (
    contradictions,
    crossings,
    one_channel_remarks,
    together,
    with_cecs,
    within_one_director,
)
from isfc.deck.console import ConsoleLog, by_system, find_links, name_logs, parse_chpids, parse_log
from isfc.deck.deck import Deck
from isfc.deck.entry import entry_ports
from isfc.deck.hint import check_paths, hinted_fibres, hinted_ports
from isfc.deck.kept import keep_decks, too_long
from isfc.deck.listing import read_deck
from isfc.deck.other_links import other_links
from isfc.deck.pairing import Pairing, Reason, Unpaired, never_paired, pair_all
from isfc.deck.partition import DeckSystem, choose_systems
from isfc.deck.place import TEXT_LENGTH_MAX, decode
from isfc.errors import ConfigurationError
from isfc.layout.build import SaidFibre, build_layout
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.checked_toml import AnyText, given_bytes, within
from isfc.layout.collection import Collection, KeptDeck
from isfc.layout.file import parse_collection
from isfc.layout.foreign_text import SourceKind
from isfc.layout.sharing import only
from isfc.layout.write import format_collection
from isfc.link.name import NodeName


@dataclass(frozen=True, slots=True)
class ImportedCtc:
    """A CTC: its chpids and device numbers, of the first node and of the second."""

    chpids: tuple[str, ...]
    rdevs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnpairedDevice:
    """A device without a mate."""

    node: NodeName
    rdev: str
    place: str
    """file, line and column"""
    reason: Reason
    """[one of these](import.md#what-is-not-paired)"""
    text: str


@dataclass(frozen=True, slots=True)
class ImportedLink:
    """A link; of consoles and partition links nothing was inferred, and nothing left."""

    nodes: tuple[NodeName, NodeName]
    """the two systems"""
    ctcs: tuple[ImportedCtc, ...]
    """of each, those of the first node and of the second"""
    inferred: Mapping[str, str]
    """by `NODE:CHPID`: the port, or the chpid at the other end of the cable, that follows from the
    decks"""
    unpaired: tuple[UnpairedDevice, ...]


def _imported_link(alone: Collection, pairing: Pairing | None) -> ImportedLink:
    (layout,) = alone.links
    return ImportedLink(
        layout.nodes,
        tuple(ImportedCtc(ctc.fibre.chpid_names, ctc.rdev_names) for ctc in layout.ctcs),
        pairing.inferred if pairing else {},
        tuple(
            UnpairedDevice(
                *(each.node, format_rdev(each.device.rdev), str(each.device.place)),
                *(each.reason, each.text),
            )
            for each in (pairing.unpaired if pairing else ())
        ),
    )


@dataclass(frozen=True, slots=True)
class NamedText:
    """The content of a file, its name in messages, and the system that it is said to be of."""

    text: str
    file: str
    node: str = ""


Tell = Callable[[Deck | Sequence[Unpaired] | str], None]
"""Is told, in this order: the decks, for their notices; what has no mate; remarks."""


@dataclass(frozen=True, slots=True, repr=False)
class Imported:
    """A layout that was made of other texts: ``collection`` has all links, ``apart`` each alone.

    ``remarks`` say what was assumed or left out, ``link_remarks`` the same of each link.
    ``unpaired`` are devices of decks that no partner has a mate of, each with ``node``, ``reason``
    and ``text``. JSON has the links.
    """

    links: tuple[ImportedLink, ...]
    shared_channels: tuple[Mapping[NodeName, str], ...]
    """chpids by system, each list of which is one channel"""
    cecs: Mapping[str, tuple[NodeName, ...]]
    """by name, the systems of each"""
    collection: Collection = field(repr=False)
    apart: tuple[Collection, ...] = field(repr=False)
    link_remarks: tuple[tuple[str, ...], ...] = field(repr=False)
    remarks: tuple[str, ...] = field(default=(), repr=False)
    unpaired: tuple[Unpaired, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        collection: Collection,
        apart: Sequence[Collection],
        link_remarks: Iterable[tuple[str, ...]],
        pairings: Sequence[Pairing] = (),
    ) -> Self:
        """All links and each alone, and what pairing decks has found of each."""
        return cls(
            tuple(starmap(_imported_link, zip_longest(apart, pairings))),
            tuple(
                {end.node: format_chpid(end.chpid) for end in channel}
                for channel in collection.shared_channels
            ),
            {cec.name: cec.systems for cec in collection.cecs},
            collection,
            tuple(apart),
            tuple(link_remarks),
        )

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each CTC, as a data frame takes them."""
        return self.collection.rows()

    def __repr__(self) -> str:
        names = ", ".join(link.name for link in self.collection.links)
        count = sum(len(link.ctcs) for link in self.collection.links)
        return f"<Imported {names}: {count} CTCs, {len(self.unpaired)} devices unpaired>"

    def _repr_html_(self) -> str:
        return self.collection._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """What ``isfc import --json`` prints; names and meanings of the keys stay."""
        found: dict[str, Any] = import_module("isfc.reports.encoded").encoded(self)
        return found


@checked
def import_iocp(
    decks: Sequence[AnyText],
    *,
    partitions: str | None = None,
    ports: Sequence[str] = (),
    feature: Sequence[str] = (),
    config: Sequence[AnyText] | Mapping[str, AnyText] = (),
) -> Imported:
    """Make a layout of IOCP decks, one for each CEC, as `isfc import iocp` does.

    A deck is the path of a file, or its text. ``partitions`` names those to join, such as
    ``"LPAR1,BOSTON=2:LPAR1"``; without it the error names those that there are. ``ports`` are such
    as ``"LPAR1:50=C1"``, ``feature`` such as ``"50=FICON Express16S"``; ``config`` has ACTIVATE
    ISLINK statements, maybe by system. Raises `ConfigurationError` for what cannot be read.
    """
    with in_python():
        texts = [_read(each) for each in decks]
        said = partitions, ports, feature, named_texts(config)
        return remembered(lambda tell: pair_decks(texts, *said, tell))


@checked
def import_islink(
    logs: Sequence[AnyText] | Mapping[str, AnyText],
    *,
    chpids: Sequence[str] = (),
    cec: Sequence[str] = (),
    feature: Sequence[str] = (),
) -> Imported:
    """Make a layout of QUERY ISLINK responses, as `isfc import islink` does.

    A log is the path of a file, or its text; by system, where they do not tell whose each is.
    ``chpids`` are such as ``"40=6000-6003"``, ``cec`` such as ``"EAST=VMA1,VMA2"``. Raises
    `ConfigurationError` for what cannot be read.
    """
    with in_python():
        return remembered(lambda tell: join_logs(named_texts(logs), chpids, cec, feature, tell))


@checked
def import_config(
    files: Sequence[AnyText] | Mapping[str, AnyText], layout: AnyLayout, *, cec: Sequence[str] = ()
) -> Imported:
    """Keep the devices of a layout that ACTIVATE ISLINK names, as `isfc import config` does.

    ``files`` are paths or texts, by system where they do not tell whose each is. Raises
    `ConfigurationError` for what cannot be read, or if no CTC is left.
    """
    with in_python():
        whole = given_collection(layout)
        return remembered(lambda tell: keep_active(named_texts(files), whole, cec, tell))


def remembered(work: Callable[[Tell], Imported]) -> Imported:
    """What ``work`` makes, with what it tells."""
    told: list[Deck | Sequence[Unpaired] | str] = []
    found = work(told.append)
    remarks = tuple(each for each in told if isinstance(each, str))
    unpaired = [each for some in told if not isinstance(some, Deck | str) for each in some]
    return replace(found, remarks=remarks, unpaired=tuple(unpaired))


def _read(text: AnyText, node: str = "") -> NamedText:
    data, name = given_bytes(text, "a text file", TEXT_LENGTH_MAX)
    return NamedText(decode(data, name), name, node)


def named_texts(texts: Sequence[AnyText] | Mapping[str, AnyText]) -> list[NamedText]:
    """Texts, or the contents of files, maybe by system."""
    if isinstance(texts, Mapping):
        return [_read(text, node) for node, text in texts.items()]
    return [_read(text) for text in texts]


def pair_decks(
    decks: Sequence[NamedText],
    partitions: str | None,
    ports: Sequence[str],
    feature: Sequence[str],
    config: Sequence[NamedText],
    tell: Tell,
) -> Imported:
    """Pair the FCTC devices of decks, and make a link of each two partitions."""
    read = [read_deck(each.text, each.file) for each in decks]
    for deck in read:
        tell(deck)
    systems = choose_systems(partitions, read)
    ports = [each for word in ports for each in _shown_ports(word, systems)]
    wired = _wired_links(systems, ports, feature, config, tell)
    _tell_remarks([found for _, found in wired], tell)
    links = [found.layout for _, found in wired]
    check_paths(links)
    pairings = [pairing for pairing, _ in wired]
    collection = together(pairings, links)
    known = [*ports, *hinted_ports(systems, ports)]
    known += [f"{key}={port}" for each in pairings for key, port in each.inferred.items()]
    cabling = parse_ports(known, systems)
    kept = _kept_decks(collection, systems, cabling, tell)

    def whole(made: Collection) -> Collection:
        return replace(made, decks=kept, others=other_links(made, systems, read, cabling))

    for remark in (*contradictions(pairings, links), *crossings(pairings, links)):
        tell(f"isfc: note: {remark}")
    return Imported.of(
        whole(collection),
        [whole(together([pairing], [found.layout])) for pairing, found in wired],
        (found.remarks for _, found in wired),
        pairings,
    )


def _shown_ports(word: str, systems: Sequence[DeckSystem]) -> list[str]:
    """What ``ports`` says, as it is or, of a file, as D M=CU shows it of a system."""
    node, equals, path = word.partition("=")
    named = [system for system in systems if system.node == node.upper()]
    if not named or not equals:
        return [word]
    return entry_ports(_read(path).text, path, named[0])


def join_logs(
    logs: Sequence[NamedText],
    chpids: Sequence[str],
    cec: Sequence[str],
    feature: Sequence[str],
    tell: Tell,
) -> Imported:
    """Make links of what QUERY ISLINK shows at one system of each, or at both."""
    if not logs:
        raise ConfigurationError("logs: none; expected one or more")
    named = name_logs([each for log in logs for each in _consoles(log)])
    seen = find_links(named, parse_chpids(chpids, next(iter(named))))
    profile = parse_features(feature)
    wired = [
        Wired(
            build_layout(link.nodes, link.connections, lambda ends: SaidFibre(profile(ends))),
            tuple(link.remarks),
        )
        for link in seen
    ]
    _tell_remarks(wired, tell)
    collection = with_cecs(Collection(tuple(found.layout for found in wired)), cec)
    for remark in one_channel_remarks(collection):
        tell(f"isfc: note: {remark}")
    apart = [only(collection, found.layout) for found in wired]
    return Imported.of(collection, apart, (found.remarks for found in wired))


def keep_active(
    files: Sequence[NamedText], layout: Collection, cec: Sequence[str], tell: Tell
) -> Imported:
    """Keep the devices that the statements leave active."""
    kept, remarks = choose_from(layout, _activations(files, tell))
    for remark in remarks:
        tell(remark)
    if cec:
        kept = with_cecs(kept, cec)
    if cec or not kept.cecs:
        for remark in one_channel_remarks(kept):
            tell(f"isfc: note: {remark}")
    return Imported.of(kept, [only(kept, link) for link in kept.links], [])


def layout_of(
    kind: SourceKind,
    texts: Sequence[tuple[bytes, str, str]],
    partitions: str | None,
    ports: Sequence[str],
) -> tuple[str, tuple[str, ...]]:
    """The text of the layout that decks or console logs make, and what is assumed of them.

    Each of ``texts`` has its name in messages, and the system that it is of, if that is said.
    """
    named = [NamedText(decode(data, file), file, node) for data, file, node in texts]
    with in_python():
        if kind is SourceKind.DECK:
            found = remembered(lambda tell: pair_decks(named, partitions, ports, [], [], tell))
        else:
            found = remembered(lambda tell: join_logs(named, [], [], [], tell))
    assumed = tuple(each.removeprefix("isfc: note: ") for each in found.remarks)
    return layout_text(found, []), assumed


def layout_text(found: Imported, heading: Sequence[str]) -> str:
    """The text of one layout of all links, which can be read again."""
    text = format_collection(found.collection, heading=heading)
    parse_collection(text, "the links together")
    return text


Profiles = Callable[[Mapping[NodeName, ChpidId]], ChpidProfile | None]
"""The feature of the fibre between two nodes' chpids, if it is said."""


def parse_features(texts: Sequence[str]) -> Profiles:
    """What ``--feature`` says of a fibre; the more it says, the more it counts."""
    said: dict[tuple[str, int | None], ChpidProfile] = {}
    for text in texts:
        place, equals, feature = text.rpartition("=")
        node, _, chpid = place.rpartition(":")
        with within(f"--feature {text[:40]!r}"):
            key = node.strip().upper(), parse_chpid(chpid.strip()) if equals else None
            said[key] = find_profile(feature.strip())

    def profile(chpids: Mapping[NodeName, ChpidId]) -> ChpidProfile | None:
        keys: list[tuple[str, int | None]] = [*chpids.items()]
        keys += [*(("", chpid) for chpid in chpids.values()), ("", None)]
        return next((said[key] for key in keys if key in said), None)

    return profile


def _kept_decks(
    collection: Collection, systems: Sequence[DeckSystem], cabling: Cabling, tell: Tell
) -> tuple[KeptDeck, ...]:
    """What the layout keeps of the decks; tells if that is nothing."""
    if made_of := [system.deck.file for system in systems if not system.deck.text]:
        file = made_of[0].rpartition("/")[2]
        tell(f"isfc: note: {file} is no deck: the layout keeps none; 'isfc export' makes others")
        return ()
    kept = keep_decks(collection, systems, cabling)
    if (problem := too_long(kept)) is None:
        return kept
    tell(f"isfc: note: the layout does not keep the decks: {problem}; 'isfc export' makes others")
    return ()


def _wired_links(
    systems: Sequence[DeckSystem],
    ports: Sequence[str],
    features: Sequence[str],
    configs: Sequence[NamedText],
    tell: Tell,
) -> list[tuple[Pairing, Wired]]:
    """Pair each two of the systems, and tell what has no mate."""
    pairings = pair_all(systems, [*ports, *hinted_ports(systems, ports)])
    profile = parse_features(features)
    hinted = hinted_fibres(systems, within_one_director(pairings))
    tell(never_paired(pairings))
    chosen = choose(_activations(configs, tell), paired_devices(pairings))
    for remark in chosen.remarks:
        tell(remark)

    left = [pairing for pairing in pairings if active_ctcs(pairing, chosen.active)] or pairings
    for pairing in pairings:
        if pairing not in left:
            tell(f"{'-'.join(pairing.nodes)}: the statements leave no CTC of it: left out")
    return [
        (pairing, wire(pairing, lambda ends: hinted(ends).said(profile(ends)), chosen.active))
        for pairing in left
    ]


def _consoles(log: NamedText) -> Iterator[tuple[str, ConsoleLog]]:
    """What the console of a system says, and what AT ran on others, each with its system."""
    parts = by_system(log.text, log.file)
    own = parts.pop(None)
    found = parse_log(own, log.file, needs_devices=not parts)
    if found.devices or found.chpids or not parts:
        yield log.node, found
    for node, text in parts.items():
        yield str(node), parse_log(text, log.file, needs_devices=False)


def _activations(
    files: Sequence[NamedText], tell: Tell
) -> list[tuple[NodeName | None, Activation]]:
    """All statements, each with the node that its file is said to be of."""
    found: list[tuple[NodeName | None, Activation]] = []
    for each in files:
        for remark in imbedded(each.text, each.file):
            tell(remark)
        node = NodeName(each.node.upper()) if each.node else None
        found += [(node, one) for one in parse_activations(each.text, each.file)]
    return found


def _tell_remarks(wired: Sequence[Wired], tell: Tell) -> None:
    for found in wired:
        for remark in found.remarks:
            tell(f"{'-'.join(found.layout.nodes)}: {remark}")
