"""Who may write on which CTC, fibre by fibre."""

import pytest

from isfc.layout.capacity import fibre_uses, writer_name
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import make_plan
from tests.shipped import ONE_LINK


@pytest.mark.parametrize("name", ONE_LINK)
def test_places_are_those_of_the_write_orders(name: str) -> None:
    layout = load_layout(name)
    uses = [use for group in fibre_uses(layout).values() for use in group]
    assert sorted(uses, key=lambda use: use.ctc.rdevs[0]) == uses
    assert {use.ctc for use in uses} == set(layout.ctcs)
    for end, way in enumerate(make_plan(layout).directions):
        for use in uses:
            rdev, place = use.ctc.rdevs[end], use.places[end]
            assert (place is None) == (rdev not in way.write_order)
            assert place is None or way.write_order[place - 1] == rdev
            assert (use.writer == end) == (rdev in way.exclusive)


def test_writers_have_names() -> None:
    layout = load_layout("atlanta-boston")
    uses = (use for group in fibre_uses(layout).values() for use in group)
    names = [writer_name(layout.nodes, use) for use in uses]
    assert names == ["ATLANTA only", *["both"] * 6, "BOSTON only"]
