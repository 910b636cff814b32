"""What is in the cache of the data of a conversation that goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.link.cache import Cache
from isfc.link.message import Message
from isfc.link.package import CHAINED_LENGTH_MIN, Package

REUSE_LENGTH = 1_000_000


def package(conversation: int, length: int) -> Package:
    """One message, and a header's bytes more."""
    return Package(0, [Message(conversation, length)], length)


def test_first_message_of_a_conversation_costs_all_and_the_next_little_more_than_the_least() -> (
    None
):
    cache = Cache(0.5, REUSE_LENGTH)
    each = package(1, 100_000)
    assert cache.receive(each) == 1.0
    assert cache.receive(each) == pytest.approx(0.5 + 0.5 * each.length / REUSE_LENGTH)


def test_what_is_sent_and_what_others_receive_displaces_it() -> None:
    cache = Cache(0.5, REUSE_LENGTH)
    small, large = package(1, 1_000), package(2, 200_000)
    cache.receive(small)
    cache.receive(large)
    cache.send(large)
    passed = 2 * large.length + small.length
    assert cache.receive(small) == pytest.approx(0.5 + 0.5 * passed / REUSE_LENGTH)
    for _ in range(5):
        cache.send(large)
    assert cache.receive(small) == 1.0


def test_short_messages_tell_nothing() -> None:
    cache = Cache(0.25, REUSE_LENGTH)
    short = package(1, CHAINED_LENGTH_MIN - 1)
    assert [cache.receive(short) for _ in range(3)] == [0.25] * 3


@given(
    st.floats(0.1, 1.0),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), min_size=1, max_size=30),
)
def test_a_byte_costs_between_the_least_and_all(
    recent_share: float, traffic: list[tuple[int, int]]
) -> None:
    cache = Cache(recent_share, REUSE_LENGTH)
    for conversation, length in traffic:
        share = cache.receive(package(conversation, length))
        assert recent_share - 1e-9 <= share <= 1.0 + 1e-9
    if recent_share == 1.0:
        assert share == pytest.approx(1.0)
