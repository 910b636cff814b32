"""From one layout to another: each step with its commands, what the link carries then, and back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Annotated, Final

from msgspec import structs

from ctc.address import format_chpid, format_rdev
from isfc.answers.change_order import order_steps
from isfc.answers.change_page import Change, ChangeStep, DeckChange, LinkBefore
from isfc.answers.connections import of_link
from isfc.answers.given import called, links_of
from isfc.deck.amend import amended
from isfc.deck.export import activations
from isfc.deck.hint import is_hint
from isfc.deck.kept import Devices, kept_devices
from isfc.deck.numbers import check_numbers
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.layout import change as changes
from isfc.layout.catalogue import AnyLayout, Decks, Sources, given_collection, read_sources
from isfc.layout.change_search import StepKind
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.parts import KeptDeck
from isfc.layout.source_kind import SourceKind
from isfc.link.name import NodeName
from isfc.reports.figure import Figure
from scenarios.search.workers import each_by

_BEFOREHAND: Final = (
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

_AFTERWARDS: Final = (
    "Write the IOCDS from the decks as they are now: what was defined dynamically is gone at the "
    "next power-on reset."
)
"""What makes them last. Published: z/VM 7.3 CP Commands."""


@checked
def change(
    before: AnyLayout,
    after: AnyLayout,
    *,
    partitions: Annotated[
        str | None,
        Argument(
            "NAME,NAME",
            "Of decks: the partitions to join, as for 'isfc import iocp'; the systems of the "
            "other layout if not said.",
        ),
    ] = None,
    ports: Annotated[
        Sequence[str], Argument("NODE:50=C1,...", "Of decks: the director port of a chpid.")
    ] = (),
    rates: Annotated[bool, Argument("", "What the link carries after each step.")] = True,
    reset: Annotated[
        str | None,
        Argument("NODE-NODE", "Bring a link down and up again, as one that is stuck needs."),
    ] = None,
    jobs: int = 1,
) -> Change:
    """Say step by step how one layout becomes another.

    All orders of steps are compared, by what docs/changing.md says, and so what is known of the
    commands. A link to be ``reset`` is brought down. Each step has its commands for each system and
    what the link carries then. The page is Markdown.

    Raises `ConfigurationError` for layouts that have no system in common. Each side may be a
    layout, or the paths of decks or of console logs, with commas between; ``jobs`` runs are made at
    a time.
    """
    old, new = changes.on_all_channels(*_given_sides(before, after, partitions, ports))
    stuck = None if reset is None else new.link(reset, spelt("reset")).nodes
    found, figures = order_steps(old, new, stuck, each_by(jobs) if rates else None)
    steps = found.steps
    decks, problem = _amended(old, new)
    both = changes.of_both(old, new)
    there, then = (kept_devices(each) for each in decks or (old, new))
    changing = [link for link in old.links if any(step.nodes == link.nodes for step in steps)]
    return Change(
        *(called(before, "before"), called(after, "after")),
        any(step.is_down for step in steps),
        found.is_cut,
        sum(len(step.lent) for step in steps),
        None if stuck is None else "-".join(stuck),
        tuple(_before(link, (old, new), figures) for link in changing),
        tuple(_step(step, figures, there, then) for step in steps),
        tuple(_step(step, {}, then, there) for step in changes.change_steps(new, old).steps),
        tuple(_hardware(old, new)),
        None if decks is None else tuple(_changes(old.decks or new.decks, *decks)),
        problem,
        *(_BEFOREHAND, (_AFTERWARDS,)),
        dict(_statements(old, new)),
        tuple(trial for link in changing for trial in changes.trials_of(link, steps, both)),
        (*(each.text for each in (*old.assumed, *new.assumed)), *_other_machines(old, new)),
    )


def _other_machines(old: Collection, new: Collection) -> Iterator[str]:
    """Systems whose machine is to be another one."""
    for node, was in old.machines.items():
        if (on := new.machines.get(node, was)) != was:
            yield f"steps are run with {node} on {was}, and then it is on {on}"


def _before(
    link: Layout, sides: Iterable[Collection], rates: Mapping[Layout, Figure]
) -> LinkBefore:
    mine = (each for side in sides for each in side.links if each.nodes == link.nodes)
    known = [rates[half] for half in map(changes.half_of, mine) if half in rates]
    half = min(known, key=lambda each: each.value, default=None)
    return LinkBefore(link.name, len(link.ctcs), rates.get(link), half)


def _step(
    step: changes.CtcStep, rates: Mapping[Layout, Figure], there: Devices, then: Devices
) -> ChangeStep:
    """A step in words; what it removes is as it was ``there``, what it adds as it is ``then``."""
    ends = zip(step.nodes, step.rdevs, strict=True)
    changed = changes.link_of(step.nodes, [each.ctc for each in step.ctcs])
    devices = then if step.kind is StepKind.ADD else there
    return ChangeStep(
        "-".join(step.nodes),
        step.kind,
        {node: tuple(map(format_rdev, rdevs)) for node, rdevs in ends},
        of_link(changed, devices),
        changes.orders_of(step),
        0 if step.left is None else len(step.left.ctcs),
        step.is_down,
        step.between,
        None if step.left is None else rates.get(step.left),
    )


def _hardware(old: Collection, new: Collection) -> Iterator[str]:
    """How fibres between the same chpids differ."""
    for nodes, *fibres in changes.changed_fibres(old, new):
        chpids = map(format_chpid, fibres[0].chpids)
        ends = " to ".join(map(" ".join, zip(nodes, chpids, strict=True)))
        yield f"{ends}: {' becomes '.join(map(_kind, fibres))}"


def _kind(fibre: Fibre) -> str:
    way = f" by path {fibre.path.name}" if fibre.path else ""
    return f"{fibre.profile.feature} at {fibre.gbps:g} Gb/s, {fibre.km:g} km{way}"


def _statements(old: Collection, new: Collection) -> Iterator[tuple[NodeName, tuple[str, ...]]]:
    """The ACTIVATE ISLINK statements of each system whose own are others afterwards."""
    for node in dict.fromkeys([*new.systems, *old.systems]):
        was, now = (activations(side, node) for side in (old, new))
        if was != now:
            yield node, tuple(now.splitlines())


def _given_sides(
    before: AnyLayout, after: AnyLayout, partitions: str | None, ports: Sequence[str]
) -> list[Collection]:
    """The links on both sides.

    Of decks those partitions are joined that are named, or else the systems of the other side if
    that is a layout.
    """
    sides = [
        given_collection(each) if isinstance(each, Layout | Collection) else read_sources(each)
        for each in (before, after)
    ]
    kinds = [SourceKind.LAYOUT if isinstance(s, Collection) else s.kind for s in sides]
    if (partitions or ports) and SourceKind.DECK not in kinds:
        name = spelt("partitions" if partitions else "ports")
        raise ConfigurationError(f"{name}: of IOCP decks; expected FROM or TO to be some")
    if SourceKind.LAYOUT in kinds and not partitions:
        partitions = ",".join(_links_of(sides[kinds.index(SourceKind.LAYOUT)]).systems)
    return [_links_of(each, partitions, ports) for each in sides]


def _links_of(
    one: Collection | Sources, partitions: str | None = None, ports: Sequence[str] = ()
) -> Collection:
    if isinstance(one, Collection):
        return one
    if one.kind is SourceKind.DECK:
        files, said, at = one.decks.files, one.decks.partitions, one.decks.ports
        one = structs.replace(one, decks=Decks(files, said or partitions, at or ports))
    return links_of(one.document())


def _amended(old: Collection, new: Collection) -> tuple[list[Collection] | None, str | None]:
    """Both with the decks that they need; and why they cannot have them.

    Those are the decks of ``old``, or else of ``new``; none if none is kept of some system. Decks
    that ``new`` keeps with other cards are taken as they are.
    """
    given, kept = old.decks or new.decks, None
    if {*old.systems, *new.systems} <= {node for deck in given for node in deck.partitions}:
        own = {deck.cards for deck in new.decks} - {deck.cards for deck in given}
        kept = [
            replace(side, decks=tuple(of for deck in decks if (of := deck.of(side.systems))))
            for side, decks in ((old, given), (new, new.decks if own else given))
        ]
    check_numbers(kept[1] if kept else new)
    try:
        return kept and [replace(each, decks=amended(each, {})[0]) for each in kept], None
    except ConfigurationError as error:
        return None, str(error)


def _changes(given: Iterable[KeptDeck], old: Collection, new: Collection) -> Iterator[DeckChange]:
    """What goes from decks and what comes: also what comments have to say of ports as it is."""
    known = {line for deck in given for line in deck.cards.splitlines()}
    texts = [{deck.name: deck.cards.splitlines() for deck in each.decks} for each in (old, new)]
    for name in texts[0] | texts[1]:
        was, is_now = (each.get(name, []) for each in texts)
        was = [line for line in was if line in known or not is_hint(line)]
        matcher = SequenceMatcher(None, was, is_now, autojunk=False)
        altered = [each for kind, *each in matcher.get_opcodes() if kind != "equal"]
        gone = tuple(line for a, b, *_ in altered for line in was[a:b])
        come = tuple(line for *_, c, d in altered for line in is_now[c:d])
        if gone or come:
            yield DeckChange(name, gone, come)
