"""What programs are told of guests that move. Names and meanings of the keys stay."""

from math import isinf
from typing import TYPE_CHECKING

from msgspec import Struct

from scenarios.moves.guest import Moved, Pass

if TYPE_CHECKING:
    from scenarios.moves.evacuation import Evacuated, OtherTraffic


class PassJson(Struct, frozen=True):
    """A pass over a guest's memory."""

    begin_s: float
    seconds: float
    bytes: int
    """of memory"""
    state_bytes: int
    changed_bytes: int
    """meanwhile"""
    quiesced: bool


def pass_json(each: Pass) -> PassJson:
    """The record of a pass."""
    return PassJson(
        *(each.begin_ns / 1e9, each.seconds),
        *(each.length, each.state_length, each.changed_length),
        each.quiesced,
    )


class WouldMove(Struct, frozen=True, rename={"bytes_per_s": "at_bytes_per_s"}):
    """What would let a guest be moved, each alone; None for what would not.

    ``--json`` has it too; names and meanings of the keys stay between releases.
    """

    bytes_per_s: float
    """the rate of its passes, by which the rest is"""
    change_bytes_per_s: int | None
    """at most, and so much of `write_bytes_per_s`"""
    write_bytes_per_s: int | None
    max_quiesce_s: int | None
    """needed both if `max_total_s` is there too"""
    max_total_s: int | None
    channels: int | None
    """of the link, of which more are like the last"""


class GuestJson(Struct, frozen=True):
    """What became of a guest that was to be moved over one link."""

    name: str
    memory_bytes: int
    touched_bytes: int
    """what the first pass moves"""
    change_bytes_per_s: int
    """spread evenly"""
    hot_set_bytes: int
    write_bytes_per_s: int
    """random writes into the hot set"""
    max_total_s: float | None
    """null without a limit"""
    max_quiesce_s: float | None
    immediate: bool
    moved: bool
    end: str
    """`moved`, `cancelled`, `link-lost`, `max-total` or `max-quiesce`"""
    reason: str
    """CP's code of it: `00`, `01`, `03`, `04`, `05`"""
    seconds: float
    quiesced_seconds: float
    bytes: int
    would_move: WouldMove | None
    """what would let it be moved, of one that a limit ended"""
    passes: list[PassJson]


def guest_json(guest: Moved, would: WouldMove | None) -> GuestJson:
    """The record of a guest."""
    memory, limits = guest.plan.memory, guest.plan.limits
    return GuestJson(
        *(guest.plan.name, memory.size, memory.touched, memory.change_rate),
        *(memory.hot_set, memory.write_rate),
        None if isinf(limits.max_total) else limits.max_total,
        None if isinf(limits.max_quiesce) else limits.max_quiesce,
        *(limits.immediate, guest.moved),
        *(guest.end, guest.end.code),
        *(guest.seconds, guest.quiesced_seconds),
        guest.length,
        would,
        [*map(pass_json, guest.passes)],
    )


class EvacuatedJson(Struct, frozen=True, rename={"source": "from"}):
    """What became of a guest that was to leave its system."""

    name: str
    source: str
    to: str
    meant_for: str
    """another system than `to` if the link there died"""
    memory_bytes: int
    touched_bytes: int
    change_bytes_per_s: int
    begin_s: float
    seconds: float
    quiesced_seconds: float
    quiesce_s: float
    """the same, in this release"""
    passes: int
    """how many"""
    bytes: int
    moved_bytes: int
    """the same, in this release"""
    end: str
    """as of `isfc relocate --json`"""
    reason: str


def evacuated_json(each: "Evacuated") -> EvacuatedJson:
    """The record of such a guest."""
    moved, memory = each.moved, each.moved.plan.memory
    return EvacuatedJson(
        *(moved.plan.name, each.source, each.to, each.meant),
        *(memory.size, memory.touched, memory.change_rate, each.begin_s),
        *(moved.seconds, moved.quiesced_seconds, moved.quiesced_seconds, len(moved.passes)),
        *(moved.length, moved.length, moved.end, moved.end.code),
    )


class TrafficJson(Struct, frozen=True):
    """Other traffic of a link, both ways."""

    link: str
    alone_mb_per_s: float
    """without the evacuation"""
    alone_spread_mb_per_s: float
    """within what that is known"""
    alone_second_mb_per_s: float | None
    """the other pace that it may keep, or null"""
    meanwhile_mb_per_s: float


def traffic_json(each: "OtherTraffic") -> TrafficJson:
    """The record of it."""
    alone = each.alone
    return TrafficJson(
        *(each.link, alone.mb_per_s, alone.spread_mb_per_s, alone.second_mb_per_s),
        each.meanwhile_mb_per_s,
    )


class TurnJson(Struct, frozen=True):
    """One system's guests away, or back again."""

    system: str
    way: str
    """`away` or `back`"""
    guests: int
    """how many"""
    memory_bytes: int
    seconds: float
    longest_stop_s: float
    longest_quiesce_s: float
    """the same, in this release"""
    not_moved: list[str]
    """names"""
    to: dict[str, str]
    """by name of the guest"""
