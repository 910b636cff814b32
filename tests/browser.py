"""Pages in a browser: headless Chromium, and what it complains of or asks the network for."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
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
    browser: Browser, path: Path, width: int = 1_280, height: int = 900
) -> Iterator[tuple[Page, list[str]]]:
    """The page of a file, and a list that grows by each error and each request to elsewhere."""
    found: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": height})
    page.on("console", lambda said: found.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("request", lambda sent: found.extend(_elsewhere(sent.url)))
    page.set_default_timeout(1_000 * PATIENCE_S)
    page.goto(path.as_uri())
    yield page, found
    page.close()


def _elsewhere(url: str) -> list[str]:
    return [] if url.startswith(("file:", "data:", "blob:")) else [url]
