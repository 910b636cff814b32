"""``isfc loads``: who leaves, and the picture of a load by time and of what each end can send."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from isfc.answers.loads import Loads
from isfc.answers.loads import loads as loads_of
from isfc.answers.loads_report import GONE, loads_failure
from isfc.arguments import read_size, spelt
from isfc.cli.capability import command_of
from isfc.cli.options.flattened import Made
from isfc.cli.options.option import valued
from isfc.cli.options.own_file import plot
from isfc.cli.output.curves import axis, marks, nominal
from isfc.cli.output.picture import INK, Spec, picture
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from scenarios.moves.guest import GuestMemory


class LeavingOptions(Made, frozen=True):
    """Who is to leave a system, whose soonest time is looked for."""

    move: Annotated[
        str | None, valued("SIZE", "Find when a guest of that memory, as 512G, leaves soonest.")
    ] = None
    guests: Annotated[
        Path | None,
        valued(
            "FILE.csv",
            "Find when these leave soonest: name,memory,change_rate, as for 'isfc evacuate'.",
        ),
    ] = None

    def made(self) -> GuestMemory | Path | None:
        """The memory of one that changes nothing, or a file."""
        if self.move is None:
            return self.guests
        if self.guests is not None:
            raise ConfigurationError(f"{spelt('move')} and {spelt('guests')}: expected one of them")
        size = read_size(spelt("move"), self.move)
        with within(spelt("move")):
            return GuestMemory(size=size, touched=size)


def loads_picture(found: Loads) -> Spec:
    """The load by time, both ways, and what each end can send."""
    nodes, most = found.nodes, f"{found.percentile:g} %"
    values = [
        {"node": node, "of": of, "hours": slot.begin_s / 3600, "rate": rates[way]}
        for slot in found.slots
        for of, rates in ((most, slot.mb_per_s), ("mean", slot.mean_mb_per_s))
        for way, node in enumerate(nodes)
    ]
    week = found.period == "week"
    x = axis("hours", "hours since Monday 00:00" if week else "time of day, h", nice=False)
    x["axis"] = {"values": [*(range(0, 169, 24) if week else range(0, 25, 3))]}
    x["scale"]["domain"] = [0, 168 if week else 24]
    y = axis("rate", "MB/s (2^20) one way; bands: four of five cases")
    line: Spec = {"symbolType": "stroke", "symbolStrokeWidth": 2}
    colour = nominal("node", nodes, **line)
    dash = nominal("of", (most, "mean"), ([1, 0], [2, 2]), **line)
    where = {"x": x, "y": y, "color": colour, "strokeDash": dash}
    steps = marks("line", values, where, interpolate="step-after")
    ceilings = [layer for way in (0, 1) for layer in _ceiling(found, way, y, colour)]
    return picture("The load by time, and what the layout carries", layer=[steps, *ceilings])


def _ceiling(found: Loads, way: int, y: Spec, colour: Spec) -> Iterator[Spec]:
    """What one end can send: a line, named at its side, in the band of its range."""
    node, rate = found.nodes[way], found.ways[way].must.rate
    said = {"node": node, "rate": rate.value, "said": f"{node} can send, {GONE[found.lost]}"}
    whole: Spec = {"x": {"value": 0}, "x2": {"value": "width"}, "color": colour}
    if rate.range is not None:
        ends = rate.ends
        band = {**whole, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
        yield marks("rect", [{"node": node, "low": ends.low, "high": ends.high}], band, opacity=0.1)
    yield marks("rule", [said], {**whole, "y": y}, strokeDash=[6, 3])
    side, at = (("left", 4), ("right", "width"))[way]
    text = {"x": {"value": at}, "y": y, "text": {"field": "said"}}
    yield marks("text", [said], text, align=side, dy=-6, color=INK)


loads = command_of(
    loads_of,
    loads_failure,
    [plot(loads_picture)],
    made={"guests": LeavingOptions},
)
