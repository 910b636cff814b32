"""The record of ``isfc change --json``."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ctc.address import Rdev, format_rdev
from isfc.cli.change.decks import DeckChange
from isfc.cli.change.orders import Order, orders_of
from isfc.cli.change.page import AFTERWARDS, BEFOREHAND, Change, hardware_words, statements
from isfc.layout.change import Step
from isfc.layout.layout import Layout
from isfc.reports.ranges import RangeJson, range_json
from scenarios.figures.rates import Carried


class StepJson(Struct, frozen=True):
    """CTCs of a link that are added or removed."""

    link: str
    kind: str
    """`add` or `remove`"""
    rdevs: dict[str, list[str]]
    """by system"""
    orders: tuple[Order, ...]
    """in their order"""
    ctcs: int
    """that the link has then"""
    down: bool
    """whether that is none, though it is to have some"""
    mb_per_s: float | None
    """that it carries then, one way, in its slower direction"""
    range: RangeJson | None
    """between what that would lie"""


class ChangeJson(Struct, frozen=True):
    """``isfc change --json``. Names and meanings of the keys stay between releases."""

    source: str
    """the layout that there is"""
    target: str
    """the one that there is to be"""
    down: bool
    """whether a link is down in between"""
    steps: list[StepJson]
    back: list[StepJson]
    """the way back, without figures"""
    hardware: list[str]
    """what no command changes"""
    decks: tuple[DeckChange, ...] | None
    """null if no deck is kept of some system"""
    decks_problem: str | None
    """why the decks that are kept cannot have it yet"""
    beforehand: list[str]
    """what dynamic changes take"""
    afterwards: list[str]
    """what makes them last"""
    system_config: dict[str, list[str]]
    """the ACTIVATE ISLINK statements of systems whose own change"""


def change_json(change: Change) -> ChangeJson:
    """The record of a change."""
    decks = change.decks
    return ChangeJson(
        *change.names,
        change.is_down,
        _steps(change.steps, change.carried),
        _steps(change.back, {}),
        [hardware_words(*each) for each in change.hardware],
        None if isinstance(decks, str) else decks,
        decks if isinstance(decks, str) else None,
        [*BEFOREHAND],
        [*AFTERWARDS],
        {str(node): text for node, text in statements(change.before, change.after).items()},
    )


def _steps(steps: Sequence[Step], carried: Mapping[Layout, Carried]) -> list[StepJson]:
    return [_step(step, None if step.left is None else carried.get(step.left)) for step in steps]


def _step(step: Step, carried: Carried | None) -> StepJson:
    return StepJson(
        "-".join(step.nodes),
        step.kind,
        {
            node: [format_rdev(Rdev(rdev)) for rdev in rdevs]
            for node, rdevs in zip(step.nodes, step.rdevs, strict=True)
        },
        orders_of(step),
        0 if step.left is None else len(step.left.ctcs),
        step.is_down,
        None if carried is None else carried.rate.value,
        None if carried is None else range_json(carried.rate),
    )
