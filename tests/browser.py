"""Pages in a browser: headless Chromium, and what it complains of or asks the network for."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.waiting import PATIENCE_S

CHROMIUM: Final = shutil.which("chromium")
needs_chromium: Final = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


@contextmanager
def launched() -> Iterator[Browser]:
    """The browser, which takes more than a second to begin: a module of tests has one."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@contextmanager
def opened(
    browser: Browser,
    address: Path | str,
    width: int = 1_280,
    height: int = 900,
    own: tuple[str, ...] = ("file:", "data:", "blob:"),
    errors: str = "",
) -> Iterator[Page]:
    """The page of a file, or at an address, which may ask for its ``own`` and for nothing else.

    In the end it has told of no error but of those that match ``errors``.
    """
    found: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": height}, accept_downloads=True)
    page.on("console", lambda said: found.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("request", lambda sent: found.extend([sent.url] * (not sent.url.startswith(own))))
    page.set_default_timeout(1_000 * PATIENCE_S)
    page.goto(address if isinstance(address, str) else address.as_uri())
    yield page
    assert [each for each in found if not (errors and re.search(errors, each))] == []
    page.close()


def axe_finds(page: Page) -> list[tuple[str, list[str]]]:
    """What is hard to use for those who do not see well or use no pointer: each rule, and where."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
