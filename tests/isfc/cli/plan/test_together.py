"""``isfc plan`` of several links that share channels: alone, together, and what a loss leaves."""

import re
from pathlib import Path

import pytest

from isfc.answers.plan_links import planned_together
from isfc.answers.plan_links_report import cluster_report
from isfc.cli.output.streams import show
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.reports.terminal import page as page_of
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import Carried, EndRate
from scenarios.runs.experiment import STATED
from scenarios.runs.steady import Rate
from tests.isfc.printed import Printed, Recorded
from tests.layouts import mesh

pytestmark = pytest.mark.at_length


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "mesh.toml"
    file.write_text(mesh(3, shared=True))
    return str(file)


@pytest.mark.full_length
@pytest.mark.slow
def test_links_are_run_alone_and_together(path: str, printed: Printed, recorded: Recorded) -> None:
    page = printed("plan", path, "--notes")
    assert "3 links, alone and all together\n" in page
    assert "HL:50" in page
    assert "as if it were alone" not in page
    record = recorded("plan", path)
    assert [link["name"] for link in record["together"]] == ["S1-S2", "S1-S3", "S2-S3"]
    assert "Each run went on until what every link carries was known within" in page
    for link in record["together"]:
        assert all(
            0 < rate["spread"] <= 0.03 * max(each["value"] for each in link[what])
            for what in ("alone", "together")
            for rate in link[what]
        )
        # two links share each chpid, so that each has half of what it has alone
        assert link["left_share"] == pytest.approx(0.5, rel=0.15)
    assert [channel["name"] for channel in record["channels"]] == [  # as of isfc run
        f"chpid 40 at S{n}" for n in (1, 2, 3)
    ]
    for channel in record["channels"]:
        assert channel["mb_per_s_out"] < channel["line_mb_per_s"]
        assert len(channel["links"]) == 2
        assert {"name", "mb_per_s_out", "mb_per_s_in"} <= {*channel["links"][0]}  # as of isfc run


def test_figures_of_links_alone_are_marked(path: str, printed: Printed) -> None:
    page = printed("plan", path, "--rule")
    assert "alone, and of all together" not in page
    told = "The figures take S1-S2 as if it were alone: chpid 40 at S1 carries S1-S3 too"
    assert told in " ".join(page.split())


def test_losses_of_what_is_shared_follow(path: str, printed: Printed, recorded: Recorded) -> None:
    page = printed("plan", path, "--lose")
    assert re.search(
        r"Worst +chpid 40 at S\d: \d+ % \(\d+-\d+\) is left, \d+ \(\d+-\d+\) MB/s, all", page
    )
    assert "MB/s (2^20) of the slower direction of each link, in all, by the model" in page
    assert "To gain" not in page, "nothing was added to several links"
    whole, *losses = recorded("plan", path, "--lose")["losses"]
    assert len(whole["untouched"]) == 3
    assert [(loss["name"], loss["cut"]) for loss in losses] == [
        (name.format(n), [link for link in whole["untouched"] if f"S{n}" in link])
        for name in ("chpid 40 at S{}", "system S{}")
        for n in (1, 2, 3)
    ]


def test_second_pace_of_a_link_is_said_beside_others(capsys: pytest.CaptureFixture[str]) -> None:
    link = load_layout("published-4")
    alone, together = ((EndRate(Rate(one, 1.0)), EndRate(Rate(45.0, 1.0))) for one in (100.0, 40.0))
    together = EndRate(Rate(40.0, 1.6, 60.0)), together[1]
    within = links_rate(40.0, [link])
    carried = Carried(Collection.of(link), STATED, {link.name: together})
    found = ClusterPlan(
        (LinkPlan("CLIENT-SERVER", ("A-B:HL:5",), alone, together, within),), carried
    )
    planned = planned_together(found)
    show(page_of(cluster_report(planned), notes=True))
    page = " ".join(capsys.readouterr().out.split())
    assert "known within 4.0 %." in page
    assert "falls into: CLIENT-SERVER together -> 40 or 60 MB/s." in page
    assert "A range holds in four of five cases, by " in page
    assert isinstance(planned.together, list)
    (answer,) = planned.together
    assert answer.together[0].range is not None
    assert [each.second for each in answer.together] == [60.0, None]
    assert answer.left_share == 40 / 45
