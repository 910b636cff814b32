"""The page: whole, self-contained, and the same figures in words and tables.

Its parts on channels, and on disks that ride the chpids of a link, are there as well.
"""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape
from msgspec import structs
from playwright.sync_api import Browser

from isfc.answers.given import open_links
from isfc.answers.losses import losses_chart, losses_of
from isfc.answers.page.document import document
from isfc.answers.page.link import planned_of
from isfc.answers.page.report import check_charts
from isfc.answers.plan_link import plan_report
from isfc.cli.main import run
from isfc.errors import ConfigurationError
from isfc.io.charts import CHARTS
from isfc.io.shared import read_disks
from scenarios.figures.changed import ComparedLoad
from scenarios.runs.experiment import STATED, Experiment
from scenarios.runs.shared_channel import LOAD_SHARES, run_over_load
from scenarios.runs.steady import Rate
from scenarios.runs.workload import SUITES
from scenarios.search.report_runs import DiskRuns, LinkRuns, channel_estimates
from tests.browser import needs_chromium, opened
from tests.isfc.answers.page.surveyed import surveyed
from tools import PROJECT

VOID = {"meta", "link", "br"}


class Outline(HTMLParser):
    """The elements of a page, and whether every one is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.attributes.append((tag, named))
        if identity := named.get("id"):
            self.ids.append(identity)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outlined(text: str) -> Outline:
    """The outline of a page, whose elements are closed, ids unique and links to one of these."""
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    for tag, attributes in outline.attributes:
        if tag == "a":  # the page is one file: its links lead to its own parts
            target = attributes.get("href") or ""
            assert target.startswith("#")
            assert target[1:] in outline.ids
        for label in (attributes.get("aria-labelledby") or "").split():
            assert label in outline.ids
    return outline


def page(layout: str = "published-12", script: str = "") -> tuple[str, Outline]:
    text = document([surveyed(layout)], script)
    return text, outlined(text)


@pytest.mark.parametrize("layout", ["published-1", "published-12", "atlanta-boston"])
def test_page_of_a_layout_is_whole(layout: str) -> None:
    assert page(layout)[1].ids


def test_figures_have_their_range_as_a_bar_and_what_has_none_is_named_once() -> None:
    text, _ = page()
    assert text.count('<svg class="range"') >= 10
    assert text.count("No range: too little is published of ") == 1
    for figure in ("MB/s sent", "RDEV util %"):
        assert f">{figure}; bars: four of five cases</text>" in text


@pytest.mark.at_length
def test_several_links_are_several_parts_of_one_page() -> None:
    one = surveyed("published-4")
    text = document([one, structs.replace(surveyed("atlanta-boston"), mark="-2")], "")
    outline = outlined(text)
    hrefs = [a["href"] for tag, a in outline.attributes if tag == "a"]
    assert {"#link", "#link-2", "#loss", "#loss-2"} <= set(hrefs)
    found = re.search(r'id="timelines">(.*?)</script>', text)
    assert found is not None
    assert {"timeline", "timeline-2"} == json.loads(found[1]).keys() <= set(outline.ids)


@pytest.mark.at_length
def test_every_chart_has_a_figure_with_a_caption() -> None:
    text, outline = page()
    found = re.search(r'id="timelines">(.*?)</script>', text)
    assert found is not None
    assert json.loads(found[1]).keys() <= set(outline.ids)
    drawn = text.count('class="picture"')
    assert text.count("<figure") == text.count("<figcaption") == drawn + len(json.loads(found[1]))
    assert drawn == 3


def test_page_names_nothing_elsewhere() -> None:
    text, outline = page()
    for tag, attributes in outline.attributes:
        for name in ("src", "href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, value)
    assert "@import" not in text
    assert "url(http" not in text


def test_script_cannot_end_early() -> None:
    text, _ = page(script='"</script><b>"')
    assert "</script><b>" not in text
    assert r'"\x3c/script><b>"' in text


def test_findings_capacity_and_losses_are_in_words() -> None:
    text, _ = page()
    for words in (
        "<code>directions-unequal</code>",
        "The model contradicts saturated, agrees with 50 pairs: run in such an order, the slower ",
        " direction goes from 1000 to 500 (",
        "only CLIENT writes on 6000, 6001, only SERVER writes on 6042, 6043.",
        "<td>chpid 42 (mate 52)</td>",
        "<td>~612</td>",
        "<td>direct-io</td><td>SERVER</td><td>0.0",  # a small guest that was moved
    ):
        assert words in text


@pytest.mark.at_length
def test_page_begins_with_the_decision() -> None:
    text, _ = page("atlanta-boston")
    first = text[text.index("<h1>") : text.index("<nav")]
    assert re.search(r"<dd>300 MB/s \(\d+-\d+\) each way</dd>", first)
    assert re.search(
        r"<dt>Lose a chpid</dt><dd>worst is 4\d \(mate 5\d\): \d+ MB/s left, \d\d %, by IBM",
        first,
    )
    assert "<dt>To do</dt><dd>Nothing has to change (1 remark: isfc check).</dd>" in first
    text, _ = page("published-12")
    assert "gains" not in text[text.index("<h1>") : text.index("<nav")]  # a phone has no room
    assert "(speeds-asymmetric; 2 warnings, 2 remarks: isfc check.)" in text.replace("\n", " ")


def test_advice_that_the_model_contradicts_is_not_what_to_do() -> None:
    runs = surveyed("published-12")
    layout = runs.plan.layout
    less = ComparedLoad(Rate(1000), Rate(500), (layout, layout), STATED)
    tried = {
        name: [structs.replace(each, outcome=(less, less)) for each in some]
        for name, some in runs.tried.items()
    }
    to_do = dict(plan_report(planned_of(structs.replace(runs, tried=tried))).answer)["To do"]
    assert to_do.startswith("Nothing that the model agrees with")


@pytest.mark.at_length
def test_directors_are_drawn_and_lost() -> None:
    text = document([surveyed("two-cecs", "ALPHA-GAMMA")], "")
    assert ">director 1<" in text
    assert re.search(r"<td>director 1</td><td>\d", text)


@pytest.mark.at_length
def test_losses_that_leave_the_same_are_one_bar() -> None:
    chart = losses_chart(losses_of(surveyed("published-12").lefts))
    gone = [chart.name.words(row) for row in chart.rows]
    assert len(gone) < 2 * 12
    text, _ = page("published-12")
    assert "costs more than 3 %" not in text  # a lost chpid costs more here
    found = surveyed("published-12")
    whole, chpid, *_ = found.lefts
    one = structs.replace(found, lefts=(whole, structs.replace(whole, loss=chpid.loss)))
    assert "No loss costs more than 3 %: " in document([one], "")
    assert any(re.fullmatch(r"CTC \d{4} or one (other|of \d+ others)", name) for name in gone)


def test_library_is_asked_for_before_anything_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", {}.get)
    with pytest.raises(ConfigurationError, match=r"-m pip install 'isfc\[plot\]'"):
        check_charts()


IO = PROJECT / "docs" / "io"


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["every-kind.toml", "two-channels.toml", "shared.toml"])
def test_the_page_has_a_figure_and_a_table_for_each_comparison(name: str) -> None:
    survey = channel_estimates(name, read_disks(IO / name)[0])
    assert survey.curves
    page = document([], "", survey)
    assert outlined(page).ids
    for chart in survey.curves.values():
        assert f"<figcaption>{escape(chart.title)}</figcaption>" in page
        assert f"<caption>{escape(chart.y_name)}</caption>" in page
    assert page.count('class="picture"') == len(survey.curves)


@pytest.mark.at_length
def test_every_comparison_has_its_place_on_a_page() -> None:
    of_channels = {
        name
        for file in ("every-kind.toml", "two-channels.toml")
        for name in channel_estimates(file, read_disks(IO / file)[0]).curves
    }
    assert of_channels | {"relocation"} == CHARTS.keys()
    moved = surveyed("published-1")
    assert f"<figcaption>{escape(moved.relocation.title)}<" in document([moved], "")


@pytest.mark.at_length
def test_channels_stand_below_the_links_of_a_layout() -> None:
    name = "shared.toml"
    survey = channel_estimates(name, read_disks(IO / name)[0])
    page = document([surveyed("published-4")], "", survey)
    ids = outlined(page).ids
    assert ids.index("link") < ids.index("channels") < ids.index("channels-curves")
    assert '<nav aria-label="Parts of this page">' in page


@pytest.mark.at_length
def test_what_plan_says_stands_on_the_page() -> None:
    name = "without-zhpf.toml"
    page = document([], "", channel_estimates(name, read_disks(IO / name)[0]))
    assert "<td>50</td><td>FICON Express16SA</td><td>16</td>" in page
    assert "<td>command-mode</td>" in page
    assert "<td>PROD</td><td>4</td><td>3</td>" in page
    assert "<title>Channels</title>" in page


@pytest.mark.at_length
def test_what_is_wrong_with_a_file_of_channels_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "bad.toml"
    config.write_text('[[io]]\nname = "x"\nchannels = ["42"]\n')
    assert run(["report", str(config), "-o", str(tmp_path / "report.html")]) == 2
    assert "[[io]] #1 channels" in capsys.readouterr().err


@pytest.mark.at_length
@pytest.mark.slow
@needs_chromium
def test_a_file_of_channels_alone_makes_a_page_that_fits_a_phone(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    assert run(["report", str(IO / "every-kind.toml"), "-o", str(path)]) == 0
    with opened(browser, path, width=360, height=740) as page:
        assert page.locator("svg.picture").count() == 6
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.fixture(scope="module")
def survey() -> LinkRuns:
    (opened,) = open_links(str(IO / "shared.toml"))
    disks = opened.disks
    assert disks is not None
    experiment = Experiment.of(opened.layout, SUITES["HL"], 20, seconds=0.2, warmup=0.05)
    return structs.replace(
        surveyed("published-1"),
        disks=DiskRuns(run_over_load(experiment, disks)),
    )


@pytest.mark.at_length
@pytest.mark.slow
def test_more_io_costs_the_link_more_and_the_disks_too(survey: LinkRuns) -> None:
    assert survey.disks is not None
    link, disks = survey.disks.charts
    assert link.xs == disks.xs == tuple(100 * share for share in LOAD_SHARES)
    alone, beside = (curve.values for curve in link.curves)
    assert len(set(alone)) == 1
    moved = [value for value in beside if value is not None]
    assert moved == sorted(moved, reverse=True)
    for curve in disks.curves:
        waited = [value for value in curve.values if value is not None]
        assert waited == sorted(waited)


@pytest.mark.at_length
def test_disks_have_a_figure_and_a_table_for_each_chart(survey: LinkRuns) -> None:
    page = document([survey], "")
    assert '<section id="disks"' in page
    assert '<a href="#disks">' in page
    assert survey.disks is not None
    for chart in survey.disks.charts:
        assert f"<figcaption>{escape(chart.title)}</figcaption>" in page
        assert f"<caption>{escape(chart.y_name)}</caption>" in page
    assert re.search("<td>disks</td><td>ATLANTA</td><td>40</td>(<td>[0-9.]+</td>){4}", page)


def test_without_disks_there_is_no_word_of_them() -> None:
    assert 'id="disks"' not in document([surveyed("published-1")], "")
