"""What a link does about collisions, lost devices and missing interrupts."""

import pytest

from ctc.address import Rdev
from ctc.queues import NEVER_NS
from ctc.subchannel import Command, DeviceLost, UnitStatus
from isfc.link.events import Delivered, DeviceChanged, LinkDown, Sent
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from tests.isfc.link.link_harness import NO_TIMES, PARAMETERS, TIMES, A, B, C, Door, theirs


def after_collision(*, lesser: bool = True, ctc_count: int = 1) -> tuple[Door, Rdev, Package]:
    """An end whose write has just collided."""
    door = Door(lesser=lesser, ctc_count=ctc_count)
    rdev, package = door.write(100)
    door.collide(rdev, package)
    return door, rdev, package


def collided_and_read() -> tuple[Door, Rdev, Package]:
    """The greater end after a collision: the partner's package is read, ours is next."""
    door, rdev, package = after_collision(lesser=False)
    door.begin_read(rdev)
    door.ended(rdev, Command.READ, theirs(0, 0))
    return door, rdev, package


@pytest.mark.parametrize("lesser", [True, False])
def test_lesser_writes_first_after_the_first_collision_on_the_only_ctc(lesser: bool) -> None:
    door, rdev, package = after_collision(lesser=lesser)
    collided_ns = door.now_ns
    assert door.link.counters.collision_count == 1
    if not lesser:
        assert door.state(rdev) is DeviceState.YIELDING
        assert door.asks() == []
        return
    assert door.state(rdev) is DeviceState.RECOVERING
    door.work()
    assert door.now_ns == collided_ns + PARAMETERS.recovery_ns
    assert door.written() == (rdev, package)


@pytest.mark.parametrize("lesser", [True, False])
def test_with_several_ctcs_the_package_goes_first_on_another_and_the_ctc_is_left_alone(
    lesser: bool,
) -> None:
    door, rdev, _ = after_collision(lesser=lesser, ctc_count=3)
    collided_ns = door.now_ns
    assert door.state(rdev) is DeviceState.RECOVERING
    free_ns = collided_ns + PARAMETERS.recovery_ns * (1 if lesser else PARAMETERS.greater_recovery)
    assert door.story() == [(collided_ns + 1, "WRITE", B)]
    assert door.now_ns == free_ns
    assert door.state(rdev) is DeviceState.IDLE
    assert door.link.counters.collision_count == 1


def test_partner_that_writes_where_we_collided_is_read_before_that_ctc_is_free() -> None:
    door, rdev, _ = after_collision(ctc_count=3)
    door.attend(rdev)
    assert door.asks() == [("WRITE", B), ("SENSE_COMMAND_BYTE", rdev)]
    assert door.state(rdev) is DeviceState.ATTENTION
    assert door.link.due_ns > door.now_ns + PARAMETERS.recovery_ns  # no recovery any more


@pytest.mark.parametrize("lesser", [True, False])
def test_another_ctc_ends_the_turns_after_a_collision_and_nothing_waits_for_the_partner(
    lesser: bool,
) -> None:
    door = Door(lesser=lesser, ctc_count=2)
    lost = B if lesser else A
    door.lose(lost)
    rdev, package = door.write(100)
    door.collide(rdev, package)
    door.ready(lost)
    door.work()
    again, written = door.written()
    assert (written, door.asked()) == (package, [])
    door.ended(again, Command.WRITE, package)
    door.work()
    assert {door.state(each) for each in (A, B)} == {DeviceState.IDLE}


def after_our_turn() -> tuple[Door, Rdev]:
    """The lesser end, whose write has collided and was then read: it is the partner's turn."""
    door, rdev, package = after_collision()
    door.work()
    door.asked()
    door.ended(rdev, Command.WRITE, package)
    door.step()
    return door, rdev


def test_after_ours_it_is_the_partners_turn_and_then_the_device_is_free() -> None:
    door, rdev = after_our_turn()
    door.work()
    assert door.state(rdev) is DeviceState.YIELDING
    door.read(rdev, theirs(0, 0))
    assert door.state(rdev) is DeviceState.IDLE


def test_device_that_is_ready_again_in_the_partners_turn_owes_it_no_turn() -> None:
    door, rdev = after_our_turn()
    door.work()
    door.ready(rdev)
    again, package = door.write(100)
    assert again == rdev
    door.ended(rdev, Command.WRITE, package)
    door.work()
    assert door.state(rdev) is DeviceState.IDLE


def test_after_the_partners_it_is_our_turn_and_then_the_device_is_free() -> None:
    door, rdev, package = collided_and_read()
    assert door.written()[1] is package
    door.ended(rdev, Command.WRITE, package)
    door.work()
    assert door.state(rdev) is DeviceState.IDLE


def test_lesser_end_writes_first_after_every_collision() -> None:
    lesser, greater = doors = [Door(lesser=each, ctc_count=1) for each in (True, False)]
    ctcs = [door.write(100) for door in doors]
    for number in range(4):
        for door, (rdev, package) in zip(doors, ctcs, strict=True):
            door.collide(rdev, package)
        states = [door.state(rdev) for door, (rdev, _) in zip(doors, ctcs, strict=True)]
        assert states == [DeviceState.RECOVERING, DeviceState.YIELDING]
        lesser.work()
        greater.begin_read(ctcs[1][0])
        greater.ended(ctcs[1][0], Command.READ, theirs(number, number))
        again = [door.asked() for door in doors]
        assert again == [[("WRITE", rdev)] for rdev, _ in ctcs]
    assert [door.link.counters.collision_count for door in doors] == [4, 4]


def test_attention_before_our_write_is_begun_lets_them_collide_again() -> None:
    # the swarm found it: the partner wrote again before our READ's interrupt came
    door, rdev, package = collided_and_read()
    door.attend(rdev)
    assert door.asks() == [("WRITE", rdev)]  # there is no SENSE while that is under way
    assert door.state(rdev) is DeviceState.WRITING
    door.collide(rdev, package)
    assert door.asks() == []  # the attention was of a write that has failed too
    door.read(rdev, theirs(1, 1))
    assert door.written() == (rdev, package)
    door.ended(rdev, Command.WRITE, package)
    door.work()
    assert door.state(rdev) is DeviceState.IDLE


def test_partners_write_in_our_recovery_is_read_before_ours_is_written_again() -> None:
    door, rdev, package = after_collision()
    door.now_ns += PARAMETERS.recovery_ns - PARAMETERS.dispatch_ns - 1
    door.attend(rdev)
    assert door.asks() == [("SENSE_COMMAND_BYTE", rdev)]  # its turn comes before that is over
    door.sense(rdev)
    door.ended(rdev, Command.READ, theirs(0, 0))
    assert door.written() == (rdev, package)
    door.ended(rdev, Command.WRITE, package)
    door.work()
    assert door.state(rdev) is DeviceState.IDLE  # the partner has had its turn


def test_recovery_that_is_over_before_the_attentions_turn_writes_again() -> None:
    door, rdev, _ = after_collision()
    written_ns = door.now_ns + PARAMETERS.recovery_ns
    door.now_ns = written_ns - PARAMETERS.dispatch_ns + 1
    door.attend(rdev)
    assert door.story() == [(written_ns, "WRITE", rdev)]
    assert door.link.rx_lock.free  # its turn came, and found the write


def test_lost_device_gives_its_package_to_another() -> None:
    door = Door()
    rdev, package = door.write(100)
    door.lose(rdev, package)
    door.lose(C, times=NO_TIMES)  # no I/O was under way there
    assert [door.link.ctcs[each].counters.io_count for each in (rdev, C)] == [1, 0]
    changes = [(e.rdev, e.usable) for e in door.events() if isinstance(e, DeviceChanged)]
    assert changes == [(rdev, False), (C, False)]
    assert door.link.due_ns == door.now_ns + 1  # it is built already
    door.work()
    assert door.written() == (B, package)
    door.ready(C)
    change = door.told(DeviceChanged)
    assert (change.rdev, change.usable) == (C, True)


def test_device_lost_in_its_recovery_gives_up_the_package_it_held() -> None:
    door, rdev, _ = after_collision(ctc_count=3)
    door.lose(rdev)
    assert door.asks() == [("WRITE", B)]


def test_device_lost_before_the_attention_is_answered() -> None:
    door = Door()
    door.send(100)
    door.attend(C)
    door.lose(C)
    assert door.asks() == [("WRITE", A)]


@pytest.mark.parametrize("command", [Command.WRITE, Command.READ])
def test_interrupt_after_its_device_was_given_up_loses_nothing(command: Command) -> None:
    door = Door()
    if command is Command.WRITE:
        rdev, package = door.write(100)
    else:
        rdev, package = C, theirs(0, 0)
        door.begin_read(rdev)
    door.asked()
    door.link.deactivate(rdev)
    door.events()
    door.ended(rdev, command, package)
    door.lose(rdev)
    door.work()
    told = Sent if command is Command.WRITE else Delivered
    assert [type(event) for event in door.events()] == [told]
    assert door.state(rdev) is DeviceState.INACTIVE
    assert door.link.state is LinkState.UP  # the other two
    assert door.asked() == []


def test_device_lost_before_its_write_is_begun_keeps_the_package_for_the_next() -> None:
    # both come up at the same time when a path goes just after a transfer; found by the property
    # that bytes arrive whatever CTCs are unplugged
    door, rdev, package = collided_and_read()
    door.lose(rdev)
    door.ready(rdev)
    door.work()
    assert door.written() == (rdev, package)
    assert door.link.poll_instruction() is None


def test_last_device_lost_takes_the_link_down_and_the_messages_wait() -> None:
    door = Door()
    for rdev in (A, B, C):
        door.lose(rdev)
    assert isinstance(door.events()[-1], LinkDown)
    states = [door.link.state]
    door.send(100)
    assert door.asks() == []
    door.ready(C)
    assert door.asks() == [("WRITE", C)]  # ours again: it is all there is
    assert [*states, door.link.state] == [LinkState.DOWN, LinkState.DEGRADED]


def test_scan_stops_short_of_what_is_left_and_one_ctc_has_small_packages() -> None:
    door = Door()
    packager, scheduler = door.link.packager, door.link.scheduler
    for usable, lost, order in (((A, B, C), A, (B,)), ((B, C), B, (C,))):
        assert scheduler.order == usable[:-1]
        assert (packager.limit, packager.appc_limit) == (PARAMETERS.package_limit,) * 2
        door.lose(lost)
        assert scheduler.order == order
    assert (packager.limit, packager.appc_limit) == PARAMETERS.limits(single_ctc=True)
    door.ready(A)
    assert scheduler.order == (A,)
    assert (packager.limit, packager.appc_limit) == (PARAMETERS.package_limit,) * 2


def test_missing_interrupt_resets_the_device() -> None:
    door = Door()
    rdev, package = door.write(100)
    started_ns = door.now_ns
    due_ns = door.link.due_ns
    assert due_ns == started_ns + PARAMETERS.mih_ns
    door.link.handle_deadline(due_ns - 1)
    assert door.asked() == []
    door.link.handle_deadline(due_ns)
    assert door.asked() == [("HALT", rdev)]
    assert door.state(rdev) is DeviceState.RESETTING
    assert door.link.due_ns >= due_ns + PARAMETERS.build_package_ns  # it is given time
    door.now_ns = due_ns
    door.lose(rdev, package)
    door.ready(rdev)
    assert door.state(rdev) is DeviceState.IDLE
    assert door.asks() == [("WRITE", B)]  # begun while the device was being reset


def test_reset_that_is_not_answered_is_tried_again() -> None:
    door = Door()
    rdev, _ = door.write(100)
    for _ in range(3):
        due_ns = door.link.due_ns
        assert due_ns < NEVER_NS
        door.link.handle_deadline(due_ns)
        assert door.asked() == [("HALT", rdev)]
    assert door.link.state is LinkState.DEGRADED


@pytest.mark.parametrize("command", [Command.WRITE, Command.READ])
@pytest.mark.parametrize("status", [UnitStatus.BUSY_ATTENTION, UnitStatus.UNIT_CHECK])
def test_end_that_makes_no_sense_resets_the_device_and_loses_nothing(
    command: Command, status: UnitStatus
) -> None:
    door = Door()
    rdev, package = door.write(100)
    door.ended(rdev, command, package if command is Command.WRITE else None, status)
    assert ("HALT", rdev) in door.asked()
    door.lose(rdev, package if command is Command.READ else None)
    assert door.asks() == [("WRITE", B)]


def test_halt_is_for_the_device_that_is_stuck_only() -> None:
    door = Door()
    door.write(100)
    door.now_ns += 1
    door.attend(C)
    door.work()
    door.asked()
    due_ns = door.link.due_ns
    assert due_ns < NEVER_NS
    door.link.handle_deadline(due_ns)
    assert door.asked() == [("HALT", A)]


def expect_reset(door: Door, since_ns: int, rdev: Rdev) -> None:
    """The device is reset a missing-interrupt interval after ``since_ns``, and no sooner."""
    due_ns = since_ns + PARAMETERS.mih_ns
    door.link.handle_deadline(due_ns - 1)
    assert door.asked() == []
    door.link.handle_deadline(due_ns)
    assert door.asked() == [("HALT", rdev)]


def test_device_lost_in_its_reset_has_another_interval_to_be_ready() -> None:
    door = Door()
    rdev, _ = door.write(100)
    halted_ns = door.link.due_ns
    door.link.handle_deadline(halted_ns)
    door.asked()
    lost_ns = halted_ns + PARAMETERS.mih_ns - 1
    door.link.receive_interrupt(DeviceLost(rdev, None, TIMES), lost_ns)
    expect_reset(door, lost_ns, rdev)


def test_partners_write_that_cannot_be_read_resets_the_device() -> None:
    door = Door()
    door.now_ns = 1_000
    door.attend(C)
    assert door.asks() == [("SENSE_COMMAND_BYTE", C)]
    expect_reset(door, 1_000 + PARAMETERS.dispatch_ns, C)  # from its turn on


def test_partner_that_never_takes_its_first_turn_loses_the_device_and_not_our_package() -> None:
    door, rdev, package = after_collision(lesser=False)
    collided_ns = door.now_ns
    expect_reset(door, collided_ns, rdev)
    door.now_ns = collided_ns + PARAMETERS.mih_ns
    door.ready(rdev)
    door.work()
    assert door.written() == (rdev, package)


def test_partner_that_never_takes_its_second_turn_loses_the_device() -> None:
    door, rdev = after_our_turn()
    expect_reset(door, door.now_ns, rdev)
    assert door.link.state is LinkState.DOWN


def test_recovery_without_a_package_is_a_bug_that_shows() -> None:
    door, rdev, _ = after_collision()
    door.link.ctcs[rdev].package = None
    with pytest.raises(AssertionError, match=r"^nothing was held after a collision"):
        door.work()


def test_device_whose_sense_never_ends_is_reset_and_can_be_taken_out_then() -> None:
    door = Door()
    door.attend(A)
    assert door.asks() == [("SENSE_COMMAND_BYTE", A)]
    door.step()
    assert door.asked() == [("HALT", A)]
    assert door.state(A) is DeviceState.RESETTING
    door.link.deactivate(A)
    door.ready(A)
    assert door.state(A) is DeviceState.INACTIVE
