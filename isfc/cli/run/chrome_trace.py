"""A timeline in the Chrome trace event format, which Perfetto and chrome://tracing open.

Each system is a process, each of its CTCs a thread; of several links, each end of a link is a
process. Times are microseconds of virtual time.
The format is described in "Trace Event Format" (Google, 2016).
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ctc.address import RDEV_MAX, Rdev, format_chpid, format_rdev
from isfc.cli.output.whole_file import whole_file
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.runs.result import MIB
from scenarios.runs.timeline import Io, Timeline

Event = dict[str, Any]

RATE_BIN_NS_MIN: Final = 100_000
RATE_BINS: Final = 1_000


def write_trace(path: Path, *timelines: Timeline) -> None:
    """Write timelines into a file; raises `OSError` if that cannot be written."""
    with whole_file(path) as written, written.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
        for index, event in enumerate(all_events(timelines)):
            file.write(",\n" * (index > 0) + json.dumps(event, separators=(",", ":")))
        file.write("\n]}\n")


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
        process = {"ph": "M", "pid": end + 1, "tid": 0}
        yield {**process, "name": "process_name", "args": {"name": node}}
        yield {**process, "name": "process_sort_index", "args": {"sort_index": end}}
        for index, ctc in enumerate(layout.device_list()):
            chpid = format_chpid(ctc.fibre.chpids[end])
            name = f"{format_rdev(ctc.rdevs[end])} chpid {chpid}"
            thread = {"ph": "M", "pid": end + 1, "tid": _tid(end, ctc.rdevs[end])}
            yield {**thread, "name": "thread_name", "args": {"name": name}}
            yield {**thread, "name": "thread_sort_index", "args": {"sort_index": index}}


def _tid(end: int, rdev: Rdev) -> int:
    """A thread for each device: 0 is none, and no two have the same, whatever their process.

    Systems often have the same device numbers, and to an operating system, as to some readers, a
    thread's number is its own. Nor is it a process's number, which would mean its main thread.
    """
    return (end + 1) * (RDEV_MAX + 1) + rdev


def _place(layout: Layout, io: Io) -> Event:
    end = layout.nodes.index(io.node)
    return {"pid": end + 1, "tid": _tid(end, io.rdev)}


def _io(layout: Layout, io: Io) -> Iterator[Event]:
    """An I/O, and inside it PEND, DISC and CONN.

    Each has an event for its begin and one for its end: with durations instead, a reader that adds
    them up can find an I/O to end before its last phase, by a rounding error. Both say what they
    are of: some readers pair them by that.
    """
    details: dict[str, Any] = {"outcome": io.outcome, "interrupt_us": _us(io.seen_ns - io.end_ns)}
    if io.package is not None:
        details |= {"package": io.package, "messages": io.message_count, "bytes": io.length}
    whole = {"cat": "io", "name": io.command.name, **_place(layout, io), "args": details}
    yield {"ph": "B", **whole, "ts": _us(io.begin_ns)}
    for name, begin_ns, end_ns in io.phases():
        phase = {"cat": "phase", "name": name, **_place(layout, io)}
        yield {"ph": "B", **phase, "ts": _us(begin_ns)}
        yield {"ph": "E", **phase, "ts": _us(end_ns)}
    yield {"ph": "E", **whole, "ts": _us(io.end_ns)}


def _collision(layout: Layout, number: int, first: Io, second: Io) -> Iterator[Event]:
    """An instant at each end, and an arrow from the write that failed first to the other."""
    for io in (first, second):
        instant = {"ph": "i", "s": "t", "cat": "collision", "name": "collision"}
        yield {**instant, **_place(layout, io), "ts": _us(io.end_ns)}
    arrow = {"cat": "collision", "name": "collided", "id": number}
    # an arrow is bound to the slices around its ends, and never leads back in time: so it lies
    # where the two writes overlap
    begin_ns = max(first.begin_ns, second.begin_ns)
    third_ns = (min(first.end_ns, second.end_ns) - begin_ns) // 3
    yield {**arrow, "ph": "s", **_place(layout, first), "ts": _us(begin_ns + third_ns)}
    end = {**arrow, "ph": "f", "bp": "e", **_place(layout, second)}
    yield {**end, "ts": _us(begin_ns + 2 * third_ns)}


def _counters(timeline: Timeline) -> Iterator[Event]:
    """The backlog of each node, and what each sends on each fibre."""
    layout = timeline.layout
    for backlog in timeline.backlogs:
        counter = _counter(layout, backlog.node, backlog.at_ns)
        yield {**counter, "name": "backlog messages", "args": {"messages": backlog.message_count}}
        yield {**counter, "name": "backlog KB", "args": {"KB": round(backlog.length / 1024, 3)}}
    bin_ns = max(RATE_BIN_NS_MIN, -(-(timeline.end_ns - timeline.begin_ns) // RATE_BINS))
    for node in layout.nodes:
        for fibre in layout.fibres:
            name = f"fibre {fibre.name} MB/s out"
            for index, rate in enumerate(timeline.rates(node, fibre, bin_ns)):
                counter = _counter(layout, node, timeline.begin_ns + index * bin_ns)
                yield {**counter, "name": name, "args": {"MB/s": round(rate / MIB, 3)}}


def _counter(layout: Layout, node: NodeName, at_ns: int) -> Event:
    return {"ph": "C", "pid": layout.nodes.index(node) + 1, "tid": 0, "ts": _us(at_ns)}


def _us(ns: int) -> float:
    return ns / 1000
