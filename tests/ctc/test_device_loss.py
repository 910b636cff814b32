"""One end of a CTC when the other leaves, resets, or sends what fits nothing."""

import pytest
from msgspec.structs import replace

from ctc.frame import CommandFrame, DataFrame, Signal, StatusFrame
from ctc.state import State
from ctc.subchannel import Command, DeviceLost
from tests.ctc.cable import PLAIN, PROPAGATION_NS, Cable, Cargo
from tests.ctc.test_device import cable_with_far


def test_mate_that_leaves_ends_a_write_and_says_so_and_is_ready_when_it_comes_again() -> None:
    cable = Cable().connect()
    cargo = cable.issue_write(cable.near, 10)
    cable.far.heard()
    cable.far.ctc.retire(cable.now_ns)
    cable.run()
    lost = cable.near.told(DeviceLost)
    assert lost.load is cargo
    assert cable.far.heard() == ["lost"]
    cable.issue(cable.near, Command.READ)
    assert cable.near.heard() == ["READ unit check"]
    cable.far.ctc.connect(cable.now_ns)
    cable.run()
    assert [end.heard() for end in cable.ends] == [["ready"], ["ready"]]


@pytest.mark.parametrize("wait_ns", [0, 5_000, 50_000, 200_000])
def test_package_cut_short_by_a_reset_is_whole(wait_ns: int) -> None:
    # before the command has left, before it arrives, before and during the transfer
    cable = Cable().connect()
    cargo = cable.write(cable.near, 100_000)
    cable.run(cable.now_ns + wait_ns)
    if cable.far.heard():
        cable.start(cable.far, Command.READ)
        cable.run(cable.now_ns + wait_ns)
    cable.near.ctc.reset(cable.now_ns)
    cable.run()
    lost, ready = cable.near.take()
    assert isinstance(lost, DeviceLost)
    assert lost.load is cargo
    assert ready.rdev == cable.near.ctc.rdev
    assert cable.far.heard()[-2:] == ["lost", "ready"]
    # both fibres are as good as new
    start_ns = cable.now_ns
    cable.issue_write(cable.near, 100_000)
    assert cable.far.heard() == ["attention"]
    cable.issue(cable.far, Command.READ)
    assert (cable.near.heard(), cable.far.heard()) == (["WRITE ended"], ["READ ended"])
    alone_ns = 2 * PLAIN.io_ns + 4 * PROPAGATION_NS + 100_000 * PLAIN.line_ns_per_byte
    assert cable.now_ns - start_ns == pytest.approx(alone_ns, abs=3)


@pytest.mark.parametrize("column", ["write", "control", "not_ready"])
def test_failing_write_that_is_cut_short_keeps_its_package(column: str) -> None:
    # it has not become the state of this end, and yet it has a package
    cable = cable_with_far(column)
    cargo = cable.write(cable.near, 10)
    cable.near.ctc.disconnect(cable.now_ns)
    lost = cable.near.told(DeviceLost)
    assert lost.load is cargo


def test_unplugged_end_is_not_ready_and_hears_nothing() -> None:
    cable = Cable().connect()
    cable.near.ctc.disconnect(cable.now_ns)
    assert cable.near.heard() == ["lost"]
    assert cable.near.ctc.state is State.NOT_READY
    cable.issue_write(cable.far, 10)
    assert cable.near.heard() == []
    assert cable.near.ctc.stale_count == 1


def test_answer_to_an_earlier_write_does_not_end_this_one() -> None:
    cable = Cable().connect()
    cable.write(cable.near, 10)
    cable.near.ctc.reset(cable.now_ns)
    cable.run()
    cable.near.heard()
    cable.write(cable.near, 20)
    cable.near.ctc.receive_frame(StatusFrame(Signal.RECEIVED, 1), cable.now_ns)
    assert cable.near.heard() == []
    assert cable.near.ctc.stale_count == 1


def test_data_of_an_earlier_write_is_not_read_as_this_ones() -> None:
    cable = Cable().connect()
    cable.issue_write(cable.near, 10_000)
    cable.start(cable.far, Command.READ)
    cable.far.heard()
    cable.far.ctc.receive_frame(DataFrame(Cargo(1), 99), cable.now_ns)
    assert cable.far.heard() == []
    assert cable.far.ctc.stale_count == 1


def test_command_withdrawn_before_it_left_means_nothing_when_it_arrives() -> None:
    cable = Cable().connect()
    cable.write(cable.near, 10)
    cable.near.ctc.retire(cable.now_ns)  # the frame leaves 10 us later all the same
    cable.near.ctc.connect(cable.now_ns)
    cable.run()
    assert cable.far.heard() == ["lost", "ready"]
    assert cable.far.ctc.stale_count == 1
    assert cable.far.ctc.idle


def test_both_ends_may_reset_at_once() -> None:
    cable = Cable().connect()
    for end in cable.ends:
        end.ctc.reset(cable.now_ns)
    cable.run()
    assert {end.heard()[-1] for end in cable.ends} == {"ready"}
    cable.issue_write(cable.near, 10)
    assert cable.far.heard() == ["attention"]


def test_time_of_an_io_that_is_cut_short_is_told_with_its_loss_and_no_other_is() -> None:
    cable = Cable().connect()
    start_ns = cable.now_ns
    cable.issue_write(cable.near, 10)
    cable.far.heard()
    lost_ns = cable.now_ns + 70_000
    cable.near.ctc.disconnect(lost_ns)
    lost = cable.near.told(DeviceLost)
    assert (lost.times.pend_ns, lost.times.serv_ns) == (PLAIN.io_ns, lost_ns - start_ns)
    cable.far.ctc.disconnect(lost_ns)  # it had no I/O
    lost = cable.far.told(DeviceLost)
    assert lost.times.serv_ns == 0


@pytest.mark.parametrize("matched", [False, True])
def test_reader_that_gives_up_receives_nothing_any_more(
    monkeypatch: pytest.MonkeyPatch, matched: bool
) -> None:
    cable, changes = Cable().connect(), []
    cable.issue_write(cable.near, 100_000)

    def observe(change: int, load: CommandFrame, now_ns: int) -> None:
        changes.append((change, load.length, now_ns))

    monkeypatch.setattr(cable.far.chpid, "observe", observe)
    if matched:
        cable.start(cable.far, Command.READ)
        cable.run(cable.now_ns + 50_000)
    cable.far.ctc.reset(cable.now_ns)
    expected = [(1, 100_000), (-1, 100_000)] if matched else []
    assert [change[:2] for change in changes] == expected
    signals = [each.frame for each in cable.far.departures if isinstance(each.frame, StatusFrame)]
    assert [frame.signal for frame in signals] == [Signal.RESET]


def charged(cable: Cable) -> list[tuple[int, int, int]]:
    """What each end's channel has under way: transfers that go out, turns of either way."""
    queues = [end.chpid.queue for end in cable.ends]
    return [(queue.out_count, queue.out_turns_ns, queue.in_turns_ns) for queue in queues]


def test_nothing_of_a_write_is_left_to_the_channels_once_it_has_ended_or_was_cut_short() -> None:
    cable = Cable(profile=replace(PLAIN, turn_ns=5_000)).connect()
    near, far = cable.ends
    nothing = [(0, 0, 0)] * 2
    cable.start(far, Command.READ)
    cable.issue_write(near, 100_000)
    assert charged(cable) == nothing
    cable.start(near, Command.READ)
    cable.write(far, 100_000)
    cable.run(cable.now_ns + 50_000)
    assert charged(cable) == [(0, 0, 5_000), (1, 5_000, 0)]
    for _ in range(2):  # in its midst, and before anybody has read it
        far.ctc.reset(cable.now_ns)
        cable.run()
        assert charged(cable) == nothing
        cable.issue_write(far, 100_000)
    far.ctc.reset(cable.now_ns)
    cable.run()
    cable.start(near, Command.READ)
    near.ctc.reset(cable.now_ns)  # of a read that no write has met, after one that was met
    assert charged(cable) == nothing


def test_nothing_is_left_of_a_write_whose_data_the_mate_has_had_some_other_way() -> None:
    cable = Cable(profile=replace(PLAIN, turn_ns=5_000)).connect()
    cable.write(cable.near, 100_000)
    cable.near.ctc.receive_frame(CommandFrame(Command.READ, 1), cable.now_ns)
    cable.near.ctc.receive_frame(StatusFrame(Signal.RECEIVED, 1), cable.now_ns)
    cable.write(cable.near, 100_000)
    cable.near.ctc.reset(cable.now_ns)
    assert charged(cable) == [(0, 0, 0)] * 2


def test_what_an_end_says_of_itself_has_the_number_of_its_last_command() -> None:
    cable = Cable().connect()
    near = cable.near
    cable.issue_write(near, 10)
    near.ctc.reset(cable.now_ns)
    near.ctc.retire(cable.now_ns)
    near.ctc.connect(cable.now_ns)
    said = [each.frame for each in near.departures if isinstance(each.frame, StatusFrame)]
    assert [(frame.signal, frame.serial) for frame in said] == [
        (Signal.RESET, 1),
        (Signal.NOT_READY, 1),
        (Signal.READY, 1),
    ]
