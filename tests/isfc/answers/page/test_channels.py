"""The page's part on an I/O configuration: its channels, advice and comparisons."""

from pathlib import Path

import pytest
from markupsafe import escape
from playwright.sync_api import Browser

from isfc.answers.page.document import document
from isfc.cli.main import run
from isfc.io.charts import CHARTS
from isfc.io.shared import read_disks
from scenarios.search.report_runs import channel_estimates
from tests.browser import needs_chromium, opened
from tests.isfc.answers.page.surveyed import surveyed
from tests.isfc.answers.page.test_document import Outline
from tools import PROJECT

pytestmark = pytest.mark.at_length


IO = PROJECT / "docs" / "io"


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    hrefs = [a["href"] for tag, a in found.attributes if tag == "a"]
    assert {str(href).removeprefix("#") for href in hrefs} <= set(found.ids)
    return found


@pytest.mark.parametrize("name", ["every-kind.toml", "two-channels.toml", "shared.toml"])
def test_the_page_has_a_figure_and_a_table_for_each_comparison(name: str) -> None:
    survey = channel_estimates(name, read_disks(IO / name)[0])
    assert survey.curves
    page = document([], "", survey)
    assert outline(page).ids
    for chart in survey.curves.values():
        assert f"<figcaption>{escape(chart.title)}</figcaption>" in page
        assert f"<caption>{escape(chart.y_name)}</caption>" in page
    assert page.count('class="picture"') == len(survey.curves)


def test_every_comparison_has_its_place_on_a_page() -> None:
    of_channels = {
        name
        for file in ("every-kind.toml", "two-channels.toml")
        for name in channel_estimates(file, read_disks(IO / file)[0]).curves
    }
    assert of_channels | {"relocation"} == CHARTS.keys()
    moved = surveyed("published-1")
    assert f"<figcaption>{escape(moved.relocation.title)}<" in document([moved], "")


def test_channels_stand_below_the_links_of_a_layout() -> None:
    name = "shared.toml"
    survey = channel_estimates(name, read_disks(IO / name)[0])
    page = document([surveyed("published-4")], "", survey)
    ids = outline(page).ids
    assert ids.index("link") < ids.index("channels") < ids.index("channels-curves")
    assert '<nav aria-label="Parts of this page">' in page


def test_what_plan_says_stands_on_the_page() -> None:
    name = "without-zhpf.toml"
    page = document([], "", channel_estimates(name, read_disks(IO / name)[0]))
    assert "<td>50</td><td>FICON Express16SA</td><td>16</td>" in page
    assert "<td>command-mode</td>" in page
    assert "<td>PROD</td><td>4</td><td>3</td>" in page
    assert "<title>Channels</title>" in page


def test_what_is_wrong_with_a_file_of_channels_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "bad.toml"
    config.write_text('[[io]]\nname = "x"\nchannels = ["42"]\n')
    assert run(["report", str(config), "-o", str(tmp_path / "report.html")]) == 2
    assert "[[io]] #1 channels" in capsys.readouterr().err


@pytest.mark.slow
@needs_chromium
def test_a_file_of_channels_alone_makes_a_page_that_fits_a_phone(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    assert run(["report", str(IO / "every-kind.toml"), "-o", str(path)]) == 0
    with opened(browser, path, width=360, height=740) as (page, found):
        assert page.locator("svg.picture").count() == 6
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert found == []
