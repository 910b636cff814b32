"""One end of a CTC, met by the other."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.device import Arbitration
from ctc.frame import CommandFrame
from ctc.state import WAITING_STATE, State
from ctc.subchannel import Collided, Command, DeviceLost, Ended, Ssch
from tests.ctc.cable import PLAIN, PROPAGATION_NS, Cable, Cargo
from tests.ctc.test_state import CLASSES, cells

WAITING = {state.name.lower(): command for command, state in WAITING_STATE.items()}
"""A command that puts an end into each state in which it waits."""


MATE_OF = {
    Arbitration.BOTH_FAIL: Arbitration.BOTH_FAIL,
    Arbitration.WIN: Arbitration.LOSE,
    Arbitration.LOSE: Arbitration.WIN,
}


def cable_with_far(column: str, near: Arbitration = Arbitration.BOTH_FAIL) -> Cable:
    """A cable whose far end is in one state of the table, and whose near end knows."""
    far = MATE_OF[near]
    if column == "not_ready":
        cable = Cable(near, far)
        cable.near.ctc.connect(0)
        cable.run()
        return cable
    cable = Cable(near, far).connect()
    if column != "available":
        command = WAITING[column]
        cable.issue(cable.far, command)
        cable.near.heard()
    return cable


def expected(
    command: Command, waiting: str, entry: str, near: Arbitration
) -> tuple[list[str], list[str]]:
    """What the near and the far end hear when ``command`` meets what waits there."""
    name = command.name
    match entry:
        case "end":
            return [f"{name} ended"], []
        case "+end":
            return [f"{name} ended"], [f"{waiting} ended"]
        case "+end,wait":
            return [], [f"{waiting} ended"]
        case "wait":
            return [], []
        case "wait,attn":
            return [], ["attention"]
        case "transfer":
            return [f"{name} ended"], [f"{waiting} ended"]
        case "check":
            return [f"{name} unit check"], []
    if near is Arbitration.BOTH_FAIL and name == waiting == "WRITE":
        return ["collided"], ["collided"]
    return [f"{name} busy"], []  # the mate's waits on


@pytest.mark.parametrize(
    ("command", "column", "entry"),
    [(command, column, entry) for row, column, entry in cells() for command in CLASSES[row]],
)
def test_command_meets_the_mates_as_tabulated(command: Command, column: str, entry: str) -> None:
    waiting = WAITING[column].name if column in WAITING else ""
    for near in Arbitration:
        cable = cable_with_far(column, near)
        cable.issue(cable.near, command)
        here, there = expected(command, waiting, entry, near)
        assert (cable.near.heard(), cable.far.heard()) == (here, there), near
        assert cable.near.ctc.idle == bool(here)
        if column not in ("available", "not_ready"):
            far_ended = bool(there) and there != ["attention"]
            assert cable.far.ctc.idle == far_ended


@pytest.mark.parametrize("column", ["control", "read", "write"])
def test_busy_end_lets_the_mates_command_wait_on(column: str) -> None:
    # what the mate has outstanding is as it was: asking again gives the same answer
    cable = cable_with_far(column)
    for _ in range(2):
        cable.issue(cable.near, Command.NO_OP)
        assert cable.near.heard() == ["NO_OP busy"]
    assert cable.far.ctc.state is State[column.upper()]


def test_package_is_written_sensed_and_read() -> None:
    cable = Cable().connect()
    cargo = cable.issue_write(cable.near, 1_000_000)
    assert cable.far.heard() == ["attention"]
    cable.issue(cable.far, Command.SENSE_COMMAND_BYTE)
    assert (cable.near.heard(), cable.far.heard()) == ([], ["SENSE_COMMAND_BYTE ended"])
    cable.issue(cable.far, Command.READ)
    for end, command in ((cable.near, Command.WRITE), (cable.far, Command.READ)):
        ended = end.told(Ended)
        assert (ended.command, ended.load) == (command, cargo)
        assert end.ctc.state is State.AVAILABLE


def test_times_of_a_write_say_what_it_waited_for() -> None:
    cable = Cable().connect()
    start_ns = cable.now_ns
    cable.write(cable.near, 1_000_000)
    cable.run(start_ns + 500_000)
    cable.issue(cable.far, Command.READ)
    write = cable.near.told(Ended)
    assert write.times.pend_ns == PLAIN.io_ns
    # attention after 10 + 1 us, the read half a millisecond later, 10 + 1 us under way
    assert write.times.disc_ns == 500_000 + PLAIN.io_ns + PROPAGATION_NS - PLAIN.io_ns
    line_ns = 1_000_000 * PLAIN.line_ns_per_byte
    assert write.times.conn_ns == pytest.approx(line_ns + 2 * PROPAGATION_NS, abs=2)
    assert write.times.serv_ns == cable.now_ns - start_ns


LATE = replace(PLAIN, interrupt_ns=30_000)
"""A channel whose interrupt for a transfer comes 30 us after its end."""


def test_transfer_is_over_before_its_interrupt_says_so() -> None:
    cable = Cable(profile=LATE).connect()
    cable.issue_write(cable.near, 10_000)
    cable.near.take(), cable.far.take()
    cable.start(cable.far, Command.READ)
    started_ns = cable.now_ns
    read_ns = started_ns + LATE.io_ns + 2 * PROPAGATION_NS + 40_000 + 1
    cable.run(read_ns + 100)
    assert (cable.far.ctc.state, cable.far.ctc.idle) == (State.AVAILABLE, True)
    times = cable.far.ctc.times_so_far(cable.now_ns)
    assert times.serv_ns == read_ns - started_ns  # it is not busy any more
    cable.run(read_ns + LATE.interrupt_ns - 1)
    assert cable.far.heard() == []
    cable.run()
    assert cable.far.heard() == ["READ ended"]
    assert cable.near.told(Ended).command is Command.WRITE
    assert cable.now_ns == read_ns + PROPAGATION_NS + LATE.interrupt_ns


def test_end_that_waits_for_its_interrupt_comes_up_before_the_mates_next_write() -> None:
    cable = Cable(profile=LATE).connect()
    cable.issue_write(cable.near, 10_000)
    cable.far.take()
    cable.start(cable.far, Command.READ)
    while cable.near.ctc.state is not State.AVAILABLE:
        cable.step()
    cable.near.take()
    cable.write(cable.near, 20_000)  # its own interrupt is early: some other channel's
    cable.run(cable.now_ns + LATE.io_ns + PROPAGATION_NS)
    assert cable.far.heard() == ["READ ended", "attention"]
    cable.run()
    assert cable.far.heard() == []


@pytest.mark.parametrize("command", [Command.WRITE, Command.READ])
def test_device_lost_before_an_interrupt_says_first_what_has_ended(command: Command) -> None:
    cable = Cable(profile=LATE).connect()
    cargo = cable.issue_write(cable.near, 10_000)
    cable.far.take()
    cable.start(cable.far, Command.READ)
    end = cable.near if command is Command.WRITE else cable.far
    while end.ctc.state is not State.AVAILABLE:
        cable.step()
    end.ctc.disconnect(cable.now_ns)
    ended, lost = end.take()
    assert isinstance(ended, Ended)
    assert (ended.command, ended.load) == (command, cargo)
    assert isinstance(lost, DeviceLost)
    assert lost.load is None
    cable.run()
    assert end.heard() == []


@pytest.mark.parametrize("length", [1, 100_000])
def test_write_that_finds_a_waiting_read_moves_at_once(length: int) -> None:
    # so short a write is on the fibre before its command has left
    cable = cable_with_far("read")
    cargo = cable.issue_write(cable.near, length)
    read = cable.far.told(Ended)
    assert read.load is cargo
    assert cable.near.heard() == ["WRITE ended"]
    assert cable.far.ctc.stale_count == 0


def test_write_and_read_that_cross_meet() -> None:
    cable = Cable().connect()
    cable.start(cable.far, Command.READ)
    cable.run(cable.now_ns + PLAIN.io_ns // 2)
    cable.issue_write(cable.near, 100)
    assert (cable.near.heard(), cable.far.heard()) == (["WRITE ended"], ["READ ended"])


def test_second_command_or_connection_at_once_is_our_bug() -> None:
    cable = Cable().connect()
    with pytest.raises(AssertionError, match="6000: connected already"):
        cable.near.ctc.connect(cable.now_ns)
    cable.write(cable.near, 10)
    with pytest.raises(AssertionError, match="6000: SSCH while an I/O is in progress"):
        cable.start(cable.near, Command.NO_OP)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 1),
            st.sampled_from([Command.WRITE, Command.READ, Command.PREPARE, Command.NO_OP]),
            st.integers(0, 60_000),
        ),
        max_size=12,
    ),
    st.sampled_from(list(Arbitration)),
)
@example([(0, Command.WRITE, 0), (1, Command.READ, 2_000)], Arbitration.BOTH_FAIL)
@example([(1, Command.READ, 8_000), (0, Command.WRITE, 0)], Arbitration.BOTH_FAIL)
def test_p5_times_of_every_io_add_up_to_its_duration(
    script: list[tuple[int, Command, int]], rule: Arbitration
) -> None:
    cable = Cable(rule, MATE_OF[rule]).connect()
    started_ns = [0, 0]

    def pass_time(until_ns: int) -> None:
        while cable.step(until_ns):
            for index, end in enumerate(cable.ends):
                for interrupt in end.take():
                    if isinstance(interrupt, Ended | Collided):
                        times = interrupt.times
                        assert min(times.pend_ns, times.disc_ns, times.conn_ns) >= 0
                        assert times.serv_ns == cable.now_ns - started_ns[index]

    for index, command, pause_ns in script:
        end = cable.ends[index]
        if end.ctc.idle:
            started_ns[index] = cable.now_ns
            cable.start(end, command)
        pass_time(cable.now_ns + pause_ns)
    pass_time(10**9)


def test_command_frames_are_numbered() -> None:
    cable = Cable().connect()
    serials = []
    for _ in range(3):
        cable.write(cable.near, 10)
        serials += [
            each.frame.serial
            for each in cable.near.departures
            if isinstance(each.frame, CommandFrame)
        ]
        cable.near.ctc.reset(cable.now_ns)
        cable.run()
    assert serials == [1, 2, 3]


def test_data_of_the_outstanding_write_can_be_had_before_they_are_asked_for() -> None:
    cable = Cable().connect()
    assert cable.near.ctc.data_of(0) is None
    cargo = cable.write(cable.near, 10)
    data = cable.near.ctc.data_of(1)
    assert data is not None
    assert (data.load, data.serial) == (cargo, 1)
    assert cable.near.ctc.data_of(2) is None
    cable.near.ctc.reset(cable.now_ns)
    assert cable.near.ctc.data_of(1) is None


def test_an_end_says_when_it_reads() -> None:
    cable = Cable().connect()
    said = [cable.near.ctc.reads]
    cable.start(cable.near, Command.READ)
    said.append(cable.near.ctc.reads)
    cable.issue_write(cable.far, 10)
    said.append(cable.near.ctc.reads)
    assert said == [False, True, False]


def test_a_write_tells_how_far_it_is_until_its_interrupt() -> None:
    cable = Cable(profile=replace(PLAIN, interrupt_ns=50_000)).connect()
    ctc, reader = cable.near.ctc, cable.far.ctc
    assert (ctc.moved_length(cable.now_ns), ctc.times_so_far(cable.now_ns).serv_ns) == (0, 0)
    begun_ns = cable.now_ns
    cable.issue_write(cable.near, 100_000)
    assert ctc.moved_length(cable.now_ns) == 0  # nobody reads yet
    cable.start(cable.far, Command.READ)
    moved = []
    while cable.near.heard() != ["WRITE ended"]:
        moved.append(ctc.moved_length(cable.now_ns))
        assert reader.moved_length(cable.now_ns) == 0
        if len({*moved}) < 30:
            assert ctc.times_so_far(cable.now_ns).serv_ns == cable.now_ns - begun_ns
        cable.run(cable.now_ns + 10_000)
    assert moved == sorted(moved)
    assert moved[-4:] == [100_000] * 4  # of 50 us until the interrupt
    assert len({*moved}) > 30
    assert (ctc.moved_length(cable.now_ns), ctc.times_so_far(cable.now_ns).serv_ns) == (0, 0)


def test_a_write_has_moved_whole_before_the_mate_has_all_of_it() -> None:
    cable = cable_with_far("read")
    cable.write(cable.near, 100_000)
    cable.run(cable.now_ns + 400_001 + PROPAGATION_NS // 2)
    assert not cable.near.ctc.idle
    assert cable.near.ctc.moved_length(cable.now_ns) == 100_000


@pytest.mark.parametrize("prompt", [False, True])
def test_the_end_of_a_write_is_told_sooner_where_that_is_asked_for(prompt: bool) -> None:
    cable = Cable(profile=replace(LATE, write_interrupt_ns=20_000)).connect()
    cable.issue(cable.far, Command.READ)
    ssch = Ssch(cable.near.ctc.rdev, Command.WRITE, Cargo(100), prompt)
    cable.near.ctc.start(ssch, cable.now_ns)
    while not cable.near.ctc.idle:
        cable.step()
    over_ns = cable.now_ns
    told_ns = over_ns + (20_000 if prompt else LATE.interrupt_ns)
    cable.run(told_ns - 1)
    assert cable.near.heard() == ["attention"]
    cable.run(told_ns)
    assert cable.near.heard() == ["WRITE ended"]
    assert cable.far.heard() == ([] if prompt else ["READ ended"])


@pytest.mark.parametrize(
    ("column", "command"),
    [
        ("prepare", Command.WRITE),
        ("prepare", Command.PREPARE),
        ("read", Command.WRITE_EOF),
        ("control", Command.SENSE_COMMAND_BYTE),
    ],
)
def test_after_commands_that_have_met_either_end_may_write(column: str, command: Command) -> None:
    cable = cable_with_far(column)
    cable.issue(cable.near, command)
    if command is Command.WRITE:  # it has ended the other, and waits
        cable.issue(cable.far, Command.READ)
    for writer, reader in (cable.ends, cable.ends[::-1]):
        cable.expect_to_carry(writer, reader)
