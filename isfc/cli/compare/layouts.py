"""``isfc compare`` of layouts: one table, and for each pair the odds that one is ahead."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from rich.console import RenderableType

from isfc.answers.limit import limits_of, short_limit
from isfc.answers.limit_record import Limits
from isfc.cli.options.layout import open_links
from isfc.cli.output.progress import run_all
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import shipped_layouts
from isfc.layout.note import Note, NoteKind
from isfc.layout.sharing import only
from isfc.reports.ranges import RangeJson, range_json, range_note, share_note
from isfc.reports.record import record_of
from isfc.reports.table import apart, plain_table
from isfc.reports.units import range_of
from scenarios.figures.certainty import nobody_is_ahead
from scenarios.figures.choice import (
    Candidate,
    Choice,
    PairOdds,
    check_comparable,
    judge_choice,
    pair_odds,
)
from scenarios.runs.load import Load

_NAME_WIDTH: Final = 16
"""Columns that the name of a layout has before it is folded."""


class ChoiceJson(Struct, frozen=True):
    """One layout of a comparison."""

    layout: str
    """as it was given"""
    mb_per_s: float
    """of the slower direction, one way"""
    range: RangeJson | None
    """between what that would lie"""
    limits: Limits
    """what limits it"""
    worst_loss: str | None
    """the piece whose loss leaves least, null if there is none"""
    worst_loss_leaves: float | None
    """the share of the rate that is left then, as `left_share` of `isfc plan --lose --json`"""
    worst_loss_range: RangeJson | None
    """between what that share would lie, null where nothing is left"""
    ctcs: int
    chpids: int
    """of the first node"""
    warnings: int
    remarks: int
    """findings of `isfc check`"""


class OddsJson(Struct, frozen=True):
    """Two layouts of a comparison."""

    ahead: str
    """the one with the greater rate by the model"""
    behind: str
    ratio: float
    """of their rates"""
    range: RangeJson | None
    """between what that would lie"""
    odds: float
    """how likely it is that the first is ahead on real hardware too, of 1, by that range"""


class LayoutsJson(Struct, frozen=True):
    """``isfc compare --json`` of layouts. Names and meanings of the keys stay."""

    kind: str
    """`layouts`"""
    workload: str | None
    """null where the traffic of the files runs, which several links have"""
    pairs: int | None
    layouts: list[ChoiceJson]
    """in the order in which they were given"""
    odds: list[OddsJson]
    """of each pair"""
    notes: list[Note]
    """what belongs to the figures of any of them"""


def names_layouts(files: Sequence[Path]) -> bool:
    """Whether files are layouts, by their names: one that is makes layouts of the others too.

    The results of runs are JSON. A pipe has no such name, nor has a file that is not there.
    """
    return any(file.suffix == ".toml" or str(file) in shipped_layouts() for file in files)


def judge_layouts(
    files: Sequence[Path], link: str | None, load: Load, *, is_said: bool = False
) -> list[Choice]:
    """What is to be said of each layout, all with the same load.

    Several links run the traffic of their file: a load that ``is_said`` would have no effect.
    """
    if len(files) < 2:
        raise ConfigurationError(f"{files[0]}: expected two layouts or more, or two results")
    candidates = []
    for file in files:
        opened = open_links(str(file), link)
        links = opened[0].collection
        if len(opened) == 1:
            links = only(links, opened[0].layout)
        if is_said and load.of(links).traffic:
            raise ConfigurationError(
                f"{file}: its [[traffic]] is what runs over several links; expected neither "
                "--workload nor --pairs, or --link"
            )
        candidates.append(Candidate(str(file), links, load))
    check_comparable(candidates)
    return run_all(judge_choice, candidates)


def layouts_json(choices: Sequence[Choice]) -> LayoutsJson:
    """The record of a comparison."""
    load = choices[0].lefts[0].carried.load
    return LayoutsJson(
        "layouts",
        None if load.traffic else load.workload.name,
        None if load.traffic else load.pairs,
        [*map(_choice_json, choices)],
        [
            OddsJson(
                *(each.first.name, each.second.name, each.ratio.value),
                range_json(each.ratio),
                each.odds.share,
            )
            for each in pair_odds(choices)
        ],
        list(_notes(choices)),
    )


def _notes(choices: Sequence[Choice]) -> list[Note]:
    """Those of all, each once, and those of a kind together."""
    different = dict.fromkeys(note for each in choices for note in each.notes)
    return sorted(different, key=lambda note: [*NoteKind].index(note.kind))


def _choice_json(choice: Choice) -> ChoiceJson:
    worst = choice.worst
    return record_of(
        ChoiceJson,
        choice,
        layout=choice.name,
        mb_per_s=choice.rate.value,
        range=choice.rate,
        limits=limits_of(choice.limit, choice.rate.value),
        worst_loss=worst and worst.gone,
        worst_loss_leaves=worst and worst.share.value,
        worst_loss_range=worst and worst.share,
    )


def layouts_page(choices: Sequence[Choice]) -> RenderableType:
    """The whole page: the odds first, which are the answer."""
    odds = "\n".join(map(_odds, pair_odds(choices)))
    heads = (">MB/s", "~range", "~limited by", "~worst loss\nleaves")
    table = plain_table("~layout", *heads, ">CTCs", ">chpids", ">findings", gap=1, no_wrap=True)
    table.columns[0].width = min(_NAME_WIDTH, max(len(each.name) for each in choices))
    for each in choices:
        lost, worst = each.worst, "-"
        if lost is not None:
            worst = f"{100 * lost.share.value:.0f} %: {lost.gone}"
        table.add_row(
            *(each.name, f"{each.rate.value:.0f}", range_of(each.rate)),
            *(short_limit(each.limit), worst),
            *(str(each.ctcs), str(each.chpids), str(each.warnings + each.remarks)),
        )
    heading = f"MB/s (2^20) of the slower direction, {choices[0].lefts[0].carried.load.words}"
    shares = share_note(each.worst.share for each in choices if each.worst is not None)
    known = f"{range_note(each.rate for each in choices)} {shares}".strip()
    return apart([odds, heading, table, known, *(note.text for note in _notes(choices))])


def _odds(pair: PairOdds) -> str:
    more = f"carries {100 * (pair.ratio.value - 1):.0f} % more"
    first, second = pair.first.name, pair.second.name
    if nobody_is_ahead(pair.odds):
        return (
            f"{first} and {second}: neither is ahead "
            f"(by the model {first} {more}; odds {pair.odds})."
        )
    return f"{first} is ahead of {second}: odds {pair.odds} (by the model it {more})."
