"""What ``isfc optimise --json`` prints. Names and meanings of the keys stay between releases."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from ctc.address import format_chpid, format_rdev
from isfc.answers.profile import Profile
from isfc.cli.optimise.page import (
    activation_lines,
    beyond_found,
    definition_changes,
    found_notes,
    left_out,
    rule_changes,
    undefined,
    written,
)
from isfc.layout.note import Note
from isfc.reports.ranges import RangeJson, range_json
from isfc.search.optimise import BEST
from isfc.search.result import Contender, SearchResult, Task

Activation = dict[str, dict[str, list[str]]]
"""By system, those that can be given ``now``, and those ``after_iodf``."""


class ContenderJson(Struct, frozen=True):
    """A layout and its scores."""

    mb_per_s: dict[str, float]
    """by objective, such as `forward`"""
    range: dict[str, RangeJson | None]
    """by objective: between what that would lie"""
    odds_ahead: float
    """how likely it is that it is ahead of the layout given on real hardware too, of 1"""
    spread_percent: dict[str, float]
    """by objective: how far that is known, in percent of it"""
    second_mb_per_s: dict[str, float | None]
    """by objective: another pace that the link may keep, or null"""
    chpids: list[str]
    """the fibres down the device list"""
    rdevs: list[list[str]]
    """each CTC's two"""
    needs_iodf: list[bool]
    """of each CTC, whether the layout given does not have it so"""
    rules: list[str]
    """of `isfc check`, those that find something (`+`) or nothing more (`-`) other than in the
    layout given"""


class FoundJson(ContenderJson, frozen=True):
    """One of the best."""

    on_front: bool
    """no other one is better at all objectives"""


class DefinedJson(ContenderJson, frozen=True):
    """The best choice of the devices that are defined."""

    gains: bool
    activate: Activation
    without: dict[str, list[str]]
    """by system the devices that it leaves out"""


class OptimiseJson(Struct, frozen=True):
    """Of one link."""

    objectives: list[str]
    """what was sought, in order"""
    candidates: int | None
    """how many there are, alike ones once; `null` if more than can be counted"""
    screened: int
    """how many of them the rule of thumb left out"""
    simulated: int
    """how many of them were run"""
    defined_simulated: int
    """how many choices of the devices that are defined were run"""
    given: ContenderJson
    """the layout given"""
    best: list[FoundJson]
    """the same of the best ten, each with `on_front`: no other one is better at all objectives"""
    gains: bool
    """whether the first of `best` is ahead of `given`: by more than the spread, and in three of
    four such choices by the odds"""
    extrapolated: list[str]
    """what of it no published figure identifies"""
    notes: list[Note]
    definition_changes: list[str]
    """device numbers of the first of `best` that are new, or go to another chpid"""
    activate: Activation
    """the CP commands for the first of `best`, by system: those that can be given `now`, and those
    `after_iodf`, whose devices the IODF has to have first"""
    defined: DefinedJson
    """the same of the best choice of the devices that are defined, with `gains`, `activate`, and
    `without`: by system the devices that it leaves out. It is `given` where no choice is ahead"""
    gains_on_defined: bool
    """whether the first of `best` is so ahead of `defined`"""
    written: str
    """what `-o` writes: the `first` of `best`, `defined`, or `given` where there is nothing to
    gain"""
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""


class MoveJson(Struct, frozen=True):
    """A CTC that goes to another fibre."""

    link: str
    rdevs: list[str]
    """of its two systems"""
    before: list[str]
    """its chpids"""
    after: list[str]


class PlacingJson(Struct, frozen=True):
    """Several links and their score."""

    mb_per_s: float
    """by the objective"""
    range: RangeJson | None
    odds_ahead: float
    """as of one link"""
    spread_percent: float
    second_mb_per_s: float | None
    links: dict[str, float]
    """MB/s of the slower direction by link"""


class OptimiseLinksJson(Struct, frozen=True):
    """Of several links."""

    objective: str
    """`sum`, `worst-link` or `worst-loss`"""
    traffic: list[str]
    """that of the file, or of `--traffic`"""
    load: str
    """the same in words, or what runs without traffic"""
    simulated: int
    """how many candidates were run"""
    given: PlacingJson
    """the links given"""
    best: list[PlacingJson]
    """the same of the best"""
    gains: bool
    """as of one link"""
    written: str
    """what `-o` writes: the `first` of `best`, or `given`"""
    moves: list[MoveJson]
    """from the links given to the first of `best`"""
    notes: list[Note]
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""


def found_json(found: SearchResult, task: Task) -> OptimiseJson | OptimiseLinksJson:
    """The record of one link or of several."""
    return _links(found, task) if task.links else _link(found, task)


def _links(found: SearchResult, task: Task) -> OptimiseLinksJson:
    return OptimiseLinksJson(
        objective=task.scoring.objectives[0],
        traffic=[*map(str, task.scoring.load.traffic)],
        load=task.scoring.load.words,
        simulated=found.simulated_count,
        given=_placing(found.given, found),
        best=[_placing(one, found) for one in found.best],
        gains=found.best[0].gains(found.given),
        written=written(found),
        moves=[
            MoveJson(
                move.link.name,
                [*map(format_rdev, move.rdevs)],
                [*map(format_chpid, move.before.chpids)],
                [*map(format_chpid, move.after.chpids)],
            )
            for move in found.moves
        ],
        notes=list(found_notes(found, task)),
    )


def _placing(one: Contender, found: SearchResult) -> PlacingJson:
    (rate,), (within,) = one.rates, one.figures
    return PlacingJson(
        rate.mb_per_s,
        range_json(within),
        one.odds_over(found.given).share,
        rate.spread_percent,
        rate.second_mb_per_s,
        {name: each.mb_per_s for name, each in one.links.items()},
    )


def _link(found: SearchResult, task: Task) -> OptimiseJson:
    front, given, first, defined = found.front, found.given.layout, found.best[0], found.defined
    return OptimiseJson(
        objectives=list(task.objectives),
        candidates=found.candidate_count,
        screened=found.screened_count,
        simulated=found.simulated_count,
        defined_simulated=found.defined_count,
        given=ContenderJson(**_contender(found.given, found, task)),
        best=[
            FoundJson(**_contender(one, found, task), on_front=one in front)
            for one in found.best[:BEST]
        ],
        gains=first.gains(found.given),
        extrapolated=beyond_found(found, task),
        notes=list(found_notes(found, task)),
        definition_changes=definition_changes(given, first.layout),
        activate=_activate(first, found),
        defined=DefinedJson(
            **_contender(defined, found, task),
            gains=defined.gains(found.given),
            activate=_activate(defined, found),
            without={node: left_out(defined.layout, given, node) for node in given.nodes},
        ),
        gains_on_defined=first.gains(defined),
        written=written(found),
    )


def _activate(one: Contender, found: SearchResult) -> Activation:
    layout = one.layout
    return {node: activation_lines(layout, found.given.layout, node) for node in layout.nodes}


def _contender(one: Contender, found: SearchResult, task: Task) -> dict[str, Any]:
    """The fields of `ContenderJson`."""
    devices = one.layout.device_list()
    new = undefined(one.layout, found.given.layout)
    by_objective = dict(zip(task.objectives, one.rates, strict=True))
    ranges = zip(task.objectives, one.figures, strict=True)
    return {
        "mb_per_s": {name: rate.mb_per_s for name, rate in by_objective.items()},
        "range": {name: range_json(within) for name, within in ranges},
        "odds_ahead": one.odds_over(found.given).share,
        "spread_percent": {name: rate.spread_percent for name, rate in by_objective.items()},
        "second_mb_per_s": {name: rate.second_mb_per_s for name, rate in by_objective.items()},
        "chpids": [ctc.fibre.name for ctc in devices],
        "rdevs": [[format_rdev(rdev) for rdev in ctc.rdevs] for ctc in devices],
        "needs_iodf": [ctc in new for ctc in devices],
        "rules": rule_changes(one, found.given),
    }
