"""The swarm: many runs, each with its configuration and its misfortunes drawn from one seed."""

import pytest

from tests.lengthy import few_in_every_run
from tools.simulation.swarm import draw, run

SEEDS_EACH = 50


@pytest.mark.at_length
@pytest.mark.parametrize("first", few_in_every_run(range(0, 500, SEEDS_EACH), 4))
def test_nothing_is_lost_whatever_happens(first: int) -> None:
    for seed in range(first, first + SEEDS_EACH):
        survived = run(draw(seed))
        assert survived.event_count > 0, f"seed {seed}"


@pytest.mark.parametrize("seed", range(1_000, 1_010))
def test_nothing_is_lost_in_a_few_seeds(seed: int) -> None:
    assert run(draw(seed)).event_count > 0


def test_seed_decides_everything() -> None:
    assert draw(3) == draw(3) != draw(4)
    assert run(draw(3)) == run(draw(3))


def test_seed_14658_headers_count_among_the_bytes_that_the_reader_has_not_counted_yet() -> None:
    assert run(draw(14_658)).message_count > 0


def test_seed_13715_what_a_throttle_lets_through_is_handed_over_before_bytes_are_counted() -> None:
    assert run(draw(13_715)).event_count > 0
