"""Conversations over the simulated link: unchanged programs, no time, faults from a schedule."""

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given, settings

import isfc.testing
from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.live.session import Conversation, ConversationSevered, OpenNode, Traffic
from isfc.programs.protocol import SeverCode
from isfc.testing.programs import ProgramsRun, Stuck, VirtualLoop, run_programs
from isfc.testing.strategies import fault_schedules, faults
from scenarios.faults.fault import DRAWN, Fault, FaultKind

MS = 1_000_000
ATLANTA, BOSTON = NodeName("ATLANTA"), NodeName("BOSTON")


async def echo(conversation: Conversation) -> None:
    async for data in conversation:
        await conversation.send(data)


async def transfer(first: OpenNode, second: OpenNode) -> bytes:
    """Two services at the same time: a stream that is echoed, and requests."""
    second.serve("ECHO", echo)
    second.serve("ASK", echo)
    received = bytearray()
    async with first.connect("ECHO") as conversation:
        for piece in range(20):
            await conversation.send(bytes([piece]) * 50_000)
            received += await conversation.receive()
        conversation.finish()
        async for data in conversation:
            received += data
    async with await second_service(first) as asking:
        assert await asking.request(b"ask") == b"ask"
    return bytes(received)


async def second_service(first: OpenNode) -> Conversation:
    return await first.connect("ASK", Traffic.LEGACY)


SENT = b"".join(bytes([piece]) * 50_000 for piece in range(20))


def test_conversations_carry_their_bytes_in_virtual_time() -> None:
    done = run_programs(transfer)
    assert done.outcome == SENT
    assert 5 * MS < done.now_ns < 1_000 * MS


def test_same_seed_gives_the_same_trace() -> None:
    late = [Fault(FaultKind.DELAY, 2 * MS, ATLANTA, 20 * MS, amount=100_000, jitter_ns=50_000)]
    runs = [run_programs(transfer, faults=late, seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0].trace != runs[2].trace
    assert all(each.outcome == SENT for each in runs)


@pytest.mark.parametrize("at_ns", range(MS, 40 * MS, 4 * MS))
def test_ctc_lost_at_any_time_loses_no_byte(at_ns: int) -> None:
    fault = Fault(FaultKind.CTC_LOST, at_ns, ATLANTA, 5 * MS, Rdev(0x6000), phase="CONN")
    assert run_programs(transfer, faults=[fault]).outcome == SENT


def test_crash_severs_conversations_and_says_why() -> None:
    async def main(first: OpenNode, second: OpenNode) -> str:
        second.serve("ECHO", echo)
        conversation = await first.connect("ECHO")
        try:
            while True:
                await conversation.send(bytes(10_000))
                await conversation.receive()
        except ConversationSevered as error:
            return str(error)

    crash = Fault(FaultKind.CRASH, 20 * MS, BOSTON, 10 * MS)
    done: ProgramsRun[str] = run_programs(main, faults=[crash])
    assert "BOSTON has restarted" in done.outcome
    assert done.faults == ((20 * MS, crash),)


def test_sleeping_takes_no_time() -> None:
    async def main(*_: OpenNode) -> float:
        await asyncio.sleep(3_600)
        return asyncio.get_running_loop().time()

    began = time.monotonic()
    done = run_programs(main)
    assert done.outcome == pytest.approx(3_600)
    assert time.monotonic() - began < 30


def test_what_can_never_go_on_is_said_at_once() -> None:
    async def main(*_: OpenNode) -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stuck, match="every task waits"):
        run_programs(main)


def test_service_that_is_not_there_is_refused() -> None:
    async def main(first: OpenNode, _: OpenNode) -> None:
        await first.connect("NONE")

    with pytest.raises(ConversationSevered, match="BOSTON has no service NONE"):
        run_programs(main)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ((ATLANTA, 5 * MS), "fault ctc lost at ATLANTA: expected the rdev of a CTC"),
        ((ATLANTA, 5 * MS, Rdev(0x9999)), "fault ctc lost: 9999 is no CTC of ATLANTA"),
        ((NodeName("DALLAS"), 5 * MS, Rdev(0x6000)), "DALLAS is no system of this link"),
    ],
)
def test_fault_without_a_ctc_of_the_link_is_refused(place: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        run_programs(transfer, faults=[Fault(FaultKind.CTC_LOST, 2 * MS, *place)])


DAMAGING = {FaultKind.FRAME_CORRUPTED, FaultKind.FRAME_TRUNCATED}
"""A frame that is not what was sent: found by a checksum, or not at all."""


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWN)
def test_fault_of_any_kind_that_is_drawn_can_be_run(kind: FaultKind) -> None:
    @settings(max_examples=5, deadline=None)
    @given(faults(kind, until_ns=20 * MS))
    def runs(fault: Fault) -> None:
        assert fault.kind is kind
        severed: SeverCode | None = None
        outcome = SENT
        try:
            outcome = run_programs(transfer, faults=[fault], seed=1).outcome
        except ConversationSevered as error:
            severed = error.code
        assert severed in (None, SeverCode.LINK, SeverCode.PROTOCOL)
        assert outcome == SENT or kind in DAMAGING

    runs()


@settings(max_examples=10, deadline=None)
@given(fault_schedules(kinds=[FaultKind.CTC_LOST, FaultKind.DELAY], until_ns=20_000_000))
def test_schedule_that_is_drawn_loses_nothing(schedule: list[Fault]) -> None:
    assert run_programs(transfer, faults=schedule).outcome == SENT


def test_names_of_the_kit_are_in_one_place() -> None:
    assert isfc.testing.run_programs is run_programs
    assert isfc.testing.Fault is Fault
    assert all(hasattr(isfc.testing, name) for name in dir(isfc.testing))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        isfc.testing.Nothing  # noqa: B018


def test_timers_and_timeouts_go_off_in_their_order_and_at_their_time() -> None:
    loop = VirtualLoop()
    seen: list[tuple[str, int]] = []

    async def sleep(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append((name, loop.now_ns))

    async def main() -> None:
        await asyncio.gather(sleep("late", 86_400), sleep("soon", 0.000_001), sleep("now", 0))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())
    assert [name for name, _ in seen] == ["now", "soon", "late"]
    assert seen[0][1] == 0
    assert seen[1][1] == pytest.approx(1_000, abs=1)
    assert seen[2][1] == pytest.approx(86_400_000_000_000, abs=1_000)
