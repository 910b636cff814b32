"""The two locks of a link's end: what waits for which, what goes on together, what never does."""

from dataclasses import replace

import pytest

from ctc.subchannel import Command
from isfc.link.message import Message, Traffic
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts
from isfc.testing.pair import Pair, Setup
from tests.isfc.link.link_harness import PARAMETERS, A, B, C, D, Door, theirs

COSTS = LinkCosts(PARAMETERS)
BUILD_NS = PARAMETERS.build_package_ns
DISPATCH_NS = PARAMETERS.dispatch_ns

APPC = theirs(0, 0, length=40_000, traffic=Traffic.LEGACY)
"""A package of the partner's whose message CP copies."""
SLOW = replace(PARAMETERS, receive_ns_per_byte=2.0)
"""ISFC Transport takes its time to be received, too."""


def appc_build_ns(length: int) -> int:
    """How long a package of one message of APPC/VM is built."""
    return COSTS.build_ns(Package(0, [Message(0, length, Traffic.LEGACY)], length))


def test_package_is_built_while_another_is_received() -> None:
    door = Door(parameters=SLOW)
    door.begin_read(C)
    start_ns = door.now_ns
    package = theirs(0, 0, length=50_000)
    door.ended(C, Command.READ, package)
    door.send(100)
    assert not door.link.rx_lock.free
    assert not door.link.tx_lock.free
    received_ns = start_ns + 2 * package.length
    assert door.link.due_ns == min(received_ns, start_ns + BUILD_NS)
    assert door.story() == [(start_ns + BUILD_NS, "WRITE", A), (received_ns, "Delivered", None)]


def test_attention_is_answered_while_a_package_is_built() -> None:
    door = Door()
    door.send(100, 100_000)  # the first is being built; the second opens a CTC after it
    door.attend(C)
    assert door.story() == [
        (DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (BUILD_NS, "WRITE", A),
        (2 * BUILD_NS, "WRITE", B),
    ]


def test_attentions_are_answered_one_after_the_other() -> None:
    door = Door()
    door.attend(C, B)
    assert door.story() == [
        (DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (2 * DISPATCH_NS, "SENSE_COMMAND_BYTE", B),
    ]
    assert door.link.rx_lock.free
    assert door.write(100)[0] == A


def two_read() -> tuple[Door, int, int]:
    """Two packages, one being received and one that waits: since when, and how long each takes."""
    door = Door(ctc_count=4, parameters=SLOW)
    door.begin_read(B, C)
    package, waiting = theirs(0, 0, length=10_000), theirs(1, 1, length=10_000)
    door.ended(B, Command.READ, package)
    door.ended(C, Command.READ, waiting)
    return door, door.now_ns, 2 * package.length


def test_packages_are_received_in_the_order_of_the_interrupts() -> None:
    door = Door(ctc_count=4, parameters=SLOW)
    door.begin_read(B, C, A)
    due_ns = door.now_ns
    expected: list[tuple[int, str, None]] = []
    for number, (rdev, length) in enumerate(((C, 10_000), (A, 30_000), (B, 20_000))):
        package = theirs(number, number, length=length)
        door.ended(rdev, Command.READ, package)
        due_ns += 2 * package.length
        expected.append((due_ns, "Delivered", None))
    assert door.story() == expected


def test_attention_is_answered_before_a_package_that_came_sooner_is_received() -> None:
    door = Door(ctc_count=4, parameters=SLOW)
    door.begin_read(B)
    start_ns = door.now_ns
    package = theirs(0, 0, length=10_000)
    door.attend(C)  # takes the lock
    door.ended(B, Command.READ, package)
    door.attend(A)
    assert door.story() == [
        (start_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (start_ns + 2 * DISPATCH_NS, "SENSE_COMMAND_BYTE", A),
        (start_ns + 2 * DISPATCH_NS + 2 * package.length, "Delivered", None),
    ]


def test_what_follows_interrupts_goes_before_packages_that_wait_and_in_its_own_order() -> None:
    door = Door(ctc_count=4, parameters=SLOW)
    door.begin_read(B, C)
    door.attend(D)
    assert door.asks() == [("SENSE_COMMAND_BYTE", D)]
    start_ns = door.now_ns
    package = theirs(0, 0, length=10_000)
    receive_ns = 2 * package.length
    door.ended(B, Command.READ, package)  # takes the lock
    door.ended(C, Command.READ, theirs(1, 1, length=10_000))
    door.ended(D, Command.SENSE_COMMAND_BYTE)
    door.attend(A)
    followed_ns = start_ns + receive_ns + 2 * DISPATCH_NS
    assert door.story() == [
        (start_ns + receive_ns, "Delivered", None),
        (followed_ns - DISPATCH_NS, "READ", D),
        (followed_ns, "SENSE_COMMAND_BYTE", A),
        (followed_ns + receive_ns, "Delivered", None),
    ]


def test_package_that_is_being_received_is_not_interrupted_by_an_attention() -> None:
    door, start_ns, receive_ns = two_read()
    door.now_ns = start_ns + receive_ns - 1
    door.attend(D)
    assert door.link.due_ns == start_ns + receive_ns
    assert door.story() == [
        (start_ns + receive_ns, "Delivered", None),
        (start_ns + receive_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", D),
        (start_ns + 2 * receive_ns + DISPATCH_NS, "Delivered", None),
    ]


def test_attention_that_comes_as_the_next_package_is_begun_waits_for_that_one() -> None:
    door, start_ns, receive_ns = two_read()
    door.step()
    assert door.now_ns == start_ns + receive_ns
    door.attend(D)
    assert door.story() == [
        (start_ns + receive_ns, "Delivered", None),
        (start_ns + 2 * receive_ns, "Delivered", None),
        (start_ns + 2 * receive_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", D),
    ]


def test_sense_that_is_over_waits_behind_the_holder_and_the_attentions_before_it() -> None:
    door = Door(parameters=SLOW)
    door.begin_read(B)
    door.attend(C)
    door.work()
    door.asked()
    start_ns = door.now_ns
    package = theirs(0, 0, length=10_000)
    door.ended(B, Command.READ, package)  # takes the lock
    door.attend(A)
    door.ended(C, Command.SENSE_COMMAND_BYTE)
    received_ns = start_ns + 2 * package.length
    assert door.story() == [
        (received_ns, "Delivered", None),
        (received_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", A),
        (received_ns + 2 * DISPATCH_NS, "READ", C),
    ]


def test_from_attention_to_read_is_a_dispatch_before_sense_and_one_after() -> None:
    door = Door()
    door.attend(C)
    assert door.story() == [(DISPATCH_NS, "SENSE_COMMAND_BYTE", C)]
    door.ended(C, Command.SENSE_COMMAND_BYTE)
    assert door.story() == [(2 * DISPATCH_NS, "READ", C)]


def appc_read_while_building() -> tuple[Door, int]:
    """APPC/VM has been read on C while a package of ours is built, begun at the time given."""
    door = Door(ctc_count=4)
    door.begin_read(C)
    start_ns = door.now_ns
    door.send(100)
    door.ended(C, Command.READ, APPC)
    return door, start_ns


@pytest.mark.parametrize("attended_ns", [None, 0, BUILD_NS - 1])
def test_appc_waits_for_the_package_that_was_begun_and_for_attentions_meanwhile(
    attended_ns: int | None,
) -> None:
    door, start_ns = appc_read_while_building()
    assert door.link.rx_lock.free  # it waits for the other lock
    built_ns = free_ns = start_ns + BUILD_NS
    told = [(built_ns, "WRITE", A)]
    if attended_ns is not None:
        door.now_ns = start_ns + attended_ns
        door.attend(B)
        sensed_ns = door.now_ns + DISPATCH_NS
        told = sorted([*told, (sensed_ns, "SENSE_COMMAND_BYTE", B)])
        free_ns = max(built_ns, sensed_ns)
    assert door.story() == [*told, (free_ns + COSTS.receive_ns(APPC), "Delivered", None)]


@pytest.mark.parametrize("traffic", list(Traffic))
def test_nothing_is_built_while_appc_is_received(traffic: Traffic) -> None:
    door = Door()
    door.begin_read(C)
    start_ns = door.now_ns
    door.ended(C, Command.READ, APPC)
    door.send(100, traffic=traffic)
    assert door.link.tx_lock.free
    received_ns = start_ns + COSTS.receive_ns(APPC)
    build_ns = BUILD_NS if traffic is Traffic.TRANSPORT else appc_build_ns(100)
    assert door.story() == [
        (received_ns, "Delivered", None),
        (received_ns + build_ns, "WRITE", A),
    ]


def test_no_attention_is_answered_while_appc_is_built() -> None:
    door = Door()
    door.send(20_000, traffic=Traffic.LEGACY)
    door.attend(C)
    assert door.link.rx_lock.free
    built_ns = appc_build_ns(20_000)
    assert door.story() == [
        (built_ns, "WRITE", A),
        (built_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
    ]


@pytest.mark.parametrize("traffic", list(Traffic))
def test_nothing_is_received_while_appc_is_built(traffic: Traffic) -> None:
    door = Door(parameters=SLOW)
    door.begin_read(C)
    start_ns = door.now_ns
    package = theirs(0, 0, length=10_000, traffic=traffic)
    door.send(20_000, traffic=Traffic.LEGACY)
    door.ended(C, Command.READ, package)
    written_ns = start_ns + appc_build_ns(20_000)
    assert door.story() == [
        (written_ns, "WRITE", A),
        (written_ns + LinkCosts(SLOW).receive_ns(package), "Delivered", None),
    ]


def test_appc_is_not_built_while_anything_has_the_receive_lock() -> None:
    door = Door()
    door.attend(C)
    door.send(100, traffic=Traffic.LEGACY)
    assert door.link.tx_lock.free
    assert door.story() == [
        (DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (DISPATCH_NS + appc_build_ns(100), "WRITE", A),
    ]


def test_appc_behind_transport_lets_nothing_be_received_until_it_is_built() -> None:
    door = Door(ctc_count=4)
    door.send(10)  # the next package is whatever waits when this one is built
    mixed = [Message(1, 60_000), Message(2, 1_000, Traffic.LEGACY)]
    door.link.send(mixed, 0)
    door.now_ns = BUILD_NS - 1
    door.attend(C)  # has the receive lock when that is begun
    built_ns = BUILD_NS + COSTS.build_ns(Package(1, mixed, 61_000))
    assert door.asked() == []
    door.step()
    assert door.link.tx_lock.copies
    door.attend(D)
    assert door.story() == [
        (BUILD_NS, "WRITE", A),
        (BUILD_NS - 1 + DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (built_ns, "WRITE", B),
        (built_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", D),
    ]


def test_appc_that_was_read_is_received_before_appc_is_built() -> None:
    door = Door()
    door.begin_read(C)
    start_ns = door.now_ns
    door.send(100)  # is being built while both come
    door.send(PARAMETERS.open_backlog_length, traffic=Traffic.LEGACY)  # opens a second CTC
    door.ended(C, Command.READ, APPC)
    received_ns = start_ns + BUILD_NS + COSTS.receive_ns(APPC)
    segment_length = 32_768
    assert door.story() == [
        (start_ns + BUILD_NS, "WRITE", A),
        (received_ns, "Delivered", None),
        (received_ns + appc_build_ns(segment_length), "WRITE", B),
    ]


def test_package_that_is_written_again_takes_a_nanosecond_at_the_send_lock() -> None:
    door = Door(ctc_count=4)
    rdev, package = door.write(30_000)
    start_ns = door.now_ns
    door.send(40_000)  # has the lock when the other one is lost
    door.lose(rdev, package)
    assert door.story() == [
        (start_ns + BUILD_NS, "WRITE", B),
        (start_ns + BUILD_NS + 1, "WRITE", C),
    ]


@pytest.mark.parametrize("traffic", list(Traffic))
def test_package_that_lost_its_ctc_while_it_was_built_is_written_a_nanosecond_later(
    traffic: Traffic,
) -> None:
    door = Door()
    door.send(30_000, traffic=traffic)
    door.lose(A)
    build_ns = BUILD_NS if traffic is Traffic.TRANSPORT else appc_build_ns(30_000)
    assert door.story() == [(build_ns + 1, "WRITE", B)]


def test_appc_that_is_written_again_waits_for_the_receive_lock_too() -> None:
    door = Door()
    door.send(100, traffic=Traffic.LEGACY)
    door.work()
    rdev, package = door.written()
    start_ns = door.now_ns
    door.attend(C)
    door.lose(rdev, package)
    assert door.story() == [
        (start_ns + DISPATCH_NS, "SENSE_COMMAND_BYTE", C),
        (start_ns + DISPATCH_NS + 1, "WRITE", B),
    ]


@pytest.mark.parametrize("ctc_count", [1, 4])
def test_locks_are_held_together_but_never_as_appc_is_received(ctc_count: int) -> None:
    pair = Pair(Setup(ctc_count=ctc_count, parameters=SLOW))
    for side in pair.sides:
        for conversation in range(20):
            traffic = Traffic.LEGACY if conversation % 3 == 0 else Traffic.TRANSPORT
            pair.send(side, *[20_000] * 5, conversation=conversation, traffic=traffic)
    together, built, received = 0, 0, 0
    while not pair.all_arrived():
        assert pair.step()
        for side in pair.sides:
            rx_lock, tx_lock = side.end.link.rx_lock, side.end.link.tx_lock
            assert not (rx_lock.copies and not tx_lock.free)
            together += not rx_lock.free and not tx_lock.free
            built += tx_lock.copies
            received += rx_lock.copies
    assert min(together, built, received) > 0
    pair.expect_all_arrived()
