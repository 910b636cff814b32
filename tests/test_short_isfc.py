"""Runs of tests are short: none has a length that its module took over before it was changed."""

from collections.abc import Callable
from typing import Any

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.figures.glance import glance
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import first_look, steady_ends
from scenarios.runs.workload import SUITES
from tests.costs.cost import COUNTED
from tests.short_isfc import SHORT


@pytest.mark.at_length
@pytest.mark.parametrize("look", [steady_ends, first_look, glance])
def test_a_run_is_as_short_as_its_constants(
    look: Callable[[Experiment], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm-up of a second, bound as a default, had made most runs of tests ten times as long."""
    for module, name, value in SHORT:
        monkeypatch.setattr(module, name, value)
    before_ns = COUNTED["virtual_ns"]
    look(Experiment.of(load_layout("published-1"), SUITES["HS"], 1))
    assert 0 < COUNTED["virtual_ns"] - before_ns <= 250_000_000
