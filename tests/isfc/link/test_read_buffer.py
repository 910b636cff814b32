"""A CTC's read buffer: nothing is read there before the last package is handed over."""

from dataclasses import replace

import pytest

from ctc.address import Rdev
from ctc.subchannel import Command, UnitStatus
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts
from isfc.link.state import DeviceState
from tests.isfc.link.link_harness import PARAMETERS, A, B, C, D, Door, theirs

BUILD_NS = PARAMETERS.build_package_ns
DISPATCH_NS = PARAMETERS.dispatch_ns
RELEASE_NS = DISPATCH_NS
SLOW = replace(PARAMETERS, receive_ns_per_byte=2.0, single_ctc_release_ns_per_byte=2.0)


def package(number: int) -> Package:
    """One of the partner's packages."""
    return theirs(number, number, length=70_000)


RECEIVE_NS = LinkCosts(SLOW).receive_ns(package(0))
"""How long one of them is received: longer than one of ours is built."""


def all_read(*rdevs: Rdev, lesser: bool = True) -> tuple[Door, int]:
    """A package was read on each CTC at the same time; they are received in this order."""
    door = Door(ctc_count=4, parameters=SLOW, lesser=lesser)
    door.begin_read(*rdevs)
    for number, rdev in enumerate(rdevs):
        door.ended(rdev, Command.READ, package(number))
    return door, door.now_ns


def full_under_our_write() -> tuple[Door, int, Package]:
    """Our write is begun on A, where the partner's attention and last package both wait."""
    door, start_ns = all_read(B, A)
    door.send(100)
    door.attend(A)
    door.step()
    assert door.now_ns == start_ns + BUILD_NS
    assert door.is_full(A)
    return door, start_ns, door.written_on(A)


def test_buffer_is_full_from_the_end_of_read_until_the_package_is_handed_over() -> None:
    door = Door(parameters=SLOW)
    door.begin_read(C)
    full = [door.is_full(C)]
    door.ended(C, Command.READ, package(0))
    full.append(door.is_full(C))
    read_ns = door.now_ns
    door.link.handle_deadline(read_ns + RECEIVE_NS - 1)
    full.append(door.is_full(C))
    door.link.handle_deadline(read_ns + RECEIVE_NS)
    full.append(door.is_full(C))
    assert full == [False, True, True, False]


def test_attention_is_answered_once_the_last_package_of_its_ctc_is_handed_over() -> None:
    door, start_ns = all_read(B, C)
    door.attend(*[C] * 100)  # its package waits for the other; they are answered once
    assert door.story() == [*handed_over(start_ns), sensed(start_ns, C)]
    received_ns = start_ns + 2 * RECEIVE_NS
    assert (door.link.rx_lock.free, door.now_ns) == (True, received_ns + DISPATCH_NS)
    door.ended(C, Command.SENSE_COMMAND_BYTE)
    assert door.story() == [(received_ns + 2 * DISPATCH_NS, "READ", C)]
    door.ended(C, Command.READ, package(2))
    assert door.story() == [(received_ns + 2 * DISPATCH_NS + RECEIVE_NS, "Delivered", None)]


def test_full_buffer_keeps_no_attention_of_another_ctc() -> None:
    door, start_ns = all_read(B, C)
    door.attend(C, D, B)
    first_ns = start_ns + RECEIVE_NS
    second_ns = first_ns + 2 * DISPATCH_NS + RECEIVE_NS
    assert door.story() == [
        (first_ns, "Delivered", None),
        (first_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", D),
        (first_ns + 2 * DISPATCH_NS, "SENSE_COMMAND_BYTE", B),
        (second_ns, "Delivered", None),
        (second_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
    ]


def test_attention_that_had_to_wait_for_its_buffer_goes_before_packages_that_wait() -> None:
    door, start_ns = all_read(B, C, D)
    door.attend(B)
    sensed_ns = start_ns + RECEIVE_NS + DISPATCH_NS
    assert door.story()[:2] == [
        (start_ns + RECEIVE_NS, "Delivered", None),
        (sensed_ns, "SENSE_COMMAND_BYTE", B),
    ]
    assert door.now_ns == sensed_ns + 2 * RECEIVE_NS


def handed_over(start_ns: int) -> list[tuple[int, str, Rdev | None]]:
    """What is told of two packages that are received one after the other."""
    return [(start_ns + number * RECEIVE_NS, "Delivered", None) for number in (1, 2)]


def sensed(start_ns: int, rdev: Rdev) -> tuple[int, str, Rdev]:
    """What is told of the attention that waited for the second of them."""
    return start_ns + 2 * RECEIVE_NS + DISPATCH_NS, "SENSE_COMMAND_BYTE", rdev


def lose_and_restore(door: Door, how: str) -> None:
    """C is lost, or taken out of the link, and is ready again."""
    if how == "deactivated":
        door.link.deactivate(C)
    door.lose(C)
    if how == "deactivated":
        door.link.activate(C)
    door.ready(C)
    assert door.state(C) is DeviceState.IDLE


@pytest.mark.parametrize("how", ["lost", "deactivated"])
def test_attention_of_a_ctc_that_was_lost_with_a_full_buffer_is_answered_after_the_hand_over(
    how: str,
) -> None:
    door, start_ns = all_read(B, C)
    lose_and_restore(door, how)
    door.attend(C)
    assert door.story() == [*handed_over(start_ns), sensed(start_ns, C)]
    door.sense(C)


def test_read_that_ends_after_its_ctc_was_given_up_fills_the_buffer_until_the_hand_over() -> None:
    door = Door(ctc_count=4, parameters=SLOW)
    door.begin_read(B, C)
    start_ns = door.now_ns
    door.ended(B, Command.READ, package(0))
    door.link.deactivate(C)
    door.ended(C, Command.READ, package(1))
    door.lose(C)
    door.link.activate(C)
    door.ready(C)
    door.attend(C)
    assert door.story() == [*handed_over(start_ns), sensed(start_ns, C)]


@pytest.mark.parametrize("ready", [False, True])
def test_attention_before_its_ctc_was_lost_with_a_full_buffer_is_not_answered(ready: bool) -> None:
    door, start_ns = all_read(B, C)
    door.attend(C)
    if ready:
        lose_and_restore(door, "lost")
    else:
        door.lose(C)
    assert door.story() == handed_over(start_ns)
    assert not door.is_full(C)
    assert door.link.rx_lock.free
    assert door.state(C) is (DeviceState.IDLE if ready else DeviceState.DOWN)


def test_write_is_built_and_started_on_a_ctc_whose_buffer_is_full() -> None:
    door, start_ns = all_read(A)
    door.send(100)
    assert door.state(A) is DeviceState.BUILDING
    assert door.story() == [
        (start_ns + BUILD_NS, "WRITE", A),
        (start_ns + RECEIVE_NS, "Delivered", None),
    ]


def test_write_on_a_full_ctc_that_is_over_before_the_hand_over_leaves_it_free_for_another() -> None:
    door, start_ns = all_read(B, A)
    door.send(100)
    door.step()
    door.ended(A, Command.WRITE, door.written_on(A))
    door.send(100)
    assert door.state(A) is DeviceState.WRITING  # it waits for the lock to be released
    released_ns = start_ns + RECEIVE_NS + RELEASE_NS
    assert door.story() == [
        (start_ns + RECEIVE_NS, "Delivered", None),
        (released_ns + BUILD_NS, "WRITE", A),
        (released_ns + RECEIVE_NS, "Delivered", None),
    ]


def test_attention_that_waits_for_the_buffer_when_our_write_is_over_keeps_the_ctc() -> None:
    door, start_ns, ours = full_under_our_write()
    door.ended(A, Command.WRITE, ours)
    door.send(100_000)  # opens another
    received_ns = start_ns + 2 * RECEIVE_NS + RELEASE_NS
    assert door.story() == [
        (start_ns + RECEIVE_NS, "Delivered", None),
        (start_ns + 2 * BUILD_NS, "WRITE", B),
        (received_ns, "Delivered", None),
        (received_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", A),
    ]


def test_attention_whose_buffer_is_free_again_while_our_write_runs_is_answered_after_that() -> None:
    door, start_ns, ours = full_under_our_write()
    assert door.story() == handed_over(start_ns)
    ended_ns = door.now_ns
    door.ended(A, Command.WRITE, ours)
    assert door.story() == [(ended_ns + RELEASE_NS + DISPATCH_NS, "SENSE_COMMAND_BYTE", A)]


def test_write_on_a_full_ctc_that_finds_the_partners_there_goes_to_another_ctc() -> None:
    door, start_ns, ours = full_under_our_write()
    door.ended(A, Command.WRITE, ours, UnitStatus.BUSY_ATTENTION)
    assert door.state(A) is DeviceState.YIELDING
    received_ns = start_ns + 2 * RECEIVE_NS
    assert door.story() == [
        (start_ns + BUILD_NS + 1, "WRITE", B),
        (start_ns + RECEIVE_NS, "Delivered", None),
        (received_ns, "Delivered", None),
        (received_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", A),
    ]


def test_write_that_collides_on_a_full_ctc_goes_to_another_and_no_attention_is_left() -> None:
    door, start_ns, ours = full_under_our_write()
    collided_ns = door.now_ns
    door.collide(A, ours)
    assert door.story() == [
        (collided_ns + 1, "WRITE", B),
        (start_ns + RECEIVE_NS, "Delivered", None),
        (start_ns + 2 * RECEIVE_NS, "Delivered", None),
    ]


def test_partner_that_writes_again_after_a_collision_waits_for_the_buffer_too() -> None:
    door, start_ns = all_read(C, D, lesser=False)
    door.send(100)  # the greater end writes on the last CTC first
    door.step()
    ours = door.written_on(D)
    door.collide(D, ours)
    door.attend(D)
    assert door.story() == [
        (start_ns + BUILD_NS + 1, "WRITE", C),
        *handed_over(start_ns),
        sensed(start_ns, D),
    ]


def test_both_ends_write_by_turns_on_a_single_ctc_whose_buffer_is_full_each_time() -> None:
    door = Door(ctc_count=1, parameters=SLOW)
    door.begin_read(A)
    for number in range(3):
        door.send(10_000)
        door.ended(A, Command.READ, package(number))
        assert door.state(A) is DeviceState.BUILDING
        door.step()  # ours is built while theirs is received
        door.ended(A, Command.WRITE, door.written_on(A))
        door.attend(A)  # theirs is still to be handed over, and ours to be released
        told = [(name, rdev) for _, name, rdev in door.story()]
        assert told == [("Delivered", None), ("SENSE_COMMAND_BYTE", A)]
        door.sense(A)
