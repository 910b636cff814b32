"""Rolling maintenance: one system after the other is left by all its guests, and gets them back.

Each turn is two evacuations (`scenarios.moves.evacuation`): of the system, and then of its guests
from where they went. How long the maintenance itself takes is not in it. A guest that could not be
moved stays where it is, and is said; a system that some did not leave is not empty.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.in_words import listed
from isfc.layout.layout import Collection
from isfc.layout.shown import html_table
from isfc.link.name import NodeName
from scenarios.moves.evacuation import (
    GUESTS_MAX,
    Evacuated,
    Evacuation,
    EvacuationOutcome,
    evacuate,
)
from scenarios.moves.targets import Placed, Tenant, place_guests, rooms
from scenarios.runs.workload import LinkLoad

_AWAY: Final = "away"
_BACK: Final = "back"


@dataclass(frozen=True, slots=True)
class Rolling:
    """Systems that are left in turn, and all guests of the cluster, each with its ``source``.

    ``at_once`` guests leave each system at the same time; ``loads`` are other traffic meanwhile.
    """

    collection: Collection
    order: tuple[NodeName, ...]
    tenants: tuple[Tenant, ...]
    at_once: int = 1
    loads: tuple[LinkLoad, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= len(self.tenants) <= GUESTS_MAX:
            raise ConfigurationError(
                f"guests {len(self.tenants)}: expected 1 to {GUESTS_MAX} of them"
            )
        names = [tenant.plan.name for tenant in self.tenants]
        for tenant in self.tenants:
            if names.count(tenant.plan.name) > 1:
                raise ConfigurationError(f"{tenant.plan.name}: there twice; expected each once")
            if tenant.source is None:
                raise ConfigurationError(f"{tenant.plan.name}: from: not said; expected a system")
        if not {tenant.source for tenant in self.tenants} & {*self.order}:
            raise ConfigurationError(
                f"no guest is at {listed(self.order, 'or')}; expected one at least"
            )
        for system in self.order:
            self.placed(system, {}, rooms(self.collection))

    def placed(
        self, system: NodeName, moved: Mapping[str, NodeName], room: Mapping[NodeName, int]
    ) -> tuple[Placed, ...]:
        """Where the guests of a system go; ``moved`` says which guests are no longer at home."""
        leaving = [
            replace(tenant, source=system)
            for tenant in self.tenants
            if moved.get(tenant.plan.name, tenant.source) == system
        ]
        if not leaving:
            return ()
        with within(f"when {system} is left"):
            return place_guests(self.collection, (system,), leaving, room)


@dataclass(frozen=True, slots=True)
class Turn:
    """One system's guests away, or back again: ``way`` is ``away`` or ``back``.

    ``outcome`` is None if there was nobody to move. ``evacuation`` is what was run.
    """

    system: NodeName
    way: str
    evacuation: Evacuation | None
    outcome: EvacuationOutcome | None

    @property
    def is_away(self) -> bool:
        """Whether guests leave the system."""
        return self.way == _AWAY

    @property
    def guests(self) -> tuple[Evacuated, ...]:
        """Those that began."""
        return () if self.outcome is None else self.outcome.guests

    @property
    def seconds(self) -> float:
        """From the first command until the last guest has arrived."""
        return 0.0 if self.outcome is None else self.outcome.seconds

    @property
    def longest_quiesce_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return 0.0 if self.outcome is None else self.outcome.longest_quiesce_s

    @property
    def stayed(self) -> tuple[str, ...]:
        """The guests that could not be moved."""
        return tuple(each.moved.plan.name for each in self.guests if not each.moved.moved)


@dataclass(frozen=True, slots=True, repr=False)
class RollingOutcome:
    """All turns, in order: each system away, and back again."""

    turns: tuple[Turn, ...]

    @property
    def seconds(self) -> float:
        """Of all moves, without the maintenance itself."""
        return sum(turn.seconds for turn in self.turns)

    @property
    def longest_quiesce_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return max(turn.longest_quiesce_s for turn in self.turns)

    @property
    def all_moved(self) -> bool:
        """Whether every guest was away when its system was left, and is back."""
        return not any(turn.stayed for turn in self.turns)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each turn, as a data frame takes them."""
        return [
            {
                "system": turn.system,
                "way": turn.way,
                "guests": len(turn.guests),
                "memory_bytes": sum(each.moved.plan.memory.size for each in turn.guests),
                "seconds": turn.seconds,
                "longest_quiesce_s": turn.longest_quiesce_s,
                "not_moved": len(turn.stayed),
            }
            for turn in self.turns
        ]

    def to_dict(self) -> dict[str, Any]:
        """What ``isfc evacuate --rolling --json`` prints of it; names and meanings stay."""
        turns = [
            {
                **row,
                "not_moved": list(turn.stayed),
                "to": {each.moved.plan.name: each.to for each in turn.guests},
            }
            for row, turn in zip(self.rows(), self.turns, strict=True)
        ]
        return {
            "seconds": self.seconds,
            "longest_quiesce_s": self.longest_quiesce_s,
            "all_moved": self.all_moved,
            "turns": turns,
        }

    def __repr__(self) -> str:
        systems = len({turn.system for turn in self.turns})
        return (
            f"<RollingOutcome {systems} systems: {self.seconds:.2f} s of moves, "
            f"longest stop {self.longest_quiesce_s:.2f} s>"
        )

    def _repr_html_(self) -> str:
        """A row for each turn, for a notebook."""
        rows = self.rows()
        return html_table("Rolling maintenance", [*rows[0]], [[*row.values()] for row in rows])


def roll(rolling: Rolling, progress: Callable[[int], None] | None = None) -> RollingOutcome:
    """Make all turns, message by message; ``progress`` is told how many guests are over."""
    turns: list[Turn] = []
    over = 0

    def watched(evacuation: Evacuation) -> EvacuationOutcome:
        tell = None if progress is None else lambda n: progress(over + n)
        return evacuate(evacuation, tell, compared=False)

    room, moved = rooms(rolling.collection), dict[str, NodeName]()
    for system in rolling.order:
        away = _turn(rolling, system, _AWAY, rolling.placed(system, moved, room), room, watched)
        over += len(away.guests)
        _settle(away, room, moved)
        gone = [each for each in away.guests if each.moved.moved]
        home = [Placed(each.moved.plan, each.to, system) for each in gone]
        back = _turn(rolling, system, _BACK, home, room, watched)
        over += len(back.guests)
        _settle(back, room, moved)
        turns += [away, back]
    return RollingOutcome(tuple(turns))


def _settle(turn: Turn, room: dict[NodeName, int], moved: dict[str, NodeName]) -> None:
    """Note where the guests of a turn are after it, and what room that leaves."""
    for each in turn.guests:
        if each.moved.moved:
            moved[each.moved.plan.name] = each.to
            if room:
                room[each.source] += each.moved.plan.memory.size
                room[each.to] -= each.moved.plan.memory.size


def _turn(
    rolling: Rolling,
    system: NodeName,
    way: str,
    placed: Sequence[Placed],
    room: Mapping[NodeName, int],
    run: Callable[[Evacuation], EvacuationOutcome],
) -> Turn:
    if not placed:
        return Turn(system, way, None, None)
    sources = tuple(dict.fromkeys(each.source for each in placed))
    evacuation = Evacuation(
        rolling.collection,
        sources,
        tuple(placed),
        rolling.at_once,
        rolling.loads,
        seed=rolling.seed,
        room=room,
    )
    return Turn(system, way, evacuation, run(evacuation))
