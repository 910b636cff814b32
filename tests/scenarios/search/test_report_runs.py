"""The runs behind ``isfc report``: every figure is that of a run of its own."""

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment, in_turn
from scenarios.runs.steady import steady_run
from scenarios.runs.workload import SUITES
from scenarios.search import report_runs as module
from scenarios.search.report_runs import link_runs


@pytest.mark.at_length
@pytest.mark.slow
def test_points_are_what_runs_give(monkeypatch: pytest.MonkeyPatch) -> None:
    layout, workload = load_layout("published-1"), SUITES["HM"]
    monkeypatch.setattr(module, "PAIRS", (2,))
    told: list[str] = []
    surveyed = link_runs("published-1", layout, workload, told.append, in_turn)
    for point, node in zip(surveyed.points, layout.nodes, strict=True):
        steady = steady_run(Experiment.of(layout, workload, 2, client=node))
        assert (point.sender, point.experiment.pairs) == (node, 2)
        assert point.run == steady
        assert point.run.rate.spread_mb_per_s > 0
        assert point.measured["collisions_per_s"] == steady.result.collisions_per_s > 0
    assert [left.loss and left.loss.kind for left in surveyed.lefts] == [None, "chpid", "ctc"]
    assert surveyed.timeline.ios
    assert list(surveyed.tried) == ["single-ctc"]
    assert len(told) == 4
    assert [(each.evacuation.name, each.all_moved) for each in surveyed.relocated] == [
        (node, True) for node in layout.nodes
    ]
