"""APPC/VM's long messages: one segment at a time, the next one when it is asked for."""

import pytest

from isfc.errors import RemoteProtocolError
from isfc.link.conversations import APPC_SEGMENT_LENGTH_MAX, OWED_MAX, AppcFlow
from isfc.link.message import Message, Traffic


@pytest.fixture
def flow() -> AppcFlow:
    return AppcFlow()


def message(length: int, conversation: int = 0) -> Message:
    return Message(conversation, length, Traffic.LEGACY)


def sent(flow: AppcFlow, conversation: int = 0) -> list[int]:
    """The lengths of what follows, each acknowledged until nothing waits."""
    lengths = []
    while segments := flow.acknowledge(conversation):
        lengths += [segment.length for segment in segments]
    return lengths


@pytest.mark.parametrize("length", [0, 1, APPC_SEGMENT_LENGTH_MAX])
def test_short_message_goes_at_once_and_whole(flow: AppcFlow, length: int) -> None:
    short = message(length)
    assert flow.send(short) is short
    assert not short.more
    assert flow.waiting_length == 0


def test_long_message_goes_one_segment_for_each_acknowledgement(flow: AppcFlow) -> None:
    first = flow.send(message(100_000))
    assert first is not None
    assert (first.length, first.more) == (APPC_SEGMENT_LENGTH_MAX, True)
    assert flow.waiting_length == 100_000 - APPC_SEGMENT_LENGTH_MAX
    segments = [flow.acknowledge(0) for _ in range(3)]
    assert [[(s.length, s.more) for s in released] for released in segments] == [
        [(32_768, True)],
        [(32_768, True)],
        [(1_696, False)],
    ]
    assert flow.waiting_length == 0
    assert flow.acknowledge(0) == []


def test_conversation_keeps_its_order_and_does_not_hold_up_another(flow: AppcFlow) -> None:
    flow.send(message(50_000))
    assert flow.send(message(10)) is None
    assert flow.send(message(20)) is None
    assert flow.send(message(70_000)) is None
    other = message(30, conversation=1)
    assert flow.send(other) is other
    # what is whole is not acknowledged, so it does not stop what follows it
    assert [s.length for s in flow.acknowledge(0)] == [17_232, 10, 20, 32_768]
    assert sent(flow) == [32_768, 4_464]


def test_nothing_more_is_sent_of_a_conversation_that_is_over(flow: AppcFlow) -> None:
    flow.send(message(100_000))
    flow.send(message(100_000, conversation=1))
    flow.forget(0)
    flow.forget(99)  # which never was
    assert flow.waiting_length == 100_000 - APPC_SEGMENT_LENGTH_MAX
    assert sent(flow) == []
    assert sum(sent(flow, 1)) == 100_000 - APPC_SEGMENT_LENGTH_MAX


def test_acknowledgement_is_no_message(flow: AppcFlow) -> None:
    asked = flow.receive(7)
    assert (asked.conversation, asked.length, asked.traffic) == (7, 0, Traffic.LEGACY)
    assert asked.acknowledges
    assert not message(0).acknowledges


def test_partner_that_waits_for_no_acknowledgement_is_refused(flow: AppcFlow) -> None:
    flow.owed_count = OWED_MAX - 1
    flow.receive(0)
    with pytest.raises(RemoteProtocolError, match="segments not acknowledged"):
        flow.receive(0)
