"""The system lock: links of one system copy APPC/VM's messages one at a time, and by turns."""

from dataclasses import replace
from itertools import pairwise

from ctc.agenda import NEVER_NS
from ctc.subchannel import Command
from isfc.link.events import Delivered
from isfc.link.lock import SystemLock
from isfc.link.message import Traffic
from tests.isfc.link.link_harness import PARAMETERS, A, B, C, Door, theirs

LENGTH = 1_000
TAKE_NS = int(PARAMETERS.appc_ns_per_byte_taken * theirs(0, 0, length=LENGTH).length)
"""How long a message of the partner's is copied, but for its header."""


def full(lock: SystemLock, traffic: Traffic) -> Door:
    """A link that has read three packages, one of which it begins to take apart."""
    door = Door(parameters=replace(PARAMETERS, receive_ns_per_byte=2.0), lock=lock)
    door.begin_read(A, B, C)
    for number, rdev in enumerate((A, B, C)):
        package = theirs(number, number, length=LENGTH, traffic=traffic)
        door.ended(rdev, Command.READ, package)
    return door


def story(*doors: Door) -> list[tuple[int, int]]:
    """Let the links work; when which of them hands a package over."""
    told = []
    while min(door.link.due_ns for door in doors) < PARAMETERS.mih_ns // 2:
        now_ns = min(door.link.due_ns for door in doors)
        for number, door in enumerate(doors):
            door.now_ns = now_ns
            door.link.handle_deadline(now_ns)
            told += [(now_ns, number) for event in door.events() if isinstance(event, Delivered)]
    return told


def test_links_of_a_system_copy_by_turns() -> None:
    # who has copied and wants to again waits behind who was waiting meanwhile
    lock = SystemLock()
    told = story(*(full(lock, Traffic.LEGACY) for _ in range(3)))
    assert [number for _, number in told] == [0, 1, 2] * 3
    times = [ns for ns, _ in told]
    gaps = {after - before for before, after in pairwise(times)}
    assert len(gaps) == 1
    assert min(gaps) >= TAKE_NS  # one at a time


def test_link_that_copies_what_it_sends_waits_behind_the_others_with_what_it_has_read() -> None:
    lock = SystemLock()
    holder, second, third = (full(lock, Traffic.LEGACY) for _ in range(3))
    second.now_ns = holder.link.due_ns
    second.send(LENGTH, traffic=Traffic.LEGACY)  # it is its turn: not what was read, but this
    assert second.link.tx_lock.copies
    assert [number for _, number in story(holder, second, third)] == [0, 2, 0, 1, 2, 0, 1, 2, 1]


def test_links_of_several_systems_and_transport_wait_for_nobody() -> None:
    lock = SystemLock()
    of_systems = story(*(full(SystemLock(), Traffic.LEGACY) for _ in range(3)))
    of_transport = story(*(full(lock, Traffic.TRANSPORT) for _ in range(3)))
    for told in (of_systems, of_transport):
        assert [number for _, number in told] == [0, 1, 2] * 3
        assert len({ns for ns, _ in told}) == 3


def test_link_that_waits_has_a_deadline_when_it_is_next() -> None:
    lock = SystemLock()
    holder, second, third = (full(lock, Traffic.LEGACY) for _ in range(3))
    held_ns = holder.link.rx_lock.due_ns
    assert (second.link.due_ns, third.link.copying.due_ns) == (held_ns, NEVER_NS)


def test_link_that_has_nothing_to_copy_any_more_lets_the_next_one() -> None:
    lock = SystemLock()
    holder, second, third = (full(lock, Traffic.LEGACY) for _ in range(3))
    second.link.copying.leave()
    assert (second.link.copying.due_ns, third.link.copying.due_ns) == (
        NEVER_NS,
        holder.link.rx_lock.due_ns,
    )
