"""Every interleaving of three systems: each link goes as if it were alone."""

from dataclasses import replace

import pytest

from isfc.link.message import Traffic
from isfc.system.system import System
from tools.simulation import states
from tools.simulation.exploration import explore
from tools.simulation.small_world import SmallWorld
from tools.simulation.state_graph import Counterexample

CHAIN = ((0, 1), (1, 2))
"""The middle one of three systems has two links."""


@pytest.mark.parametrize(
    ("cluster", "pair"),
    [
        (
            SmallWorld(1, (1, 0), at_once=True, system_count=3, links=CHAIN),
            SmallWorld(1, (1, 0), at_once=True),
        ),
        pytest.param(
            SmallWorld(1, (1, 0), at_once=True, system_count=3),
            SmallWorld(1, (1, 0), at_once=True),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            SmallWorld(1, (1, 0), system_count=3),
            SmallWorld(1, (1, 0)),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["two links", "three links", "three links, sent at any time"],
)
def test_links_of_one_system_leave_each_other_alone(cluster: SmallWorld, pair: SmallWorld) -> None:
    """What can become of all links is what can become of each, in all combinations, and no more."""
    alone, found = explore(pair), explore(cluster)
    count = len(cluster.joined)
    assert found.state_count == alone.state_count**count
    assert found.end_count == alone.end_count**count
    steps = count * alone.transition_count * alone.state_count ** (count - 1)
    assert found.transition_count == steps
    assert found.endless_count == 0


def test_links_of_one_system_copy_one_at_a_time_and_all_arrives() -> None:
    pair = SmallWorld(1, (1, 0), traffic=Traffic.LEGACY, at_once=True)
    alone, found = explore(pair), explore(replace(pair, system_count=3, links=CHAIN))
    assert found.state_count < alone.state_count**2
    assert found.end_count == 1
    assert found.endless_count == 0


def test_link_that_is_kept_waiting_by_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_end_only(system: System, now_ns: int) -> None:
        """A mistake: what is due at the other link ends of a system is never done."""
        system.channels.handle_deadline(now_ns)
        system.ends[0].handle_deadline(now_ns)

    monkeypatch.setattr(System, "handle_deadline", first_end_only)
    with pytest.raises(Counterexample, match="no schedule delivers everything"):
        explore(SmallWorld(1, (1, 0), at_once=True, system_count=3, links=CHAIN))


def test_cluster_that_is_too_large_is_given_up() -> None:
    with pytest.raises(Counterexample, match="more than 10 states"):
        explore(SmallWorld(1, (1, 0), system_count=3, links=CHAIN), states_max=10)


def test_more_states_than_a_number_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MEMBER_MASK", 15)
    with pytest.raises(OverflowError, match="more than 16 states of the systems"):
        explore(SmallWorld(1, (1, 0), system_count=3, links=CHAIN))
