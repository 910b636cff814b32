"""The page: whole, self-contained, and the same figures in words and tables."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from isfc.answers.losses import losses_chart, losses_of
from isfc.answers.page.document import check_charts, document
from isfc.answers.page.link import planned_of
from isfc.answers.plan_link import plan_report
from isfc.errors import ConfigurationError
from scenarios.figures.advice import ComparedLoad
from scenarios.runs.experiment import STATED
from scenarios.runs.steady import Rate
from tests.isfc.answers.page.surveyed import surveyed

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


def page(layout: str = "published-12", script: str = "") -> tuple[str, Outline]:
    text = document([surveyed(layout)], script)
    outline = Outline()
    outline.feed(text)
    return text, outline


@pytest.mark.parametrize("layout", ["published-1", "published-12", "atlanta-boston"])
def test_elements_are_closed_and_ids_unique(layout: str) -> None:
    _, outline = page(layout)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))


def test_figures_have_their_range_as_a_bar_and_what_has_none_is_named_once() -> None:
    text, _ = page()
    assert text.count('<svg class="range"') >= 10
    assert text.count("No range: too little is published of ") == 1
    for figure in ("MB/s sent", "RDEV util %"):
        assert f">{figure}; bars: four of five cases</text>" in text


def test_several_links_are_several_parts_of_one_page() -> None:
    one = surveyed("published-4")
    text = document([one, replace(surveyed("atlanta-boston"), mark="-2")], "")
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    hrefs = [a["href"] for tag, a in outline.attributes if tag == "a"]
    assert {"#link", "#link-2", "#loss", "#loss-2"} <= set(hrefs)
    assert {str(href).removeprefix("#") for href in hrefs} <= set(outline.ids)
    found = re.search(r'id="timelines">(.*?)</script>', text)
    assert found is not None
    assert {"timeline", "timeline-2"} == json.loads(found[1]).keys() <= set(outline.ids)


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


def test_links_of_the_page_lead_somewhere() -> None:
    _, outline = page()
    for _, attributes in outline.attributes:
        if (target := attributes.get("href") or "").startswith("#"):
            assert target[1:] in outline.ids
        for label in (attributes.get("aria-labelledby") or "").split():
            assert label in outline.ids


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


def test_page_begins_with_the_decision() -> None:
    text, _ = page("atlanta-boston")
    first = text[text.index("<h1>") : text.index("<nav")]
    assert re.search(r"<dd>300 MB/s \(\d+-\d+\) each way</dd>", first)
    assert re.search(
        r"<dt>Lose a chpid</dt><dd>worst is 4\d \(mate 5\d\): \d+ MB/s are left, \d\d %, by IBM",
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
        name: [replace(each, outcome=(less, less)) for each in some]
        for name, some in runs.tried.items()
    }
    to_do = dict(plan_report(planned_of(replace(runs, tried=tried))).answer)["To do"]
    assert to_do.startswith("Nothing that the model agrees with")


def test_directors_are_drawn_and_lost() -> None:
    text = document([surveyed("two-cecs", "ALPHA-GAMMA")], "")
    assert ">director 1<" in text
    assert re.search(r"<td>director 1</td><td>\d", text)


def test_losses_that_leave_the_same_are_one_bar() -> None:
    chart = losses_chart(losses_of(surveyed("published-12").lefts))
    gone = [chart.name.words(row) for row in chart.rows]
    assert len(gone) < 2 * 12
    text, _ = page("published-12")
    assert "costs more than 3 %" not in text  # a lost chpid costs more here
    found = surveyed("published-12")
    whole, chpid, *_ = found.lefts
    one = replace(found, lefts=(whole, replace(whole, loss=chpid.loss)))
    assert "No loss costs more than 3 %: " in document([one], "")
    assert any(re.fullmatch(r"CTC \d{4} or one (other|of \d+ others)", name) for name in gone)


def test_library_is_asked_for_before_anything_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isfc.errors.library.find_spec", {}.get)
    with pytest.raises(ConfigurationError, match=r"-m pip install 'isfc\[plot\]'"):
        check_charts()
