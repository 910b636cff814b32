"""``isfc number``: the scheme of a layout's device numbers, what breaks it, and new numbers."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct
from rich.console import RenderableType

from ctc.address import format_rdev
from isfc.cli.options.layout import JsonOption, LayoutArgument, read_collection
from isfc.cli.options.option import valued
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption, check_file, output_option
from isfc.cli.output.streams import show, show_json, write_file
from isfc.cli.output.table import apart, plain_table
from isfc.deck.renumbered import keeps_order, numbered
from isfc.deck.scheme import MEANS, Numbering, Scheme
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.in_words import first_listed
from isfc.layout.write import format_collection


def number(
    layout: LayoutArgument,
    *,
    scheme: Annotated[
        Scheme | None, typer.Option(help="Propose numbers of this scheme for all CTCs.")
    ] = None,
    first: Annotated[
        str | None,
        valued("RDEV", "Where they begin: D000 of alike, 4000 of traded and cuadd if not said."),
    ] = None,
    output: Annotated[
        Path | None, output_option("Write the layout with the new numbers.", "FILE.toml")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Say by which scheme CTCs are numbered, and what breaks it.

    With --scheme numbers for all links of the file are proposed; 'isfc change' then says how to get
    there. Ends with 1 if a number breaks the scheme that most of them keep.
    """
    if scheme is None and output is not None:
        raise ConfigurationError("--output: expected --scheme with it")
    check_file("-o", output, (".toml",), force=force)
    collection = read_collection(layout)
    found = numbered(collection, scheme and scheme.value, first)
    after = found.proposed
    if output is not None and after is not None and scheme is not None:
        heading = [f"{layout}, with other numbers: {MEANS[scheme]}."]
        write_file(output, format_collection(after, heading=heading))
    if json:
        show_json(_record(found, collection))
    else:
        show(_page(found, collection))
    if any(each.kind.is_fault for each in found.problems):
        raise typer.Exit(ExitCode.FAILED)


class NumberProblemJson(Struct, frozen=True):
    """A number that breaks the scheme, or what else takes numbers of its ranges."""

    kind: str
    """`outside-range`, `ends-differ`, `image-differs`, `two-numbers`, `two-targets`,
    `range-full` or `other-device`; the last two are no faults"""
    node: str
    rdev: str
    text: str


class NewNumberJson(Struct, frozen=True):
    """A CTC with the numbers that are proposed."""

    nodes: list[str]
    fibre: str
    before: list[str]
    after: list[str]


class NumberingJson(Struct, frozen=True):
    """``isfc number --json``. Names and meanings of the keys stay between releases."""

    scheme: str | None
    """`alike`, `traded`, `cuadd` or `target`; null if most numbers keep none"""
    fitting: dict[str, int]
    """by scheme, how many ends of CTCs keep it"""
    ends: int
    """of CTCs there are so many"""
    problems: list[NumberProblemJson]
    proposed: list[NewNumberJson]
    """empty without `--scheme`"""
    order_changes: list[str]
    """links whose fibres are scanned in another order with the new numbers"""
    decks_missing: list[str]
    """systems of which no whole deck is kept: other devices may have the same numbers"""


def _record(found: Numbering, before: Collection) -> NumberingJson:
    after = found.proposed
    return NumberingJson(
        found.scheme and found.scheme.value,
        {scheme.value: count for scheme, count in found.fitting.items()},
        found.count,
        [
            NumberProblemJson(each.kind.value, each.node, format_rdev(each.rdev), each.text)
            for each in found.problems
        ],
        [] if after is None else _new_numbers(before, after),
        [] if after is None else _reordered(before, after),
        [*found.unknown],
    )


def _new_numbers(before: Collection, after: Collection) -> list[NewNumberJson]:
    return [
        NewNumberJson([*link.nodes], old.fibre.name, [*old.rdev_names], [*new.rdev_names])
        for link, numbered in zip(before.links, after.links, strict=True)
        for old, new in sorted(
            zip(link.ctcs, numbered.ctcs, strict=True), key=lambda each: each[0].rdevs
        )
    ]


def _reordered(before: Collection, after: Collection) -> list[str]:
    return [
        link.name
        for link, numbered in zip(before.links, after.links, strict=True)
        if not keeps_order(link, numbered)
    ]


def _page(found: Numbering, before: Collection) -> RenderableType:
    scheme, after = found.scheme, found.proposed
    if scheme is None:
        kept = {each: count for each, count in found.fitting.items() if count}
        nearest = "".join(
            f": {count} of {found.count} ends of CTCs keep {each.value}, which comes nearest"
            for each, count in sorted(kept.items(), key=lambda item: -item[1])[:1]
        )
        head = f"These numbers follow no scheme that is known{nearest}."
    else:
        head = (
            f"Scheme {scheme.value}: {MEANS[scheme]}. {found.fitting[scheme]} of {found.count} "
            "ends of CTCs keep it."
        )
    parts: list[RenderableType] = [head]
    if found.problems:
        parts.append(_problems(found))
    if after is not None:
        parts.append(_table(before, after))
        if names := _reordered(before, after):
            parts.append(
                f"{', '.join(names)}: the new numbers change the order in which both ends scan the "
                "fibres, and so what each writes on: 'isfc compare' shows what that costs."
            )
        if found.unknown:
            parts.append(
                f"No whole deck of {first_listed(found.unknown, 4)} is kept, so that other devices "
                "may have the new numbers: look before you use them."
            )
    return apart(parts)


def _problems(found: Numbering) -> RenderableType:
    table = plain_table("problem", "system", "RDEV", "what")
    for each in found.problems:
        table.add_row(each.kind.value, each.node, format_rdev(each.rdev), each.text)
    return table


def _table(before: Collection, after: Collection) -> RenderableType:
    table = plain_table("link", "fibre", "before", "", "after", "", no_wrap=True)
    for each in _new_numbers(before, after):
        table.add_row("-".join(each.nodes), each.fibre, *each.before, *each.after)
    return table
