"""``isfc import``: a layout from what a site has: a deck, a console log, partition links."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from itertools import groupby
from typing import Any, Final

import typer

from isfc.answers.given import links_of
from isfc.cli.capability import command_of
from isfc.cli.options.formats import Printing
from isfc.cli.options.option import JsonOption
from isfc.cli.output.file import ForceOption, OutputOption, write_text
from isfc.cli.output.streams import show_json, show_remark
from isfc.deck.deck import Deck
from isfc.deck.dpm import import_dpm
from isfc.deck.imported import Imported, layout_text
from isfc.deck.importing import import_config, import_iocp, import_islink
from isfc.deck.pairing import Unpaired
from isfc.errors.in_words import counted, first_listed
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.write import format_collection, format_rdevs

_LINES_MAX: Final = 8
"""Lines of a deck that a notice names."""


def show_told(told: Deck | Sequence[Unpaired] | str) -> None:
    """Say on stderr what a user should know of the layout that goes to stdout."""
    remarks: Iterable[str]
    if isinstance(told, str):
        remarks = [told]
    else:
        remarks = _notices(told) if isinstance(told, Deck) else _unpaired(told)
    for remark in remarks:
        show_remark(remark)


def _unpaired(unpaired: Sequence[Unpaired]) -> Iterator[str]:
    """One paragraph for all devices of a statement that have the same reason.

    Those that lead to their own partition come last, and only their number: nothing is wrong.
    """
    left = [each for each in unpaired if not each.is_expected]
    if left:
        yield f"Not paired: {counted(len(left), 'device')}"
    for (node, place, text), devices in groupby(
        left, key=lambda each: (each.node, each.device.place, each.text)
    ):
        rdevs = format_rdevs(each.device.rdev for each in devices)
        yield f"  {node} {rdevs} ({place.file}, line {place.line}): {text}"
    own = len(unpaired) - len(left)
    if own:
        yield (
            f"isfc: note: in no link: {counted(own, 'device')}, the far ends that partitions on "
            "one channel have of each other. Each leads to its own partition, and NOTPART or "
            "PARTITION shuts that out of it, as it should; --json names them"
        )


def _notices(deck: Deck) -> Iterator[str]:
    """What a reader should know of the cards of a deck, each sentence with all its lines."""
    for text in dict.fromkeys(notice.text for notice in deck.notices):
        lines = [str(notice.place.line) for notice in deck.notices if notice.text == text]
        where = f"line{'s' * (len(lines) > 1)} {first_listed(lines, _LINES_MAX)}"
        yield f"{deck.file}, {where}: {text}"


class WrittenOptions(Printing, frozen=True):
    """Where a layout is written, and whether a record is printed."""

    output: OutputOption = None
    force: ForceOption = False
    json: JsonOption = False

    def show(self, found: Imported, _: Any) -> None:
        """One layout of all links; to a folder, a layout of each. With ``json``, its record."""
        heading, output = found.heading, self.output
        for account in found.accounts:
            show_remark(account)
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


@wraps(import_config)
def _config(*, layout: AnyLayout, **given: Any) -> Imported:
    """As `import_config`, of a layout whose workloads are known before anything is told."""
    known = given_collection(layout, links_of)
    return replace(import_config(layout=known, **given), source=str(layout))


app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Make a layout from IOCP decks, console logs or configurations."""


def _add(name: str, function: Callable[..., Imported]) -> None:
    app.command(name)(command_of(function, printed=WrittenOptions, beside={"tell": show_told}))


_add("iocp", import_iocp)
_add("islink", import_islink)
_add("dpm", import_dpm)
_add("config", _config)
