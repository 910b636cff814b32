"""The drawing of a cluster: every machine, channel and director once, readable as text."""

from xml.etree import ElementTree

import pytest

from isfc.answers.drawing import cluster_in_words, drawing_svg, machines_of
from isfc.answers.page.document import cluster_article
from isfc.cli.main import run
from isfc.layout.catalogue import given_collection
from isfc.layout.file import parse_collection
from scenarios.figures.changed import after_losing
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import EndRate, carry
from scenarios.runs.steady import Rate
from scenarios.search.report_runs import ClusterRuns
from tests.isfc.layout.test_file_shared import CLUSTER
from tests.layouts import mesh

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> list[str]:
    svg = ElementTree.fromstring(drawing_svg(cluster=parse_collection(text)))
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def test_each_machine_has_its_channels() -> None:
    east, west = machines_of(given_collection("two-cecs"))
    assert east.name == "CEC EAST: ALPHA, BETA"
    assert [str(channel[0]) for channel in west.channels] == [f"GAMMA 5{n}" for n in range(4)]


def test_systems_without_a_cec_are_machines_with_those_they_share_channels_with() -> None:
    alone = parse_collection(mesh(3, shared=True))
    assert [machine.name for machine in machines_of(alone)] == ["S1", "S2", "S3"]
    shared = mesh(3, shared=True) + '[[shared_channel]]\nchpid = { S1 = "40", S3 = "40" }\n'
    assert [machine.name for machine in machines_of(parse_collection(shared))] == ["S1, S3", "S2"]


def test_svg_has_every_channel_and_director_once() -> None:
    svg = ElementTree.fromstring(drawing_svg(cluster=given_collection("two-cecs")))
    texts = [element.text for element in svg.iter(f"{SVG}text")]
    assert [text for text in texts if str(text).startswith("director")] == [
        "director 1",
        "director 2",
    ]
    assert texts.count("12 CTCs, 5 links") == 8
    assert len([*svg.iter(f"{SVG}line")]) == 8
    (described,) = svg.iter(f"{SVG}desc")
    assert described.text == cluster_in_words(given_collection("two-cecs"))


def test_directors_that_are_joined_and_chpids_of_other_numbers_are_drawn() -> None:
    texts = drawn(CLUSTER)
    assert "path far" in texts
    assert "chpid 40 = 41" in texts
    assert "ALPHA, BETA" in texts


def test_terminal_shows_links_and_after_them_who_shares_what(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["show", "two-cecs"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert text.index("chpid 40 ===") < text.index("CEC WEST: DELTA, GAMMA")
    assert sum("---" in line for line in text.splitlines()) == 48


def test_page_has_the_cluster_and_says_that_the_rest_is_of_links_alone() -> None:
    collection = given_collection("two-cecs")
    (together,) = carry([collection])
    lefts = tuple(after_losing(collection))
    ends = EndRate(Rate(100.0, 1.0)), EndRate(Rate(90.0, 1.0))
    link = LinkPlan("ALPHA-BETA", (), ends, ends, links_rate(90.0, collection.links[:1]))
    html = cluster_article(ClusterRuns(collection, ClusterPlan((link,), together), lefts))
    assert "<strong>Keeps least:</strong> ALPHA-BETA: 100 % of what it carries alone" in html
    assert "take each link as if it were alone" in html
    assert "director 2" in html
    assert "ALPHA-BETA: 4 of 8" in html
