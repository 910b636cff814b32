"""The page's part on disks that ride the link's chpids: what each costs the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from isfc.io.charts import Chart, Curve
from scenarios.shared_channel import SharedRun

Spec = dict[str, Any]

_COLOURS: Final = ("first", "second", "write", "read", "disc", "pend", "other")


_TICKS: Final = 10
"""About so many places on an axis are named: as many as a phone has room for."""


@dataclass(frozen=True, slots=True)
class DiskSurvey:
    """The link and the disks alone and beside each other, at several loads of the disks."""

    points: tuple[tuple[float, SharedRun], ...]

    @property
    def now(self) -> SharedRun:
        """With the load that the layout says."""
        return dict(self.points)[1.0]

    @property
    def charts(self) -> dict[str, Chart]:
        """By the id of its figure."""
        return {"io-link": self._link(), "io-disks": self._disks()}

    def _link(self) -> Chart:
        runs = [run for _, run in self.points]
        return Chart(
            "MB/s of the link over the load of the disks on its chpids",
            "% of the disks' load",
            "MB/s (2^20)",
            self._percents,
            (
                Curve("without the disks", tuple(run.alone.mb_per_s for run in runs)),
                Curve("beside the disks", tuple(run.beside.mb_per_s for run in runs)),
            ),
        )

    def _disks(self) -> Chart:
        curves = []
        for place, channel in enumerate(self.now.channels):
            for index, demand in enumerate(channel.disks_alone.demands):
                found = [run.channels[place] for _, run in self.points]
                name = f"{demand.demand.name} on {channel.node} {channel.chpid}"
                alone = [each.disks_alone.demands[index].response_ns / 1e3 for each in found]
                beside = [each.disks_beside.demands[index].response_ns / 1e3 for each in found]
                curves.append(Curve(f"{name}, alone", tuple(alone)))
                curves.append(Curve(f"{name}, beside", tuple(beside)))
        title = "Response time of the disks, alone and beside the CTCs, over their load"
        return Chart(title, "% of the disks' load", "us", self._percents, tuple(curves))

    @property
    def _percents(self) -> tuple[float, ...]:
        return tuple(100 * share for share, _ in self.points)


def chart_parts(chart: Chart) -> Spec:
    """The parts of a Vega-Lite chart: lines and points; colours, dashes and shapes for curves."""
    values: list[Spec] = [
        {"curve": curve.name, "x": x, "y": round(y, 3)}
        for curve in chart.curves
        for x, y in zip(chart.xs, curve.values, strict=True)
        if y is not None
    ]
    names = [curve.name for curve in chart.curves]
    colours = [f"var(--{_COLOURS[place % len(_COLOURS)]})" for place in range(len(names))]
    plain = {"field": "curve", "type": "nominal", "legend": None}
    return {
        "height": 220,
        "data": {"values": values},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": chart.x_name,
                "scale": {**_scale(chart.xs, zero=False), "nice": False},
                "axis": {
                    "labelOverlap": "greedy",
                    "labelSeparation": 6,
                    "labelFlush": False,
                    "tickCount": _TICKS,
                },
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": chart.y_name,
                "scale": _scale([value["y"] for value in values], zero=True),
            },
            "color": {
                "field": "curve",
                "type": "nominal",
                "title": None,
                "scale": {"domain": names, "range": colours},
            },
            "tooltip": [
                {"field": "curve", "title": "curve"},
                {"field": "x", "title": chart.x_name},
                {"field": "y", "title": chart.y_name},
            ],
        },
        "layer": [
            {"mark": {"type": "line"}, "encoding": {"strokeDash": plain}},
            {"mark": {"type": "point", "filled": True}, "encoding": {"shape": plain}},
        ],
    }


def _scale(values: Sequence[float], *, zero: bool) -> Spec:
    """In steps of its own where it goes over decades."""
    if min(values) > 0 and max(values) >= 100 * min(values):
        return {"type": "log"}
    return {"zero": zero}
