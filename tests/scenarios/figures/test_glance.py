"""What waits for each resource of a run: constructed layouts, each with one thing that is short."""

import pytest
from msgspec.structs import replace

from isfc.link.message import Traffic
from scenarios.figures.glance import MOMENTS, glance, moments
from scenarios.figures.resources import Holder, scaled
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import SUITES
from tests.layouts import layout_of

pytestmark = pytest.mark.at_length

FOUR = Experiment.of(layout_of((4, 4)), SUITES["HL"], 20)
APPC = replace(SUITES["HL"], traffic=Traffic.LEGACY)


@pytest.mark.parametrize(
    ("key", "experiment"),
    [
        ("line", Experiment.of(layout_of((1, 4)), SUITES["HL"], 20)),
        ("starts", scaled(FOUR, Holder.FEATURE, ("io_ns",), 80)),
        ("receive BOSTON", scaled(FOUR, Holder.LINK, ("receive_ns_per_byte",), 8)),
        ("clients", scaled(FOUR, Holder.GUESTS, ("client_ns",), 1000)),
        ("copying BOSTON", Experiment.of(layout_of((4, 4)), APPC, 20)),
    ],
)
def test_what_is_short_is_waited_for_and_looking_changes_nothing(
    key: str, experiment: Experiment
) -> None:
    seen = glance(experiment, waits=True)
    assert seen.busy[key] > 0.5
    if not key.startswith("copying"):  # the one link of a system waits for nobody else's copying
        assert seen.waited[key].share > 0.5
        assert seen.waited[key].count > 0.5
    without = glance(experiment)
    assert (seen.mb_per_s, seen.collisions_per_s) == (without.mb_per_s, without.collisions_per_s)
    assert not without.waited


def test_where_there_is_room_nothing_waits() -> None:
    seen = glance(Experiment.of(layout_of((16, 4), (16, 4)), SUITES["HS"], 1), waits=True)
    idle = {key for key, waited in seen.waited.items() if waited.share < 0.1}
    assert {"line", "starts", "receive BOSTON", "ctcs ATLANTA", "clients"} <= idle


def test_moments_are_drawn_alike_each_time_and_in_order() -> None:
    found = moments(1_000, 10_000)
    assert found == sorted(found) == moments(1_000, 10_000)
    assert len(found) == MOMENTS
    assert 1_000 <= found[0] < found[-1] < 11_000
