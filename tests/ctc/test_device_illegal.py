"""Frames that no mate sends: they are counted, and change nothing."""

import pytest
from msgspec.structs import replace

from ctc.device import Arbitration
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.queues import NEVER_NS
from ctc.state import COMMAND_RULES, WAITING_STATE, CommandOutcome, State
from ctc.subchannel import Command
from tests.ctc.cable import PLAIN, Cable, Cargo, End

WAITING = list(WAITING_STATE)
ENDING = [command for command in Command if command not in WAITING]


def receive(cable: Cable, end: End, frame: Frame) -> int:
    """Let ``frame`` arrive; how many frames more are stale."""
    before = end.ctc.stale_count
    end.ctc.receive_frame(frame, cable.now_ns)
    return end.ctc.stale_count - before


@pytest.mark.parametrize("first", WAITING)
def test_mate_has_one_command_at_a_time(first: Command) -> None:
    for second in WAITING:
        cable = Cable().connect()
        near = cable.near
        assert receive(cable, near, CommandFrame(first, 1, 10, 1)) == 0
        heard = near.heard()
        assert receive(cable, near, CommandFrame(second, 2, 10, 1)) == 1
        assert heard == ["attention"] * (first is not Command.PREPARE)
        assert near.heard() == []


def test_second_read_moves_no_data_twice() -> None:
    cable = Cable().connect()
    cable.write(cable.near, 100_000)
    cable.run(cable.now_ns + 50_000)
    assert receive(cable, cable.near, CommandFrame(Command.READ, 1)) == 0
    assert receive(cable, cable.near, CommandFrame(Command.READ, 2)) == 1
    cable.run()
    assert [type(each.frame) for each in cable.near.departures].count(DataFrame) <= 1
    cable.near.ctc.receive_frame(StatusFrame(Signal.RECEIVED, 1), cable.now_ns)
    assert cable.near.heard() == ["WRITE ended"]


@pytest.mark.parametrize("second", [False, True])
def test_second_write_is_no_burden_to_the_fibre(second: bool) -> None:
    cable = Cable(profile=replace(PLAIN, processor_ns_per_byte=3.0)).connect()
    cable.start(cable.near, Command.READ)
    cable.near.ctc.receive_frame(CommandFrame(Command.WRITE, 1, 10**9, 1), cable.now_ns)
    if second:
        assert receive(cable, cable.near, CommandFrame(Command.WRITE, 2, 10**9, 1)) == 1
    assert receive(cable, cable.near, DataFrame(Cargo(5), 1)) == 0
    assert cable.near.heard() == ["READ ended"]
    cable.write(cable.near, 100_000)
    cable.near.ctc.receive_frame(CommandFrame(Command.READ, 2), cable.now_ns)
    completion_ns = cable.near.chpid.due_ns
    assert completion_ns == cable.now_ns + 100_000 * 4 + 1  # as if alone


@pytest.mark.parametrize("rule", list(Arbitration))
@pytest.mark.parametrize("command", ENDING)
def test_command_that_ends_at_once_is_not_sent(rule: Arbitration, command: Command) -> None:
    for ours in (None, Command.READ, Command.WRITE):
        cable = Cable(near=rule).connect()
        if ours is not None:
            cable.start(cable.near, ours)
        state = cable.near.ctc.state
        # write end of file ends a read
        matches = COMMAND_RULES[command].outcomes[state] is CommandOutcome.MATCH
        assert receive(cable, cable.near, CommandFrame(command, 1)) == (not matches)
        assert cable.near.ctc.state is (State.AVAILABLE if matches else state)


def test_data_are_no_answer_to_a_write() -> None:
    cable = Cable().connect()
    far = CommandFrame(Command.WRITE, 1, 10, 1)
    cable.start(cable.near, Command.READ)
    cable.near.ctc.receive_frame(far, cable.now_ns)
    cable.near.ctc.receive_frame(DataFrame(Cargo(10), 1), cable.now_ns)
    cargo = cable.write(cable.near, 100_000)
    cable.near.ctc.receive_frame(CommandFrame(Command.READ, 2), cable.now_ns)
    cable.near.heard()
    assert receive(cable, cable.near, DataFrame(Cargo(10), 1)) == 1  # the old one's serial
    assert cable.near.heard() == []
    while cable.near.departures:
        cable.near.departures.pop()
    while not cable.near.departures:
        cable.step()
    sent = list(cable.near.departures)[-1].frame
    assert isinstance(sent, DataFrame)
    assert sent.load is cargo


def test_write_is_not_received_before_it_is_read() -> None:
    cable = Cable().connect()
    cable.write(cable.near, 100_000)
    assert receive(cable, cable.near, StatusFrame(Signal.RECEIVED, 1)) == 1
    assert cable.near.heard() == []
    assert not cable.near.ctc.idle


def test_write_that_is_received_before_it_was_sent_ends_and_leaves_the_fibre() -> None:
    cable = Cable().connect()
    for serial in (1, 2):
        cable.write(cable.near, 100_000)
        cable.near.ctc.receive_frame(CommandFrame(Command.READ, serial), cable.now_ns)
        assert receive(cable, cable.near, StatusFrame(Signal.RECEIVED, serial)) == 0
        assert cable.near.heard() == ["WRITE ended"]
        assert cable.near.chpid.due_ns == NEVER_NS
    assert cable.near.chpid.poll_completed(10**12) is None


def test_each_frame_that_fits_nothing_is_counted() -> None:
    cable = Cable()
    near, write = cable.near, CommandFrame(Command.WRITE, 1, 10, 1)
    for _ in range(2):
        assert receive(cable, near, write) == 1  # not connected
    assert near.heard() == []
    near.ctc.connect(0)
    for _ in range(2):
        assert receive(cable, near, write) == 1  # the mate is not
    cable.far.ctc.connect(0)
    cable.run()
    assert near.heard() == ["ready"]
    ends_at_once = CommandFrame(Command.NO_OP, 1)
    for frame in (DataFrame(Cargo(1), 1), StatusFrame(Signal.RECEIVED, 1), ends_at_once) * 2:
        assert receive(cable, near, frame) == 1
    assert near.heard() == []
    assert [receive(cable, near, write) for _ in range(3)] == [0, 1, 1]
    assert near.ctc.stale_count == 12


def test_data_that_come_twice_are_read_once() -> None:
    cable = Cable().connect()
    for stale in (0, 1):
        cable.start(cable.near, Command.READ)
        if not stale:
            assert receive(cable, cable.near, CommandFrame(Command.WRITE, 1, 10, 1)) == 0
        assert receive(cable, cable.near, DataFrame(Cargo(10), 1)) == stale
        assert cable.near.ctc.idle == (not stale)
