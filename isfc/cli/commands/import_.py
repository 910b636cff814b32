"""``isfc import``: a layout from what a site has: an IOCP deck, a console log, a configuration."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from ctc.address import format_chpid, format_rdev
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.source import (
    FeatureOption,
    OutputOption,
    parse_features,
    read_text,
    write_text,
)
from isfc.cli.render.output import show_log
from isfc.cli.render.unpaired import unpaired_lines
from isfc.deck.cabling import parse_ports
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import Pairing, Unpaired, pair
from isfc.deck.partition import choose_systems
from isfc.deck.wiring import Wired, wire
from isfc.errors import ConfigurationError
from isfc.layout.write import format_layout

app = typer.Typer(rich_markup_mode=None)


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
        str,
        typer.Option(
            metavar="NAME,NAME",
            help="The partitions to join, which name the systems. BOSTON=LP02 gives a system "
            "another name, 2:LP02 means the one of the second deck.",
            show_default=False,
        ),
    ],
    ports: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE:50=C1,...",
            help="The director port of a chpid, or (NODE:50=NODE2:60) the chpid at the other end "
            "of its cable. Inferred where only one cabling fits.",
            show_default=False,
        ),
    ] = None,
    feature: FeatureOption = None,
    output: OutputOption = None,
    *,
    json: JsonOption = False,
) -> None:
    """Find the FCTC devices that join partitions, pair them, and write the layout.

    Devices are paired by chpid, link address, CUADD and unit address, as the channels do it; what
    has no mate is listed on stderr, with the reason. Each two partitions make a link of their own.
    """
    read = [parse_deck(read_text(path), str(path)) for path in decks]
    systems = choose_systems(partitions, read)
    cabling = parse_ports(ports or [], systems)
    profile = parse_features(feature or [])
    wired: list[tuple[Pairing, Wired]] = []
    for first, second in combinations(systems, 2):
        pairing = pair(first, second, cabling)
        _tell_unpaired(pairing.unpaired)
        wired.append((pairing, wire(pairing, profile, {})))
    _tell_remarks([found for _, found in wired])
    if json:
        from isfc.cli.render.output import show_json

        show_json({"links": [_record(*each) for each in wired]})
    else:
        origin = ", ".join(path.name for path in decks)
        _write([found for _, found in wired], f"Imported from {origin}.", bool(feature), output)


def _write(wired: Sequence[Wired], heading: str, told: bool, output: Path | None) -> None:
    """Write the layouts: one to a file or to standard output, several to files of a folder."""
    assumed = "" if told else "assumed: --feature says otherwise"
    texts = {
        "-".join(found.layout.nodes) + ".toml": format_layout(
            found.layout, heading=[heading, *found.remarks], assumed=assumed
        )
        for found in wired
    }
    if output is not None and output.is_dir():
        for name, text in texts.items():
            write_text(text, output / name)
    elif len(texts) > 1:
        raise ConfigurationError(
            f"there are {len(texts)} links, each a layout; expected a folder: --output FOLDER"
        )
    else:
        (text,) = texts.values()
        write_text(text, output)


def _tell_unpaired(unpaired: Sequence[Unpaired]) -> None:

    for line in unpaired_lines(unpaired):
        show_log(line)


def _tell_remarks(wired: Sequence[Wired]) -> None:

    for found in wired:
        for remark in found.remarks:
            show_log(f"{'-'.join(found.layout.nodes)}: {remark}")


def _record(pairing: Pairing, wired: Wired) -> dict[str, Any]:
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
