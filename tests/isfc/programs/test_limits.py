"""What a conversation may take among others."""

from dataclasses import fields

import pytest

from isfc.errors import ConfigurationError
from isfc.programs.protocol import ConversationLimits
from isfc.programs.switchboard import Switchboard

MIB = 2**20


@pytest.mark.parametrize(
    ("count", "window", "send"),
    [
        (0, 4 * MIB, MIB),
        (1, 4 * MIB, MIB),
        (16, 4 * MIB, MIB),
        (64, MIB, MIB // 2),
        (256, MIB // 4, MIB // 8),
        (512, MIB // 8, MIB // 8),
    ],
)
def test_share_is_even_and_never_less_than_128_kib(count: int, window: int, send: int) -> None:
    limits = ConversationLimits()
    assert (limits.window_share(count), limits.send_share(count)) == (window, send)


def test_limit_that_is_less_than_any_share_holds() -> None:
    limits = ConversationLimits(window_length=1_000, send_length=100)
    assert (limits.window_share(512), limits.send_share(512)) == (1_000, 100)


@pytest.mark.parametrize(("count", "taken"), [(1, MIB), (64, MIB // 2), (256, MIB // 8)])
def test_conversation_that_is_not_read_takes_its_share_to_be_sent(count: int, taken: int) -> None:
    board = Switchboard(lesser=True, limits=ConversationLimits(conversations_max=256))
    conversations = [board.connect("SINK") for _ in range(count)]
    assert conversations[-1].send(bytes(2 * MIB)) == taken
    assert conversations[-1].send(b"one more") == 0


@pytest.mark.parametrize("part", [part.name for part in fields(ConversationLimits)])
def test_a_limit_under_which_nothing_is_ever_sent_is_refused(part: str) -> None:
    ConversationLimits(**{part: 1})
    for value in (0, -5):
        with pytest.raises(ConfigurationError, match=f"{part} {value}: expected 1 at least"):
            ConversationLimits(**{part: value})
