"""The bound on what has arrived and was not taken holds for all conversations together."""

from functools import partial

import pytest

from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import WINDOWS_LENGTH, ConversationLimits
from isfc.programs.register import Windows
from tests.isfc.programs.dialogue import Dialogue


def has_arrived(end: ConversationEnd) -> bool:
    return end.arrived_length > 0


def is_over(end: ConversationEnd) -> bool:
    return end.over


def test_all_that_is_not_taken_stays_within_one_bound_however_many_there_are() -> None:
    dialogue = Dialogue()
    talks = []
    for _ in range(40):
        talks.append(dialogue.connect())
        asking, asked = talks[-1]
        asking.send(bytes(2**20))
        dialogue.run_until(partial(has_arrived, asked))
        asked.poll_data(2**20)  # so that its window may grow
    for _ in range(12):
        for asking, _ in talks:
            asking.send(bytes(2**20))
        dialogue.carry()
        dialogue.run(10_000_000)
    unread = [asked.arrived_length for _, asked in talks]
    assert sum(unread) <= WINDOWS_LENGTH
    assert sum(unread) > WINDOWS_LENGTH // 4
    assert min(unread) >= ConversationLimits().window_min


def test_a_window_that_is_over_leaves_its_room_to_others() -> None:
    dialogue = Dialogue()
    for _ in range(50):
        asking, asked = dialogue.connect()
        window = asked.target_length
        asking.sever()
        dialogue.run_until(partial(is_over, asking))
        dialogue.run_until(partial(is_over, asked))
        assert window == ConversationLimits().window_length


@pytest.mark.parametrize("places", [1, 256, 512, 10_000])
def test_however_many_there_may_be_one_alone_has_a_whole_window(places: int) -> None:
    limits = ConversationLimits(conversations_max=places)
    least = 2 * places * limits.window_min  # each end may open so many
    assert least <= WINDOWS_LENGTH // 2
    assert least + limits.raised_length_max == WINDOWS_LENGTH
    windows = Windows(limits)
    assert windows.open(1) == windows.arrange(windows.open(1), 0, 1) == limits.window_length
