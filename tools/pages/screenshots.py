"""Pictures of the pages of ``isfc report`` and ``isfc studio``, taken in headless Chromium.

They are ``docs/report-*.png``, ``docs/plot-*.png`` and ``docs/studio-*.png``. A picture that shows
what the one there shows is left as it is, as fonts differ from machine to machine. Without Chromium
all are.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Browser, Page

from tests.browser import CHROMIUM, launched
from tests.studio import studio
from tools import DOCS

LAYOUT: Final = "published-12"
PLOT: Final = ["replay", "transport", "--suite", "HL", "--seconds", "0.5", "--html"]
COLOURS: Final = 128
"""Of a picture that has few: its file is a third of what it is with all."""


def opened(browser: Browser, address: str, size: tuple[int, int], *, dark: bool = False) -> Page:
    """A page in a window of a width and height: that of a desk, or of a phone in dark mode."""
    scheme: Literal["dark", "light"] = "dark" if dark else "light"
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.goto(address)
    return page


def take_reports(browser: Browser, folder: Path) -> None:
    """Take the pictures of a report and of a plot; the timeline on a desk is zoomed in on."""
    report, plot = folder / "report.html", folder / "plot.html"
    isfc = (sys.executable, "-m", "isfc")
    subprocess.run([*isfc, "report", LAYOUT, "-o", report], check=True)
    subprocess.run([*isfc, *PLOT, plot], check=True, stdout=subprocess.DEVNULL)
    desk = opened(browser, report.as_uri(), (1000, 900))
    desk.wait_for_selector("html[data-drawn]")
    desk.click("button[aria-label='Zoom in']")
    desk.locator("#io").screenshot(path=folder / "report-desk.png")
    phone = opened(browser, report.as_uri(), (390, 780), dark=True)
    phone.wait_for_selector("html[data-drawn]")
    phone.locator("#loss").screenshot(path=folder / "report-phone.png")
    picture = Image.open(
        BytesIO(opened(browser, plot.as_uri(), (390, 860), dark=True).screenshot())
    )
    picture.quantize(COLOURS).save(folder / "plot-phone.png", optimize=True)


def take_studio(browser: Browser, folder: Path) -> None:
    """Move a CTC on the page of the studio, and take its pictures when that is judged.

    What is computed is the same on every machine; only fonts are not.
    """
    pictures = (("studio-desk.png", (1280, 1000), False), ("studio-phone.png", (390, 1500), True))
    with studio(LAYOUT, program="isfc") as running:
        for name, size, dark in pictures:
            page = opened(browser, running.address, size, dark=dark)
            page.locator(".ctc[data-rdev='6000']").press("Alt+ArrowDown")
            page.wait_for_selector("#changes li")
            page.locator(".ctc[data-rdev='6000']").press("Enter")
            page.wait_for_selector("#judgement[aria-busy=false]", timeout=120_000)
            page.screenshot(path=folder / name)
            page.close()


COARSE: Final = 40
"""Pixels of the page in one of a coarse picture, in which fonts hardly count."""
DIFFERENCE_MAX: Final = 4.0
"""Mean difference of the coarse pictures, of 255."""


def difference(one: Path, other: Path) -> float:
    """How far two pictures are apart; those of different sizes altogether."""
    pictures = [Image.open(path).convert("L") for path in (one, other)]
    width, height = pictures[0].size
    if pictures[1].size != (width, height):
        return 255.0
    coarse = [
        each.resize((width // COARSE, height // COARSE), Image.Resampling.BOX) for each in pictures
    ]
    return ImageStat.Stat(ImageChops.difference(*coarse)).mean[0]


def taken(take_all: Callable[[Browser, Path], None]) -> Mapping[Path, bytes]:
    """The pictures as they should be: those there, unless they show something else."""
    if CHROMIUM is None:
        return {}
    with tempfile.TemporaryDirectory() as name, launched() as browser:
        folder = Path(name)
        take_all(browser, folder)
        return {DOCS / path.name: _kept(path) for path in sorted(folder.glob("*.png"))}


def _kept(path: Path) -> bytes:
    there = DOCS / path.name
    is_alike = there.exists() and difference(there, path) < DIFFERENCE_MAX
    return (there if is_alike else path).read_bytes()
