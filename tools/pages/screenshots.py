"""Pictures of the page that ``isfc report`` writes, taken in headless Chromium.

``python -m tools.pages.screenshots`` renews ``docs/report-*.png``. Without Chromium it leaves them.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

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


def main() -> int:
    """Write a report, and take every picture of it; return the exit status."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("There is no chromium: the pictures of the report stay as they are.")
        return 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "report.html")
        command = [sys.executable, "-m", "isfc", "report", LAYOUT, "-o", str(page_file)]
        subprocess.run(command, check=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in PICTURES:
            take(browser, page_file, name)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
