"""The decision in a browser: on a desk, on a phone and on paper."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import isfc
from tests.browser import axe_finds, needs_chromium, opened
from tests.decks import DECKS
from tests.isfc.answers.deciding import by_rule
from tests.lengthy import few_in_every_run

pytestmark = [pytest.mark.at_length, needs_chromium]


@pytest.mark.parametrize(("width", "height"), few_in_every_run([(360, 740), (1_280, 900)]))
def test_decision_fits_the_screen_and_paper(
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    height: int,
) -> None:
    by_rule(monkeypatch)
    file = tmp_path / "decision.html"
    decks = [DECKS / f"two-by-eight-{end}.iocp" for end in "ab"]
    file.write_text(isfc.report([*decks, "LICENSE"], decide="1000 MB/s with a chpid lost"))
    with opened(browser, file, width, height) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        lines = page.locator("dl.decision dt")
        expect(lines.first).to_have_text("A file that is not recognised")
        for name in ("Carries", "Worst loss"):
            expect(lines.filter(has_text=name).first).to_be_in_viewport(ratio=1)
        page.locator("nav").get_by_role("link", name="The change and the way back").click()
        expect(page.locator("pre")).to_be_in_viewport(ratio=0.01)
        assert axe_finds(page) == []
        printed = page.pdf(format="A4")
        assert printed.startswith(b"%PDF")
        page.emulate_media(media="print")
        assert not page.locator("nav").first.is_visible()
        assert page.locator("pre").evaluate("pre => pre.scrollWidth <= pre.clientWidth")
