"""What ``isfc change`` shows: steps with their commands, in Markdown that reads well as it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctc.address import format_chpid
from isfc.cli.change.decks import DeckChange
from isfc.cli.change.orders import Order, orders_of
from isfc.deck.export import activation_text
from isfc.layout.change import Nodes, Step, StepKind
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.link.name import NodeName
from isfc.reports.ranges import between, range_note
from scenarios.figures.rates import Carried
from scenarios.runs.saturation import STATED_PAIRS

BEFOREHAND: Final = (
    (
        "Definitions change dynamically only if the reset profile of the HMC and the security of "
        "the partition allow it and DYNAMIC_I/O is on (QUERY DYNAMIC_I/O, SET DYNAMIC_I/O ON). If "
        "not, it takes a power-on reset."
    ),
    (
        "Only one system of a CEC may drive dynamic changes. Where HCD owns the definitions, "
        "activate an IODF in place of native commands."
    ),
    (
        "Define some devices at a time: many that are not known yet hold the system up (APAR "
        "VM65730)."
    ),
)
"""What dynamic changes take. Published: z/VM 7.3 CP Commands, SET DYNAMIC_I/O; APAR VM65730."""

AFTERWARDS: Final = (
    (
        "Write the IOCDS from the decks as they are now: what was defined dynamically is gone at "
        "the next power-on reset."
    ),
)
"""What makes them last. Published: z/VM 7.3 CP Commands."""


@dataclass(frozen=True, slots=True)
class Change:
    """All that is to be done from one layout to another, and back."""

    before: Collection
    after: Collection
    names: tuple[str, str]
    steps: tuple[Step, ...]
    back: tuple[Step, ...]
    hardware: tuple[tuple[Nodes, Fibre, Fibre], ...]
    decks: tuple[DeckChange, ...] | str | None
    """Why the decks cannot have it, if they cannot; None if none are kept."""
    carried: Mapping[Layout, Carried]
    """What each link of a step carries, if that is wanted."""

    @property
    def is_down(self) -> bool:
        """Whether a link is down in between."""
        return any(step.is_down for step in self.steps)


def change_lines(change: Change) -> Iterator[str]:
    """The whole page."""
    count = len(change.steps)
    yield f"# From {change.names[0]} to {change.names[1]}: {count} step{'s' * (count != 1)}"
    yield ""
    yield from _summary(change)
    for number, step in enumerate(change.steps, start=1):
        yield from ("", f"## {number}. {_title(step)}", "")
        yield from _orders(orders_of(step))
        yield from ("", _after(step, change.carried))
    if change.hardware:
        yield from ("", "## Hardware, which no command changes", "")
        yield from (f"- {hardware_words(*each)}" for each in change.hardware)
    if change.back:
        yield from ("", "## Definitions", "")
        yield from (f"- {text}" for text in (*BEFOREHAND, *AFTERWARDS))
        yield from _decks(change.decks)
        yield from ("", "## SYSTEM CONFIG, for the next IPL", "")
        for node, text in statements(change.before, change.after).items():
            yield from (f"    {node}: BEGIN", *(f"    {line}" for line in text), f"    {node}: END")
        yield from ("", "## The way back", "")
        for number, step in enumerate(change.back, start=1):
            yield f"{number}. {_title(step)}"
            yield ""
            yield from _orders(orders_of(step))
            yield ""
    if note := range_note(each.rate for each in change.carried.values()):
        yield note


def statements(before: Collection, after: Collection) -> dict[NodeName, list[str]]:
    """The ACTIVATE ISLINK statements of each system whose own are others afterwards."""
    found: dict[NodeName, list[str]] = {}
    for node in dict.fromkeys([*after.systems, *before.systems]):
        was, now = (
            [
                line
                for link in each.links_of(node)
                for line in activation_text(link, node).splitlines()
            ]
            for each in (before, after)
        )
        if was != now:
            found[node] = now
    return found


def hardware_words(nodes: Nodes, was: Fibre, now: Fibre) -> str:
    """How a fibre between the same chpids differs."""
    first, second = (
        f"{node} {format_chpid(chpid)}" for node, chpid in zip(nodes, was.chpids, strict=True)
    )
    return f"{first} to {second}: {_kind(was)} becomes {_kind(now)}"


def _kind(fibre: Fibre) -> str:
    way = f" by path {fibre.path.name}" if fibre.path else ""
    return f"{fibre.profile.feature} at {fibre.profile.link_gbps:g} Gb/s, {fibre.km:g} km{way}"


def _summary(change: Change) -> Iterator[str]:
    if not change.steps:
        yield "No CTC changes."
    elif change.is_down:
        down = [f"{n}" for n, step in enumerate(change.steps, start=1) if step.is_down]
        yield (
            f"A link is DOWN after step {', '.join(down)}: its last CTC has the number that is to "
            "be another's, and there is no other way. Relocate nothing until it is up again."
        )
    else:
        yield "Every link has a CTC all the time. Go on when QUERY ISLINK shows Up at both ends."
    for link in change.before.links:
        if link in change.carried:
            yield from ("", f"Now {link.name}: {_carries(link, change.carried)}.")


def _title(step: Step) -> str:
    count = len(step.ctcs)
    what = "add" if step.kind is StepKind.ADD else "remove"
    return f"{'-'.join(step.nodes)}: {what} {count} CTC{'s' * (count > 1)}"


def _after(step: Step, carried: Mapping[Layout, Carried]) -> str:
    """What the link is then."""
    if step.left is None:
        return "Then the link is DOWN." if step.is_down else "Then there is no such link."
    idle = ""
    if step.frees:
        idle = " What was deleted carries nothing until it is defined again in a later step."
    return f"Then {_carries(step.left, carried)}.{idle}"


def _carries(link: Layout, carried: Mapping[Layout, Carried]) -> str:
    count = f"{len(link.ctcs)} CTC{'s' * (len(link.ctcs) > 1)}"
    if link not in carried:
        return count
    rate = carried[link].rate
    known = f"{STATED_PAIRS} pairs of HL{between(rate)}"
    return f"{count}, {rate.value:.0f} MB/s one way with {known}"


def _orders(orders: Sequence[Order]) -> Iterator[str]:
    width = max(len(order.system) for order in orders)
    for order in orders:
        text = order.command or f"* {order.words}"
        yield f"    {order.system + ':':{width + 1}} {text}"


def _decks(decks: Sequence[DeckChange] | str | None) -> Iterator[str]:
    if isinstance(decks, str):
        yield from ("", f"NOT in the decks yet: {decks}; or `director` and `port` of the fibre.")
        return
    if decks is None:
        yield from ("", "No deck is kept of these systems: 'isfc export TO --as iocp' makes some.")
        return
    if not decks:
        yield from ("", "The decks stay as they are.")
    for deck in decks:
        yield from ("", f"Cards of {deck.name}: `-` go, `+` come.", "")
        yield from (f"    -{line}" for line in deck.gone)
        yield from (f"    +{line}" for line in deck.new)
