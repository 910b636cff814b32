"""``isfc import``: a layout from what a site has: a deck, a console log, partition links."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.import_.unpaired import notice_lines, unpaired_lines
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, read_collection
from isfc.cli.options.option import valued
from isfc.cli.options.source import ConfigOption, FeatureOption, OutputOption, read_text, write_text
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import show_json, show_log
from isfc.deck.deck import Deck
from isfc.deck.dpm import join_links
from isfc.deck.imported import Imported, NamedText, join_logs, keep_active, layout_text, pair_decks
from isfc.deck.pairing import Unpaired
from isfc.layout.write import format_collection

CecOption = Annotated[
    list[str] | None,
    valued(
        "NAME=NODE,...",
        "A CEC and the systems that are its partitions, which no console shows: chpids "
        "of one number are one channel there. May be repeated.",
    ),
]


class WrittenOptions(Struct, frozen=True):
    """Where a layout is written, and whether a record is printed."""

    output: OutputOption = None
    force: ForceOption = False
    json: JsonOption = False

    def write(self, found: Imported, texts: Sequence[NamedText]) -> None:
        """One layout of all links; to a folder, a layout of each. With ``json``, its record."""
        heading, output = f"Imported from {_origin(texts)}.", self.output
        if self.json:
            show_json(found)
            if output is None:
                return
        if output is not None and output.is_dir():
            for alone, said in zip(found.apart, found.link_remarks, strict=True):
                text = format_collection(alone, heading=[heading, *said])
                path = output / f"{'-'.join(alone.links[0].nodes)}.toml"
                write_text(text, path, force=self.force)
            return
        once = dict.fromkeys(remark for said in found.link_remarks for remark in said)
        write_text(layout_text(found, [heading, *once]), output, force=self.force)


app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Make a layout from IOCP decks, console logs or configurations."""


@app.command("iocp")
@flattened
def import_iocp(
    decks: Annotated[
        list[Path],
        typer.Argument(
            metavar="DECK...",
            help="IOCP decks, or IOCP's reports of them, one for each CEC; - is standard input.",
        ),
    ],
    partitions: Annotated[
        str | None,
        valued(
            "NAME,NAME",
            "The partitions to join, which name the systems. BOSTON=LP02 gives a system "
            "another name, 2:LP02 means the one of the second deck. Of more than two it is "
            "required: without it the message names those that there are.",
        ),
    ] = None,
    ports: Annotated[
        list[str] | None,
        valued(
            "NODE:50=C1,...",
            "The director port of a chpid, or (NODE:50=NODE2:60) the chpid at the other end "
            "of its cable; NODE=FILE for what D M=CU shows. Inferred where only one cabling fits.",
        ),
    ] = None,
    feature: FeatureOption = None,
    config: ConfigOption = None,
    *,
    written: WrittenOptions,
) -> None:
    """Pair the FCTC devices of IOCP decks, or of IOCP's reports of them.

    Devices that join partitions go together by chpid, link address, CUADD and unit address; what
    has no mate is listed on stderr, with the reason. Each two partitions make a link.
    """
    texts = [*map(_text, decks)]
    found = pair_decks(
        texts,
        partitions,
        ports or [],
        feature or [],
        [*map(_named, config or [])],
        _tell,
    )
    written.write(found, texts)


@app.command("islink")
@flattened
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
        valued(
            "[NODE:]40=6000-6003,...",
            "The chpids of devices, if the files do not have what QUERY CHPID or QUERY PATHS "
            "shows. Without NODE, of the first file's system.",
        ),
    ] = None,
    cec: CecOption = None,
    feature: FeatureOption = None,
    *,
    written: WrittenOptions,
) -> None:
    """Make a layout of QUERY ISLINK responses.

    They are pasted from the console of one system or both. Of two files, each names the other's
    system; one alone needs its own, as in ATLANTA=FILE. If nothing is known of the other end's
    chpids, they are assumed to have the numbers of this end's.
    """
    texts = [*map(_named, logs)]
    found = join_logs(texts, chpids or [], cec or [], feature or [], _tell)
    written.write(found, texts)


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
        valued("LAYOUT", "The layout that has all devices: a file, or the name of a shipped one."),
    ],
    cec: CecOption = None,
    output: OutputOption = None,
    *,
    force: ForceOption = False,
) -> None:
    """Keep the devices that ACTIVATE ISLINK names.

    Those are the devices in the link; the layout loses the others. Statements and commands of both
    systems are read, DEACTIVE ISLINK among them, and all else is passed over. A system without any
    keeps its devices. 'isfc import iocp --config FILE' does the same as it pairs.
    """
    texts = [*map(_named, files)]
    found = keep_active(texts, read_collection(layout), cec or [], _tell)
    heading = [f"{layout}, as activated by {_origin(texts)}."]
    write_text(format_collection(found.collection, heading=heading), output, force=force)


@app.command("dpm")
@flattened
def import_dpm(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Partition links of type ctc and adapters, as JSON of the HMC's Web Services API; "
            "- is standard input.",
        ),
    ],
    systems: Annotated[
        list[str] | None,
        valued(
            "NODE=PARTITION",
            "The name of a system whose partition has another. May be repeated.",
            "--systems",
        ),
    ] = None,
    feature: FeatureOption = None,
    *,
    written: WrittenOptions,
) -> None:
    """Make a layout of partition links of a machine in DPM mode.

    It has no deck: 'zhmc -o json partitionlink list --all' prints its links, and 'zhmc -o json
    adapter list --all' the chpids of its adapters.
    """
    texts = [*map(_text, files)]
    written.write(join_links(texts, systems or [], feature or [], _tell), texts)


def _text(path: Path, node: str = "") -> NamedText:
    return NamedText(read_text(path), str(path), node)


def _named(text: str) -> NamedText:
    """The content of ``NODE=FILE``, of a node if one is named."""
    node, equals, path = text.partition("=")
    return _text(Path(path), node) if equals else _text(Path(text))


def _origin(texts: Sequence[NamedText]) -> str:
    return ", ".join(Path(each.file).name for each in texts)


def _tell(told: Deck | Sequence[Unpaired] | str) -> None:
    """Say on stderr what a user should know of the layout that goes to stdout."""
    lines: Iterable[str]
    if isinstance(told, str):
        lines = [told]
    else:
        lines = notice_lines(told) if isinstance(told, Deck) else unpaired_lines(told)
    for line in lines:
        show_log(line)
