"""A run of a workload for the page: its figures, its record as ``isfc run --json``, a chart."""

from collections.abc import Iterator
from typing import Annotated, Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from msgspec import Meta

import isfc
from isfc.answers.opened import run_cells
from isfc.answers.run_ranges import range_line
from isfc.cli.options.experiment import ExtentOptions
from isfc.cli.results.json import run_json
from isfc.cli.studio.tasks import Shown
from isfc.cli.studio.work import Tell
from isfc.reports.encoded import encoded
from isfc.reports.template import greatest, ranged

WARMUP: Final = ExtentOptions().warmup
"""Seconds of virtual time: that of `isfc run`."""
INTERVALS: Final = 24
"""Bars of the chart."""
_STEPS: Final = 50
"""Reports of progress."""
_WIDTH: Final = 120
_HEIGHT: Final = 28


class Run(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be run on which link; ``seconds`` of virtual time are measured."""

    link: str
    workload: str
    pairs: Annotated[int, Meta(ge=1, le=10_000)]
    seconds: Annotated[float, Meta(gt=0, le=600)]
    client: str


def run(tell: Tell, wanted: Run) -> dict[str, Any]:
    """Run it; tell what share is done."""
    link = wanted.subject.read().link(wanted.link, "link")
    whole, told = wanted.seconds + WARMUP, 0

    def progress(done: float) -> None:
        nonlocal told
        if done / whole * _STEPS >= told + 1:
            told = int(done / whole * _STEPS)
            tell({"share": told / _STEPS})

    done = isfc.simulate(
        link,
        wanted.workload,
        pairs=wanted.pairs,
        seconds=wanted.seconds,
        warmup=WARMUP,
        interval=wanted.seconds / INTERVALS,
        client=wanted.client or None,
        progress=progress,
    )
    result = done.result
    record = encoded(run_json(done.experiment, [result], wanted.link))
    ranges = range_line(done.experiment, result)
    said = ranges.partition(". ")[0]
    return {
        "answer": f"{result.mb_per_s_out:.1f} MB/s out, {result.mb_per_s_in:.1f} in. {said}.",
        "figures": [*_figures(done)],
        "chart": chart(done),
        "note": " ".join([ranges, *(note["text"] for note in record["notes"])]),
        "record": record,
    }


def _figures(done: isfc.Simulation) -> Iterator[str]:
    """The cells of the table as HTML, with ranges as bars; MB/s both ways have one scale."""
    result = done.result
    within = run_cells(done)
    most = greatest(within[:2])
    shown = (
        *(f"{result.mb_per_s_out:.1f}", f"{result.mb_per_s_in:.1f}"),
        *(f"{result.messages_per_s:.0f}", f"{result.rdev_util_percent:.0f}"),
    )
    for text, each, scale in zip(shown, within, (most, most, 0.0, 0.0), strict=True):
        yield ranged(text, each, scale or greatest([each]))
    yield f"{result.collisions_per_s:.1f}"


def chart(done: isfc.Simulation) -> str:
    """MB/s over time as a small SVG: out above, in below, collisions as marks at the top."""
    parts = [sample.result for sample in done.client.parts]
    most = max(1.0, *(part.mb_per_s for part in parts))
    named = f"MB/s over time, at most {most:.0f}; collisions are marked"
    svg = Element(
        "svg",
        {
            "viewBox": f"0 0 {_WIDTH} {_HEIGHT}",
            "class": "chart",
            "role": "img",
            "aria-label": named,
        },
    )
    SubElement(svg, "title").text = named
    width = _WIDTH / len(parts)
    for number, part in enumerate(parts):
        top = float(_HEIGHT)
        for kind, rate in (("in", part.mb_per_s_in), ("out", part.mb_per_s_out)):
            height = rate / most * (_HEIGHT - 4)
            top -= height
            _bar(svg, kind, number * width, top, width * 0.85, height)
        if part.collisions_per_s:
            _bar(svg, "collision", number * width, 0, width * 0.85, 3)
    return ElementTree.tostring(svg, "unicode")


def _bar(svg: Element, kind: str, x: float, y: float, width: float, height: float) -> None:
    place = {"x": x, "y": y, "width": width, "height": height}
    SubElement(svg, "rect", {"class": kind, **{name: f"{v:.1f}" for name, v in place.items()}})
