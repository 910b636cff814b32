"""What a figure is on machines whose CP is faster or slower than a z10's, from runs at a few paces.

``paces.csv`` has what links of each feature came to where everything that CP does takes so many
times as long as on a z10, as the channel is taken to be and at both ends of what is assumed of
later ones (`tools.calibration.studies` renews it). A machine's figures, low, mid and high, are each
at a pace, that of a byte: between runs the logarithm of a figure is even, and beyond them goes on.

How fast channels are decides how much a faster CP is worth. So a machine's range goes from its low
to its high figure whatever the channels are.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from isfc.layout.layout import Layout
from isfc.layout.machines import Estimate, pace_of
from scenarios.figures.certainty import FigureKind
from scenarios.runs.notes import shipped_lines

PACES: Final = (2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25, 0.17)
"""So many times as long as on a z10 (chosen: from a slow engine of a z10 BC to a z17 with all in
its cache)."""

CHANNELS: Final = ("as is", "slower", "faster")
"""What is assumed of the channels."""

COLUMNS: Final = ("feature", "fibres", "of", "channels", *map(str, PACES))
"""Of ``paces.csv``."""


Ends = tuple[float, float]
"""So many times a figure its least and its greatest are: at most 1, and at least 1."""


def ends_on_machines(layout: Layout, feature: str, kind: FigureKind) -> tuple[Ends, Ends]:
    """What the low and high figures of a layout's machines do to its mid ones, and channels do."""
    by_machine, by_channels = [1.0], [1.0]
    for said in filter(None, layout.machines):
        low, mid, high = (pace_of(said, case).by_byte for case in Estimate)
        curves = [_curve(feature, len(layout.fibres), kind, each) for each in CHANNELS]
        for curve in curves:
            by_machine += [_at(curve, end) / _at(curve, mid) for end in (low, high)]
            by_channels.append(_at(curve, mid) / _at(curves[0], mid))
    return (min(by_machine), max(by_machine)), (min(by_channels), max(by_channels))


_Curve = Sequence[float]
"""A figure at each of `PACES`."""


@cache
def _curve(feature: str, fibres: int, kind: FigureKind, channels: str) -> _Curve:
    """Of links of the feature, of as many fibres, nearly."""
    every = shipped_lines(__package__, "paces.csv")
    key = (feature, kind, channels)
    lines = [line for line in every if (line["feature"], line["of"], line["channels"]) == key]
    nearest = min(lines, key=lambda line: abs(math.log(int(line["fibres"]) / fibres)))
    return [float(nearest[str(pace)]) for pace in PACES]


def _at(curve: _Curve, pace: float) -> float:
    """The figure at any pace."""
    steps = [*pairwise(zip(map(math.log, PACES), map(math.log, curve), strict=True))]
    wanted = math.log(pace)
    (x, y), (to_x, to_y) = next((s for s in steps if s[1][0] <= wanted), steps[-1])
    return math.exp(y + (to_y - y) * (wanted - x) / (to_x - x))
