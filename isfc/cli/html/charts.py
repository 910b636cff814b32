"""The charts of the page, as Vega-Lite specifications.

Colours are the page's own CSS variables, so that the charts follow dark mode and print.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctc.address import format_rdev
from ctc.subchannel import Command
from isfc.answers.losses import loss_rows, losses_of
from isfc.cli.output.curves import axis, chart_parts, curves, marks, nominal
from isfc.cli.output.picture import SCHEMA, Spec, config
from isfc.io.charts import Chart
from isfc.search.report_runs import LinkRuns
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import RANGED
from scenarios.runs.timeline import Io, Timeline

PHASES: Final = {
    "write (CONN)": "var(--write)",
    "read (CONN)": "var(--read)",
    "DISC": "var(--disc)",
    "PEND": "var(--pend)",
    "sense and other": "var(--other)",
}
PAGE: Final = tuple(f"var(--{name})" for name in "first second write read disc pend other".split())
"""Colours of curves."""
ALIKE: Final = 0.03
"""Shares of the whole link in whose steps what is left is taken for the same."""
LOW: Final = "four of five cases from"
HIGH: Final = "four of five cases to"
_BAR: Final = 20
_ROW: Final = 16
_INK: Final = "currentColor"
_CONFIG: Final[Spec] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    **config(_INK),
}


def has_collisions(runs: LinkRuns) -> bool:
    """Whether a chart of write collisions shows anything but 0."""
    return any(point.run.result.collisions_per_s for point in runs.points)


def charts(runs: LinkRuns) -> dict[str, Spec]:
    """Every chart of a link, by the id of its figure."""
    disks = runs.disks.charts if runs.disks else {}
    every = {
        "throughput": _over_pairs(runs, "mb_per_s", "MB/s sent"),
        "utilisation": _over_pairs(runs, "rdev_util_percent", "RDEV util %, all CTCs"),
        **(
            {"collisions": _over_pairs(runs, "collisions_per_s", "write collisions/s")}
            if has_collisions(runs)
            else {}
        ),
        "losses": _losses(runs),
        "timeline": _timeline(runs.timeline),
        **curve_specs({"relocation": runs.relocation} | disks),
    }
    return {name + runs.mark: spec for name, spec in every.items()}


def curve_specs(charts: Mapping[str, Chart]) -> dict[str, Spec]:
    """Curves of one thing over another, by the id of their figure."""
    return {
        name: _chart(chart.title, height=220, **chart_parts(chart, PAGE))
        for name, chart in charts.items()
    }


def _chart(description: str, **parts: Any) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": description,
        "width": "container",
        "config": _CONFIG,
        **parts,
    }


def _senders(runs: LinkRuns) -> Spec:
    """A colour for each node; dashes and shapes tell them apart as well."""
    return nominal("sender", runs.layout.nodes, PAGE)


def _over_pairs(runs: LinkRuns, measure: str, title: str) -> Spec:
    values: list[Spec] = [
        {"sender": p.sender, "pairs": p.experiment.pairs, measure: round(p.measured[measure], 3)}
        for p in runs.points
    ]
    ranged = measure in RANGED
    for value, p in zip(values if ranged else (), runs.points, strict=False):
        value |= _ends(p.figures[measure])
    none = not any(value[measure] for value in values)
    x = {"field": "pairs", "type": "ordinal", "title": "pairs", "axis": {"labelAngle": 0}}
    y = axis(measure, title, **({"domain": [0, 1]} if none else {"zero": True}))
    drawn = curves(x, y, _senders(runs), (LOW, HIGH) if ranged else None)
    drawn["encoding"]["tooltip"] = [{"field": field} for field in values[0]]
    description = f"{title} over pairs, for each sending node"
    return _chart(description, height=220, data={"values": values}, **drawn)


def _ends(figure: Figure) -> Spec:
    """The ends of a range, for a bar; none without one."""
    if figure.range is None:
        return {}
    return {LOW: round(figure.ends.low, 3), HIGH: round(figure.ends.high, 3)}


def _losses(runs: LinkRuns) -> Spec:
    values: list[Spec] = [
        {"gone": row.gone, "MB/s": round(row.rate.value, 1), **_ends(row.rate)}
        for row in loss_rows(losses_of(runs.lefts))
    ]
    domain = [value["gone"] for value in values]
    gone: Spec = {"field": "gone", "type": "nominal", "title": "gone", "scale": {"domain": domain}}
    bars = {
        "x": {"field": "MB/s", "type": "quantitative", "title": "MB/s of the slower direction"},
        "tooltip": [{"field": field} for field in values[0]],
    }
    ranges = {"x": {"field": LOW, "type": "quantitative"}, "x2": {"field": HIGH}}
    return _chart(
        "MB/s of the slower direction with one piece gone",
        height=_BAR * len(values),
        data={"values": values},
        encoding={"y": gone},
        layer=[
            {"mark": {"type": "bar", "color": PAGE[0]}, "encoding": bars},
            {"mark": {"type": "rule", "color": _INK}, "encoding": ranges},
        ],
    )


def _timeline(timeline: Timeline) -> Spec:
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
    phase = nominal("phase", [*PHASES], [*PHASES.values()])
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
    return _chart(
        "Every I/O on every CTC, by phase; the table below it sums them up",
        height=_ROW * len(rows),
        params=[{"name": "from_ms", "value": 0}, {"name": "to_ms", "value": whole_ms}],
        layer=[
            marks("bar", [*_phases(timeline)], bars, clip=True, aria=False),
            marks("point", collided, crosses, clip=True, aria=False, **red),
        ],
    )


def _phases(timeline: Timeline) -> Iterator[Spec]:
    for io in timeline.ios:
        what = io.command.name.replace("_", " ").lower()
        if io.package is not None:
            what += f", package {io.package}: {io.message_count} messages, {io.length:,} bytes"
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
