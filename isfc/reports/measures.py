"""The measures of runs: what they are called, and how far they differ from seed to seed."""

_AS_THEY_ARE = (
    "collisions_per_s busy_percent ratio response_ms added_ms plain encrypted impact_percent "
    "interrupts_per_s elapsed_s drawers limit_percent latency_us value sync_read_ms "
    "success_percent link_busy_percent change_percent cache_reads_per_s access_ns"
)
"""Measures whose names say how they are called: ``busy_percent`` is ``busy %``."""

MEASURES = {
    **{
        name: (name.replace("_per_", "/").replace("_percent", " %").replace("_", " "), 1)
        for name in _AS_THEY_ARE.split()
    },
    "mb_per_s": ("MB/s both ways", 1),
    "cpu_percent_per_msg": ("%CPU/msg x 1000", 1_000),
    "rdev_util_percent": ("RDEV util %", 1),
    "msgs_per_s": ("messages/s", 1),
    "io_per_s": ("I/O/s", 1),
    "pend_ms": ("PEND ms", 1),
    "disc_ms": ("DISC ms", 1),
    "conn_ms": ("CONN ms", 1),
    "serv_ms": ("SERV ms", 1),
    "tx_pend_count": ("TXPENDCT", 1),
    "write_collisions_per_s": ("WCol/s", 1),
    "write_mb_per_s": ("written MB/s", 1),
    "write_msgs_per_s": ("written msg/s", 1),
    "write_pkgs_per_s": ("written pkg/s", 1),
    "write_bytes_per_pkg": ("written B/pkg", 1),
    "write_msgs_per_pkg": ("written msg/pkg", 1),
    "read_mb_per_s": ("read MB/s", 1),
    "read_msgs_per_s": ("read msg/s", 1),
    "read_pkgs_per_s": ("read pkg/s", 1),
    "read_bytes_per_pkg": ("read B/pkg", 1),
    "read_msgs_per_pkg": ("read msg/pkg", 1),
    "write_ctcs": ("CTCs written", 1),
    "estimated_one_way_mb_per_s": ("one-way MB/s", 1),
    "link_gbit_per_s": ("Gb/s", 1),
    "scan_stops_short_by": ("stops short by", 1),
    "total_utilization_percent": ("processor %", 1),
    "bus_utilization_percent": ("bus %", 1),
    "zhpf_io_per_s": ("zHPF I/O/s", 1),
    "zhpf_active": ("zHPF active", 1),
    "generation": ("G", 1),
    "average_frame_bytes": ("frame bytes", 1),
    "ius_to_control_unit": ("IUs to CU", 1),
    "ius_to_channel": ("IUs to channel", 1),
    "max_mb_per_s_each_direction": ("MB/s each way", 1),
    "credits_for_100_km_by_rule": ("credits by rule", 1),
    "cpu_percent": ("CPU %", 1),
    "share_percent_min": ("least %", 1),
    "share_percent_max": ("most %", 1),
    "iop_threads": ("IOPs", 1),
    "cps_max": ("CPs", 1),
    "standard_saps": ("SAPs", 1),
    "gb_per_s": ("GB/s", 1),
    "cpu_s": ("CPU s", 1),
    "tcp_payload_bytes": ("payload B", 1),
    "wire_bytes": ("on the wire B", 1),
    "effective_mb_per_s": ("effective MiB/s", 1),
    "size_mb": ("MiB", 1),
    "elapsed_ccw_s": ("CCW elapsed s", 1),
    "channel_utilization_percent": ("processor %", 1),
}
"""The name of each measure on the screen, and what its figures are multiplied by there."""

RUN_ROWS = (
    ("MB/s", "mb_per_s_out", "mb_per_s_in", "mb_per_s"),
    ("messages/s", "messages_per_s_out", "messages_per_s_in", "messages_per_s"),
    ("packages/s", "packages_per_s_out", "packages_per_s_in", ""),
    ("messages/package", "messages_per_package_out", "messages_per_package_in", ""),
    ("bytes/package", "bytes_per_package_out", "bytes_per_package_in", ""),
    ("RDEV util %", "", "", "rdev_util_percent"),
    ("collisions/s", "", "", "collisions_per_s"),
    ("%CPU/msg", "", "", "cpu_percent_per_msg"),
    ("TXPENDCT", "", "", "tx_pend_count"),
)
"""The lines of a run: what each is called, and its measures sent, received and together."""


def measure_name(measure: str) -> str:
    """A measure as the report calls it."""
    return MEASURES[measure][0].partition(" x ")[0]


def run_words(seconds: float, warmup: float, first: int, count: int = 1) -> str:
    """``2 s of virtual time after 1 s of warm-up, seed 1``: how long runs are, and their seeds."""
    return (
        f"{seconds:g} s of virtual time after {warmup:g} s of warm-up, {seed_words(first, count)}"
    )


def seed_words(first: int, count: int) -> str:
    """Which seed figures are of, or that they are the mean of ``count`` from the ``first`` on."""
    return f"mean of seeds {first} to {first + count - 1}" if count > 1 else f"seed {first}"
