"""What pictures and pages draw can be seen, on light devices and on dark ones."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from isfc.cli.html.parts import resource
from isfc.cli.output.picture import write_picture
from tests.contrast import CONTRAST_MIN, contrast, parse_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHITE: Final = "#ffffff"
DARK: Final = "#14181d"
CURVES: Final = 10
DRAWN: Final = "first second write read disc pend other collision warning info".split()


def faint(colours: list[str], behind: str) -> list[str]:
    """Those that are hard to see."""
    back = parse_colour(behind)
    return [each for each in colours if contrast(parse_colour(each), back) < CONTRAST_MIN]


def test_every_curve_of_a_picture_can_be_seen(tmp_path: Path) -> None:
    colours: list[str] = []

    def curves(axes: "Axes") -> None:
        for number in range(CURVES):
            (line,) = axes.plot([0, 1], [number, number])
            colours.append(str(line.get_color()))

    write_picture(tmp_path / "a.svg", curves)
    assert len({*colours}) == CURVES
    assert faint(colours, WHITE) == []
    svg = (tmp_path / "a.svg").read_text("utf-8")
    there = dict(re.findall(r'stroke: (#\w+)"\] \{stroke: (#\w+)', svg))
    assert there["#000000"] == "#e6edf3"
    assert faint([there.get(own, own) for own in colours], DARK) == []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_colour_that_a_page_draws_with_can_be_seen(place: int) -> None:
    light, *others = (
        dict(re.findall(r"--(\w+): (#\w+)", block))
        for block in re.findall(r"(?s):root \{(.*?)\}", resource("page.css"))
    )
    colours = light | [{}, *others][place]  # on light devices, on dark ones, on paper
    assert {*DRAWN} <= {*colours}
    assert faint([colours[name] for name in DRAWN], colours["paper"]) == []
