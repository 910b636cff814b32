"""A layout of decks or console logs, and the devices of one that ACTIVATE ISLINK names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final

from ctc.address import Rdev
from isfc.deck import activation, imported
from isfc.deck import cec as cecs
from isfc.deck.activation import Activation, Statements
from isfc.deck.active import active_ctcs, choose, choose_from, paired_devices, wire
from isfc.deck.cabling import Cabling, parse_ports
from isfc.deck.console import ConsoleLog, parse_log
from isfc.deck.console_links import find_links, name_logs, parse_chpids
from isfc.deck.deck import DeckSystem, choose_systems
from isfc.deck.hint import check_paths, entry_ports, hinted_fibres, hinted_ports
from isfc.deck.imported import Features, Imported, NamedText, Tell, nobody, remembered
from isfc.deck.kept import keep_decks, too_long
from isfc.deck.listing import read_deck
from isfc.deck.pairing import Pairing, never_paired, pair_all
from isfc.deck.place import decode
from isfc.deck.rnid import is_rnid_table, rnid_ports
from isfc.deck.whose import account_of_console, by_system
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked
from isfc.errors.in_words import counted
from isfc.layout.build import SaidFibre, build_layout
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.checked_toml import AnyText
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import KeptDeck
from isfc.layout.pasted import Kind
from isfc.layout.sharing import only
from isfc.layout.source_kind import SourceKind
from isfc.link.name import NodeName

_DECKS: Final = Argument(
    "DECK...", "IOCP decks, or IOCP's reports of them, one for each CEC; - is standard input."
)
_PARTITIONS: Final = Argument(
    "NAME,NAME",
    "The partitions to join, which name the systems. BOSTON=LP02 gives a system another name, "
    "2:LP02 means the one of the second deck. Of more than two it is required: without it the "
    "message names those that there are.",
)
_PORTS: Final = Argument(
    "NODE:50=C1,...",
    "The director port of a chpid, or (NODE:50=NODE2:60) the chpid at the other end of its cable; "
    "NODE=FILE for what D M=CU shows, or NODE=FILE:SEQUENCE for a director's 'ficonshow rnid "
    "table'. Inferred where only one cabling fits.",
)
_CPC: Final = re.compile(r"(.+):([0-9A-Za-z]{4,12})", re.ASCII)
_CONFIG: Final = Argument(
    "[NODE=]FILE", "ACTIVATE ISLINK statements or commands that choose the devices of the link."
)
_CEC: Final = Argument(
    "NAME=NODE,...",
    "A CEC and the systems that are its partitions, which no console shows: chpids of one number "
    "are one channel there. May be repeated.",
)


@checked
@remembered
def import_iocp(
    decks: Annotated[Sequence[AnyText], _DECKS],
    *,
    partitions: Annotated[str | None, _PARTITIONS] = None,
    ports: Annotated[Sequence[str], _PORTS] = (),
    feature: Features = (),
    config: Annotated[Sequence[AnyText] | Mapping[str, AnyText], _CONFIG] = (),
    tell: Tell = nobody,
) -> Imported:
    """Pair the FCTC devices of IOCP decks, or of IOCP's reports of them.

    Devices that join partitions go together by chpid, link address, CUADD and unit address; what
    has no mate is ``unpaired``, with the reason, and listed on stderr. Each two partitions make a
    link.

    Raises `ConfigurationError` for what cannot be read. A deck is the path of a file, or its text,
    and ``config`` may be by system. ``tell`` is told what the record keeps, as it is found.
    """
    texts = [*map(imported.read_text, decks)]
    statements = imported.named_texts(config)
    read = [read_deck(each, each.file) for each in texts]
    for deck in read:
        tell(deck)
    imported.tell_lines([(deck.file, deck.account) for deck in read], tell)
    systems = choose_systems(partitions, read)
    ports = [each for word in ports for each in _shown_ports(word, systems, tell)]
    profile = imported.parse_features(feature)
    pairings, active = _pairings(systems, ports, statements, tell)
    hinted = hinted_fibres(systems, cecs.within_one_director(pairings))
    links = [
        wire(pairing, lambda ends: hinted(ends).said(profile(ends)), active) for pairing in pairings
    ]
    remarks = [pairing.remarks for pairing in pairings]
    imported.tell_remarks(links, remarks, tell)
    check_paths(links)
    collection = cecs.together(pairings, links)
    known = [*ports, *hinted_ports(systems, ports)]
    known += [f"{key}={port}" for each in pairings for key, port in each.inferred.items()]
    cabling = parse_ports(known, systems)
    kept = _kept_decks(collection, systems, cabling, tell)

    def whole(made: Collection) -> Collection:
        return replace(made, decks=kept, others=cecs.other_links(made, systems, read, cabling))

    if problem := cecs.contradiction(pairings, links):
        imported.tell_notes([problem], tell)
    imported.tell_notes(cecs.crossings(pairings, links), tell)
    return Imported.of(
        texts,
        whole(collection),
        [whole(cecs.together([one], [link])) for one, link in zip(pairings, links, strict=True)],
        remarks,
        pairings,
    )


def _shown_ports(word: str, systems: Sequence[DeckSystem], tell: Tell) -> list[str]:
    """What ``ports`` says, as it is or, of a file, as z/OS or a director shows it of a system."""
    node, equals, said = word.partition("=")
    named = [system for system in systems if system.node == node.upper()]
    if not named or not equals:
        return [word]
    found = _CPC.fullmatch(said)
    path, cpc = found.groups() if found else (said, "")
    text = imported.read_text(path)
    if not is_rnid_table(text):
        return entry_ports(text, path, named[0])
    ports, account = rnid_ports(text, path, named[0], cpc)
    tell(f"isfc: note: {account}")
    return ports


def _kept_decks(
    collection: Collection, systems: Sequence[DeckSystem], cabling: Cabling, tell: Tell
) -> tuple[KeptDeck, ...]:
    """What the layout keeps of the decks; tells if that is nothing."""
    if made_of := [system.deck.file for system in systems if not system.deck.text]:
        problem = f"{made_of[0].rpartition('/')[2]} is no deck: the layout keeps none"
    else:
        kept = keep_decks(collection, systems, cabling)
        if (long := too_long(kept)) is None:
            return kept
        problem = f"the layout does not keep the decks: {long}"
    tell(f"isfc: note: {problem}; 'isfc export' makes others")
    return ()


def _pairings(
    systems: Sequence[DeckSystem], ports: Sequence[str], configs: Sequence[NamedText], tell: Tell
) -> tuple[list[Pairing], Mapping[NodeName, set[Rdev]]]:
    """Each two of the systems that statements leave a CTC, and the devices that are active.

    Tells what has no mate, and what is left out.
    """
    pairings = pair_all(systems, [*ports, *hinted_ports(systems, ports)])
    tell(never_paired(pairings))
    chosen = choose(_activations(configs, tell), paired_devices(pairings))
    for remark in chosen.remarks:
        tell(remark)
    left = [pairing for pairing in pairings if active_ctcs(pairing, chosen.active)] or pairings
    for pairing in pairings:
        if pairing not in left:
            tell(f"{'-'.join(pairing.nodes)}: the statements leave no CTC of it: left out")
    return left, chosen.active


@checked
@remembered
def import_islink(
    logs: Annotated[
        Sequence[AnyText] | Mapping[str, AnyText],
        Argument(
            "[NODE=]FILE...",
            "What QUERY ISLINK shows, one file for each system; - is standard input.",
        ),
    ],
    *,
    chpids: Annotated[
        Sequence[str],
        Argument(
            "[NODE:]40=6000-6003,...",
            "The chpids of devices, if the files do not have what QUERY CHPID or QUERY PATHS "
            "shows. Without NODE, of the first file's system.",
        ),
    ] = (),
    cec: Annotated[Sequence[str], _CEC] = (),
    feature: Features = (),
    tell: Tell = nobody,
) -> Imported:
    """Make a layout of QUERY ISLINK responses.

    They are pasted from the console of one system or both. Of two files, each names the other's
    system; one alone needs its own, as in ATLANTA=FILE, unless it says whose each answer is, as
    QUERY USERID does. If nothing is known of the other end's chpids, they are assumed to have the
    numbers of this end's.

    Raises `ConfigurationError` for what cannot be read. A log is the path of a file, or its text;
    ``tell`` is told what the record keeps.
    """
    texts = imported.named_texts(logs)
    if not texts:
        raise ConfigurationError("logs: none; expected one or more")
    imported.tell_lines([(log.file, account_of_console(log)) for log in texts], tell)
    named = name_logs([each for log in texts for each in _consoles(log)])
    seen = find_links(named, parse_chpids(chpids, next(iter(named))))
    profile = imported.parse_features(feature)
    links = [
        build_layout(link.nodes, link.connections, lambda ends: SaidFibre(profile(ends)))
        for link in seen
    ]
    remarks = [tuple(link.remarks) for link in seen]
    imported.tell_remarks(links, remarks, tell)
    collection = cecs.with_cecs(Collection(tuple(links)), cec)
    imported.tell_notes(cecs.one_channel_remarks(collection), tell)
    apart = [only(collection, link) for link in links]
    return Imported.of(texts, collection, apart, remarks)


@checked
@remembered
def import_config(
    files: Annotated[
        Sequence[AnyText] | Mapping[str, AnyText],
        Argument("[NODE=]FILE...", "SYSTEM CONFIG files, or commands; - is standard input."),
    ],
    layout: Annotated[
        AnyLayout,
        Argument(
            "LAYOUT",
            "The layout that has all devices: a file, or the name of a shipped one.",
            is_named=True,
        ),
    ],
    *,
    cec: Annotated[Sequence[str], _CEC] = (),
    tell: Tell = nobody,
) -> Imported:
    """Keep the devices that ACTIVATE ISLINK names.

    Those are the devices in the link; the layout loses the others. Statements and commands of both
    systems are read, DEACTIVE ISLINK among them, and all else is passed over. A system without any
    keeps its devices. 'isfc import iocp --config FILE' does the same as it pairs.

    Raises `ConfigurationError` for what cannot be read, or if no CTC is left. ``files`` are paths
    or texts, by system where they do not tell whose each is; ``tell`` is told what the record
    keeps.
    """
    texts = imported.named_texts(files)
    kept, remarks = choose_from(given_collection(layout), _activations(texts, tell))
    for remark in remarks:
        tell(remark)
    if cec:
        kept = cecs.with_cecs(kept, cec)
    if cec or not kept.cecs:
        imported.tell_notes(cecs.one_channel_remarks(kept), tell)
    apart = [only(kept, link) for link in kept.links]
    found = Imported.of(texts, kept, apart, [()] * len(apart))
    is_text = isinstance(layout, Layout | Collection) or "\n" in str(layout)
    return replace(found, source="the layout" if is_text else str(layout))


def _consoles(log: NamedText) -> list[tuple[str, ConsoleLog]]:
    """What a console holds of each system that answers there, with its name if that is told."""
    parts = by_system(log, log.file, log.node)
    found = [
        (str(node or ""), parse_log(text, log.file, needs_devices=len(parts) == 1))
        for node, text in parts.items()
    ]
    told = [(node, each) for node, each in found if each.devices or each.chpids]
    return told or [(log.node, parse_log(log, log.file))]


def _activations(files: Sequence[NamedText], tell: Tell) -> Statements:
    """All statements, each with the node that its file is said to be of."""
    found: list[tuple[NodeName | None, Activation]] = []
    imported.tell_lines(
        [(each.file, activation.account_of_statements(each, each.file)) for each in files], tell
    )
    for each in files:
        for remark in activation.imbedded(each, each.file):
            tell(remark)
        found += activation.parse_activations(each, each.file, each.node)
    return found


def layout_of(
    kind: SourceKind,
    texts: Sequence[tuple[bytes, str, str]],
    partitions: str | None,
    ports: Sequence[str],
) -> tuple[str, list[str], list[str]]:
    """The text of the layout that decks or console logs make, what is left out, and what assumed.

    Each of ``texts`` has its name in messages, and the system that it is of, if that is said.
    """
    named = [NamedText(decode(data, file), file, node) for data, file, node in texts]
    if kind is SourceKind.DECK:
        found = import_iocp(named, partitions=partitions, ports=ports)
    else:
        found = import_islink(named)
    said = *found.remarks, *(each for each in found.accounts if Kind.TEXT.value in each)
    count = len(found.unpaired)
    devices = f"Left out: {counted(count, 'device')} of the decks in no link. "
    left = [f"{devices}'isfc import iocp' says of each why."] * (count > 0)
    return (
        imported.layout_text(found, []),
        left,
        [each.removeprefix("isfc: note: ") for each in said],
    )
