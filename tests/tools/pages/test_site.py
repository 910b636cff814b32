"""The documentation site builds without a warning, and its links lead somewhere."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Locator

from tests.browser import needs_chromium, opened

pytestmark = pytest.mark.exhaustive


class Page(HTMLParser):
    """What a page links to, and the anchors that others can link to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name == "src" or (tag, name) == ("a", "href")):
                self.links.append(value)
            elif value and name == "id":
                self.anchors.add(value)


def test_links_between_pages_lead_somewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert list(broken(pages)) == []


def broken(pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{path.name}: {link}"
            elif target in pages and parts.fragment:
                named = unquote(parts.fragment) in pages[target].anchors
                yield from () if named else [f"{path.name}: {link}"]


@needs_chromium
def test_search_finds_a_page_without_a_network(browser: Browser, site: Path) -> None:
    # below each result a server would let the browser show a part of its page; files do not
    refused = (
        "^(Access to fetch at 'file:|Failed to load resource: net::ERR_FAILED|Failed to fetch)"
    )
    with opened(browser, site / "index.html", errors=refused) as page:
        page.context.set_offline(True)
        page.locator("input[name=q]").first.fill("TXPENDCT")
        page.keyboard.press("Enter")
        results = page.locator("ul.search li a")
        results.first.wait_for()
        assert "glossary.html" in {path_of(one) for one in results.all()}


def path_of(link: Locator) -> str:
    return urlsplit(link.get_attribute("href") or "").path


@needs_chromium
@pytest.mark.parametrize("name", ["index", "reference", "fidelity"])
def test_browser_opens_it_without_an_error_or_a_request_elsewhere(
    browser: Browser, site: Path, name: str
) -> None:
    with opened(browser, site / f"{name}.html") as page:
        assert page.locator("h1").first.inner_text()
