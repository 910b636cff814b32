"""What programs are told of guests that move. Names and meanings of the keys stay."""

from collections.abc import Sequence
from math import isinf
from typing import TYPE_CHECKING

from msgspec import Struct

from isfc.layout.note import Note
from scenarios.moves.guest import Pass
from scenarios.moves.orders import Response

if TYPE_CHECKING:
    from scenarios.moves.evacuation import Evacuated


class PassJson(Struct, frozen=True):
    """A pass over a guest's memory."""

    begin_s: float
    """since the first command"""
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
    """of the link, of which more are like the fullest"""


class GuestJson(Struct, frozen=True, kw_only=True, rename={"source": "from"}):
    """What became of a guest that was to be moved."""

    name: str
    source: str
    to: str
    meant_for: str
    """another system than `to` if the link there died"""
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
    begin_s: float
    """since the first command"""
    seconds: float
    quiesced_seconds: float
    bytes: int
    would_move: WouldMove | None
    """what would let it be moved, of one that a limit ended"""
    passes: list[PassJson]


def guest_json(guest: "Evacuated", would: WouldMove | None) -> GuestJson:
    """The record of a guest."""
    memory, limits = guest.plan.memory, guest.plan.limits
    return GuestJson(
        name=guest.plan.name,
        source=guest.source,
        to=guest.to,
        meant_for=guest.meant,
        memory_bytes=memory.size,
        touched_bytes=memory.touched,
        change_bytes_per_s=memory.change_rate,
        hot_set_bytes=memory.hot_set,
        write_bytes_per_s=memory.write_rate,
        max_total_s=None if isinf(limits.max_total) else limits.max_total,
        max_quiesce_s=None if isinf(limits.max_quiesce) else limits.max_quiesce,
        immediate=limits.immediate,
        moved=guest.moved,
        end=guest.end,
        reason=guest.end.code,
        begin_s=guest.begin_s,
        seconds=guest.seconds,
        quiesced_seconds=guest.quiesced_seconds,
        bytes=guest.length,
        would_move=would,
        passes=[*map(pass_json, guest.passes)],
    )


class TrafficJson(Struct, frozen=True, kw_only=True):
    """Other traffic of a link: MB/s both ways, and exchanges/s that clients ended."""

    link: str
    loads: list[str]
    """as of `--traffic`: from whom to whom, which workload, and how many pairs"""
    alone_mb_per_s: float
    """without the guests"""
    alone_spread_mb_per_s: float
    """within what that is known"""
    alone_second_mb_per_s: float | None
    """the other pace that it may keep, or null"""
    meanwhile_mb_per_s: float
    alone_exchanges_per_s: float
    """this and those below: within the ranges of MB/s, in proportion"""
    alone_second_exchanges_per_s: float | None
    meanwhile_exchanges_per_s: float


class DeviceJson(Struct, frozen=True):
    """A CTC as the system saw it that guests leave."""

    system: str
    partner: str
    rdev: str
    io_per_s: float
    busy_percent: float


class EvacuationJson(Struct, frozen=True, kw_only=True):
    """What became of guests that were to be moved. Names and meanings of the keys stay."""

    source: str
    """the system that the guests leave, or all of them in words"""
    destination: str
    """the system that they go to, or all of them in words"""
    together: int
    """how many leave a system at the same time"""
    seconds: float
    """until the last guest runs at its destination, or was given up"""
    longest_stop_s: float
    """how long the guest that was stopped longest was stopped"""
    all_moved: bool
    """whether every guest was moved"""
    guests: list[GuestJson]
    """in the order in which they began"""
    traffic: tuple[TrafficJson, ...]
    """of each link with other traffic"""
    devices: tuple[DeviceJson, ...]
    """each CTC as the system saw it that guests leave"""
    responses: tuple[Response, ...]
    """to each `--at`"""
    notes: Sequence[Note]
    """as of `isfc plan --json`"""


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
    not_moved: list[str]
    """names"""
    to: dict[str, str]
    """by name of the guest"""
