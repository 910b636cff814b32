"""The chart of the timeline: its data, and that Vega-Lite takes it."""

import json
from typing import Any

import pytest

from isfc.answers.page.link import PHASES, timeline_chart
from isfc.reports.picture import VERSION
from scenarios.search.report_runs import LinkRuns
from tests.isfc.answers.page.surveyed import surveyed


@pytest.fixture(scope="module", params=["published-1", "published-12"])
def survey(request: pytest.FixtureRequest) -> LinkRuns:
    return surveyed(request.param)


def test_timeline_has_every_phase_of_every_io(survey: LinkRuns) -> None:
    spec = timeline_chart(survey.timeline)
    slices, collisions = (layer["data"]["values"] for layer in spec["layer"])
    assert len(slices) == sum(len(list(io.phases())) for io in survey.timeline.ios)
    assert {item["phase"] for item in slices} <= PHASES.keys()
    assert all(item["from"] < item["to"] for item in slices)
    assert len(collisions) == 2 * len(survey.timeline.collisions())
    rows = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert len(rows) == 2 * len(survey.layout.ctcs)
    assert {item["ctc"] for item in slices} <= set(rows)
    assert spec["description"]
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec


@pytest.mark.slow
def test_vega_lite_compiles_it(survey: LinkRuns) -> None:
    from vl_convert import vegalite_to_vega

    compiled: Any = vegalite_to_vega(timeline_chart(survey.timeline), vl_version=VERSION)
    assert compiled["marks"]
