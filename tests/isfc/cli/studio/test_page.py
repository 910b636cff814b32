"""The page of the studio, worked on in a browser."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from isfc.layout.catalogue import read_content
from tests.browser import axe_finds, needs_chromium
from tests.isfc.cli.studio.desk import JUDGED_MS, ctc, drag, drag_to, judged, opened, order
from tests.isfc_process import isfc
from tests.studio import RunningStudio, studio

DATA = Path(__file__).parents[3] / "data"
CLUSTER = """
[[link]]
nodes = ["AA", "BB"]
[[link]]
nodes = ["AA", "CC"]
[fibre.1]
feature = "FICON Express8S"
chpid = { AA = "50", BB = "50" }
[fibre.2]
feature = "FICON Express8S"
chpid = { AA = "60", BB = "60" }
[fibre.3]
feature = "FICON Express8S"
chpid = { AA = "50", CC = "50" }
[[ctc]]
fibre = "1"
rdevs = { AA = "5020-5021", BB = "5010-5011" }
[[ctc]]
fibre = "2"
rdevs = { AA = "6020-6021", BB = "6010-6011" }
[[ctc]]
fibre = "3"
rdevs = { AA = "5030-5031", CC = "5010-5011" }
[cec.one]
systems = ["AA", "BB", "CC"]
[[shared_channel]]
chpid = { AA = "50", BB = "50", CC = "50" }
[[shared_channel]]
chpid = { AA = "60", BB = "60" }
"""
"""Three systems of one CEC on two channels; only two of them use the second."""
QUICK_EDITS = """async (count) => {
  for (let number = 1; number <= count; number += 1) {
    const heading = document.querySelector("#drawing .heading");
    const keys = number % 2 ? { key: "+" } : { key: "z", ctrlKey: true };
    heading.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...keys }));
    await new Promise((go) => setTimeout(go, 10));
  }
}"""
"""Keys that add a CTC and undo that, by turns, a hundred a second."""
NUMBER_CONTROLS = """() => {
  const controls = "button, input, select, textarea, summary, [tabindex='0']";
  const usable = [...document.querySelectorAll(controls)].filter(
    (each) => each.checkVisibility() && !each.disabled);
  usable.forEach((each, number) => { each.dataset.number = number; });
  return usable.length;
}"""
"""Give what can be used a number, down the page."""
TEXT_OF = "html => new DOMParser().parseFromString(html, 'text/html').body.textContent"

pytestmark = [pytest.mark.slow, pytest.mark.at_length, needs_chromium]


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStudio]:
    with studio("published-4") as found:
        yield found


def planned(page: Page, tmp_path: Path) -> Any:
    """What `isfc plan --json` says of the layout that the page downloads."""
    with page.expect_download() as download:
        page.click("#download-toml")
    layout = tmp_path / "layout.toml"
    download.value.save_as(layout)
    return json.loads(isfc("plan", str(layout), "--json", module="tests.short_isfc").stdout)


@pytest.mark.exhaustive
def test_dragged_ctc_changes_order_and_figures_as_plan_has_them(
    browser: Browser, tmp_path: Path
) -> None:
    with studio("published-12") as running, opened(browser, running) as page:
        before = judged(page)
        assert order(page, "CLIENT")[0] == "6000"
        drag(page, "6000", "2")
        expect(page.locator("#changes li")).to_have_text(
            "CTC CLIENT 6000: from chpids 40-50 to 41-51"
        )
        after = judged(page)
        assert after != before
        plan = planned(page, tmp_path)
        for row in after:
            sender = row[0]
            assert order(page, sender) == plan["write_order"][sender]
            figures = [
                plan["model"]["stated"][sender]["value"],
                plan["model"]["saturated"][sender]["value"],
                plan["estimated_mb_per_s"][sender],
            ]
            shown = [cell.split()[0].removeprefix("~") for cell in row[1:4]]
            assert shown == [f"{each:.0f}" for each in figures]
        page.click("#undo")
        expect(page.locator("#changes")).to_be_empty()
        assert judged(page) == before
        page.click("#redo")
        assert judged(page) == after


def test_ctc_of_a_cluster_is_dragged_to_a_fibre_and_to_a_channel(
    browser: Browser, tmp_path: Path
) -> None:
    cluster = tmp_path / "cluster.toml"
    cluster.write_text(CLUSTER)
    with studio(str(cluster)) as running, opened(browser, running) as page:
        ctc_of_ab, change = "svg[data-link='AA-BB'] .ctc[data-rdev='5020']", "#changes li"
        assert page.locator(".channel").count() == 2
        page.click(".link[data-name=AA-CC] summary")
        assert " of AA-CC" in (page.text_content("#findings") or "")
        page.evaluate("scrollTo(0, 0)")
        drag_to(page, ctc_of_ab, ".channel[data-ends~='AA.60']")
        expect(page.locator(change)).to_have_text("CTC AA 5020: from chpids 50-50 to 60-60")
        drag_to(page, ctc_of_ab, "svg[data-link='AA-BB'] .fibre[data-fibre='1']")
        expect(page.locator(change)).to_have_count(0)
        drag_to(page, ctc_of_ab, "svg[data-link='AA-CC'] .fibre[data-fibre='3']")  # another link's
        page.set_viewport_size({"width": 1280, "height": 500})
        page.locator(ctc_of_ab).scroll_into_view_if_needed()
        page.locator(ctc_of_ab).hover()
        page.mouse.down()
        assert page.evaluate("scrollY") > 50
        for step in range(40):  # a drag scrolls until the channel is in sight
            page.mouse.move(600 + step, 10)
        assert page.evaluate("scrollY") < 50
        page.mouse.up()
        expect(page.locator(change)).to_have_count(0)
        drag_to(
            page, "svg[data-link='AA-CC'] .ctc[data-rdev='5030']", ".channel[data-ends~='AA.60']"
        )
        page.wait_for_timeout(300)
        expect(page.locator(change)).to_have_count(0)  # on which its link has no fibre


def test_keys_do_what_the_pointer_does(browser: Browser, running: RunningStudio) -> None:
    with opened(browser, running) as page:
        fibre = page.locator(".heading").first
        fibre.press("+")
        expect(page.locator(".ctc")).to_have_count(5)
        ctc(page, "6004").press("Delete")
        expect(page.locator(".ctc")).to_have_count(4)
        page.locator(".ctc").first.press("Enter")
        expect(page.locator("#ctc-form")).to_be_visible()
        page.keyboard.press("Control+z")
        expect(page.locator(".ctc")).to_have_count(5)
        page.keyboard.press("Control+y")
        expect(page.locator(".ctc")).to_have_count(4)


def test_address_holds_the_state(browser: Browser, running: RunningStudio) -> None:
    with opened(browser, running) as page:
        page.locator(".heading").first.press("+")
        expect(page.locator(".ctc")).to_have_count(5)
        expect(page).to_have_url(re.compile("#.{50}"))
        page.wait_for_timeout(300)
        fragment = page.evaluate("location.hash")
    with opened(browser, running, fragment=fragment) as page:
        expect(page.locator(".ctc")).to_have_count(5)
        expect(page.locator("#changes li")).to_have_count(1)


def test_page_fits_a_phone_and_follows_dark_mode(browser: Browser, running: RunningStudio) -> None:
    with opened(browser, running, width=360, height=740) as page:
        page.locator(".ctc").first.press("Enter")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate("document.getElementById('drawing').scrollWidth") <= 360
        page.click("#text-form button")
        expect(page.locator("#edit-heading")).to_be_in_viewport()  # where what it did is seen
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert dark == "rgb(13, 17, 23)"


def test_everything_that_can_be_used_has_a_name(browser: Browser, running: RunningStudio) -> None:
    with opened(browser, running) as page:
        page.locator(".ctc").first.press("Enter")
        for used in page.locator("button, input, select, textarea, [role=button]").all():
            name = used.evaluate(
                "e => e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent"
            )
            assert name.strip()
        assert page.get_by_role("button", name="CTC 6000 to 6000 (CLIENT only) on fibre").count()


def test_tab_goes_to_everything_that_can_be_used_in_the_order_of_the_page(
    browser: Browser, running: RunningStudio
) -> None:
    with opened(browser, running) as page:
        judged(page)
        count = page.evaluate(NUMBER_CONTROLS)
        reached = []
        for _ in range(2 * count):
            page.keyboard.press("Tab")
            number = page.evaluate("document.activeElement.dataset.number")
            if page.evaluate("document.activeElement === document.body"):
                break
            if number is not None:  # what scrolls gets the focus as well
                reached.append(int(number))
        assert reached == [*range(count)]


def shown(page: Page, section: str) -> str:
    """What a panel shows."""
    page.wait_for_selector(f"{section} .output[aria-busy=false]", timeout=JUDGED_MS)
    return page.inner_text(f"{section} .output")


def test_deck_becomes_a_layout_and_every_panel_shows_what_its_command_prints(
    browser: Browser,
) -> None:
    deck = DATA / "decks" / "cross-css.iocp"
    with studio(str(deck)) as running, opened(browser, running) as page:
        expect(page.locator(".ctc")).to_have_count(8, timeout=JUDGED_MS)  # no other two meet
        assert "Not paired: 8 devices" in (page.locator("#remarks ul").text_content() or "")
        for seconds in ("0.2", "0.3"):
            page.fill("#run-form [name=seconds]", seconds)
            page.click("#run-form button")
            page.wait_for_selector("#run-table tbody tr:first-child input", timeout=JUDGED_MS)
        for box in page.locator("#run-table input").all():
            box.check()
        expect(page.locator("#comparison")).to_contain_text("MB/s sent", timeout=JUDGED_MS)
        assert "layout_digest" not in page.inner_text("#comparison")  # it is the same layout
        page.click("#loss-form button")
        assert "CTC 5310 (mate 6310) or " in shown(page, "#loss")
        page.fill("#loss-form [name=without]", "BETA:63")
        page.click("#loss-form button")
        expect(page.locator("#loss .output")).to_contain_text("Without: BETA:63: ")
        page.fill("#relocation-form [name=memory]", "64M")
        page.click("#relocation-form button")
        assert "Moved: after " in shown(page, "#relocation")
        page.click("#statements-form button")
        assert shown(page, "#files").startswith("ACTIVATE ISLINK 5310 5311")
        with page.expect_download() as download:
            page.click("#files a[download]")
        assert download.value.suggested_filename.endswith(".config")
        assert Path(download.value.path()).read_bytes().startswith(b"ACTIVATE ISLINK 5310")
        page.select_option("#statements-form [name=form]", "iocp")
        page.click("#statements-form button")
        expect(page.locator("#files pre")).to_contain_text("IODEVICE")
        for kind, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
            with page.expect_download() as download:
                page.click(f"#download-{kind}")
            assert Path(download.value.path()).read_bytes().startswith(begins)


def test_files_of_each_kind_are_opened_and_dropped(browser: Browser) -> None:
    """A deck by the button, then a SYSTEM CONFIG, consoles and TOML dropped upon the page."""
    deck = DATA / "decks" / "three-systems.iocp"
    config = b"ACTIVATE ISLINK 5020 5021 NODE VMB\n"
    logs = [(DATA / "logs" / name).read_bytes() for name in ("atlanta.txt", "boston.txt")]
    with studio("published-1") as running, opened(browser, running) as page:
        page.set_input_files("#open", deck)
        page.check("#choices input[value=VMA]", timeout=JUDGED_MS)
        assert page.is_disabled("#asked button")
        page.check("#choices input[value=VMB]")
        page.click("#asked button")
        page.check("#choices input[value='VMA:50=02,VMA:60=01']", timeout=JUDGED_MS)
        page.click("#asked button")
        expect(page.locator("#source")).to_have_text("three-systems.iocp", timeout=JUDGED_MS)
        expect(page.locator(".ctc")).to_have_count(8)
        drop(page, {"vma.config": config})
        expect(page.locator("#source")).to_have_text("vma.config", timeout=JUDGED_MS)
        expect(page.locator(".ctc")).to_have_count(2)
        drop(page, {"atlanta.txt": logs[0], "boston.txt": logs[1]})
        expect(page.locator("#source")).to_have_text("atlanta.txt, boston.txt", timeout=JUDGED_MS)
        expect(page.locator("svg[data-link='ATLANTA-BOSTON'] .ctc")).to_have_count(4)
        drop(page, {"four.toml": read_content("published-4")[0]})
        expect(page.locator("#source")).to_have_text("four.toml", timeout=JUDGED_MS)
        expect(page.locator("svg[data-link='CLIENT-SERVER'] .ctc")).to_have_count(4)
        drop(page, {"picture.png": b"\x89PNG\r\n"})
        expect(page.locator("#error")).to_contain_text("picture.png", timeout=JUDGED_MS)
        expect(page.locator("#source")).to_have_text("four.toml")


def test_decks_dropped_with_other_files_become_a_decision(browser: Browser) -> None:
    """What has to be known is asked first; the page that is saved is the one that is shown."""
    files = {name: (DATA / "decks" / name).read_bytes() for name in ("cec-a.iocp", "cec-b.iocp")}
    by_rule = studio(str(DATA / "decks" / "cec-a.iocp"), program="tests.isfc.cli.studio.ruled")
    with by_rule as running, deck_opened(browser, running) as page:
        drop(page, {**files, "notes.txt": b"nothing of use\n"})
        for name in ("BOSTON", "ATLANTA"):
            page.check(f"#choices input[value={name}]")
        page.fill("#asked [name='decide[]']", "100 MB/s with a chpid lost")
        page.click("#asked button")
        page.locator("#choices [name='ports[]']").first.check()
        page.click("#asked button")
        decided = page.locator("#decided")
        expect(decided.locator("dt").first).to_have_text("A file that is not recognised")
        expect(decided.locator("dd").first).to_contain_text("notes.txt")
        address = page.url
        decided.get_by_role("link", name="What a loss leaves").click()
        expect(decided.locator("h1", has_text="What a loss leaves")).to_be_in_viewport()
        assert page.url == address  # which holds the layout
        with page.expect_download() as download:
            decided.get_by_role("button", name="Save decision.html").click()
        saved = Path(download.value.path()).read_text("utf-8")
        assert saved.startswith("<!DOCTYPE html>")
        decided.get_by_role("button", name="Open layout.toml").click()
        expect(page.locator("#said")).to_contain_text("layout.toml is opened: ")
        assert axe_finds(page) == []


def drop(page: Page, files: Mapping[str, bytes]) -> None:
    """Drop files upon the page, as a file manager does."""
    texts = {name: content.decode("latin-1") for name, content in files.items()}
    transfer = page.evaluate_handle(
        """files => {
          const transfer = new DataTransfer();
          for (const [name, text] of Object.entries(files)) {
            const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
            transfer.items.add(new File([bytes], name));
          }
          return transfer;
        }""",
        texts,
    )
    page.dispatch_event("#drawing", "dragover", {"dataTransfer": transfer})
    assert page.locator("body.dropping").count() == 1
    page.dispatch_event("#drawing", "drop", {"dataTransfer": transfer})


@contextmanager
def deck_opened(browser: Browser, running: RunningStudio) -> Iterator[Page]:
    with opened(browser, running) as page:
        page.wait_for_selector("#choices input", timeout=JUDGED_MS)
        yield page


def test_fibre_that_is_struck_out_is_judged_as_lost(browser: Browser) -> None:
    with studio("atlanta-boston") as running, opened(browser, running) as page:
        page.locator(".fibre[data-fibre='1'] > .heading").press("x")
        expect(page.locator(".fibre.struck")).to_have_count(1)
        assert order(page, "ATLANTA") == ["6020", "6021", "6022"]
        assert judged(page)[0][3] == "~131"  # three CTCs of four at 2 Gb/s
        page.click("#undo")
        expect(page.locator(".fibre.struck")).to_have_count(0)


def test_shared_chpid_is_struck_out_with_all_its_fibres_and_a_cec_with_the_last_link(
    browser: Browser, tmp_path: Path
) -> None:
    cluster = tmp_path / "cluster.toml"
    cluster.write_text(CLUSTER)
    refused = "422"  # of which the browser tells as well
    with studio(str(cluster)) as running, opened(browser, running, errors=refused) as page:
        page.click("#parts summary")
        page.select_option("#parts select", "BB:50")
        page.click("#parts [name=out]")
        expect(page.locator(".fibre.struck")).to_have_count(2)
        assert order(page, "AA") == ["6020"]
        page.select_option("#parts select", "cec:one")
        page.click("#parts [name=out]")
        expect(page.locator("#error")).to_have_text("no CTC is left: the link is down")
        expect(page.locator(".fibre.struck")).to_have_count(2)
        page.click("#parts [name=back]")
        expect(page.locator(".fibre.struck")).to_have_count(0)
        page.click("#undo")
        expect(page.locator(".fibre.struck")).to_have_count(2)


def test_garbage_is_told_in_the_words_of_the_command(browser: Browser, tmp_path: Path) -> None:
    garbage = "total garbage ["
    file = tmp_path / "garbage.toml"
    file.write_text(garbage)
    said = isfc("plan", str(file)).stderr.strip()
    with studio("published-1") as running, opened(browser, running) as page:
        page.fill("#text", garbage)
        page.click("#text-form button")
        expect(page.locator("#error")).to_be_in_viewport()  # the box is at the end of the page
        assert page.inner_text("#error") == said.replace(f"isfc: {file}", "the pasted text")
        assert page.locator(".ctc").count() == 1


@pytest.mark.parametrize("edits", [5, pytest.param(199, marks=pytest.mark.exhaustive)])
def test_many_quick_edits_leave_no_stale_figure_and_no_process(
    browser: Browser, edits: int
) -> None:
    """A hundred edits a second; the figures are those of the layout that they lead to."""
    with studio("published-1") as running, opened(browser, running) as page:
        judged(page)
        idle = running.idle()
        as_opened = page.input_value("#text")
        page.evaluate(QUICK_EDITS, edits)
        judged(page)
        assert page.locator(".ctc").count() == 2
        expect(page.locator("#changes li")).to_have_count(1)
        text = page.input_value("#text")
        told = running.post("judge", text=text, opened=as_opened)
        assert len(told) == 2  # all is known: it is these figures that were asked for
        shown = told[0]["sections"]["capacity"]
        has = page.text_content("#capacity") or ""
        assert page.evaluate(TEXT_OF, shown) == has.replace(
            "More to the right: scroll sideways →", ""
        )
        assert running.idle() == idle
