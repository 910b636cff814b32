"""How long it takes to move every guest off systems, once or one system after the other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct

from isfc.answers import relocate
from isfc.answers.guest import read_guests
from isfc.answers.moves import AllMoves, Moves
from isfc.answers.moves_report import commands_tables, moves_report
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, Jobs, checked, spelt
from isfc.errors.in_words import find_node, first_listed, listed
from isfc.layout.catalogue import AnyLayout
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.site import GivenSite
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Reported, Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import range_note, with_unit
from scenarios.moves.by_rate import rolling_figures, turn_figures
from scenarios.moves.evacuation import Evacuation
from scenarios.moves.guest import GuestPlan, Limits, moves_notes
from scenarios.moves.leaving import Tenant, place_guests, rooms
from scenarios.moves.rolling import Rolling, Turn, roll
from scenarios.runs.at_site import links_at
from scenarios.runs.workload import LinkLoad, load_of

_CEC = "CEC:"
_NAMED: Final = 6
"""Guests that a sentence names."""

LEFT_BEHIND: Final = "Left behind"
"""The label of those that rolling maintenance did not move."""

Guests = Annotated[
    Sequence[GuestPlan | Tenant] | Path | str,
    Argument(
        "FILE.csv",
        "A line for each guest: name,memory,change_rate,to, as LINUX1,64G,200M,BETA, and other "
        "options of 'isfc relocate' as columns. Without 'to' a guest goes where the file's "
        "[memory.SYSTEM] have room for it, or to the partners in turn. 'from' says where it is, if "
        "several systems are left.",
        is_named=True,
    ),
]
Systems = Annotated[
    str | Sequence[str],
    Argument("SYSTEM...", "The systems that the guests leave, or cec:NAME for its."),
]
Quiet = Annotated[bool, Argument("", "Without the traffic of the file's [[traffic]].")]


@checked
def evacuate(
    layout: AnyLayout,
    system: Systems = (),
    guests: Guests = "",
    *,
    together: relocate.Together = 1,
    best: relocate.Best = False,
    quiet: Quiet = False,
    at: relocate.At = (),
    seed: relocate.Seed = 1,
    jobs: Jobs = 1,
    progress: relocate.Progress = None,
    profile: GivenSite = None,
) -> Moves:
    """Show how long it takes to move every guest off systems.

    Guests are relocated as 'isfc relocate' does it, in the order of the file, over all links of
    the cluster and beside its [[traffic]]. When a link dies, those that wait for it go elsewhere.
    Ends with 1 if a guest could not be relocated.

    Raises `ConfigurationError` for what cannot be run, such as guests that do not fit. Of several
    systems a `Tenant` says where each guest is. ``progress`` is told what share of the memory has
    been moved, ``jobs`` runs are made at a time to find the ``best``.
    """
    collection = links_at(layout, profile)
    loads = _loads(collection, quiet=quiet)
    sources = _systems(collection, system)
    tenants = _tenants(guests, collection)
    room = rooms(collection)
    with within(spelt("guests")):
        placed = place_guests(collection, sources, tenants, room)
    evacuation = Evacuation(
        collection,
        sources,
        placed,
        together=together,
        loads=loads,
        orders=relocate.orders_given(at, [tenant.plan for tenant in tenants]),
        seed=seed,
        room=room,
    )
    return relocate.moves(evacuation, best=best, jobs=jobs, progress=progress)


def evacuate_report(found: Moves) -> Report:
    """When the systems are empty, which guest stops longest, what limits, how many together."""
    left = f"{listed(found.sources)} {'are' if len(found.sources) > 1 else 'is'}"
    return moves_report(found, f"{left} empty", f"{left} not empty")


class TurnOfSystem(Struct, frozen=True):
    """One system's guests away, or back again."""

    system: NodeName
    way: str
    """`away` or `back`"""
    guests: int
    """how many"""
    memory_bytes: int
    seconds: Figure
    """from the first command until the last guest has arrived"""
    longest_stop: Figure
    """seconds"""
    not_moved: tuple[str, ...]
    """names"""
    to: dict[str, NodeName]
    """by name of the guest"""

    @property
    def goes_to(self) -> str | None:
        """How many guests went where, if they left."""
        if self.way == "back":
            return None
        gone = Counter(to for name, to in self.to.items() if name not in self.not_moved)
        return ", ".join(f"{system} {count}" for system, count in sorted(gone.items()))


class RollingMaintenance(Reported, AllMoves, frozen=True, kw_only=True):
    """Systems that were left in turn, each until its guests were back."""

    reported_by = "isfc.answers.evacuate.rolling_report"

    systems: tuple[NodeName, ...]
    """in their order"""
    turns: tuple[TurnOfSystem, ...]
    """two for each system"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each turn, as a data frame takes them."""
        from isfc.reports.text import records

        return records(_turns_table(self))


@checked
def rolling_maintenance(
    layout: AnyLayout,
    guests: Guests = "",
    *,
    system: Systems = (),
    together: relocate.Together = 1,
    quiet: Quiet = False,
    at: relocate.At = (),
    seed: relocate.Seed = 1,
    progress: relocate.Progress = None,
    profile: GivenSite = None,
) -> RollingMaintenance:
    """Evacuate one system after the other, and bring its guests back before the next.

    Those of ``system`` in their order, or all that guests are at. A `Tenant` says in ``source``
    where it is; ``at`` is of hardware that is lost, such as ``5 LOSE director:1``; all else is as
    of `evacuate`.

    Raises `ConfigurationError` before anything is run if guests of some system do not fit
    elsewhere.
    """
    collection = links_at(layout, profile)
    loads = _loads(collection, quiet=quiet)
    tenants = _tenants(guests, collection)
    plans = [tenant.plan for tenant in tenants]
    sources = {tenant.source for tenant in tenants}
    homes = tuple(name for name in collection.systems if name in sources)
    order = _systems(collection, system) if system else homes
    rolling = Rolling(
        collection,
        order,
        tuple(tenants),
        together=together,
        loads=loads,
        seed=seed,
        orders=relocate.orders_given(at, plans),
    )
    leaving = [tenant.plan for tenant in tenants if tenant.source in order]
    outcome = roll(rolling, relocate.told_in_shares(progress, leaving, times=2))
    if progress is not None:
        progress(1.0)
    figures = rolling_figures(outcome)
    moved = [guest for turn in outcome.turns for guest in turn.guests]
    longest = max(moved, key=lambda guest: guest.quiesced_seconds, default=None)
    turns = tuple(map(_turn, outcome.turns))
    return RollingMaintenance(
        systems=order,
        together=together,
        all_moved=not any(turn.not_moved for turn in turns),
        seconds=figures.seconds,
        longest_stop=figures.longest_stop,
        longest_stopped=longest.plan.name if longest else "",
        turns=turns,
        responses=outcome.responses,
        notes=moves_notes(collection, plans, loads),
    )


def _turn(turn: Turn) -> TurnOfSystem:
    figures = turn_figures(turn)
    return TurnOfSystem(
        *(turn.system, turn.way, len(turn.guests)),
        sum(each.plan.memory.size for each in turn.guests),
        *(figures.seconds, figures.longest_stop),
        (*(each.plan.name for each in turn.guests if not each.moved), *turn.without_way),
        {each.plan.name: each.to for each in turn.guests},
    )


def rolling_report(found: RollingMaintenance) -> Report:
    """How long all moves take, who stops longest, who was left behind; then each turn."""
    count = sum(turn.guests for turn in found.turns if turn.way == "away")
    together = "one by one" if found.together == 1 else f"{found.together} together"
    known = range_note(each for turn in found.turns for each in (turn.seconds, turn.longest_stop))
    return Report(
        f"Rolling maintenance of {', '.join(found.systems)}: {count} "
        f"guest{'s' * (count != 1)} leave{'s' * (count == 1)}, {together}, and come back",
        [*_rolling_answer(found)],
        [_turns_table(found), *commands_tables(found.responses)],
        notes=[known],
        known=found.notes,
    )


def _rolling_answer(found: RollingMaintenance) -> Iterator[tuple[str, str]]:
    yield "All moves take", f"{with_unit(found.seconds)}, without the maintenance itself"
    yield "Longest stop", f"{found.longest_stopped}: {with_unit(found.longest_stop)}"
    left = [
        f"{name} {f'at {turn.system}' if turn.way == 'away' else 'where it went'}"
        for turn in found.turns
        for name in turn.not_moved
    ]
    if left:
        yield LEFT_BEHIND, first_listed(left, _NAMED)
    longest = max(found.turns, key=lambda turn: turn.seconds.value)
    yield "Longest turn", f"{longest.system} {longest.way}: {with_unit(longest.seconds)}"


def _turns_table(found: RollingMaintenance) -> Table:
    columns = (
        *headed(system="system", way="", guests="guests"),
        Column("GiB", "memory_bytes", Unit.BYTES),
        *headed(seconds="takes\ns", longest_stop="stop\ns", goes_to="guests go to"),
    )
    return Table("Each system: its guests go away, and come back", columns, found.turns, "turns")


def _loads(collection: Collection, *, quiet: bool) -> tuple[LinkLoad, ...]:
    if quiet and not collection.traffic:
        raise ConfigurationError(
            f"{spelt('quiet')}: the layout has no [[traffic]]; expected it without"
        )
    return () if quiet else tuple(map(load_of, collection.traffic))


def _tenants(
    guests: Sequence[GuestPlan | Tenant] | Path | str, collection: Collection
) -> Sequence[Tenant]:
    if guests == "":
        raise ConfigurationError(f"{spelt('guests')}: missing; expected the guests that leave")
    if isinstance(guests, str | Path):
        return read_guests(Path(guests), Limits(), collection.systems)
    return relocate.tenants_of(guests)


def _systems(collection: Collection, given: str | Sequence[str]) -> tuple[NodeName, ...]:
    """The systems of some names and of ``cec:NAME``, each once. Raises `ConfigurationError`."""
    found: dict[NodeName, None] = {}
    for name in [given] if isinstance(given, str) else given:
        if not name.upper().startswith(_CEC):
            found[find_node(spelt("system"), name, collection.systems)] = None
            continue
        cecs = {f"{_CEC}{cec.name}".upper(): cec for cec in collection.cecs}
        if name.upper() not in cecs:
            known = [f"cec:{cec.name}" for cec in collection.cecs] or ["[cec.NAME] in the file"]
            raise ConfigurationError(
                f"{spelt('system')} {name[:40]}: no such CEC; expected {listed(known, 'or')}"
            )
        found |= dict.fromkeys(cecs[name.upper()].systems)
    if not found:
        raise ConfigurationError(f"{spelt('system')}: none; expected one at least")
    return tuple(found)
