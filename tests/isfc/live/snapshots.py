"""Looks at a live link of two CTCs, made by hand, so that every figure is known."""

from typing import Any, Final

from ctc.address import Rdev
from isfc.link.counters import SERV_BOUNDS_NS, DeviceSnapshot, LinkEndSnapshot
from isfc.link.state import DeviceState, LinkState
from isfc.live.operator import LiveSnapshot

S: Final = 1_000_000_000
MIB: Final = 2**20
RDEVS: Final = {"ATLANTA": (0x6000, 0x6001), "BOSTON": (0x7000, 0x7001)}
PARTNER: Final = {"ATLANTA": "BOSTON", "BOSTON": "ATLANTA"}


def device(rdev: int, partner_rdev: int, **changes: Any) -> DeviceSnapshot:
    """A device that has done nothing yet, but for ``changes``."""
    values: dict[str, Any] = {
        "rdev": Rdev(rdev),
        "partner_rdev": Rdev(partner_rdev),
        "state": DeviceState.IDLE,
        "write_serv_counts": (0,) * (len(SERV_BOUNDS_NS) + 1),
        **dict.fromkeys(
            ("io_count", "pend_ns", "disc_ns", "conn_ns", "write_package_count", "write_length"), 0
        ),
        **dict.fromkeys(("read_package_count", "read_length", "collision_count", "stale_count"), 0),
        "write_serv_ns": 0,
        "moved_length": 0,
    }
    return DeviceSnapshot(**values | changes)


def sight(
    name: str = "ATLANTA",
    seconds: int = 1,
    scale: int = 1,
    states: tuple[DeviceState, DeviceState] = (DeviceState.WRITING, DeviceState.READING),
    **changes: Any,
) -> LiveSnapshot:
    """A node that did ``scale`` times the same in so many seconds: it writes on its first CTC."""
    rdevs, writes = RDEVS[name], 0 if name == "ATLANTA" else 1
    node = LinkEndSnapshot(
        name=name,
        partner=PARTNER[name],
        state=LinkState.UP,
        now_ns=seconds * S,
        write_package_count=4 * scale,
        write_message_count=20 * scale,
        write_length=3 * MIB * scale,
        read_package_count=2 * scale,
        read_message_count=18 * scale,
        read_length=MIB * scale,
        collision_count=2 * scale,
        tx_pend_count=5,
        tx_pend_length=5_000,
        cpu_ns=10_000_000 * scale,
        write_order=(Rdev(rdevs[writes]),),
        devices=_devices(name, writes, scale, states),
    )
    values: dict[str, Any] = {
        "node": node,
        "attached_count": 2,
        "detached_count": 0,
        "refused_count": 3,
        "severed_count": 0,
        "late_ns": 2_000_000 * scale,
        "late_ns_max": 1_250_000,
        "waited_ns": 100_000_000 * scale,
    }
    return LiveSnapshot(**values | changes)


def _devices(
    name: str, writes: int, scale: int, states: tuple[DeviceState, DeviceState]
) -> tuple[DeviceSnapshot, ...]:
    """The two devices: one is written on and the other read."""
    counts = [0] * (len(SERV_BOUNDS_NS) + 1)
    counts[6], counts[-1] = 3 * scale, scale
    written = {
        "io_count": 4 * scale,
        "pend_ns": 1_000_000 * scale,
        "disc_ns": 2_000_000 * scale,
        "conn_ns": 7_000_000 * scale,
        "write_package_count": 4 * scale,
        "write_length": 3 * MIB * scale,
        "collision_count": 2 * scale,
        "write_serv_ns": 1_500_000_000 * scale,
        "write_serv_counts": tuple(counts),
    }
    read = {"io_count": 4 * scale, "read_package_count": 2 * scale, "read_length": MIB * scale}
    return tuple(
        device(here, there, state=state, **(written if index == writes else read))
        for index, (here, there, state) in enumerate(
            zip(RDEVS[name], RDEVS[PARTNER[name]], states, strict=True)
        )
    )
