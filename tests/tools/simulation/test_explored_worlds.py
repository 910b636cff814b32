"""Every interleaving of small pairs: nothing lost, doubled, out of turn or stuck."""

import pytest

from tools.simulation.exploration import explore
from tools.simulation.explore import FAULTS, describe, quick_worlds
from tools.simulation.small_world import OneFault, SmallWorld

WORLDS = [
    *(SmallWorld(1, (1, 0), fault, at_once=True) for fault in FAULTS),
    *(
        pytest.param(
            world,
            marks=pytest.mark.slow if world.fault is OneFault.NONE else pytest.mark.exhaustive,
        )
        for world in quick_worlds()
    ),
]


@pytest.mark.parametrize("world", WORLDS, ids=describe)
def test_every_interleaving_of_a_small_pair_delivers_everything(world: SmallWorld) -> None:
    found = explore(world)
    assert found.end_count > 0
    assert found.state_count > 50
