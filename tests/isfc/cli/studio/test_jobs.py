"""Jobs on the page, on a phone and on a desk: each ends with its answer in sight."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe_finds, needs_chromium
from tests.isfc.cli.studio.desk import JUDGED_MS, ctc, judged, opened
from tests.layouts import mesh
from tests.studio import RunningStudio, studio

pytestmark = [pytest.mark.slow, pytest.mark.at_length, needs_chromium]

DECK: Final = Path(__file__).parents[3] / "data" / "decks" / "crowded.iocp"


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStudio]:
    with studio("published-4") as found:
        yield found


@pytest.fixture(
    params=[
        pytest.param((360, 740), id="phone"),
        pytest.param((1_280, 800), id="desk", marks=pytest.mark.exhaustive),
    ]
)
def page(
    request: pytest.FixtureRequest, browser: Browser, running: RunningStudio
) -> Iterator[Page]:
    width, height = request.param
    with opened(browser, running, width, height) as found:
        yield found


def seen(page: Page, answer: str, text: str) -> None:
    """Whether an answer has the text, and is in sight, all of it, without scrolling."""
    expect(page.locator(answer).first).to_contain_text(text)
    expect(page.locator(answer).first).to_be_in_viewport(ratio=1)
    covered = page.locator(answer).first.evaluate(
        """answer => {
          const { left, top, height } = answer.getClientRects()[0];
          return !answer.contains(document.elementFromPoint(left + 5, top + height / 2));
        }"""
    )
    assert not covered


def test_deck_is_opened(page: Page) -> None:
    page.set_input_files("#open", DECK)
    seen(page, "#said", "crowded.iocp is opened: 7 CTCs on 2 fibres.")
    seen(page, "#remarks ul", "FICON Express8S is assumed")


def test_verdict_is_read_and_a_ctc_moved_and_that_undone(page: Page) -> None:
    judged(page)
    seen(page, "#answer", "Carries 1")
    page.set_input_files("#open", DECK)
    expect(page.locator(".ctc")).to_have_count(7)
    ctc(page, "5024").click()
    expect(page.locator("#ctc-form [name=fibre]")).to_be_in_viewport(ratio=1)
    page.select_option("#ctc-form [name=fibre]", "2")
    seen(page, "#said", "CTC 5024 is on fibre 2.")
    judged(page)
    seen(page, "#answer strong", "Better than as opened.")
    page.click("#undo")
    seen(page, "#said", "Undone.")
    seen(page, "#answer", "Carries ")


def test_layout_is_exported(page: Page) -> None:
    page.locator("#files").scroll_into_view_if_needed()
    for button in ("#save", "#download-toml"):
        with page.expect_download() as download:
            page.click(button)
        assert b"[[ctc]]" in Path(download.value.path()).read_bytes()
        seen(page, "#said", "layout.toml is downloaded.")


def test_error_of_a_pasted_text_is_seen_where_it_was_pasted(page: Page) -> None:
    page.fill("#text", "total garbage [")
    page.click("#text-form button")
    seen(page, "#error", "the pasted text")
    expect(page.locator("#text")).to_be_in_viewport()


def test_loss_and_relocation_are_answered_where_they_were_asked(page: Page) -> None:
    page.check("#loss-form [name=rule]")
    page.click("#loss-form button")
    seen(page, "#loss .answer", "Worst: chpid 40 (mate 50): ")
    page.fill("#relocation-form [name=memory]", "64M")
    page.click("#relocation-form button")
    seen(page, "#relocation .answer", "Moved: after ")
    page.fill("#relocation-form [name=memory]", "64Q")
    page.click("#relocation-form button")
    seen(page, "#relocation .output", "Memory 64Q: expected")


def test_run_is_answered_where_it_was_asked(page: Page) -> None:
    page.fill("#run-form [name=seconds]", "0.2")
    page.click("#run-form button")
    expect(page.locator("#course svg")).to_be_visible()
    seen(page, "#said", "Run 1: ")
    expect(page.locator("#run-table tbody tr")).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, scheme: str) -> None:
    """Names, roles, landmarks and contrast, with a CTC chosen and answers shown."""
    assert scheme in ("light", "dark")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.locator(".ctc").first.press("Enter")
    page.check("#loss-form [name=rule]")
    page.click("#loss-form button")
    expect(page.locator("#loss .answer").first).to_be_visible()
    judged(page)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert axe_finds(page) == []


def test_keyboard_alone_moves_a_ctc_undoes_that_and_exports(page: Page) -> None:
    page.set_input_files("#open", DECK)
    expect(page.locator(".ctc")).to_have_count(7)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.rdev") == "5024":
            break
    page.keyboard.press("Alt+ArrowDown")
    seen(page, "#said", "CTC 5024 is on fibre 2.")
    page.keyboard.press("Control+z")
    seen(page, "#said", "Undone.")
    page.locator("#save").focus()
    with page.expect_download():
        page.keyboard.press("Enter")
    seen(page, "#said", "layout.toml is downloaded.")


def test_cluster_begins_with_all_links_together_and_folds_all_but_one(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "mesh.toml"
    file.write_text(mesh(3, shared=True))
    with studio(str(file)) as cluster, opened(browser, cluster, 360, 740) as page:
        expect(page.locator("#together button")).to_be_in_viewport(ratio=1)
        expect(page.locator(".link")).to_have_count(3)
        expect(page.locator(".link[open]")).to_have_count(1)
        expect(page.locator("#capacity > details")).to_have_count(3)
        first = page.locator("#findings > details").first  # each rule once, with all its links
        expect(first.locator("summary")).to_contain_text("of S1-S2, S1-S3, S2-S3")
        expect(first.locator("li")).to_have_count(3)
        expect(first.locator("li").first).to_be_hidden()
        first.locator("summary").click()
        expect(first.locator("li").first).to_be_visible()
        page.click(".link[data-name=S2-S3] summary")
        page.locator(".link[data-name=S2-S3] .heading").first.press("+")
        seen(page, "#said", "has one CTC more.")
        expect(page.locator(".link[data-name=S2-S3] .ctc").first).to_be_visible()
        assert axe_finds(page) == []
        assert page.locator("#loss-form [name=link]").input_value() == ""  # all together
        page.fill("#loss-form [name=without]", "S2:40")
        page.click("#loss-form button")
        expect(page.locator("#loss .answer").first).to_contain_text(
            "Without: S2:40: ", timeout=JUDGED_MS
        )


def test_cluster_of_four_is_three_screens_of_a_phone_with_its_links_a_touch_away(
    browser: Browser,
) -> None:
    with studio("two-cecs") as cluster, opened(browser, cluster, 360, 740) as page:
        page.wait_for_selector("#judgement[aria-busy=false]", timeout=JUDGED_MS)
        assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 740
        expect(page.locator("#worst .answer")).to_contain_text("Worst loss")
        each = page.locator("#capacity details details > summary")
        expect(each.first).to_be_hidden()
        page.click("#capacity > details > summary")
        expect(each.filter(has_text="What ALPHA-BETA carries")).to_be_visible()
