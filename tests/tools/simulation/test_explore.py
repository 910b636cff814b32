"""Every interleaving of small pairs: nothing lost, doubled, out of turn or stuck."""

import pytest

from isfc.testing.explore import explore
from isfc.testing.small_world import SmallWorld
from tools.simulation.explore import describe, quick_worlds


@pytest.mark.slow
@pytest.mark.parametrize("world", list(quick_worlds()), ids=describe)
def test_every_interleaving_of_a_small_pair_delivers_everything(world: SmallWorld) -> None:
    found = explore(world)
    assert found.end_count > 0
    assert found.state_count > 50
