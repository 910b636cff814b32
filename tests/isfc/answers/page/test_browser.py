"""``isfc report``: the page in a browser, on a desk and on a phone, driven by hand."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from isfc.cli.main import run
from scenarios.search import report_runs
from tests.browser import axe_finds, needs_chromium, opened
from tests.lengthy import few_in_every_run, made_once

LAYOUT = "published-4"

pytestmark = [pytest.mark.at_length, pytest.mark.slow, needs_chromium]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a short survey."""

    def make(folder: Path) -> None:
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(report_runs, "PAIRS", (1, 5))
            assert run(["report", LAYOUT, "-o", str(folder / "report.html")]) == 0

    return made_once(tmp_path_factory, "report", make) / "report.html"


def drawn(page: Page) -> Page:
    page.wait_for_selector("html[data-drawn]", timeout=30_000)
    return page


def shown(page: Page) -> tuple[float, float]:
    """The milliseconds that the timeline shows, as the page says."""
    begin, _, end, _ = page.inner_text("#timeline output").split()
    return float(begin), float(end)


def axis(page: Page) -> list[float]:
    """The milliseconds on the timeline's axis, as the chart says."""
    texts = page.locator("#timeline .role-axis-label text").all_text_contents()
    return [float(text) for text in texts if text.replace(".", "").isdigit()]


def test_timeline_is_zoomed_by_buttons_keys_wheel_and_drag(browser: Browser, report: Path) -> None:
    with opened(browser, report) as page:
        drawn(page)
        assert shown(page) == (0, 30)
        page.click("button[aria-label='Zoom in']")
        assert shown(page) == (7.5, 22.5)
        expect(page.locator("#timeline .role-axis-label text", has_text="30")).to_have_count(0)
        assert 7.5 <= min(axis(page)) < max(axis(page)) <= 22.5
        page.click("button[aria-label=Later]")
        assert shown(page) == (15, 30)
        page.click("button[aria-label='Show all']")

        page.focus("#timeline .chart")
        page.keyboard.press("+")
        page.keyboard.press("ArrowLeft")
        assert shown(page) == (0, 15)
        page.keyboard.press("-")
        assert shown(page) == (0, 30)

        page.locator("#timeline .chart").scroll_into_view_if_needed()
        box = page.locator("#timeline .chart").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.keyboard.down("Control")
        page.mouse.wheel(0, -100)
        page.keyboard.up("Control")
        expect(page.locator("#timeline output")).not_to_have_text("0.00 to 30.00 ms")
        begin, end = shown(page)
        assert end - begin == pytest.approx(24, abs=0.02)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 - 50, box["y"] + box["height"] / 2)
        page.mouse.up()
        assert shown(page)[0] > begin


def test_page_fits_a_phone_and_follows_dark_mode(browser: Browser, report: Path) -> None:
    with opened(browser, report, width=360, height=740) as page:
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (light, dark) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)")
        label = "document.querySelector('#timeline .role-axis-label text')"
        assert page.evaluate(f"getComputedStyle({label}).fill") == "rgb(230, 237, 243)"


@pytest.mark.parametrize(("width", "height"), few_in_every_run([(360, 740), (1_280, 800)]))
def test_jobs_end_with_their_answer_in_sight(
    browser: Browser, report: Path, width: int, height: int
) -> None:
    """Read the decision, then look up losses, findings, relocation and the drawing by its links."""
    with opened(browser, report, width, height) as page:
        drawn(page)
        for line in ("Carries", "Limited by", "Lose a chpid", "To do"):
            expect(page.locator("dl.decision dt", has_text=line)).to_be_in_viewport(ratio=1)
        expect(page.locator("dl.decision dd").last).to_be_in_viewport(ratio=1)
        for name, answer in (
            ("Losses", "#loss svg"),
            ("Findings", "#findings li"),
            ("Relocation", "#moving svg"),
            ("Layout", ".drawing"),
        ):
            page.locator("nav").get_by_role("link", name=name, exact=True).click()
            expect(page.get_by_role("heading", name=name, exact=True)).to_be_in_viewport(ratio=0.9)
            expect(page.locator(answer).first).to_be_in_viewport(ratio=0.3)
        drawing = page.locator(".drawing").first  # both systems are seen, on a phone too
        assert drawing.evaluate("drawing => drawing.scrollWidth <= drawing.clientWidth")


def test_print_shows_the_figures_and_no_buttons(browser: Browser, report: Path) -> None:
    with opened(browser, report) as page:
        drawn(page)
        folded = page.locator("details:not([open]) > :not(summary)").first
        assert not folded.is_visible()
        page.emulate_media(media="print", color_scheme="dark")
        assert folded.is_visible()
        assert not page.locator("#timeline .tools").is_visible()
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", few_in_every_run(["dark", "light"]))
def test_axe_finds_nothing(browser: Browser, report: Path, scheme: str) -> None:
    with opened(browser, report) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        drawn(page)
        assert axe_finds(page) == []


def test_page_is_all_drawn_and_a_screen_reader_finds_names(browser: Browser, report: Path) -> None:
    with opened(browser, report) as page:
        drawn(page)
        assert page.locator(".chart svg").count() == 1
        assert page.locator(".drawing svg").count() == 1
        assert page.locator("#timeline svg path").count() > 50
        assert page.get_by_role("img", name="Logical link CLIENT - SERVER").count() == 1
        for name in ("Layout", "Findings", "Throughput", "Losses", "Relocation", "Timeline"):
            assert page.get_by_role("region", name=name, exact=True).count() == 1
        assert page.get_by_role("main").count() == 1
        assert page.get_by_role("button").count() == 5
        for button in page.get_by_role("button").all():
            assert button.get_attribute("aria-label")
        tables = page.locator("table")
        assert tables.count() == page.locator("table > caption").count() == 7
