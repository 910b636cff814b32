"""The counters of joined CTCs as OpenMetrics has them; ``docs/ctce.md`` says what each means."""

from collections.abc import Callable, Iterator, Sequence

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from ctc.address import format_rdev
from isfc.ctce.ios import EndTally, IoBook
from isfc.live.ctce import CtceBox
from isfc.live.metrics import NS_PER_S, family

_LABELS = ("system", "rdev")

_COUNTERS: Sequence[tuple[str, str, Callable[[EndTally], float]]] = (
    ("isfc_ctce_written_bytes", "Bytes of WRITEs.", lambda t: t.written_length),
    ("isfc_ctce_ios", "I/Os that are over.", lambda t: t.io_count),
    ("isfc_ctce_pend_seconds", "PEND: wait for the channel.", lambda t: t.pend_ns / NS_PER_S),
    ("isfc_ctce_disc_seconds", "DISC: wait for the mate.", lambda t: t.disc_ns / NS_PER_S),
    ("isfc_ctce_conn_seconds", "CONN: moving data.", lambda t: t.conn_ns / NS_PER_S),
    ("isfc_ctce_collisions", "Commands that collided.", lambda t: t.collision_count),
    ("isfc_ctce_stale_commands", "Commands that answered nothing.", lambda t: t.stale_count),
    ("isfc_ctce_answered_attentions", "Attentions followed.", lambda t: t.answer_count),
    ("isfc_ctce_answer_seconds", "From those on.", lambda t: t.answer_ns / NS_PER_S),
)


def ctce_families(box: CtceBox, book: IoBook) -> Iterator[Metric]:
    """All metrics, with a sample for each end."""
    ports = [port for pair in box.ports for port in pair]
    keys = [(port.end.system, format_rdev(port.end.rdev)) for port in ports]
    tallies = [book.tallies[port.at] for port in ports]
    commands = CounterMetricFamily(
        "isfc_ctce_commands", "Commands by kind.", labels=(*_LABELS, "command")
    )
    for key, tally in zip(keys, tallies, strict=True):
        for kind, count in tally.kinds.items():
            commands.add_metric((*key, kind.value), count)
    yield commands
    for name, text, count_of in _COUNTERS:
        yield family(CounterMetricFamily, name, text, _LABELS, keys, map(count_of, tallies))
    for name, text, counts in (
        ("isfc_ctce_connections", "Times an end joined.", [p.attached_count for p in ports]),
        ("isfc_ctce_refused", "Connections not let in.", [p.refused_count for p in ports]),
    ):
        yield family(CounterMetricFamily, name, text, _LABELS, keys, counts)
    attached = GaugeMetricFamily("isfc_ctce_attached", "Whether an end is there.", labels=_LABELS)
    lost = GaugeMetricFamily("isfc_ctce_lost", "Whether its CTC carries nothing.", labels=_LABELS)
    for key, port in zip(keys, ports, strict=True):
        attached.add_metric(key, box.exchange.adapters[port.at.ctc].ends[port.at.end].attached)
        lost.add_metric(key, bool(box.exchange.lost[port.at.ctc]))
    yield attached
    yield lost
