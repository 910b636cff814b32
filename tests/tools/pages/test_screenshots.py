"""The pictures of the studio in the docs are those of its page."""

from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import sync_playwright

from tests.browser import CHROMIUM, needs_chromium
from tools.pages.screenshots import DOCS, STUDIO, take_studio

COARSE = 40
"""Pixels of the page in one of a coarse picture, in which fonts hardly count."""
DIFFERENCE_MAX = 4.0
"""Mean difference of the coarse pictures, of 255."""


def difference(one: Path, other: Path) -> float:
    """How far two pictures of the same width are apart."""
    pictures = [Image.open(path).convert("L") for path in (one, other)]
    width, height = pictures[0].size
    assert pictures[1].size == (width, height)
    coarse = [
        each.resize((width // COARSE, height // COARSE), Image.Resampling.BOX) for each in pictures
    ]
    return ImageStat.Stat(ImageChops.difference(*coarse)).mean[0]


@pytest.mark.slow
@needs_chromium
def test_pictures_of_the_studio_are_those_of_its_page(tmp_path: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take_studio(browser, tmp_path)
        browser.close()
    for name in STUDIO:
        apart = difference(DOCS / name, tmp_path / name)
        assert apart < DIFFERENCE_MAX, f"{name}: run python -m tools.pages.screenshots"


def test_difference_is_that_of_what_is_shown(tmp_path: Path) -> None:
    picture = Image.new("L", (400, 400), 255)
    for name in ("one.png", "same.png"):
        picture.save(tmp_path / name)
    picture.paste(0, (0, 0, 200, 100))
    picture.save(tmp_path / "other.png")
    assert difference(tmp_path / "one.png", tmp_path / "same.png") == 0
    assert difference(tmp_path / "one.png", tmp_path / "other.png") > DIFFERENCE_MAX
