"""What the model carries, each way."""

import pytest

from isfc.layout.catalogue import load_layout
from isfc.link.name import NodeName
from scenarios.runs.saturation import carried


@pytest.mark.slow
@pytest.mark.at_length
def test_both_directions_are_run() -> None:
    first, second = carried(load_layout("published-4"))
    assert [first.sender, second.sender] == ["CLIENT", "SERVER"]
    assert first.saturated_mb_per_s == pytest.approx(second.saturated_mb_per_s, rel=0.05)


@pytest.mark.slow
def test_what_was_seen_is_of_the_run_that_gave_the_rate() -> None:
    (sent,) = carried(load_layout("published-1"), NodeName("SERVER"), pairs=2)
    assert sent.seen is not None
    assert sent.seen.mb_per_s_out == pytest.approx(sent.stated_mb_per_s)
    assert 0 < sent.seen.rdev_util_percent <= 100
