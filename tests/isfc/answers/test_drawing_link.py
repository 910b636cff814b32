"""The drawing of a layout, in the terminal and as SVG."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from isfc.answers.drawing import drawing_svg
from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from tests.isfc.cli.conftest import Refusal
from tests.shipped import ONE_LINK

SVG = "{http://www.w3.org/2000/svg}"
PICTURE = Path(__file__).parents[4] / "docs" / "layout-published-12.svg"


@pytest.mark.parametrize("name", ONE_LINK)
def test_terminal_shows_every_ctc_once(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    layout = load_layout(name)
    assert max(map(len, lines)) <= 80
    ctcs = [line for line in lines if "---" in line]
    assert len(ctcs) == len(layout.ctcs)
    assert sum("chpid" in line for line in lines) == len(layout.fibres)


@pytest.mark.parametrize("name", ONE_LINK)
def test_svg_draws_every_ctc_and_says_who_writes(name: str) -> None:
    layout = load_layout(name)
    svg = ElementTree.fromstring(drawing_svg(layout))
    lines = [line for line in svg.iter(f"{SVG}line") if float(line.attrib["x2"]) > 200]
    assert len(lines) == len(layout.ctcs)
    for line in lines:
        kind = line.attrib["class"]
        assert ("marker-end" in line.attrib) == (kind in ("both", "first"))
        assert ("marker-start" in line.attrib) == (kind in ("both", "second"))
    boxes = [box for box in svg.iter(f"{SVG}rect") if box.attrib["class"] == "box"]
    assert len(boxes) == 2 * len(layout.fibres)


def test_svg_is_described_in_words() -> None:
    svg = ElementTree.fromstring(drawing_svg(load_layout("atlanta-boston")))
    assert svg.attrib["role"] == "img"
    named = {part.attrib.get("id"): part.text for part in svg.iter()}
    title, words = (named[name] for name in svg.attrib["aria-labelledby"].split())
    assert title == "Logical link ATLANTA - BOSTON"
    assert words is not None
    assert words.startswith(
        "Fibre 1, Express2 2 Gb/s, chpid 40 to 50: 6000 to 7000 (ATLANTA only), "
        "6001 to 7001 (both), "
    )


def test_svg_goes_into_a_file(tmp_path: Path) -> None:
    target = tmp_path / "link.svg"
    assert run(["show", "atlanta-boston", "-o", str(target)]) == 0
    assert target.read_text("utf-8") == drawing_svg(load_layout("atlanta-boston"))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("link.png", "ends with .svg"), ("nowhere/link.svg", "there is no folder nowhere")],
)
def test_file_is_checked_first(name: str, complaint: str, refusal: Refusal) -> None:
    assert complaint in refusal("show", "atlanta-boston", "-o", name)
