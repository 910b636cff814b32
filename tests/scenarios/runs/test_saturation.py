"""What the model carries, each way."""

import pytest

from isfc.layout.catalogue import load_layout
from isfc.link.name import NodeName
from scenarios.runs.saturation import carried, one_way, shape
from scenarios.runs.steady import steady_run
from tests.layouts import layout_of

pytestmark = pytest.mark.at_length


@pytest.mark.slow
def test_both_directions_are_run() -> None:
    first, second = carried(load_layout("published-4"))
    assert [first.sender, second.sender] == ["CLIENT", "SERVER"]
    assert first.saturated_mb_per_s == pytest.approx(second.saturated_mb_per_s, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["published-4", "published-8", "atlanta-boston"])
def test_ways_of_one_shape_carry_the_same(form: str) -> None:
    layout = load_layout(form)
    first, second = layout.nodes
    assert shape(layout, first) == shape(layout, second)
    rates = [steady_run(one_way(layout, node, 20)) for node in layout.nodes]
    assert rates[0].rate == rates[1].rate
    util = [each.result.rdev_util_percent for each in rates]
    assert util[0] == pytest.approx(util[1], rel=1e-9)  # a sum of devices in another order


def test_ways_that_meet_other_chpids_first_are_of_two_shapes() -> None:
    layout = layout_of((8, 4), (16, 4))
    assert len({shape(layout, node) for node in layout.nodes}) == 2


@pytest.mark.slow
def test_what_was_seen_is_of_the_run_that_gave_the_rate() -> None:
    (sent,) = carried(load_layout("published-1"), NodeName("SERVER"), pairs=2)
    assert sent.seen is not None
    assert sent.seen.mb_per_s_out == pytest.approx(sent.stated_mb_per_s)
    assert 0 < sent.seen.rdev_util_percent <= 100
