"""The chart of a timeline, which its page lets people zoom, as a Vega-Lite specification.

Colours are the page's own CSS variables, so that it follows dark mode and print.
"""

from collections.abc import Iterator
from typing import Final

from ctc.address import format_rdev
from ctc.subchannel import Command
from isfc.errors.in_words import exact
from isfc.reports.picture import SCHEMA, Spec, axis, config, marks
from scenarios.runs.timeline import Io, Timeline

PHASES: Final = {
    "write (CONN)": "var(--write)",
    "read (CONN)": "var(--read)",
    "DISC": "var(--disc)",
    "PEND": "var(--pend)",
    "sense and other": "var(--other)",
}
_ROW: Final = 16


def timeline_chart(timeline: Timeline) -> Spec:
    """Every phase of every I/O; the page moves ``from_ms`` and ``to_ms``."""
    layout, whole_ms = timeline.layout, (timeline.end_ns - timeline.begin_ns) / 1e6
    rows = [
        f"{node} {format_rdev(ctc.rdevs[end])}"
        for end, node in enumerate(layout.nodes)
        for ctc in layout.device_list()
    ]
    ctc = {"field": "ctc", "type": "nominal", "title": None, "scale": {"domain": rows}}
    shown = [{"expr": "from_ms"}, {"expr": "to_ms"}]
    begin = axis("from", "ms", domain=shown, nice=False, zero=False)
    colours = {"domain": [*PHASES], "range": [*PHASES.values()]}
    phase = {"field": "phase", "type": "nominal", "title": None, "scale": colours}
    collided = [
        {"ctc": _row(io), "at": _ms(timeline, io.end_ns), "what": "collision"}
        for pair in timeline.collisions()
        for io in pair
    ]
    bars: Spec = {"y": ctc, "x": begin, "x2": {"field": "to"}, "color": phase}
    bars["tooltip"] = [{"field": field} for field in ("ctc", "what", "phase", "from", "to")]
    crosses: Spec = {"y": ctc, "x": {**begin, "field": "at"}}
    crosses["tooltip"] = [{"field": "what"}, {"field": "at"}]
    red = {"shape": "cross", "filled": True, "size": 60, "color": "var(--collision)"}
    looks = {"background": "transparent", "font": "system-ui, sans-serif"}
    return {
        "$schema": SCHEMA,
        "description": "Every I/O on every CTC, by phase; the table below it sums them up",
        "width": "container",
        "height": _ROW * len(rows),
        "config": config("currentColor") | looks,
        "params": [{"name": "from_ms", "value": 0}, {"name": "to_ms", "value": whole_ms}],
        "layer": [
            marks("bar", _phases(timeline), bars, clip=True),
            marks("point", collided, crosses, clip=True, **red),
        ],
    }


def _phases(timeline: Timeline) -> Iterator[Spec]:
    for io in timeline.ios:
        what = io.command.name.replace("_", " ").lower()
        if io.package is not None:
            what += f", package {io.package}: {io.message_count} messages, {exact(io.length)} bytes"
        for name, begin_ns, end_ns in io.phases():
            yield {
                "ctc": _row(io),
                "phase": _phase(io, name),
                "from": _ms(timeline, begin_ns),
                "to": _ms(timeline, end_ns),
                "what": what,
            }


def _phase(io: Io, name: str) -> str:
    if io.command is Command.WRITE:
        return "write (CONN)" if name == "CONN" else name
    return "read (CONN)" if io.command is Command.READ and name == "CONN" else "sense and other"


def _row(io: Io) -> str:
    return f"{io.node} {format_rdev(io.rdev)}"


def _ms(timeline: Timeline, at_ns: int) -> float:
    return round((at_ns - timeline.begin_ns) / 1e6, 4)
