"""Explanations that are as near to the figures matter where they predict other rates."""

from types import SimpleNamespace
from typing import Any

import pytest

from isfc.layout.catalogue import load_layout
from isfc.search import site_predicted
from isfc.search.site_predicted import RUNS, predicted_apart
from scenarios.runs.experiment import Experiment
from tests.isfc.measured.site import site_of

LAYOUT = load_layout("atlanta-boston")


@pytest.mark.parametrize(
    ("line", "said"), [(2.0, "HS:50 on one CTC of it carries -50 %"), (1.05, "")]
)
def test_the_prediction_that_is_furthest_off_is_named(
    monkeypatch: pytest.MonkeyPatch, line: float, said: str
) -> None:
    """Here one load on one CTC alone waits for the line."""
    runs = []

    def run(asked: Experiment) -> Any:
        runs.append(asked)
        site = asked.layout.site
        waits = asked.workload.name == "HS" and len(asked.layout.ctcs) == 1
        factor = site.factors.get("line", 1.0) if site and waits else 1.0
        return SimpleNamespace(mb_per_s=100 / factor)

    monkeypatch.setattr(site_predicted, "run", run)
    other = site_of(LAYOUT, line=line)
    assert predicted_apart(LAYOUT, [LAYOUT, other], lambda each: [run() for run in each]) == said
    assert len(runs) == 3 * RUNS
