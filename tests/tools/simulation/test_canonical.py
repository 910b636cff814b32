"""Timers that may run out in any order: nothing that a clock brings about is left out."""

import pytest

from tools.simulation.canonical import canonical, forget_times
from tools.simulation.exploration import Exploration, pack, unpack
from tools.simulation.small_world import OneFault, SmallWorld
from tools.simulation.states import digest, unpacked


def _explored(world: SmallWorld, *, timed: bool) -> Exploration:
    exploration = Exploration(world, timed=timed)
    exploration.run()
    return exploration


def _frames_of(timed: Exploration, untimed: Exploration) -> dict[int, int]:
    """What the frames of the one exploration are called in the other."""
    numbers = untimed.members.nodes.frame_numbers
    return {number: numbers[form] for form, number in timed.members.nodes.frame_numbers.items()}


def _members_of(timed: Exploration, untimed: Exploration) -> list[int]:
    """The states of the one exploration's systems, without their times, in the other."""
    frames = _frames_of(timed, untimed)
    found = []
    for each in list(timed.members.numbers):
        image, _ = timed.members.nodes.images[each.node]
        node = unpacked(image)
        forget_times(node)
        fibres = tuple(tuple(frames[frame] for frame in fibre) for fibre in each.fibres)
        number = untimed.members.nodes.numbers[digest((each.here, canonical(node, 0)))]
        found.append(untimed.members.numbers[each._replace(node=number, fibres=fibres)])
    return found


@pytest.mark.parametrize(
    "world",
    [
        SmallWorld(1, (1, 0)),
        SmallWorld(1, (1, 1), at_once=True),
        pytest.param(SmallWorld(1, (1, 1)), marks=pytest.mark.slow),
        pytest.param(SmallWorld(1, (2, 1), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(2, (1, 1), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(3, (1, 1), at_once=True), marks=pytest.mark.exhaustive),
        pytest.param(SmallWorld(1, (1, 0), OneFault.FRAME_LOST), marks=pytest.mark.slow),
        pytest.param(SmallWorld(1, (1, 0), OneFault.FRAME_DOUBLED), marks=pytest.mark.slow),
        pytest.param(SmallWorld(1, (1, 0), OneFault.CTC_LOST), marks=pytest.mark.slow),
        pytest.param(SmallWorld(1, (1, 0), OneFault.RESTARTED), marks=pytest.mark.exhaustive),
    ],
)
def test_every_state_that_a_clock_leads_to_is_visited_without_one(world: SmallWorld) -> None:
    timed, untimed = _explored(world, timed=True), _explored(world, timed=False)
    members = _members_of(timed, untimed)
    for state in timed.states:
        now, trouble = unpack(state)
        assert pack(tuple(members[each] for each in now), trouble) in untimed.numbers
