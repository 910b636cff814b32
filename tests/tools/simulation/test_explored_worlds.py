"""Every interleaving of small pairs: nothing lost, doubled, out of turn or stuck."""

import pytest

from tools.simulation.exploration import explore
from tools.simulation.explore import describe, quick_worlds
from tools.simulation.small_world import SmallWorld


@pytest.mark.slow
@pytest.mark.parametrize("world", list(quick_worlds()), ids=describe)
def test_every_interleaving_of_a_small_pair_delivers_everything(world: SmallWorld) -> None:
    found = explore(world)
    assert found.end_count > 0
    assert found.state_count > 50
