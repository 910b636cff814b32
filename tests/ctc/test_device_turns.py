"""What CP is told waits for its turn among the transfers that the chpid sends."""

from msgspec.structs import replace

from ctc.address import Rdev
from ctc.device import Arbitration, Ctc
from ctc.queues import Fifo
from ctc.subchannel import Command
from tests.ctc.cable import PLAIN, PROPAGATION_NS, Cable, Cargo

TURN_NS = 5_000
IO_NS = PLAIN.io_ns


def busy(arbitration: Arbitration = Arbitration.BOTH_FAIL) -> tuple[Cable, int]:
    """The far end's chpid sends something long; since when."""
    cable = Cable(far=arbitration, profile=replace(PLAIN, turn_ns=TURN_NS)).connect()
    chpid = cable.far.chpid
    other = Ctc(Rdev(0x7001), chpid, Arbitration.BOTH_FAIL, Fifo(), Fifo())
    chpid.begin(other, Cargo(10**9), cable.now_ns)
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
    other = Ctc(Rdev(0x7001), far.chpid, Arbitration.BOTH_FAIL, Fifo(), Fifo())
    far.chpid.begin(other, Cargo(10**9), cable.now_ns)
    cable.write(near, 100)
    cable.run(cable.now_ns + IO_NS + PROPAGATION_NS)
    near.ctc.retire(cable.now_ns)
    near.ctc.connect(cable.now_ns)
    far.chpid.abandon(other, Cargo(10**9), cable.now_ns)
    cable.run()
    assert far.heard() == ["lost", "ready"]
    cable.write(near, 100)
    cable.run()
    assert far.heard() == ["attention"]
    cable.write(far, 100)
    cable.run()
    assert far.heard() == ["WRITE busy"]
