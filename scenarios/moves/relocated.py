"""Relocations from Python: a layout and guests in, a `Relocated` out.

What ``isfc relocate`` does for people, `relocate` does for programs; the figures are the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.layout.shown import html_table
from isfc.link.name import NodeName
from scenarios.moves.by_rate import would_move
from scenarios.moves.evacuation import WINDOW
from scenarios.moves.guest import STATE_LENGTH, GuestPlan, Moved
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.orders import Response, read_order
from scenarios.moves.record import GuestJson, WouldMove, guest_json, pass_json
from scenarios.moves.relocation import Relocation, RelocationOutcome, relocation_notes
from scenarios.moves.relocation import relocate as run_relocation
from scenarios.moves.vmrelocate import QUIESCE_GOAL_S, QUIESCE_MAX_S, Limits
from scenarios.runs.at_site import GivenSite, link_at
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import SteadyRun, steady_run
from scenarios.runs.workload import Workload, find_workload

USERID_LENGTH_MAX: Final = 8
"""Characters of a userid, as CP has it."""


class BackgroundJson(Struct, frozen=True):
    """The traffic beside guests."""

    workload: str
    pairs: int
    exchanges_per_s: float | None
    exchanges_per_s_alone: float | None
    """without a relocation"""
    exchanges_per_s_alone_second: float | None
    """the other pace that it may keep, or null"""


class DeviceJson(Struct, frozen=True):
    """A CTC as the source saw it."""

    rdev: str
    io_per_s: float
    busy_percent: float


class RelocatedJson(Struct, frozen=True):
    """What became of some guests. Names and meanings of the keys stay between releases."""

    source: str
    """the node that the guests leave"""
    destination: str
    """the node that they go to"""
    together: int
    """how many are on their way at the same time"""
    seconds: float
    """until the last guest runs at its destination, or was given up"""
    longest_stop_s: float
    """how long the guest that was stopped longest was stopped"""
    all_moved: bool
    """whether every guest was moved"""
    guests: list[GuestJson]
    """in the order in which they began"""
    background: BackgroundJson | None
    """the traffic beside them, null without"""
    devices: list[DeviceJson]
    """each CTC as the source saw it"""
    responses: Sequence[Response]
    """to each `--at`"""
    notes: Sequence[Note]
    """as of `isfc plan --json`"""


@dataclass(frozen=True, slots=True, repr=False)
class Relocated:
    """What became of some guests. ``alone`` is the background without them, until it is steady."""

    relocation: Relocation
    outcome: RelocationOutcome
    alone: SteadyRun | None = None
    would_move: tuple[WouldMove | None, ...] = ()
    """Of each guest that a limit ended, what would let it be moved."""

    @property
    def alone_per_s(self) -> float | None:
        """Exchanges of the background without the guests."""
        return None if self.alone is None else self.alone.result.messages_per_s_in

    @property
    def alone_second_per_s(self) -> float | None:
        """The same at the other pace that it may keep, as its bytes have it; None without one."""
        if self.alone is None or self.alone.rate.second_mb_per_s is None:
            return None
        rate = self.alone.rate
        return self.alone.result.messages_per_s_in * rate.paces[1] / max(1e-9, rate.mb_per_s)

    @property
    def guests(self) -> tuple[Moved, ...]:
        """What became of each guest that began, in that order."""
        return self.outcome.guests

    @property
    def seconds(self) -> float:
        """From the first command until the last guest has arrived, or was given up."""
        return self.outcome.seconds

    @property
    def longest_stop_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return self.outcome.longest_stop_s

    @property
    def all_moved(self) -> bool:
        """Whether every guest runs at its destination."""
        return self.outcome.all_moved

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each pass of each guest, as a data frame takes them."""
        return [
            {"guest": guest.plan.name, "pass": number, **asdict(pass_json(each))}
            for guest in self.guests
            for number, each in enumerate(guest.passes, start=1)
        ]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What belongs to these figures, such as that the model is extrapolated."""
        return relocation_notes(self.relocation, self.outcome)

    @property
    def record(self) -> RelocatedJson:
        """All of it for ``--json``."""
        relocation, outcome = self.relocation, self.outcome
        background = relocation.background
        return RelocatedJson(
            *relocation.way,
            relocation.together,
            *(outcome.seconds, outcome.longest_stop_s),
            outcome.all_moved,
            [*map(guest_json, outcome.guests, self.would_move)],
            background
            and BackgroundJson(
                *(background[0].name, background[1], outcome.background_per_s),
                *(self.alone_per_s, self.alone_second_per_s),
            ),
            [DeviceJson(each.rdev, each.io_per_s, each.busy_percent) for each in outcome.devices],
            outcome.responses,
            self.notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document; names and meanings of the keys stay."""
        found: dict[str, Any] = to_builtins(self.record, enc_hook=str)
        return found

    def __repr__(self) -> str:
        first, second = self.relocation.way
        moved = sum(guest.moved for guest in self.guests)
        return (
            f"<Relocated {first} - {second}, {moved} of {len(self.relocation.guests)} guests: "
            f"{self.seconds:.2f} s, longest stop {self.longest_stop_s:.2f} s>"
        )

    def _repr_html_(self) -> str:
        """A row for each guest, for a notebook."""
        heads = ("guest", "end", "s", "stop s", "passes")
        rows = [
            (
                *(each.plan.name, each.end, f"{each.seconds:.2f}"),
                *(f"{each.quiesced_seconds:.2f}", len(each.passes)),
            )
            for each in self.guests
        ]
        return html_table("Relocation", heads, rows)


@checked
def relocate(
    layout: AnyLayout,
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan],
    *,
    together: int = 1,
    source: str | None = None,
    background: tuple[Workload | str, int] | None = None,
    orders: Sequence[str] = (),
    max_total: float | None = None,
    max_quiesce: float | None = None,
    immediate: bool = False,
    quiesce: float = QUIESCE_GOAL_S,
    window: int = WINDOW,
    seed: int = 1,
    profile: GivenSite = None,
) -> Relocated:
    """Relocate guests over a link in virtual time, and return what became of them.

    ``layout`` is a `Layout`, the name of a shipped one or the path of a file. ``guests`` are
    `GuestPlan`, each with its own limits; of a single `GuestMemory` the limits are the arguments
    (seconds; None is VMRELOCATE's default). ``together`` are on their way at a time, ``source`` is
    the system that they leave, ``background`` a workload and its pairs, ``orders`` commands such as
    ``"5 CANCEL LINUX1"``, ``profile`` is a site's. The same arguments give the same figures, on
    every machine. Raises `ConfigurationError` for what cannot be run.
    """
    if isinstance(guests, GuestMemory):
        limits = make_limits(max_total, max_quiesce, immediate=immediate, quiesce=quiesce)
        guests = GuestPlan("GUEST", guests, limits)
    plans = (guests,) if isinstance(guests, GuestPlan) else tuple(guests)
    for plan in plans:
        if not 1 <= len(plan.name) <= USERID_LENGTH_MAX or not plan.name.isascii():
            raise ConfigurationError(
                f"name {plan.name[:40]!r}: expected a userid of 1 to {USERID_LENGTH_MAX} characters"
            )
    workload = None
    if background is not None:
        name, pairs = background
        workload = (find_workload(name) if isinstance(name, str) else name, pairs)
    relocation = Relocation(
        link_at(layout, profile),
        plans,
        together,
        None if source is None else NodeName(source.upper()),
        workload,
        tuple(read_order(each, [plan.name for plan in plans]) for each in orders),
        window,
        seed,
    )
    return watch_relocation(relocation)


def watch_relocation(
    relocation: Relocation, progress: Callable[[float], None] | None = None
) -> Relocated:
    """Relocate, and run the background traffic alone as well. ``progress`` is told bytes moved."""
    check_stops(relocation)
    outcome = run_relocation(relocation, progress)
    return Relocated(relocation, outcome, _alone(relocation), would_move(relocation, outcome))


def make_limits(
    max_total: float | None, max_quiesce: float | None, *, immediate: bool, quiesce: float
) -> Limits:
    """VMRELOCATE's limits in seconds; its defaults for those that are None."""
    return Limits(
        max_total=inf if max_total is None else max_total,
        max_quiesce=(inf if immediate else QUIESCE_MAX_S) if max_quiesce is None else max_quiesce,
        immediate=immediate,
        quiesce_goal=quiesce,
    )


def check_stops(relocation: Relocation) -> None:
    """Raise `ConfigurationError` for a MAXQUIESCE that a guest's state alone exceeds."""
    for plan in relocation.guests:
        check_stop(plan, relocation.layout, relocation.source)


def check_stop(plan: GuestPlan, layout: Layout, source: NodeName | None) -> None:
    """The same of one guest; over any link state takes far less than a second."""
    limit_s = plan.limits.max_quiesce
    if limit_s < 1 and limit_s <= (state_s := state_seconds(layout, source)):
        raise ConfigurationError(
            f"max quiesce {limit_s:g} s of {plan.name}: state and I/O devices, "
            f"{STATE_LENGTH // 2**20} MiB, alone take {state_s:.3f} s over this link"
        )


@cache
def state_seconds(layout: Layout, source: NodeName | None = None) -> float:
    """How long a guest that writes nothing is stopped, over this link without other traffic."""
    idle = GuestPlan("IDLE", GuestMemory(size=2**20, touched=1))
    return run_relocation(Relocation(layout, (idle,), source=source)).longest_stop_s


def _alone(relocation: Relocation) -> SteadyRun | None:
    """The background traffic without a relocation, if there is any."""
    if relocation.background is None:
        return None
    experiment = Experiment.of(
        relocation.layout,
        *relocation.background,
        seed=relocation.seed,
        client=relocation.source,
    )
    return steady_run(experiment)
