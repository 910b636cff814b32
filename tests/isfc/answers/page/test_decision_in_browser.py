"""The decision in a browser: on a desk, on a phone and on paper."""

from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

import isfc
from tests.browser import axe_finds, needs_chromium, opened
from tests.decks import DECKS
from tests.isfc.answers.deciding import by_rule
from tests.lengthy import few_in_every_run

ON_A4_PX: Final = 717
"""The width of A4 between the margins that a browser leaves, 0.4 inches each."""

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
    decks = [DECKS / f"cec-{end}.iocp" for end in "ab"]
    four: dict[str, Any] = {"partitions": "ATLANTA,AUSTIN,BOSTON,BUTTE", "link": "ATLANTA-BOSTON"}
    four["ports"] = ["ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2"]
    rate = "5000 MB/s with a chpid lost"
    file.write_text(isfc.report([*decks, "LICENSE"], decide=rate, **four))
    with opened(browser, file, width, height) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        lines = page.locator("dl.decision dt")
        expect(lines.first).to_have_text("A file that is not recognised")
        for name in ("Worst loss", "What to order"):
            expect(lines.filter(has_text=name).first).to_be_in_viewport(ratio=1)
        page.locator("nav").get_by_role("link", name="The change and the way back").click()
        expect(page.locator("pre")).to_be_in_viewport(ratio=0.01)
        assert axe_finds(page) == []
        printed = page.pdf(format="A4")
        assert printed.startswith(b"%PDF")
        page.emulate_media(media="print")
        assert not page.locator("nav").first.is_visible()
        for each in page.locator("details > :not(summary, .hint)").all():
            assert each.is_visible()
        page.set_viewport_size({"width": ON_A4_PX, "height": 900})
        for each in page.locator(".wide, .drawing").all():
            assert each.evaluate("each => each.scrollWidth <= each.clientWidth")
        long = page.locator("details table").first  # a week by quarters of an hour took 63 pages
        long.evaluate("each => { for (let n = 0; n < 61; n++) each.tBodies[0].insertRow() }")
        assert not long.is_visible()
