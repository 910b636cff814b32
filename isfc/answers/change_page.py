"""What ``isfc change`` says: its record, and the page of its steps in Markdown that reads well."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from textwrap import wrap
from typing import Final

from msgspec import Struct

from isfc.answers.change_order import ENOUGH
from isfc.answers.connections import CtcConnection
from isfc.errors.in_words import counted, listed
from isfc.layout.change import ChangeTrial, Instruction
from isfc.layout.change_search import StepKind
from isfc.link.name import NodeName
from isfc.reports.figure import Figure
from isfc.reports.units import range_note, with_unit


class DeckChange(Struct, frozen=True):
    """The cards that go from a deck, and those that come."""

    name: str
    gone: tuple[str, ...]
    """cards that go"""
    new: tuple[str, ...]
    """cards that come"""


class LinkBefore(Struct, frozen=True):
    """A link that changes, as it is."""

    link: str
    ctcs: int
    mb_per_s: Figure | None
    """that it carries, one way, in its slower direction; null if that was not asked for"""
    half: Figure | None
    """what half of its CTCs carry, on the side of less; null if that was not run"""


class ChangeStep(Struct, frozen=True):
    """CTCs of a link that are added or removed."""

    link: str
    kind: StepKind
    """`add` or `remove`"""
    rdevs: Mapping[NodeName, tuple[str, ...]]
    """by system"""
    connections: tuple[CtcConnection, ...]
    """both ends of each CTC, as `isfc show --json` has them"""
    orders: tuple[Instruction, ...]
    """in their order"""
    ctcs: int
    """that the link has then"""
    down: bool
    """whether that is none, though it is to have some"""
    between: bool
    """whether that is neither all CTCs of before nor all of afterwards"""
    mb_per_s: Figure | None
    """that it carries then, one way, in its slower direction; null if that was not asked for"""

    @property
    def count(self) -> int:
        """How many CTCs are added or removed."""
        return len(next(iter(self.rdevs.values())))


class Change(Struct, frozen=True):
    """All that is to be done from one layout to another, and back."""

    source: str
    """the layout that there is"""
    target: str
    """the one that there is to be"""
    down: bool
    """whether a link is down in between"""
    cut: bool
    """whether the search was cut, so that there may be a better order"""
    lent: int
    """CTCs that neither layout has, which links have meanwhile"""
    reset: str | None
    """the link that is brought down as it was asked for"""
    before: tuple[LinkBefore, ...]
    """each link that changes"""
    steps: tuple[ChangeStep, ...]
    back: tuple[ChangeStep, ...]
    """the way back, without figures"""
    hardware: tuple[str, ...]
    """what no command changes"""
    decks: tuple[DeckChange, ...] | None
    """null if no deck is kept of some system"""
    decks_problem: str | None
    """why the decks that are kept cannot have it yet"""
    beforehand: tuple[str, ...]
    """what dynamic changes take"""
    afterwards: tuple[str, ...]
    """what makes them last"""
    system_config: Mapping[NodeName, tuple[str, ...]]
    """the ACTIVATE ISLINK statements of systems whose own change"""
    trials: tuple[ChangeTrial, ...]
    """of each link that is there and changes, one run after the other"""
    assumed: tuple[str, ...]
    """of decks and console logs, as `isfc import` says it; and which systems get other machines"""

    def _repr_markdown_(self) -> str:
        return "\n".join(change_lines(self))


_RESET: Final = (
    "is read from APAR VM66886, by which a link that waits for a lost packet must be brought down, "
    "and from CP's control blocks: LNKBK goes with the link, LDVBK with a device. It was not tried "
    "on a machine."
)

_broken: Final = partial(wrap, width=80, break_long_words=False, break_on_hyphens=False)


def change_lines(change: Change) -> Iterator[str]:
    """The whole page, its sentences broken as Markdown may have them."""
    for line in _lines(change):
        if line.startswith(("#", "    ")) or not line:
            yield line
        else:
            yield from _broken(line, subsequent_indent="  " * line.startswith("- "))


def _lines(change: Change) -> Iterator[str]:
    steps = counted(len(change.steps), "step")
    yield from (f"# From {change.source} to {change.target}: {steps}", "", *_summary(change))
    for number, step in enumerate(change.steps, start=1):
        yield from ("", f"## {number}. {_title(step)}", "", *_done(step), "", _after(step))
    if change.hardware:
        yield from ("", "## Hardware, which no command changes", "")
        yield from (f"- {text}" for text in change.hardware)
    if change.back:
        yield from ("", "## Definitions", "")
        yield from (f"- {text}" for text in (*change.beforehand, *change.afterwards))
        yield from _decks(change)
        as_now = [] if change.system_config else ["It stays as it is."]
        yield from ("", "## SYSTEM CONFIG, for the next IPL", "", *as_now)
        for node, text in change.system_config.items():
            yield from (f"    {node}: BEGIN", *(f"    {line}" for line in text), f"    {node}: END")
        yield from ("", "## The way back", "")
        for number, step in enumerate(change.back, start=1):
            yield from (f"{number}. {_title(step)}", "", *_done(step), "")
    rates = [each.mb_per_s for each in change.before] + [each.mb_per_s for each in change.steps]
    if note := range_note(rates):
        yield note


def _summary(change: Change) -> Iterator[str]:
    """What becomes of the links; that LINK, LOGOFF and LOGON wait in a cluster is of VM66886."""
    if not change.steps:
        yield "No CTC changes."
    elif change.down:
        down = {step.link: n for n, step in enumerate(change.steps, start=1) if step.down}
        yield (
            f"DOWN: {listed(f'{link} after step {n}' for link, n in down.items())}. Relocate "
            "nothing until it is up again. In an SSI cluster its two members cannot reach each "
            "other meanwhile, and LOGON, LOGOFF and LINK, which ask all members, may wait: go on "
            "when QUERY SSI shows Stable."
        )
        if change.reset is not None:
            yield from ("", f"That all CTCs of {change.reset} have to be out {_RESET}")
    else:
        there = {each.link for each in change.before}
        both = any(not step.ctcs or step.link not in there for step in change.steps)
        yield (
            f"Every link{' of both layouts' * both} has a CTC all the time. Go on when QUERY "
            "ISLINK shows Up at both ends."
        )
    for each in change.before:
        yield from ("", f"Now {each.link}: {_carries(each.ctcs, each.mb_per_s)}.")
        yield from _least(each, change.steps)
    if change.cut:
        yield "The search was cut: this is the best order of those that it came to."
    elif change.lent or any(step.between for step in change.steps):
        by_rate = any(each.mb_per_s for each in change.before)
        few = f"carry less than {_ENOUGH} of what half of their CTCs do"
        yield (
            "No order is better: all were compared, by the links that are DOWN, then by those that "
            f"{few if by_rate else 'have less than half of their CTCs'}, by CTCs lent, by steps, "
            f"{'by the lowest rate on the way, ' * by_rate}and by the CTCs that a link keeps."
        )
    if change.lent:
        yield (
            f"{counted(change.lent, 'CTC')} lent: neither layout has the device numbers; a link "
            "has them until its own are free."
        )


_ENOUGH: Final = f"{100 * ENOUGH:g} %"


def _least(link: LinkBefore, steps: Sequence[ChangeStep]) -> Iterator[str]:
    """Where a link has least on the way, if it ever has less than before and afterwards."""
    low = [each for each in steps if each.between and each.link == link.link]
    if low:
        step = min(low, key=lambda each: each.mb_per_s.value if each.mb_per_s else each.ctcs)
        half = "" if link.half is None else f"; half of its CTCs carry {link.half}"
        what = _carries(step.ctcs, step.mb_per_s)
        yield f"{link.link} has least after step {steps.index(step) + 1}: {what}{half}."
        if step.mb_per_s and link.half and step.mb_per_s.value < ENOUGH * link.half.value:
            yield f"That is less than {_ENOUGH} of it."


def _title(step: ChangeStep) -> str:
    return f"{step.link}: {step.kind} {counted(step.count, 'CTC')}"


def _after(step: ChangeStep) -> str:
    """What the link is then."""
    if not step.ctcs:
        return "Then the link is DOWN." if step.down else "Then there is no such link."
    return f"Then {_carries(step.ctcs, step.mb_per_s)}."


def _carries(ctcs: int, rate: Figure | None) -> str:
    if rate is None or rate.load is None:
        return counted(ctcs, "CTC")
    return f"{counted(ctcs, 'CTC')}, {with_unit(rate)} one way {rate.load.words}"


def _connections(rows: Sequence[CtcConnection]) -> Iterator[str]:
    """Both ends of the CTCs of a step side by side, with control units where a deck tells them."""
    is_told = any(row.unit_address for row in rows)
    sides = _SIDES if is_told else _SIDES_ALONE
    for number, row in enumerate(rows):
        near, far = (end for end in row.ends if end)
        if number == 0:
            yield sides.format(near.node, "chpid", "CU", "UA", "CU", "chpid", far.node)
        here, there = (
            (_through(end.rdev, row.count), end.chpid, end.control_unit or "-")
            for end in (near, far)
        )
        address = row.unit_address and _through(row.unit_address, row.count)
        yield sides.format(*here, address or "-", *there[::-1])
    yield ""


_SIDES: Final = "    {:9} {:5} {:4} {:5} {:4} {:5} {}"
_SIDES_ALONE: Final = "    {0:9} {1:5} {5:5} {6}"


def _through(first: str, count: int) -> str:
    """``6000-6003``: so many numbers."""
    return first if count == 1 else f"{first}-{int(first, 16) + count - 1:0{len(first)}X}"


def _done(step: ChangeStep) -> Iterator[str]:
    """What a step is, and what is done in it."""
    yield from _connections(step.connections)
    width = max(len(order.system) for order in step.orders)
    for order in step.orders:
        text = order.command or f"* {order.words}"
        yield f"    {order.system + ':':{width + 1}} {text}"


def _decks(change: Change) -> Iterator[str]:
    if change.decks_problem is not None:
        problem = change.decks_problem
        yield from ("", f"NOT in the decks yet: {problem}; or `director` and `port` of the fibre.")
    elif change.decks is None:
        yield from ("", "No deck is kept of these systems: 'isfc export TO --as iocp' makes some.")
    elif not change.decks:
        yield from ("", "The decks stay as they are.")
    for deck in change.decks or ():
        cards = (*(f"    -{line}" for line in deck.gone), *(f"    +{line}" for line in deck.new))
        yield from ("", f"Cards of {deck.name}: `-` go, `+` come.", "", *cards)
