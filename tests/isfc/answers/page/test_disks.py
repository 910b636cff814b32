"""The page's part on disks that ride the link's chpids."""

import re
from dataclasses import replace
from html import escape

import pytest

from isfc.answers.page.document import document
from isfc.cli.options.layout import open_collection, open_with_disks
from scenarios.runs.experiment import Experiment
from scenarios.runs.shared_channel import LOAD_SHARES, run_over_load
from scenarios.runs.workload import SUITES
from scenarios.search.report_runs import DiskRuns, LinkRuns
from tests.isfc.answers.page.surveyed import surveyed
from tools import PROJECT


@pytest.fixture(scope="module")
def survey() -> LinkRuns:
    layout, disks = open_with_disks(
        open_collection(str(PROJECT / "docs" / "io" / "shared.toml")), None
    )
    assert disks is not None
    experiment = Experiment.of(layout, SUITES["HL"], 20, seconds=0.2, warmup=0.05)
    return replace(
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


def test_the_page_has_a_figure_and_a_table_for_each_chart(survey: LinkRuns) -> None:
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
