"""Pages on phones and on dark devices: nothing is cut without a word, hidden or unreadable."""

from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import needs_chromium
from tests.contrast import CONTRAST_MIN, TEXT_CONTRAST_MIN, Colour, contrast, parse_colour
from tests.isfc_process import isfc
from tools import PROJECT

pytestmark = [pytest.mark.exhaustive, needs_chromium]

WIDTHS: Final = (360, 800, 1_280)
SCHEMES: Final = ("light", "dark")
BEYOND: Final = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (node) => getComputedStyle(node).overflowX !== "visible";
  return [...document.querySelectorAll("body *")].filter((node) => {
    const box = node.getBoundingClientRect();
    if (!box.width || box.right <= width + 1) return false;
    for (let up = node.parentElement; up; up = up.parentElement) if (scrolls(up)) return false;
    return true;
  }).map((node) => node.tagName);
}"""
"""What reaches beyond the window, and cannot be scrolled to by itself."""

BOXES: Final = ".drawing, .wide, .scrolls, .table-wrapper, .highlight > pre"
"""What can be scrolled by itself, the last two on the site."""

UNSAID: Final = """(boxes) => [...document.querySelectorAll(boxes)]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .filter((box) => !(box.previousElementSibling?.matches(".hint:not([hidden])")))
  .map((box) => box.className)"""
"""What is cut, and does not say that it can be scrolled."""

TOUCHING: Final = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const boxes = [...svg.querySelectorAll("text")]
    .filter((text) => text.textContent.trim() && getComputedStyle(text).opacity !== "0")
    .map((text) => ({ text: text.textContent.trim(), box: text.getBoundingClientRect() }))
    .filter(({ box }) => box.width && box.height);
  const meet = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  return boxes.flatMap((one, place) => boxes.slice(place + 1)
    .filter((other) => meet(one.box, other.box))
    .map((other) => `${one.text} / ${other.text}`));
})"""
"""Labels of a chart that lie on each other; lines of text may share some of their leading."""

COLOURS: Final = """() => [..."path line text".split(" ")].flatMap(
  (name) => [...document.querySelectorAll(`svg ${name}`)]).flatMap((node) => {
  const style = getComputedStyle(node);
  const kind = node.tagName === "text" ? "text" : "mark";
  const found = kind === "text" ? [style.fill] : [style.stroke];
  return found.filter((value) => value.startsWith("rgb(")).map((value) => [kind, value]);
})"""
"""The colours of lines and of text, with their kinds."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    isfc("report", "published-12", "-o", str(path), timeout=300).check_returncode()
    return path


@pytest.fixture(scope="module")
def plot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plot") / "plot.html"
    rows = ["--suite", "HL", "--seconds", "0.05"]
    isfc("replay", "transport", *rows, "--html", str(path), timeout=300).check_returncode()
    return path


def opened(browser: Browser, path: Path, width: int, scheme: str) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(path.as_uri())
    if "vega" in page.content():
        page.wait_for_selector("html[data-drawn]")
    return page


LOOKS: Final = {"beyond": BEYOND, "unsaid": UNSAID, "touching": TOUCHING}


def every(browser: Browser, path: Path, *looks: str) -> dict[tuple[str, int, str], Any]:
    """What looks find of a page, by look, width and scheme, where they find something."""
    found: dict[tuple[str, int, str], Any] = {}
    for width in WIDTHS:
        for scheme in SCHEMES:
            page = opened(browser, path, width, scheme)
            found |= {(look, width, scheme): page.evaluate(LOOKS[look], BOXES) for look in looks}
            page.close()
    return {at: what for at, what in found.items() if what}


@pytest.mark.at_length
@pytest.mark.parametrize("made", ["report", "plot"])
def test_page_is_whole_on_every_screen(
    request: pytest.FixtureRequest, browser: Browser, made: str
) -> None:
    assert every(browser, request.getfixturevalue(made), *LOOKS) == {}


@pytest.mark.parametrize("name", ["index", "fidelity", "json"])
def test_site_is_whole_on_every_screen(browser: Browser, site: Path, name: str) -> None:
    assert every(browser, site / f"{name}.html", "beyond", "unsaid") == {}


def poor(found: list[tuple[str, str]], behind: Colour) -> set[str]:
    """Colours that are hard to see on what is behind them."""
    least = {"text": TEXT_CONTRAST_MIN, "mark": CONTRAST_MIN}
    return {
        f"{kind} {colour}"
        for kind, colour in {(kind, colour) for kind, colour in found}
        if contrast(parse_colour(colour), behind) < least[kind]
    }


BEHIND: Final = {"dark": (0x14, 0x18, 0x1D), "light": (255, 255, 255)}
"""Behind pictures, by device."""


@pytest.mark.at_length
@pytest.mark.parametrize("scheme", BEHIND)
def test_plotted_page_is_readable_on_every_device(
    browser: Browser, plot: Path, scheme: str
) -> None:
    page = opened(browser, plot, 800, scheme)
    paper = page.locator("svg.picture > rect").first.evaluate("(it) => getComputedStyle(it).fill")
    assert scheme == "light" or parse_colour(paper) == BEHIND["dark"]
    assert poor(page.evaluate(COLOURS), BEHIND[scheme]) == set()
    page.close()


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (PROJECT / "docs").glob("fidelity-*.svg"))
)
def test_charts_of_the_site_are_readable_on_dark_devices(browser: Browser, name: str) -> None:
    page = opened(browser, PROJECT / "docs" / name, 800, "dark")
    assert poor(page.evaluate(COLOURS), BEHIND["dark"]) == set()
    page.close()
