"""Whatever the hardware says, and in which order: a CTC changes its state as the table has it.

`isfc.link.link_ctc.LinkCtc` raises for what the table of either side does not have, so it is enough
to let everything happen.
"""

from collections.abc import Callable
from random import Random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev
from ctc.queues import NEVER_NS
from ctc.subchannel import (
    Attention,
    Collided,
    Command,
    DeviceLost,
    DeviceReady,
    Ended,
    Ssch,
    UnitStatus,
)
from isfc.errors import LocalProtocolError
from isfc.link.link_ctc import LinkCtc
from isfc.link.package import Package
from isfc.link.state import READ_SIDE, WRITE_SIDE, DeviceState, StateInput, WriteState
from tests.isfc.link.link_harness import TIMES, Door, theirs


class Hardware:
    """The channels of a link, which say what is drawn; at most one I/O is under way on a CTC."""

    def __init__(self, ctc_count: int, *, lesser: bool) -> None:
        self.door = Door(ctc_count=ctc_count, lesser=lesser)
        self.under_way: dict[Rdev, Ssch] = {}
        self._number = 0

    def poll(self) -> None:
        """Take what the link asks for; a HALT ends what is under way without a word."""
        while (instruction := self.door.link.poll_instruction()) is not None:
            if isinstance(instruction, Ssch):
                assert instruction.rdev not in self.under_way, "one I/O at a time"
                self.under_way[instruction.rdev] = instruction
            else:
                self.lose(instruction.rdev)
        self.door.events()

    def end(self, rdev: Rdev, status: UnitStatus = UnitStatus.ENDED) -> None:
        """What is under way is over; a READ that ends well has brought a package."""
        ssch = self.under_way.pop(rdev, None)
        if ssch is None:
            return
        load = ssch.load
        if ssch.command is Command.READ and status is UnitStatus.ENDED:
            load = theirs(self._number, self._number)
            self._number += 1
        self.door.link.receive_interrupt(
            Ended(rdev, ssch.command, status, TIMES, load), self.door.now_ns
        )

    def collide(self, rdev: Rdev) -> None:
        """A write collides."""
        ssch = self.under_way.get(rdev)
        if ssch is not None and ssch.command is Command.WRITE:
            del self.under_way[rdev]
            load = cast(Package, ssch.load)
            self.door.link.receive_interrupt(Collided(rdev, load, TIMES), self.door.now_ns)

    def lose(self, rdev: Rdev) -> None:
        """A device is gone, and what was under way with it."""
        ssch = self.under_way.pop(rdev, None)
        load = None if ssch is None else ssch.load
        before, usable = self.door.state(rdev), self.door.link.ctcs[rdev].usable
        self.door.link.receive_interrupt(DeviceLost(rdev, load, TIMES), self.door.now_ns)
        assert self.door.state(rdev) is (DeviceState.DOWN if usable else before)

    def ready(self, rdev: Rdev) -> None:
        """A device is ready (again); nothing is under way there."""
        if rdev not in self.under_way:
            self.door.link.receive_interrupt(DeviceReady(rdev), self.door.now_ns)

    def attend(self, rdev: Rdev) -> None:
        """The partner writes, or seems to."""
        self.door.link.receive_interrupt(Attention(rdev), self.door.now_ns)

    def send(self, rdev: Rdev) -> None:
        """Messages to be sent: few, or many."""
        self.door.send(*[60_000] * (1 + rdev % 3))

    def deactivate(self, rdev: Rdev) -> None:
        """An operator takes the CTC out."""
        self.door.link.deactivate(rdev)
        assert self.door.state(rdev) is DeviceState.INACTIVE

    def activate(self, rdev: Rdev) -> None:
        """An operator puts the CTC in."""
        if self.door.state(rdev) is DeviceState.INACTIVE:
            self.door.link.activate(rdev)
        else:
            with pytest.raises(LocalProtocolError):
                self.door.link.activate(rdev)

    def wait(self, _: Rdev) -> None:
        """Until the next piece of work, or a missing interrupt."""
        if self.door.link.due_ns < NEVER_NS:
            self.door.step()


SAYS: tuple[Callable[[Hardware, Rdev], None], ...] = (
    Hardware.end,
    Hardware.collide,
    Hardware.attend,
    Hardware.send,
    Hardware.wait,
    Hardware.lose,
    Hardware.ready,
    lambda hardware, rdev: hardware.end(rdev, UnitStatus.BUSY_ATTENTION),
    lambda hardware, rdev: hardware.end(rdev, UnitStatus.UNIT_CHECK),
    Hardware.deactivate,
    Hardware.activate,
    lambda hardware, rdev: hardware.door.link.start_up(rdev, hardware.door.now_ns),
    lambda hardware, rdev: hardware.door.link.stand_by(rdev),
)

OFTEN = (9, 9, 9, 9, 20, 1, 1, 5, *[1] * 5)
"""How often each is said in a story that is to come far: a CTC that is lost remembers nothing."""

stories = st.lists(st.tuples(st.sampled_from(SAYS), st.integers(0, 2)), max_size=60)


@given(st.integers(1, 3), st.booleans(), stories)
def test_no_change_happens_that_the_table_does_not_have(
    ctc_count: int, lesser: bool, story: list[tuple[Callable[[Hardware, Rdev], None], int]]
) -> None:
    hardware = Hardware(ctc_count, lesser=lesser)
    for say, place in story:
        say(hardware, hardware.door.devices[place % ctc_count].rdev)
        hardware.poll()


def end_turns(random: Random) -> None:
    """Another CTC is ready after the first write of turns, which is too rare in stories of all."""
    hardware = Hardware(2, lesser=True)
    ctc, other = (device.rdev for device in hardware.door.devices)
    hardware.lose(other)
    hardware.poll()
    for _ in range(60):
        (say,) = random.choices(SAYS, OFTEN)
        say(hardware, ctc)
        hardware.poll()
        if hardware.door.link.ctcs[ctc].write_side == WriteState.FIRST_WRITTEN:
            hardware.ready(other)
            hardware.wait(ctc)
            return


@pytest.mark.slow
def test_all_that_the_tables_have_happens_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[object, object]] = set()
    write, read = LinkCtc.write, LinkCtc.read

    def noted_write(ctc: LinkCtc, given: StateInput) -> None:
        seen.add((given, ctc.write_side))
        write(ctc, given)

    def noted_read(ctc: LinkCtc, given: StateInput) -> bool:
        seen.add((given, ctc.read_side))
        return read(ctc, given)

    monkeypatch.setattr(LinkCtc, "write", noted_write)
    monkeypatch.setattr(LinkCtc, "read", noted_read)
    for seed in range(3_000):
        random, ctc_count = Random(seed), 1 + seed % 3
        hardware = Hardware(ctc_count, lesser=seed % 2 == 0)
        for _ in range(60):
            (say,) = random.choices(SAYS, OFTEN)
            say(hardware, hardware.door.devices[random.randrange(ctc_count)].rdev)
            hardware.poll()
    for seed in range(1_000):
        end_turns(Random(seed))
    assert seen == {
        (given, state) for given in (*WRITE_SIDE, *READ_SIDE) for state in given.changes
    }


@pytest.mark.parametrize("ending", [Hardware.collide, SAYS[7], SAYS[8]])
def test_ctc_that_was_taken_out_stays_so_whatever_becomes_of_its_write(
    ending: Callable[[Hardware, Rdev], None],
) -> None:
    # a collision took it to RECOVERING, and an end that makes no sense to RESETTING
    hardware = Hardware(3, lesser=True)
    rdev = hardware.door.devices[0].rdev
    hardware.door.send(100)
    hardware.door.work()
    hardware.poll()
    package = hardware.under_way[rdev].load
    hardware.door.link.deactivate(rdev)
    ending(hardware, rdev)
    assert hardware.door.state(rdev) is DeviceState.INACTIVE
    hardware.door.work()
    hardware.poll()
    assert hardware.under_way[hardware.door.devices[1].rdev].load is package
