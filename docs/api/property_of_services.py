"""A property of services, whichever CTCs are lost or slow (`pip install 'isfc[testing]'`)."""

from hypothesis import given, settings

from isfc import Conversation, OpenNode
from isfc.testing import Fault, FaultKind, fault_schedules, run_programs


async def echo(conversation: Conversation) -> None:
    async for data in conversation:
        await conversation.send(data)


async def ask(first: OpenNode, second: OpenNode) -> int:
    second.serve("ECHO", echo)
    received = 0
    async with first.connect("ECHO") as conversation:
        await conversation.send(bytes(1_000))
        conversation.finish()
        async for data in conversation:
            received += len(data)
    return received


@settings(max_examples=5, deadline=None)
@given(fault_schedules("atlanta-boston", [FaultKind.CTC_LOST, FaultKind.DELAY]))
def holds(faults: list[Fault]) -> None:
    assert run_programs(ask, faults=faults).outcome == 1_000


holds()
