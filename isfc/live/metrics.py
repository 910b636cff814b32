"""A live node's counters as OpenMetrics has them: names, types, units and labels.

``docs/metrics.csv`` says what each of them means. Times are the node's own: at
``--dilation K`` each second of them took K.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import accumulate

from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    StateSetMetricFamily,
)

from ctc.address import format_rdev
from isfc.link.counters import SERV_BOUNDS_NS, DeviceSnapshot, LinkEndSnapshot
from isfc.link.state import DeviceState, LinkState
from isfc.live.snapshot import LiveSnapshot

NS_PER_S = 1_000_000_000

_LINK_LABELS = ("node", "partner")
_CTC_LABELS = ("node", "partner", "rdev")

_LINK_COUNTERS: Sequence[tuple[str, str, Callable[[LinkEndSnapshot], float]]] = (
    ("isfc_link_written_bytes", "Bytes of packages written.", lambda n: n.write_length),
    ("isfc_link_written_messages", "Messages written.", lambda n: n.write_message_count),
    ("isfc_link_written_packages", "Packages written.", lambda n: n.write_package_count),
    ("isfc_link_read_bytes", "Bytes of packages read.", lambda n: n.read_length),
    ("isfc_link_read_messages", "Messages read.", lambda n: n.read_message_count),
    ("isfc_link_read_packages", "Packages read.", lambda n: n.read_package_count),
    ("isfc_link_collisions", "Write collisions.", lambda n: n.collision_count),
    ("isfc_link_cpu_seconds", "Processor time: modelled, or used.", lambda n: n.cpu_ns / NS_PER_S),
)

_LINK_GAUGES: Sequence[tuple[str, str, Callable[[LinkEndSnapshot], float]]] = (
    ("isfc_link_pending_messages", "TXPENDCT: messages that wait.", lambda n: n.tx_pend_count),
    ("isfc_link_pending_bytes", "Bytes of messages that wait.", lambda n: n.tx_pend_length),
)

_ENGINE_COUNTERS: Sequence[tuple[str, str, Callable[[LiveSnapshot], float]]] = (
    ("isfc_connections_attached", "Connections that CTCs got.", lambda s: s.attached_count),
    ("isfc_connections_lost", "Connections that CTCs lost.", lambda s: s.detached_count),
    ("isfc_connections_refused", "Connections not let in.", lambda s: s.refused_count),
    ("isfc_link_severed", "Times that the link restarted.", lambda s: s.severed_count),
    ("isfc_waited_seconds", "Time deadlines were waited for.", lambda s: s.waited_ns / NS_PER_S),
    ("isfc_late_seconds", "Lateness of deadlines.", lambda s: s.late_ns / NS_PER_S),
)

_CTC_COUNTERS: Sequence[tuple[str, str, Callable[[DeviceSnapshot], float]]] = (
    ("isfc_ctc_written_bytes", "Bytes of packages written.", lambda d: d.write_length),
    ("isfc_ctc_written_packages", "Packages written.", lambda d: d.write_package_count),
    ("isfc_ctc_read_bytes", "Bytes of packages read.", lambda d: d.read_length),
    ("isfc_ctc_read_packages", "Packages read.", lambda d: d.read_package_count),
    ("isfc_ctc_collisions", "Write collisions.", lambda d: d.collision_count),
    ("isfc_ctc_ios", "I/Os of all kinds.", lambda d: d.io_count),
    ("isfc_ctc_pend_seconds", "PEND: wait for the chpid.", lambda d: d.pend_ns / NS_PER_S),
    ("isfc_ctc_disc_seconds", "DISC: wait for the mate.", lambda d: d.disc_ns / NS_PER_S),
    ("isfc_ctc_conn_seconds", "CONN: moving data.", lambda d: d.conn_ns / NS_PER_S),
    ("isfc_ctc_stale_frames", "Frames that answered nothing.", lambda d: d.stale_count),
)


def families(snapshots: Sequence[LiveSnapshot]) -> Iterator[Metric]:
    """All metrics of one node, with their samples: of each of its links a snapshot."""
    ends = [snapshot.node for snapshot in snapshots]
    links = [(end.name, end.partner) for end in ends]
    devices = [device for end in ends for device in end.devices]
    ctcs = [
        (end.name, end.partner, format_rdev(device.rdev)) for end in ends for device in end.devices
    ]
    link_states = [end.state for end in ends]
    yield _states("isfc_link_state", "State of the link.", _LINK_LABELS, links, link_states)
    for name, text, count in _LINK_COUNTERS:
        yield family(CounterMetricFamily, name, text, _LINK_LABELS, links, map(count, ends))
    for name, text, count in _LINK_GAUGES:
        yield family(GaugeMetricFamily, name, text, _LINK_LABELS, links, map(count, ends))
    for name, text, seen in _ENGINE_COUNTERS:
        yield family(CounterMetricFamily, name, text, _LINK_LABELS, links, map(seen, snapshots))
    states = [device.state for device in devices]
    yield _states("isfc_ctc_state", "State of the CTC.", _CTC_LABELS, ctcs, states)
    for name, text, total in _CTC_COUNTERS:
        yield family(CounterMetricFamily, name, text, _CTC_LABELS, ctcs, map(total, devices))
    yield _serv(ctcs, devices)


def family(
    kind: type[CounterMetricFamily] | type[GaugeMetricFamily],
    name: str,
    text: str,
    labels: Sequence[str],
    keys: Iterable[Sequence[str]],
    values: Iterable[float],
) -> Metric:
    """Counters or gauges, a sample for each key; the name ends with its unit, if it has one."""
    found = kind(name, text, labels=labels, unit=_unit(name))
    for key, value in zip(keys, values, strict=True):
        found.add_metric(key, value)
    return found


def _states(
    name: str,
    text: str,
    labels: Sequence[str],
    keys: Iterable[Sequence[str]],
    states: Iterable[LinkState | DeviceState],
) -> Metric:
    family = StateSetMetricFamily(name, text, labels=labels)
    for key, state in zip(keys, states, strict=True):
        members: Iterable[Enum] = type(state)
        family.add_metric(key, {each.value: each is state for each in members})
    return family


def _serv(keys: Iterable[Sequence[str]], devices: Iterable[DeviceSnapshot]) -> Metric:
    """The histogram of SERV, cumulative as OpenMetrics wants it."""
    name = "isfc_ctc_write_serv_seconds"
    family = HistogramMetricFamily(
        name, "SERV of writes that ended well.", labels=_CTC_LABELS, unit=_unit(name)
    )
    bounds = [*(repr(bound / NS_PER_S) for bound in SERV_BOUNDS_NS), "+Inf"]
    for key, device in zip(keys, devices, strict=True):
        counts = accumulate(device.write_serv_counts)
        buckets = list(zip(bounds, counts, strict=True))
        family.add_metric(key, buckets, device.write_serv_ns / NS_PER_S)
    return family


def _unit(name: str) -> str:
    """The unit stands last in the name, where there is one."""
    unit = name.rpartition("_")[2]
    return unit if unit in ("bytes", "seconds") else ""
