"""The page of the studio in a browser: opened, and worked on."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import opened as browser_opened
from tests.studio import RunningStudio

JUDGED_MS = 60_000
"""How long the model may take on a machine that is busy, and the page to show it."""

expect.set_options(timeout=JUDGED_MS)


@contextmanager
def opened(
    browser: Browser,
    running: RunningStudio,
    width: int = 1280,
    height: int = 900,
    fragment: str = "",
    errors: str = "",
) -> Iterator[Page]:
    """The page, which asks for nothing elsewhere, and tells of no errors but of those."""
    own = running.address, "data:", f"blob:{running.address[:-30]}"
    address = running.address + fragment
    with browser_opened(browser, address, width, height, own, errors) as page:
        page.set_default_timeout(JUDGED_MS)
        page.wait_for_selector("html[data-begun]", timeout=JUDGED_MS)
        yield page


def judged(page: Page) -> list[list[str]]:
    """The cells of the table of what each node can send, when the model has said all."""
    page.wait_for_selector("#judgement[aria-busy=false]", timeout=JUDGED_MS)
    return _table(page, 0)[1:]


def order(page: Page, sender: str) -> list[str]:
    """The RDEVs that a node writes on, in that order, which the device list has beside them."""
    heads, *rows = _table(page, 1)
    place = heads.index(sender)
    written = sorted((int(row[place]), row[abs(place - 1)]) for row in rows if row[place])
    return [rdev for _, rdev in written]


def _table(page: Page, number: int) -> list[list[str]]:
    rows = page.locator("#capacity table").nth(number).locator("tr").all()
    return [row.locator("th, td").all_text_contents() for row in rows]


def ctc(page: Page, rdev: str) -> Locator:
    return page.locator(f".ctc[data-rdev='{rdev}']")


def drag(page: Page, rdev: str, fibre: str) -> None:
    drag_to(page, f".ctc[data-rdev='{rdev}']", f".fibre[data-fibre='{fibre}']")


def drag_to(page: Page, grasped: str, place: str) -> None:
    """Drag from the middle of what is grasped to the middle of the place."""
    source, target = (page.locator(each).bounding_box() for each in (grasped, place))
    assert source
    assert target
    page.mouse.move(source["x"] + source["width"] / 2, source["y"] + source["height"] / 2)
    page.mouse.down()
    middle = target["x"] + target["width"] / 2, target["y"] + target["height"] / 2
    page.mouse.move(*middle, steps=4)
    page.mouse.up()
