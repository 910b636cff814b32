"""Events of the Chrome trace event format: systems, their devices, and the I/Os of these.

A system is a process, a device a thread of it. Times are microseconds.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctc.address import RDEV_MAX
from isfc.cli.output.file import whole_file

Event = dict[str, Any]


@contextmanager
def trace_file(path: Path) -> Iterator[Callable[[Event], None]]:
    """A file to which events are added one by one; raises `OSError` if it cannot be written."""
    with whole_file(path) as written, written.open("w", newline="\n", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
        between = ""

        def add(event: Event) -> None:
            nonlocal between
            file.write(between + json.dumps(event, separators=(",", ":")))
            between = ",\n"

        yield add
        file.write("\n]}\n")


def device_place(system: int, number: int) -> Event:
    """The thread of a device: 0 is none, and no two have the same, whatever their process.

    Systems often have the same device numbers, and to an operating system, as to some readers, a
    thread's number is its own. Nor is it a process's number, which would mean its main thread.
    """
    return {"pid": system + 1, "tid": (system + 1) * (RDEV_MAX + 1) + number}


def process_events(system: int, name: str) -> Iterator[Event]:
    """The name of a system, and its place among others."""
    process = {"ph": "M", "pid": system + 1, "tid": 0}
    yield {**process, "name": "process_name", "args": {"name": name}}
    yield {**process, "name": "process_sort_index", "args": {"sort_index": system}}


def thread_events(system: int, number: int, index: int, name: str) -> Iterator[Event]:
    """The name of a device, and its place among others."""
    thread = {"ph": "M", **device_place(system, number)}
    yield {**thread, "name": "thread_name", "args": {"name": name}}
    yield {**thread, "name": "thread_sort_index", "args": {"sort_index": index}}


def io_events(
    name: str,
    place: Event,
    details: Mapping[str, object],
    times_ns: tuple[int, int],
    phases: Iterable[tuple[str, int, int]],
) -> Iterator[Event]:
    """An I/O from its begin to its end, and its phases inside it.

    Each has an event for its begin and one for its end: with durations instead, a reader that adds
    them up can find an I/O to end before its last phase, by a rounding error. Both say what they
    are of: some readers pair them by that.
    """
    whole = {"cat": "io", "name": name, **place, "args": details}
    yield {"ph": "B", **whole, "ts": us(times_ns[0])}
    for phase_name, begin_ns, end_ns in phases:
        phase = {"cat": "phase", "name": phase_name, **place}
        yield {"ph": "B", **phase, "ts": us(begin_ns)}
        yield {"ph": "E", **phase, "ts": us(end_ns)}
    yield {"ph": "E", **whole, "ts": us(times_ns[1])}


def counter(system: int, at_ns: int) -> Event:
    """A counter of a system, whose name and value are to be added."""
    return {"ph": "C", "pid": system + 1, "tid": 0, "ts": us(at_ns)}


def us(ns: int) -> float:
    """Microseconds."""
    return ns / 1000
