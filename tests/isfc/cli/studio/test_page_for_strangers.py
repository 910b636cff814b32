"""Who has a deck and no manual: the page says what to do first, and what that is worth."""

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

import isfc
from tests.browser import needs_chromium
from tests.isfc.cli.studio.desk import JUDGED_MS, drag, judged, opened
from tests.studio import studio

pytestmark = [pytest.mark.slow, pytest.mark.at_length, needs_chromium]

DECK: Final = Path(__file__).parents[3] / "data" / "decks" / "crowded.iocp"
"""Two cables, with six CTCs on the one and one on the other."""
TRIES_MAX: Final = 5
"""Buttons that are pressed at most: as many as can be tried and read in five minutes."""


def slower(page: Page) -> float:
    """What the slower direction carries saturated, by the public face, of the page's TOML."""
    link = isfc.parse_layout(page.input_value("#text"))
    return min(each.saturated.value for each in isfc.carried(link))


@pytest.mark.exhaustive
def test_better_layout_than_the_decks_is_found_by_what_the_page_shows(browser: Browser) -> None:
    with studio(str(DECK)) as running, opened(browser, running) as page:
        expect(page.locator(".ctc")).to_have_count(7, timeout=JUDGED_MS)
        expect(page.locator("#remarks ul")).to_be_visible()  # what the deck does not say
        assert "FICON Express8S is assumed" in page.inner_text("#remarks ul")
        judged(page)
        assert page.locator(".verdict").count() == 0
        before = slower(page)
        assert page.locator("#findings li").first.get_attribute("class") == "warning"
        verdicts = []
        for number in range(TRIES_MAX):
            button = page.locator("#findings li button").nth(number)
            button.hover()  # the place is marked in the drawing
            assert page.locator(".fibre.marked").count() > 0
            button.click()
            expect(page.locator("#changes li").first).to_be_visible()
            judged(page)
            verdicts.append(page.inner_text(".verdict strong"))
            if verdicts[-1].startswith("Better"):
                break
            page.click("#undo")
            expect(page.locator("#changes li")).to_have_count(0)
            judged(page)
        assert verdicts == ["As fast as when it was opened.", "Better than as opened."]
        assert slower(page) > 1.2 * before
        assert page.locator("#changes li").all_inner_texts() == [
            "CTC VMA 5024: from chpids 50-51 to 60-61",
            "CTC VMA 5025: from chpids 50-51 to 60-61",
        ]
        text = page.input_value("#text")
        page.locator(".heading").first.press("x")  # findings are then of what is left
        expect(page.locator("#changes li")).to_have_count(3)
        assert page.inner_text("#changes li >> nth=2") == "fibre 1: struck out, to be taken back"
        assert page.locator("#findings li").count() > 0
        assert page.locator("#findings button").count() == 0
        page.click("#undo")
        expect(page.locator("#changes li")).to_have_count(2)
        page.click("#undo")
        expect(page.locator("#changes li")).to_have_count(0)
        page.evaluate("document.querySelector('[data-link=VMA-VMB]').scrollIntoView()")
        for rdev in ("5024", "5025"):  # what the button does, by hand
            drag(page, rdev, "2")
            expect(page.locator(f".fibre[data-fibre='2'] .ctc[data-rdev='{rdev}']")).to_be_visible()
        expect(page.locator("#changes li")).to_have_count(2)
        assert page.input_value("#text") == text
