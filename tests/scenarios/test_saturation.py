"""What the model carries, each way."""

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.saturation import (
    carried,
)


@pytest.mark.slow
def test_both_directions_are_run() -> None:
    first, second = carried(load_layout("published-4"))
    assert [first.sender, second.sender] == ["CLIENT", "SERVER"]
    assert first.saturated_mb_per_s == pytest.approx(second.saturated_mb_per_s, rel=0.05)
