"""Pictures of the pages of ``isfc report`` and ``isfc studio``, taken in headless Chromium.

``python -m tools.pages.screenshots`` renews ``docs/report-*.png``, ``docs/plot-*.png`` and
``docs/studio-*.png``.
Without Chromium it leaves them.
"""

import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.studio import studio

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
LAYOUT: Final = "published-12"
PICTURES: Final = {
    # file: width and height of the window, dark or light, what of the page
    "report-desk.png": (1000, 900, "light", "#io"),
    "report-phone.png": (390, 780, "dark", "#loss"),
}


def take(browser: Browser, page_file: Path, name: str) -> None:
    """Take one picture; the timeline of the one on a desk is zoomed in on."""
    width, height, scheme, part = PICTURES[name]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-drawn]")
    if part == "#io":
        page.click("button[aria-label='Zoom in']")
    page.locator(part).screenshot(path=DOCS / name)
    page.close()


PLOT: Final = ["replay", "transport", "--suite", "HL", "--seconds", "0.5", "--plot"]
PLOT_PICTURE: Final = "plot-phone.png"
COLOURS: Final = 128
"""Of a picture that has few: its file is a third of what it is with all."""


def take_plot(browser: Browser, page_file: Path) -> None:
    """The page of a plot, on a phone in dark mode."""
    page = browser.new_page(viewport={"width": 390, "height": 860})
    page.emulate_media(color_scheme="dark")
    page.goto(page_file.as_uri())
    picture = Image.open(BytesIO(page.screenshot()))
    picture.quantize(COLOURS).save(DOCS / PLOT_PICTURE, optimize=True)
    page.close()


STUDIO: Final = {
    # file: width and height of the window, dark or light
    "studio-desk.png": (1280, 1000, "light"),
    "studio-phone.png": (390, 1500, "dark"),
}


def take_studio(browser: Browser, folder: Path) -> None:
    """Move a CTC on the page of the studio, and take its pictures when that is judged.

    What is computed is the same on every machine; only fonts are not.
    """
    with studio("published-12") as running:
        for name, (width, height, scheme) in STUDIO.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.goto(running.address)
            page.locator(".ctc[data-rdev='6000']").press("Alt+ArrowDown")
            page.wait_for_selector("#changes li")
            page.locator(".ctc[data-rdev='6000']").press("Enter")
            page.wait_for_selector("#judgement[aria-busy=false]", timeout=120_000)
            page.screenshot(path=folder / name)
            page.close()


def main() -> int:
    """Write a report, and take every picture of it; return the exit status."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("There is no chromium: the pictures of the pages stay as they are.")
        return 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "report.html")
        command = [sys.executable, "-m", "isfc", "report", LAYOUT, "-o", str(page_file)]
        subprocess.run(command, check=True)
        plot_file = Path(folder, "plot.html")
        subprocess.run([sys.executable, "-m", "isfc", *PLOT, str(plot_file)], check=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in PICTURES:
            take(browser, page_file, name)
        take_plot(browser, plot_file)
        take_studio(browser, DOCS)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
