"""What is drawn is what it says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isfc.layout.layout import Layout
from isfc.layout.plan import make_plan
from isfc.testing.invariants import Ledger
from isfc.testing.pair import Pair, Setup
from isfc.testing.steps import SendMessages, Step
from isfc.testing.strategies import (
    colliding_plans,
    eventful_plans,
    fault_plans,
    layouts,
    setups,
    traffic_plans,
    workloads,
)
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import Workload

pytestmark = pytest.mark.at_length


@given(layouts(), workloads())
def test_any_layout_carries_any_workload(layout: Layout, workload: Workload) -> None:
    assert make_plan(layout).layout == layout.in_order()
    result = run(Experiment.of(layout, workload, 1, seconds=0.000_1, warmup=0)).result
    assert result.node == layout.nodes[0]


@given(setups(ctc_counts=st.just(1)), colliding_plans())
def test_colliding_plans_collide(setup: Setup, plan: list[Step]) -> None:
    pair = Pair(setup)
    pair.drive(plan)
    pair.expect_all_arrived()
    assert any(side.end.link.counters.collision_count for side in pair.sides)


@given(setups(), eventful_plans(), fault_plans(), traffic_plans())
def test_any_plan_fits_any_pair(
    setup: Setup, plan: list[Step], faults: list[Step], traffic: list[Step]
) -> None:
    pair = Pair(setup)
    ledger = Ledger(pair)
    pair.drive([*plan, *faults], ledger)
    assert isinstance(traffic[0], SendMessages)
    pair.drive(traffic, ledger)
    pair.restore()
    ledger.check_end()


def test_example_that_fails_is_shown_as_the_kit_writes_it() -> None:
    @settings(database=None, deadline=None)
    @given(setups(ctc_counts=st.just(1)))
    def fails(setup: Setup) -> None:
        assert setup is None

    with pytest.raises(AssertionError) as caught:
        fails()
    told = "".join(caught.value.__notes__)
    assert "setup=Setup(ctc_count=1" in told
    assert "parameters" not in told  # they are as usual
