"""The APPC/VM layer: one message at a time, whichever way it goes."""

from dataclasses import replace

import pytest

from isfc.appc import AppcLayer
from isfc.message import Message, Traffic
from isfc.parameters import LinkParameters

PARAMETERS = replace(LinkParameters(), appc_message_ns=1_000, appc_ns_per_byte=2.0)


@pytest.fixture
def layer() -> AppcLayer:
    return AppcLayer(PARAMETERS)


def message(length: int) -> Message:
    return Message(0, length, Traffic.LEGACY)


def test_idle_layer_has_no_deadline(layer: AppcLayer) -> None:
    assert layer.next_deadline() is None
    assert layer.poll_done(10**9) is None


def test_message_takes_its_time(layer: AppcLayer) -> None:
    request = message(100)
    layer.want(request, outbound=True, now_ns=5_000)
    assert layer.next_deadline() == 5_000 + 1_000 + 200
    assert layer.poll_done(6_199) is None
    step = layer.poll_done(6_200)
    assert step is not None
    assert (step.message, step.outbound) == (request, True)
    assert layer.next_deadline() is None


def test_messages_pass_one_at_a_time_in_both_directions(layer: AppcLayer) -> None:
    for length, outbound in ((0, True), (500, False), (0, True)):
        layer.want(message(length), outbound=outbound, now_ns=0)
    done = []
    while (deadline_ns := layer.next_deadline()) is not None:
        step = layer.poll_done(deadline_ns)
        assert step is not None
        done.append((deadline_ns, step.message.length, step.outbound))
    assert done == [(1_000, 0, True), (3_000, 500, False), (4_000, 0, True)]
    assert layer.busy_ns == 4_000


def test_idle_time_is_not_made_up_for(layer: AppcLayer) -> None:
    layer.want(message(0), outbound=True, now_ns=0)
    layer.poll_done(1_000)
    layer.want(message(0), outbound=True, now_ns=50_000)
    assert layer.next_deadline() == 51_000
