"""Both ends of a CTC write: what fails when, and that every package stays whole.

What CP is told waits for its turn among the transfers that the chpid sends.
"""

import pytest
from msgspec.structs import replace

from ctc.device import Arbitration
from ctc.state import State
from ctc.subchannel import Attention, Collided, Command, Ended, UnitStatus
from tests.ctc.cable import PLAIN, PROPAGATION_NS, Cable, Cargo
from tests.ctc.test_device import MATE_OF, cable_with_far


def test_two_writes_that_cross_both_fail_and_both_packages_are_whole() -> None:
    cable = Cable().connect()
    cargoes = [cable.write(end, length) for end, length in zip(cable.ends, (10, 20), strict=True)]
    cable.run()
    for end, cargo in zip(cable.ends, cargoes, strict=True):
        collided = end.told(Collided)
        assert collided.load is cargo
        assert end.ctc.state is State.AVAILABLE


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("delay_ns", [0, 5_000, PLAIN.io_ns])
def test_with_a_winner_only_the_losers_write_fails(winner: int, delay_ns: int) -> None:
    rules = [Arbitration.LOSE, Arbitration.LOSE]
    rules[winner] = Arbitration.WIN
    cable = Cable(rules[0], rules[1]).connect()
    cargoes = [cable.write(cable.near, 10)]
    cable.run(cable.now_ns + delay_ns)
    cargoes.append(cable.write(cable.far, 20))
    cable.run()
    winning, losing = cable.ends[winner], cable.ends[1 - winner]
    collided, attention = losing.take()
    assert isinstance(collided, Collided)
    assert isinstance(attention, Attention)
    assert collided.load is cargoes[1 - winner]
    assert winning.heard() == []
    cable.issue(losing, Command.READ)
    assert (winning.heard(), losing.heard()) == (["WRITE ended"], ["READ ended"])


@pytest.mark.parametrize("rule", [Arbitration.WIN, Arbitration.LOSE])
def test_where_one_write_stays_a_late_one_fails_and_keeps_its_package(rule: Arbitration) -> None:
    cable = Cable(MATE_OF[rule], rule).connect()
    cable.issue_write(cable.near, 10)
    assert cable.far.heard() == ["attention"]
    cargo = cable.issue_write(cable.far, 20)
    ended = cable.far.told(Ended)
    assert (ended.status, ended.load) == (UnitStatus.BUSY_ATTENTION, cargo)
    assert cable.near.heard() == []
    cable.issue(cable.far, Command.READ)
    assert (cable.near.heard(), cable.far.heard()) == (["WRITE ended"], ["READ ended"])


def test_where_neither_stays_a_late_write_collides_and_both_packages_are_whole() -> None:
    cable = Cable().connect()
    early = cable.issue_write(cable.near, 10)
    assert cable.far.heard() == ["attention"]
    started_ns = cable.now_ns
    late = cable.write(cable.far, 20)
    left_ns = started_ns + PLAIN.io_ns
    cable.run(left_ns - 1)
    assert (cable.near.heard(), cable.far.heard()) == ([], [])
    assert not cable.far.ctc.idle
    cable.run(left_ns)
    (ours,) = cable.far.take()
    cable.run(left_ns + PROPAGATION_NS - 1)
    assert not cable.near.ctc.idle
    cable.run(left_ns + PROPAGATION_NS)
    (theirs,) = cable.near.take()
    for collided, cargo in ((ours, late), (theirs, early)):
        assert isinstance(collided, Collided)
        assert collided.load is cargo
    assert isinstance(ours, Collided)
    assert (ours.times.pend_ns, ours.times.serv_ns) == (PLAIN.io_ns, PLAIN.io_ns)
    cable.run()
    for end in cable.ends:
        assert (end.heard(), end.ctc.state, end.ctc.idle) == ([], State.AVAILABLE, True)
        assert end.ctc.stale_count == 0


def test_late_write_collides_once_its_command_has_left_however_long_that_takes() -> None:
    cable = Cable(profile=replace(PLAIN, turn_ns=100_000)).connect()
    cable.issue_write(cable.near, 10)
    cable.far.heard()
    cable.keep_busy(cable.far, 50_000)  # takes 200 us
    started_ns = cable.now_ns
    cable.write(cable.far, 20)
    cable.run(started_ns + PLAIN.io_ns + 100_000 - 1)
    assert (cable.near.heard(), cable.far.heard()) == ([], [])
    cable.run(started_ns + PLAIN.io_ns + 100_000 + PROPAGATION_NS)
    assert (cable.near.heard(), cable.far.heard()) == (["collided"], ["collided"])


@pytest.mark.parametrize("writer", [0, 1], ids=["the early end", "the late end"])
def test_after_a_late_collision_either_end_may_write(writer: int) -> None:
    cable = Cable().connect()
    for end in cable.ends:
        cable.issue_write(end, 10)
    assert (cable.near.heard(), cable.far.heard()) == (["collided"], ["attention", "collided"])
    cable.expect_to_carry(cable.ends[writer], cable.ends[1 - writer])


def test_late_write_after_a_sense_collides_too() -> None:
    cable = cable_with_far("write")
    cable.issue(cable.near, Command.SENSE_COMMAND_BYTE)
    assert cable.near.heard() == ["SENSE_COMMAND_BYTE ended"]
    cable.issue(cable.near, Command.WRITE)
    assert (cable.near.heard(), cable.far.heard()) == (["collided"], ["collided"])


@pytest.mark.parametrize(
    ("command", "ended"),
    [(Command.WRITE, "collided"), (Command.SENSE_COMMAND_BYTE, "SENSE_COMMAND_BYTE ended")],
)
def test_what_ends_by_itself_has_ended_when_the_mates_next_write_is_shown(
    command: Command, ended: str
) -> None:
    # live, frames may be received before the end of an I/O that was due is looked at
    cable = cable_with_far("write" if command is Command.WRITE else "available")
    cable.start(cable.near, command)
    while cable.near.departures:
        cable.far.ctc.receive_frame(cable.near.departures.pop().frame, cable.now_ns)
    cable.write(cable.far, 20)
    while cable.far.departures:
        cable.near.ctc.receive_frame(cable.far.departures.pop().frame, cable.now_ns)
    assert cable.near.heard() == [ended, "attention"]
    cable.run()
    assert cable.near.heard() == []


@pytest.mark.parametrize("command", [Command.CONTROL, Command.WRITE])
def test_control_that_crosses_a_command_is_busy(command: Command) -> None:
    cable = Cable().connect()
    cable.start(cable.near, Command.CONTROL)
    cable.issue(cable.far, command)
    assert cable.near.heard() == ["CONTROL busy"]
    assert cable.far.heard() == ["collided" if command is Command.WRITE else "CONTROL busy"]


@pytest.mark.parametrize("near", [Arbitration.LOSE, Arbitration.BOTH_FAIL])
def test_write_that_fails_before_it_has_left_does_not_come_as_a_new_one(near: Arbitration) -> None:
    # what the fibre is sending holds up our command so long that the mate's comes first
    far = Arbitration.WIN if near is Arbitration.LOSE else near
    cable = Cable(near, far, replace(PLAIN, turn_ns=100_000)).connect()
    other = cable.keep_busy(cable.near, 30_000)  # takes 120 us
    cargo = cable.write(cable.near, 10)
    cable.write(cable.far, 20)
    while not cable.near.interrupts:
        assert cable.step()
    assert cable.near.heard()[0] == "collided"
    cable.near.chpid.abandon(other, Cargo(30_000), cable.now_ns)
    if near is Arbitration.LOSE:
        cable.issue(cable.near, Command.READ)
        assert (cable.near.heard(), cable.far.heard()) == (["READ ended"], ["WRITE ended"])
    else:
        cable.start(cable.near, Command.WRITE, cargo)
        cable.run()
        assert (cable.near.heard(), cable.far.heard()) == ([], ["collided", "attention"])


def test_after_a_collision_either_end_may_write() -> None:
    cable = Cable().connect()
    for end in cable.ends:
        cable.write(end, 10)
    cable.run()
    for writer, reader in (cable.ends, cable.ends[::-1]):
        cable.expect_to_carry(writer, reader)


TURN_NS = 5_000
IO_NS = PLAIN.io_ns


def busy(arbitration: Arbitration = Arbitration.BOTH_FAIL) -> tuple[Cable, int]:
    """The far end's chpid sends something long; since when."""
    cable = Cable(far=arbitration, profile=replace(PLAIN, turn_ns=TURN_NS)).connect()
    cable.keep_busy(cable.far, 10**9)
    return cable, cable.now_ns


def test_attention_is_told_after_a_turn_of_what_goes_out() -> None:
    cable, start_ns = busy()
    cable.write(cable.near, 100)
    told_ns = start_ns + IO_NS + PROPAGATION_NS + TURN_NS
    cable.run(told_ns - 1)
    assert cable.far.heard() == []
    cable.run(told_ns)
    assert cable.far.heard() == ["attention"]


def test_write_before_the_attention_is_told_collides_and_no_attention_is_left() -> None:
    cable, start_ns = busy()
    cable.write(cable.near, 100)
    cable.run(start_ns + IO_NS + PROPAGATION_NS)
    cable.write(cable.far, 100)
    cable.run(start_ns + 10**6)
    assert [end.heard() for end in cable.ends] == [["collided"], ["collided"]]
    cable.write(cable.near, 100)  # the next one is told in its own turn
    cable.run(start_ns + 10**6 + IO_NS + PROPAGATION_NS + TURN_NS)
    assert cable.far.heard() == ["attention"]


def test_status_of_a_write_that_finds_the_mates_there_tells_the_attention() -> None:
    cable, start_ns = busy(Arbitration.LOSE)
    cable.write(cable.near, 100)
    cable.run(start_ns + IO_NS + PROPAGATION_NS)
    cable.write(cable.far, 100)
    cable.run(start_ns + 10**6)
    assert cable.far.heard() == ["attention", "WRITE busy"]


def test_sense_is_over_before_cp_is_told_in_its_turn() -> None:
    cable, start_ns = busy()
    cable.write(cable.near, 100)
    cable.run(start_ns + 10**6)
    assert cable.far.heard() == ["attention"]
    cable.start(cable.far, Command.SENSE_COMMAND_BYTE)
    over_ns = cable.now_ns + IO_NS + TURN_NS
    cable.run(over_ns)
    assert (cable.far.ctc.idle, cable.far.heard()) == (True, [])
    cable.run(over_ns + TURN_NS)
    assert cable.far.heard() == ["SENSE_COMMAND_BYTE ended"]


def test_mate_that_leaves_before_its_attention_is_told_shows_none() -> None:
    cable, start_ns = busy()
    cable.write(cable.near, 100)
    cable.run(start_ns + IO_NS + PROPAGATION_NS)
    cable.near.ctc.retire(cable.now_ns)
    cable.run(start_ns + 10**6)
    assert cable.far.heard() == ["lost"]


def test_attention_that_was_never_told_is_not_told_of_a_later_write() -> None:
    cable = Cable(Arbitration.WIN, Arbitration.LOSE, replace(PLAIN, turn_ns=TURN_NS)).connect()
    near, far = cable.ends
    other = cable.keep_busy(far, 10**9)
    cable.write(near, 100)
    cable.run(cable.now_ns + IO_NS + PROPAGATION_NS)
    near.ctc.retire(cable.now_ns)
    near.ctc.connect(cable.now_ns)
    far.chpid.abandon(other, Cargo(10**9), cable.now_ns)
    cable.run()
    assert far.heard() == ["lost", "ready"]
    cable.issue_write(near, 100)
    assert far.heard() == ["attention"]
    cable.issue_write(far, 100)
    assert far.heard() == ["WRITE busy"]
