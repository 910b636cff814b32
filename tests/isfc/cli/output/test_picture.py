"""What pictures and pages draw can be seen, on light devices and on dark ones."""

import re
from typing import Final
from xml.etree import ElementTree

import pytest

from isfc.cli.output.curves import axis, curves, nominal
from isfc.cli.output.picture import CURVES, Spec, picture, picture_svg
from isfc.reports.template import resource
from tests.contrast import CONTRAST_MIN, contrast, parse_colour

WHITE: Final = "#ffffff"
DARK: Final = "#14181d"
DRAWN: Final = "first second write read disc pend other collision warning info".split()


def faint(colours: list[str], behind: str) -> list[str]:
    """Those that are hard to see."""
    back = parse_colour(behind)
    return [each for each in colours if contrast(parse_colour(each), back) < CONTRAST_MIN]


def test_every_curve_of_a_picture_can_be_seen() -> None:
    names = [f"curve {number}" for number in range(len(CURVES))]
    values: list[Spec] = [{"curve": name, "x": x, "y": x} for name in names for x in (0, 1)]
    drawn = curves(axis("x", "x"), axis("y", "y"), nominal("curve", names))
    svg = picture_svg(picture("All & each", data={"values": values}, **drawn))
    assert {*names} <= {*re.findall(r">([^<>]+)</text>", svg)}  # all are in the legend
    shown = [colour for colour in CURVES if f'stroke="{colour}"' in svg]
    assert len(shown) == len({*CURVES}) == 10
    assert faint(shown, WHITE) == []
    there = dict(re.findall(r'\[stroke="(#\w+)"\]\{stroke:(#\w+)', svg))
    assert there["#000000"] == "#e6edf3"
    assert faint([there.get(own, own) for own in shown], DARK) == []
    assert ElementTree.fromstring(svg).get("aria-label") == "All & each"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_colour_that_a_page_draws_with_can_be_seen(place: int) -> None:
    light, *others = (
        dict(re.findall(r"--(\w+): (#\w+)", block))
        for block in re.findall(r"(?s):root \{(.*?)\}", resource("cli/html/page.css"))
    )
    colours = light | [{}, *others][place]  # on light devices, on dark ones, on paper
    assert {*DRAWN} <= {*colours}
    assert faint([colours[name] for name in DRAWN], colours["paper"]) == []
