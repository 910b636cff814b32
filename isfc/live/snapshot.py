"""What a live node shows of itself: its node's counters and its engine's, at one moment."""

import time
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

from msgspec import convert, to_builtins

from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot

if TYPE_CHECKING:
    from isfc.live.engine import LiveEngine


@dataclass(frozen=True, slots=True)
class LiveSnapshot:
    """A node's counters, and what its engine has seen since it began. Times in nanoseconds.

    Severing replaces the node, so that its counters begin again; ``severed_count`` tells.
    ``late_ns`` of ``waited_ns`` that deadlines were waited for were lateness; all three are 0
    where the model's times are ignored, so that nothing can be late.
    """

    node: LinkEndSnapshot
    attached_count: int
    detached_count: int
    refused_count: int
    severed_count: int
    late_ns: int
    late_ns_max: int
    waited_ns: int


def look(engine: "LiveEngine", *, paced: bool) -> LiveSnapshot:
    """How a node and its engine are now; ``paced`` says whether they go at the model's pace.

    If not, the model's processor time is none, and the process's is in its place.
    """
    lag = engine.lag
    late = (lag.late_ns, lag.late_ns_max, lag.waited_ns) if paced else (0, 0, 0)
    node = engine.end.snapshot(engine.now_ns())
    if not paced:
        node = replace(node, cpu_ns=time.process_time_ns())
    seen = (*astuple(engine.counters), *late)
    return LiveSnapshot(node, *seen)


def snapshot_record(snapshot: LiveSnapshot) -> dict[str, Any]:
    """The snapshot as JSON has it, for another process."""
    record: dict[str, Any] = to_builtins(snapshot, enc_hook=str)  # a name
    return record


def read_snapshot(record: dict[str, Any]) -> LiveSnapshot:
    """The snapshot that `snapshot_record` made this of, in this or in another process."""
    # devices by themselves: a compiled class knows no item's type
    devices = convert(record["node"]["devices"], tuple[DeviceSnapshot, ...])
    node = replace(convert(record["node"], LinkEndSnapshot), devices=devices)
    return LiveSnapshot(**record | {"node": node})
