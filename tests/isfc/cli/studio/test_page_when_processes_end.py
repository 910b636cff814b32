"""The page when a computation is killed, and when the command ends with Ctrl-C."""

import os
import signal
from collections.abc import Collection
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import needs_chromium
from tests.isfc.cli.studio.desk import JUDGED_MS, judged, opened
from tests.isfc.cli.studio.holding import At, Holding
from tests.studio import RunningStudio, studio
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.at_length, needs_chromium]


@pytest.fixture
def holding(tmp_path: Path) -> Holding:
    return Holding(tmp_path)


def begin_long_run(
    page: Page, running: RunningStudio, idle: Collection[int], holding: Holding
) -> int:
    """Begin a run on the page, which waits when it has told how far it is; its process."""
    holding.hold(At.TOLD)
    page.fill("#run-form [name=seconds]", "600")
    page.click("#run-form button")
    bar = page.locator("#run-table progress")
    expect(bar).not_to_have_attribute("value", "0", timeout=JUDGED_MS)
    (worker,) = set(running.processes()) - set(idle)
    return worker


def test_killed_computation_is_told_and_the_next_edit_is_judged(
    browser: Browser, holding: Holding
) -> None:
    with (
        studio("published-1", environment=holding.environment) as running,
        opened(browser, running) as page,
    ):
        judged(page)
        idle = running.idle()
        os.kill(begin_long_run(page, running, idle, holding), signal.SIGKILL)
        told = page.locator("#run-table tbody tr")
        expect(told).to_contain_text("ended without a result (signal 9)", timeout=JUDGED_MS)
        holding.release(At.TOLD)
        holding.hold(At.BEGIN)
        page.locator(".heading").press("+")
        wait_for(lambda: set(running.processes()) - idle, "the judgement of the edit")
        judging = set(running.processes()) - idle
        os.kill(judging.pop(), signal.SIGKILL)
        holding.release(At.BEGIN)
        expect(page.locator("#error")).to_contain_text("(signal 9)", timeout=JUDGED_MS)
        page.locator(".heading").press("+")
        expect(page.locator("#error")).to_be_hidden(timeout=JUDGED_MS)
        assert {len(row) for row in judged(page)} == {5}  # with what the model says
        expect(page.locator("#error")).to_be_hidden()
        assert running.idle() == idle


def test_ctrl_c_ends_it_while_the_page_is_open_and_a_run_goes_on(
    browser: Browser, holding: Holding
) -> None:
    """Within a second where nothing else keeps the machine busy; the bound is for one that is."""
    with (
        studio("published-1", environment=holding.environment) as running,
        opened(browser, running, errors=".") as page,  # it is gone
    ):
        judged(page)
        begin_long_run(page, running, running.idle(), holding)
        assert running.end() < 10
        ended = "isfc studio does not answer: it has ended."
        expect(page.locator("#run-table tbody tr")).to_contain_text(ended)
        page.locator(".heading").press("+")
        expect(page.locator("#error")).to_contain_text(ended)
        expect(page.locator(".ctc")).to_have_count(1)
