"""From one layout to another: each step with its commands, what the link carries then, and back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Annotated, Final

from msgspec import structs

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.answers.change_order import halves_of, order_steps
from isfc.answers.change_page import Change, ChangeStep, ChangeTrial, DeckChange, LinkBefore
from isfc.answers.connections import connection
from isfc.answers.given import called, links_of
from isfc.deck.amend import amended
from isfc.deck.export import activation_text
from isfc.deck.hint import is_hint
from isfc.deck.kept import Devices, kept_devices, ranges_of_link
from isfc.deck.numbers import check_numbers
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.layout.catalogue import AnyLayout, Decks, Sources, given_collection, read_sources
from isfc.layout.change import (
    CtcStep,
    Trial,
    change_steps,
    changed_fibres,
    channels_of_both,
    link_of,
    on_all_channels,
    orders_of,
    trials_of,
)
from isfc.layout.change_search import Nodes, StepKind
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout, machines_of
from isfc.layout.parts import KeptDeck
from isfc.layout.sharing import in_use
from isfc.layout.source_kind import SourceKind
from isfc.layout.write import format_collection
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
    (
        "Write the IOCDS from the decks as they are now: what was defined dynamically is gone at "
        "the next power-on reset."
    ),
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
    old, new = on_all_channels(*_given_sides(before, after, partitions, ports))
    stuck = None if reset is None else new.link(reset, spelt("reset")).nodes
    found, figures = order_steps(old, new, stuck, each_by(jobs) if rates else None)
    steps = found.steps
    decks, problem = _amended(old, new)
    there, then = (kept_devices(each) for each in decks or (old, new))
    changing = [link for link in old.links if any(step.nodes == link.nodes for step in steps)]
    return Change(
        *(called(before, "before"), called(after, "after")),
        any(step.is_down for step in steps),
        found.is_cut,
        found.lent,
        None if stuck is None else "-".join(stuck),
        tuple(_before(link, halves_of(link.nodes, old, new), figures) for link in changing),
        tuple(_step(step, figures, there, then) for step in steps),
        tuple(_step(step, {}, then, there) for step in change_steps(new, old).steps),
        tuple(_hardware(*fibre) for fibre in changed_fibres(old, new)),
        None if decks is None else tuple(_changes(old.decks or new.decks, *decks)),
        problem,
        *(_BEFOREHAND, _AFTERWARDS),
        dict(_statements(old, new)),
        tuple(
            _trial(link.name, trial, old, new)
            for link in changing
            for trial in trials_of(link, steps)
        ),
        (*(each.text for each in (*old.assumed, *new.assumed)), *_other_machines(old, new)),
    )


def _other_machines(old: Collection, new: Collection) -> Iterator[str]:
    """Systems whose machine is to be another one."""
    then = machines_of(new.links)
    for node, was in machines_of(old.links).items():
        if (on := then.get(node, was)) != was:
            yield f"steps are run with {node} on {was}, and then it is on {on}"


def _before(link: Layout, halves: Sequence[Layout], rates: Mapping[Layout, Figure]) -> LinkBefore:
    known = [rates[half] for half in halves if half in rates]
    half = min(known, key=lambda each: each.value, default=None)
    return LinkBefore(link.name, len(link.ctcs), rates.get(link), half)


def _step(
    step: CtcStep, rates: Mapping[Layout, Figure], there: Devices, then: Devices
) -> ChangeStep:
    """A step in words; what it removes is as it was ``there``, what it adds as it is ``then``."""
    ends = zip(step.nodes, step.rdevs, strict=True)
    changed = link_of(step.nodes, [each.ctc for each in step.ctcs])
    devices = then if step.kind is StepKind.ADD else there
    return ChangeStep(
        "-".join(step.nodes),
        step.kind,
        {node: tuple(format_rdev(Rdev(rdev)) for rdev in rdevs) for node, rdevs in ends},
        tuple(map(connection, ranges_of_link(changed, devices))),
        orders_of(step),
        0 if step.left is None else len(step.left.ctcs),
        step.is_down,
        step.between,
        None if step.left is None else rates.get(step.left),
    )


def _hardware(nodes: Nodes, was: Fibre, now: Fibre) -> str:
    """How a fibre between the same chpids differs."""
    first, second = (
        f"{node} {format_chpid(chpid)}" for node, chpid in zip(nodes, was.chpids, strict=True)
    )
    return f"{first} to {second}: {_kind(was)} becomes {_kind(now)}"


def _kind(fibre: Fibre) -> str:
    way = f" by path {fibre.path.name}" if fibre.path else ""
    return f"{fibre.profile.feature} at {fibre.gbps:g} Gb/s, {fibre.km:g} km{way}"


def _statements(
    before: Collection, after: Collection
) -> Iterator[tuple[NodeName, tuple[str, ...]]]:
    """The ACTIVATE ISLINK statements of each system whose own are others afterwards."""
    for node in dict.fromkeys([*after.systems, *before.systems]):
        was, now = (
            tuple(
                line
                for link in each.links_of(node)
                for line in activation_text(link, node).splitlines()
            )
            for each in (before, after)
        )
        if was != now:
            yield node, now


def _trial(link: str, found: Trial, old: Collection, new: Collection) -> ChangeTrial:
    """What a run does some steps with: all that both layouts have of channels and machines."""
    homes = {system for cec in old.cecs for system in cec.systems}
    both = replace(
        Collection.of(found.layout),
        shared_channels=channels_of_both(old, new),
        cecs=(*old.cecs, *(cec for cec in new.cecs if not homes & {*cec.systems})),
    )
    text = format_collection(in_use(both))
    return ChangeTrial(link, found.seconds, text, found.script)


def _given_sides(
    before: AnyLayout, after: AnyLayout, partitions: str | None, ports: Sequence[str]
) -> tuple[Collection, Collection]:
    """The links on both sides.

    Of decks those partitions are joined that are named, or else the systems of the other side if
    that is a layout.
    """
    old, new = _read(before), _read(after)
    if (partitions or ports) and not (_is_deck(old) or _is_deck(new)):
        name = spelt("partitions" if partitions else "ports")
        raise ConfigurationError(f"{name}: of IOCP decks; expected FROM or TO to be some")
    for one in (old, new):
        if isinstance(one, Collection) or one.kind is SourceKind.LAYOUT:
            partitions = partitions or ",".join(_links_of(one).systems)
    return _links_of(old, partitions, ports), _links_of(new, partitions, ports)


def _read(layout: AnyLayout) -> Collection | Sources:
    """The links of a record, or what was read."""
    if isinstance(layout, Layout | Collection):
        return given_collection(layout)
    return read_sources(layout)


def _is_deck(one: Collection | Sources) -> bool:
    return isinstance(one, Sources) and one.kind is SourceKind.DECK


def _links_of(
    one: Collection | Sources, partitions: str | None = None, ports: Sequence[str] = ()
) -> Collection:
    if isinstance(one, Collection):
        return one
    if _is_deck(one):
        files, said, at = one.decks.files, one.decks.partitions, one.decks.ports
        one = structs.replace(one, decks=Decks(files, said or partitions, at or ports))
    return links_of(one.document())


def _amended(old: Collection, new: Collection) -> tuple[list[Collection] | None, str | None]:
    """Both with the decks that they need, if decks are kept; and why they cannot have them."""
    kept = _with_decks(old, new)
    check_numbers(kept[1] if kept else new)
    try:
        return kept and [replace(each, decks=amended(each, {})[0]) for each in kept], None
    except ConfigurationError as error:
        return None, str(error)


def _with_decks(before: Collection, after: Collection) -> tuple[Collection, Collection] | None:
    """Both with the decks of ``before``, or else of ``after``; None if none is kept of some system.

    Decks that ``after`` keeps with other cards are taken as they are.
    """
    given = before.decks or after.decks
    known = {node for deck in given for node in deck.partitions}
    if not set(after.systems) | set(before.systems) <= known:
        return None
    own = {deck.cards for deck in after.decks} - {deck.cards for deck in given}
    return _keeping(before, given), _keeping(after, after.decks if own else given)


def _keeping(collection: Collection, decks: Iterable[KeptDeck]) -> Collection:
    found = (deck.of(collection.systems) for deck in decks)
    return replace(collection, decks=tuple(deck for deck in found if deck is not None))


def _changes(given: Iterable[KeptDeck], old: Collection, new: Collection) -> Iterator[DeckChange]:
    """What goes from decks and what comes: also what comments have to say of ports as it is."""
    known = {line for deck in given for line in deck.cards.splitlines()}
    texts = [{deck.name: deck.cards.splitlines() for deck in each.decks} for each in (old, new)]
    for name in texts[0] | texts[1]:
        was, is_now = (each.get(name, []) for each in texts)
        was = [line for line in was if line in known or not is_hint(line)]
        gone: list[str] = []
        come: list[str] = []
        for kind, a, b, c, d in SequenceMatcher(None, was, is_now, autojunk=False).get_opcodes():
            if kind != "equal":
                gone += was[a:b]
                come += is_now[c:d]
        if gone or come:
            yield DeckChange(name, tuple(gone), tuple(come))
