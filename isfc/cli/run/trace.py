"""``isfc run --trace``: every I/O of a run, for Perfetto.

Each system is a process, each of its CTCs a thread; of several links, each end of a link
is a process. Times are microseconds of virtual time. The format is described in "Trace Event
Format" (Google, 2016).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ctc.address import RDEV_MAX, format_chpid, format_rdev
from isfc.cli.output.trace_events import (
    Event,
    counter,
    device_place,
    io_events,
    process_events,
    thread_events,
    trace_file,
    us,
)
from isfc.layout.layout import Layout
from scenarios.runs.result import MIB
from scenarios.runs.timeline import Io, Timeline

RATE_BIN_NS_MIN: Final = 100_000
RATE_BINS: Final = 1_000


def write_trace(path: Path, *timelines: Timeline) -> None:
    """Write timelines into a file; raises `OSError` if that cannot be written."""
    with trace_file(path) as add:
        for event in all_events(timelines):
            add(event)


def all_events(timelines: Sequence[Timeline]) -> Iterator[Event]:
    """The events of each timeline; of several, with numbers and names of their own."""
    for number, timeline in enumerate(timelines):
        ends = 2 * number
        for event in trace_events(timeline):
            if number:
                tid = event["tid"] and event["tid"] + ends * (RDEV_MAX + 1)
                event |= {"pid": event["pid"] + ends, "tid": tid}
                if "id" in event:
                    event["id"] = f"{number}.{event['id']}"
            if len(timelines) > 1 and event["name"] == "process_name":
                nodes = timeline.layout.nodes
                here = nodes.index(event["args"]["name"])
                event["args"] = {"name": f"{nodes[here]} to {nodes[1 - here]}"}
            if event["name"] == "process_sort_index":
                event["args"] = {"sort_index": event["args"]["sort_index"] + ends}
            yield event


def trace_events(timeline: Timeline) -> Iterator[Event]:
    """All events: names first, then I/Os, collisions, counters."""
    yield from _names(timeline.layout)
    for io in timeline.ios:
        yield from _io(timeline.layout, io)
    for number, (first, second) in enumerate(timeline.collisions(), start=1):
        yield from _collision(timeline.layout, number, first, second)
    yield from _counters(timeline)


def _names(layout: Layout) -> Iterator[Event]:
    for end, node in enumerate(layout.nodes):
        yield from process_events(end, node)
        for index, ctc in enumerate(layout.device_list()):
            chpid = format_chpid(ctc.fibre.chpids[end])
            name = f"{format_rdev(ctc.rdevs[end])} chpid {chpid}"
            yield from thread_events(end, ctc.rdevs[end], index, name)


def _place(layout: Layout, io: Io) -> Event:
    return device_place(layout.nodes.index(io.node), io.rdev)


def _io(layout: Layout, io: Io) -> Iterator[Event]:
    details: dict[str, Any] = {"outcome": io.outcome, "interrupt_us": us(io.seen_ns - io.end_ns)}
    if io.package is not None:
        details |= {"package": io.package, "messages": io.message_count, "bytes": io.length}
    place = _place(layout, io)
    yield from io_events(io.command.name, place, details, (io.begin_ns, io.end_ns), io.phases())


def _collision(layout: Layout, number: int, first: Io, second: Io) -> Iterator[Event]:
    """An instant at each end, and an arrow from the write that failed first to the other."""
    for io in (first, second):
        instant = {"ph": "i", "s": "t", "cat": "collision", "name": "collision"}
        yield {**instant, **_place(layout, io), "ts": us(io.end_ns)}
    arrow = {"cat": "collision", "name": "collided", "id": number}
    # an arrow is bound to the slices around its ends, and never leads back in time: so it lies
    # where the two writes overlap
    begin_ns = max(first.begin_ns, second.begin_ns)
    third_ns = (min(first.end_ns, second.end_ns) - begin_ns) // 3
    yield {**arrow, "ph": "s", **_place(layout, first), "ts": us(begin_ns + third_ns)}
    end = {**arrow, "ph": "f", "bp": "e", **_place(layout, second)}
    yield {**end, "ts": us(begin_ns + 2 * third_ns)}


def _counters(timeline: Timeline) -> Iterator[Event]:
    """The backlog of each node, and what each sends on each fibre."""
    layout = timeline.layout
    for backlog in timeline.backlogs:
        event = counter(layout.nodes.index(backlog.node), backlog.at_ns)
        yield {**event, "name": "backlog messages", "args": {"messages": backlog.message_count}}
        yield {**event, "name": "backlog KB", "args": {"KB": round(backlog.length / 1024, 3)}}
    bin_ns = max(RATE_BIN_NS_MIN, -(-(timeline.end_ns - timeline.begin_ns) // RATE_BINS))
    for system, node in enumerate(layout.nodes):
        for fibre in layout.fibres:
            name = f"fibre {fibre.name} MB/s out"
            for index, rate in enumerate(timeline.rates(node, fibre, bin_ns)):
                event = counter(system, timeline.begin_ns + index * bin_ns)
                yield {**event, "name": name, "args": {"MB/s": round(rate / MIB, 3)}}
