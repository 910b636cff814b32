"""``isfc import``: a layout from what a site has: an IOCP deck, a console log, a configuration."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ctc.address import format_chpid, format_rdev
from isfc.cli.import_.unpaired import notice_lines, unpaired_lines
from isfc.cli.options.layout import JsonOption, read_collection
from isfc.cli.options.source import (
    ConfigOption,
    FeatureOption,
    OutputOption,
    parse_features,
    read_text,
    write_text,
)
from isfc.cli.output.streams import show_json, show_log
from isfc.deck.activation import (
    Activation,
    choose,
    choose_from,
    imbedded,
    parse_activations,
)
from isfc.deck.console import by_system
from isfc.deck.hint import check_paths, hinted_fibres, hinted_ports
from isfc.deck.iocp import parse_deck
from isfc.deck.islink import ConsoleLog, parse_log
from isfc.deck.kept import keep_decks, too_long
from isfc.deck.links import find_links, name_logs, parse_chpids
from isfc.deck.machine import contradictions, crossings, together, within_one_director
from isfc.deck.pairing import Pairing
from isfc.deck.partition import DeckSystem, choose_systems
from isfc.deck.said_cec import one_channel_remarks, with_cecs
from isfc.deck.wiring import Wired, active_ctcs, never_paired, pair_all, paired_devices, wire
from isfc.layout.build import build_layout
from isfc.layout.file import parse_collection
from isfc.layout.layout import Collection, KeptDeck
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection
from isfc.link.name import NodeName

CecOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NODE,...",
        help="A CEC and the systems that are its partitions, which no console shows: chpids "
        "of one number are one channel there. May be repeated.",
    ),
]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Make a layout from IOCP decks, console logs or configurations."""


@app.command("iocp")
def import_iocp(
    decks: Annotated[
        list[Path],
        typer.Argument(
            metavar="DECK...", help="IOCP decks, one for each CEC; - is standard input."
        ),
    ],
    partitions: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="The partitions to join, which name the systems. BOSTON=LP02 gives a system "
            "another name, 2:LP02 means the one of the second deck. Required: without it the "
            "message names the partitions that there are.",
        ),
    ] = None,
    ports: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE:50=C1,...",
            help="The director port of a chpid, or (NODE:50=NODE2:60) the chpid at the other end "
            "of its cable. Inferred where only one cabling fits.",
        ),
    ] = None,
    feature: FeatureOption = None,
    config: ConfigOption = None,
    output: OutputOption = None,
    *,
    json: JsonOption = False,
) -> None:
    """Pair the FCTC devices of IOCP decks.

    Devices that join partitions go together by chpid, link address, CUADD and unit address; what
    has no mate is listed on stderr, with the reason. Each two partitions make a link.
    """
    read = [parse_deck(read_text(path), str(path)) for path in decks]
    for deck in read:
        _tell(notice_lines(deck))
    systems = choose_systems(partitions, read)
    wired = _wire_all(systems, ports or [], feature or [], config or [])
    _tell_remarks([found for _, found in wired])
    links = [found.layout for _, found in wired]
    check_paths(links)
    pairings = [pairing for pairing, _ in wired]
    collection = together(pairings, links)
    kept = _kept(collection, systems, pairings, ports or [])
    collection = replace(collection, decks=kept)
    _tell(f"isfc: note: {remark}" for remark in contradictions(pairings, links))
    _tell(f"isfc: note: {remark}" for remark in crossings(pairings, links))
    if output is not None or not json:
        origin = ", ".join(path.name for path in decks)
        apart = [
            replace(together([pairing], [found.layout]), decks=kept) for pairing, found in wired
        ]
        remarks = [found.remarks for _, found in wired]
        _write(collection, apart, remarks, f"Imported from {origin}.", output)
    if json:
        show_json(_record(wired, collection))


def _kept(
    collection: Collection,
    systems: Sequence[DeckSystem],
    pairings: Iterable[Pairing],
    ports: Sequence[str],
) -> tuple[KeptDeck, ...]:
    """What the layout keeps of the decks; says on stderr if that is nothing."""
    known = [*ports, *hinted_ports(systems, ports)]
    known += [f"{key}={port}" for each in pairings for key, port in each.inferred.items()]
    kept = keep_decks(collection, systems, known)
    if (problem := too_long(kept)) is None:
        return kept
    _tell(
        [f"isfc: note: the layout does not keep the decks: {problem}; 'isfc export' makes others"]
    )
    return ()


def _wire_all(
    systems: Sequence[DeckSystem],
    ports: Sequence[str],
    features: Sequence[str],
    configs: Sequence[str],
) -> list[tuple[Pairing, Wired]]:
    """Pair each two of the systems, and say on stderr what has no mate."""
    pairings = pair_all(systems, [*ports, *hinted_ports(systems, ports)])
    profile, hinted = (
        parse_features(features),
        hinted_fibres(systems, within_one_director(pairings)),
    )
    _tell(unpaired_lines(never_paired(pairings)))
    chosen = choose(_activations(configs), paired_devices(pairings))
    _tell(chosen.remarks)

    def wired(pairing: Pairing) -> Wired:
        return wire(
            pairing,
            lambda chpids: profile(chpids) or hinted(chpids).profile,
            chosen.active,
            lambda chpids: hinted(chpids).fibre,
            lambda chpids: hinted(chpids).km or 0.0,
            lambda chpids: hinted(chpids).far_path,
        )

    left = [pairing for pairing in pairings if active_ctcs(pairing, chosen.active)] or pairings
    _tell(
        f"{'-'.join(system.node for system in pairing.systems)}: the statements leave no CTC of "
        "it: left out"
        for pairing in pairings
        if pairing not in left
    )
    return [(pairing, wired(pairing)) for pairing in left]


@app.command("islink")
def import_islink(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="[NODE=]FILE...",
            help="What QUERY ISLINK shows, one file for each system; - is standard input.",
        ),
    ],
    chpids: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NODE:]40=6000-6003,...",
            help="The chpids of devices, if the files do not have what QUERY CHPID or QUERY PATHS "
            "shows. Without NODE, of the first file's system.",
        ),
    ] = None,
    cec: CecOption = None,
    feature: FeatureOption = None,
    output: OutputOption = None,
) -> None:
    """Make a layout of QUERY ISLINK responses.

    They are pasted from the console of one system or both. Of two files, each names the other's
    system; one alone needs its own, as in ATLANTA=FILE. If nothing is known of the other end's
    chpids, they are assumed to have the numbers of this end's.
    """
    named = name_logs([each for name, path in map(_named, logs) for each in _logs(name, path)])
    seen = find_links(named, parse_chpids(chpids or [], next(iter(named))))
    profile = parse_features(feature or [])
    wired = [
        Wired(build_layout(link.nodes, link.connections, profile), tuple(link.remarks))
        for link in seen
    ]
    _tell_remarks(wired)
    origin = ", ".join(dict.fromkeys(Path(log.file).name for log in named.values()))
    collection = with_cecs(Collection(tuple(found.layout for found in wired)), cec or [])
    _tell(f"isfc: note: {remark}" for remark in one_channel_remarks(collection))
    apart = [in_use(replace(collection, links=(found.layout,))) for found in wired]
    remarks = [found.remarks for found in wired]
    _write(collection, apart, remarks, f"Imported from {origin}.", output)


def _logs(name: str, path: Path) -> Iterator[tuple[str, ConsoleLog]]:
    """What the console of a system says, and what AT ran on others, each with its system."""
    parts = by_system(read_text(path), str(path))
    own = parts.pop(None)
    log = parse_log(own, str(path), needs_devices=not parts)
    if log.devices or log.chpids or not parts:
        yield name, log
    for node, text in parts.items():
        yield str(node), parse_log(text, str(path), needs_devices=False)


@app.command("config")
def import_config(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[NODE=]FILE...", help="SYSTEM CONFIG files, or commands; - is standard input."
        ),
    ],
    layout: Annotated[
        str,
        typer.Option(
            metavar="LAYOUT",
            help="The layout that has all devices: a file, or the name of a shipped one.",
        ),
    ],
    cec: CecOption = None,
    output: OutputOption = None,
) -> None:
    """Keep the devices that ACTIVATE ISLINK names.

    Those are the devices in the link; the layout loses the others. Statements and commands of both
    systems are read, DEACTIVE ISLINK among them, and all else is passed over. A system without any
    keeps its devices. 'isfc import iocp --config FILE' does the same as it pairs.
    """
    kept, remarks = choose_from(read_collection(layout), _activations(files))
    _tell(remarks)
    if cec:
        kept = with_cecs(kept, cec)
    if cec or not kept.cecs:
        _tell(f"isfc: note: {remark}" for remark in one_channel_remarks(kept))
    origin = ", ".join(Path(path).name for _, path in map(_named, files))
    write_text(format_collection(kept, heading=[f"{layout}, as activated by {origin}."]), output)


def _activations(files: Iterable[str]) -> list[tuple[NodeName | None, Activation]]:
    """All statements, each with the node that its file is said to be of."""
    found: list[tuple[NodeName | None, Activation]] = []
    for name, path in map(_named, files):
        text = read_text(path)
        _tell(imbedded(text, str(path)))
        node = NodeName(name.upper()) if name else None
        found += [(node, activation) for activation in parse_activations(text, str(path))]
    return found


def _named(text: str) -> tuple[str, Path]:
    """The node and the file of ``NODE=FILE``; no node if none is named."""
    name, equals, path = text.partition("=")
    return (name, Path(path)) if equals else ("", Path(text))


def _write(
    whole: Collection,
    apart: Sequence[Collection],
    remarks: Sequence[Sequence[str]],
    heading: str,
    output: Path | None,
) -> None:
    """Write one layout of all links; to a folder, a layout of each, ``apart``."""
    if output is not None and output.is_dir():
        for alone, said in zip(apart, remarks, strict=True):
            text = format_collection(alone, heading=[heading, *said])
            write_text(text, output / f"{'-'.join(alone.links[0].nodes)}.toml")
        return
    once = dict.fromkeys(remark for said in remarks for remark in said)
    text = format_collection(whole, heading=[heading, *once])
    parse_collection(text, "the links together")
    write_text(text, output)


def _tell_remarks(wired: Sequence[Wired]) -> None:
    for found in wired:
        _tell(f"{'-'.join(found.layout.nodes)}: {remark}" for remark in found.remarks)


def _tell(lines: Iterable[str]) -> None:
    """Say on stderr what a user should know of the layout that goes to stdout."""
    for line in lines:
        show_log(line)


def _record(wired: Sequence[tuple[Pairing, Wired]], collection: Collection) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        "links": [link_record(*each) for each in wired],
        "shared_channels": [
            {end.node: format_chpid(end.chpid) for end in channel}
            for channel in collection.shared_channels
        ],
        "cecs": {cec.name: list(cec.systems) for cec in collection.cecs},
    }


def link_record(pairing: Pairing, wired: Wired) -> dict[str, Any]:
    """What ``--json`` prints of a link. Names and meanings of the keys stay between releases."""
    return {
        "nodes": list(wired.layout.nodes),
        "ctcs": [
            {
                "chpids": [format_chpid(chpid) for chpid in ctc.fibre.chpids],
                "rdevs": [format_rdev(rdev) for rdev in ctc.rdevs],
            }
            for ctc in wired.layout.ctcs
        ],
        "inferred": dict(pairing.inferred),
        "unpaired": [
            {
                "node": each.node,
                "rdev": format_rdev(each.device.rdev),
                "place": str(each.device.place),
                "reason": each.reason.value,
                "text": each.text,
            }
            for each in pairing.unpaired
        ],
    }
