"""The charts of the page: their data, and that Vega-Lite takes them."""

import json
import re
from typing import Any

import pytest

from isfc.cli.html.charts import PHASES, charts
from isfc.cli.output.picture import VERSION
from isfc.search.report_runs import LinkRuns
from tests.isfc.cli.html.surveyed import surveyed


@pytest.fixture(scope="module", params=["published-1", "published-12"])
def survey(request: pytest.FixtureRequest) -> LinkRuns:
    return surveyed(request.param)


def test_timeline_has_every_phase_of_every_io(survey: LinkRuns) -> None:
    spec = charts(survey)["timeline"]
    slices, collisions = (layer["data"]["values"] for layer in spec["layer"])
    assert len(slices) == sum(len(list(io.phases())) for io in survey.timeline.ios)
    assert {item["phase"] for item in slices} <= PHASES.keys()
    assert all(item["from"] < item["to"] for item in slices)
    assert len(collisions) == 2 * len(survey.timeline.collisions())
    rows = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert len(rows) == 2 * len(survey.layout.ctcs)
    assert {item["ctc"] for item in slices} <= set(rows)


def test_lines_have_every_point_and_bars_every_loss(survey: LinkRuns) -> None:
    specs = charts(survey)
    for name, measure in (("throughput", "mb_per_s"), ("collisions", "collisions_per_s")):
        drawn = [p.measured[measure] for p in survey.points]
        assert (name in specs) == any(drawn)  # a chart of nothing but 0 went from 0 to 1
        if name in specs:
            assert [value[measure] for value in specs[name]["data"]["values"]] == drawn
    bars = {value["gone"] for value in specs["losses"]["data"]["values"]}
    others = sum(int(found[1]) for bar in bars if (found := re.search(r" or (\d+) other", bar)))
    assert len(bars) + others == len(survey.lefts)


def test_charts_are_described_and_are_json(survey: LinkRuns) -> None:
    specs = charts(survey)
    assert all(spec["description"] for spec in specs.values())
    assert json.loads(json.dumps(specs, allow_nan=False)) == specs


@pytest.mark.slow
def test_vega_lite_compiles_them(survey: LinkRuns) -> None:
    from vl_convert import vegalite_to_vega

    for spec in charts(survey).values():
        compiled: Any = vegalite_to_vega(spec, vl_version=VERSION)
        assert compiled["marks"]
