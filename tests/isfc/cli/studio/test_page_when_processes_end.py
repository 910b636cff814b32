"""The page when a computation is killed, and when the command ends with Ctrl-C."""

import os
import signal
import time
from collections.abc import Collection

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import needs_chromium
from tests.isfc.cli.studio.desk import JUDGED_MS, judged, opened
from tests.studio import RunningStudio, studio

pytestmark = [pytest.mark.slow, pytest.mark.at_length, needs_chromium]


def begin_long_run(page: Page, running: RunningStudio, idle: Collection[int]) -> int:
    """Begin a run on the page; the process that has it."""
    page.fill("#run-form [name=seconds]", "600")
    page.click("#run-form button")
    bar = page.locator("#run-table progress")
    expect(bar).not_to_have_attribute("value", "0", timeout=JUDGED_MS)
    (worker,) = set(running.processes()) - set(idle)
    return worker


def test_killed_computation_is_told_and_the_next_edit_is_judged(browser: Browser) -> None:
    with studio("published-1") as running, opened(browser, running) as (page, found):
        judged(page)
        idle = running.processes()
        os.kill(begin_long_run(page, running, idle), signal.SIGKILL)
        told = page.locator("#run-table tbody tr")
        expect(told).to_contain_text("ended without a result (signal 9)", timeout=JUDGED_MS)
        page.locator(".heading").press("+")
        while not (judging := set(running.processes()) - set(idle)):
            time.sleep(0.01)
        os.kill(judging.pop(), signal.SIGKILL)
        expect(page.locator("#error")).to_contain_text("(signal 9)", timeout=JUDGED_MS)
        page.locator(".heading").press("+")
        expect(page.locator("#error")).to_be_hidden()
        assert all("…" not in cell for row in judged(page) for cell in row)
        expect(page.locator("#error")).to_be_hidden()
        assert running.processes() == idle
        assert found == []


def test_ctrl_c_ends_it_while_the_page_is_open_and_a_run_goes_on(browser: Browser) -> None:
    """Within a second where nothing else keeps the machine busy; the bound is for one that is."""
    with studio("published-1") as running, opened(browser, running) as (page, _):
        judged(page)
        begin_long_run(page, running, running.processes())
        assert running.end() < 10
        ended = "isfc studio does not answer: it has ended."
        expect(page.locator("#run-table tbody tr")).to_contain_text(ended)
        page.locator(".heading").press("+")
        expect(page.locator("#error")).to_contain_text(ended)
        expect(page.locator(".ctc")).to_have_count(1)
