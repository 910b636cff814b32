"""Many writes over several CTCs at the same time, both ways, while CTCs are lost and ends fail."""

import asyncio
from collections import deque
from random import Random
from typing import Final

import pytest

from ctc.address import Rdev
from ctc.order import RESET, Order, command_of
from ctc.order_fibre import FibreKind
from ctc.profiles import EXPRESS4
from ctc.state import State
from ctc.subchannel import Command
from isfc.ctce.exchange import ExchangeDefinition, Pulled, Restored
from isfc.ctce.join import CtcEnd, Place
from isfc.ctce.wire import CURRENT
from isfc.live.ctce import CtceBox
from tests.isfc.ctce.partner import Partner
from tests.isfc.ctce.ports import free_ports

READ: Final = Command.READ


class Guest:
    """A guest that writes blocks with ascending numbers whenever it may, and reads what comes.

    It drives its end as Hercules 4 does, the one of the lower device number keeping its own WRITE
    where two cross. A WRITE that is told to have failed is given again.
    """

    def __init__(self, partner: Partner, blocks: int, *, wins: bool, reset_every: int = 0) -> None:
        self.partner = partner
        self._reset_every = reset_every
        """Blocks that are written between two resets; 0 for none."""
        self.read: list[int] = []
        self.seen: set[int] = set()
        self.told_count = 0
        """How often a WRITE has been told to have failed by a reset."""
        self._left = deque(range(1, blocks + 1))
        self._wins = wins
        self._writes = False
        self._ready = False

    async def run(self, blocks: int, mate: "Guest | None" = None) -> None:
        """Go on until all of both is written and read; a mate that is none of ours reads itself."""
        while (
            self._left or len(self.seen) < blocks or (mate is not None and len(mate.seen) < blocks)
        ):
            if self._ready and not self._writes and self._left:
                self._writes = True
                data = self._left[0].to_bytes(4) * 16
                self.partner.say(Order(Command.WRITE, State.WRITE, len(data), data))
            self._hear(await self.partner.hear())

    def _hear(self, order: Order) -> None:
        if order.code == RESET:
            self.told_count += self._writes
            self._ready = self._writes = False
        elif command_of(order.code) is READ:
            assert self._writes
            self._writes = False
            written = self._left.popleft()
            if self._reset_every and written % self._reset_every == 0:
                self.partner.say(Order(RESET, State.NOT_READY))
        elif order.data:
            if self._writes and self._wins:
                return  # the mate gives way
            self._writes = False  # BUSY and ATTENTION: it is to be given again
            self.read.append(int.from_bytes(order.data[:4]))
            self.seen.add(self.read[-1])
            self.partner.say(Order(READ, State.AVAILABLE, len(order.data)))
        else:
            self._ready = True


async def exchange(
    ctcs: int, blocks: int, kind: FibreKind, lost_every_s: float | None
) -> list[list[Guest]]:
    """Both ends of so many CTCs write so many blocks each; the CTCs are lost now and then."""
    ports = iter(free_ports(4 * ctcs))
    ends = [
        tuple(
            CtcEnd(name, Rdev(rdev), Place("127.0.0.1", next(ports)), Place("127.0.0.1", own), mate)
            for name, rdev, own, mate in (
                ("A", 0x500, next(ports), Rdev(0x501)),
                ("B", 0x501, next(ports), Rdev(0x500)),
            )
        )
        for _ in range(ctcs)
    ]
    paced = kind.profile is not None
    definition = ExchangeDefinition((kind,), (0,) * ctcs, both_fail=paced)
    box = CtceBox([(a, b) for a, b in ends], definition)
    await box.start()
    guests = [
        [Guest(Partner(end, CURRENT), blocks, wins=not index) for index, end in enumerate(pair)]
        for pair in ends
    ]

    async def lose(every_s: float) -> None:
        random = Random(ctcs)
        while True:
            index = random.randrange(ctcs)
            await asyncio.sleep(every_s)
            box.apply(Pulled((index,), "pulled"))
            await asyncio.sleep(0.01)
            box.apply(Restored("pulled"))

    loses = asyncio.create_task(lose(lost_every_s)) if lost_every_s else None
    try:
        await asyncio.gather(*(guest.partner.start() for pair in guests for guest in pair))
        runs = [guest.run(blocks, mate) for pair in guests for guest, mate in (pair, pair[::-1])]
        done = asyncio.gather(*runs)
        while not done.done():  # who has read all hears nothing more
            await asyncio.wait([done], timeout=0.1)
            if all(len(guest.seen) == blocks for pair in guests for guest in pair):
                break
        done.cancel()
        await asyncio.gather(done, return_exceptions=True)
        assert sum(adapter.collision_count for adapter in box.exchange.adapters) > 0
    finally:
        if loses is not None:
            loses.cancel()
        await box.close()
        for guest in (guest for pair in guests for guest in pair):
            await guest.partner.close()
    return guests


def check(guests: list[list[Guest]], blocks: int) -> None:
    """Every block comes in order; one comes again only if its writer was told that it failed."""
    for pair in guests:
        for reader, writer in (pair, pair[::-1]):
            again = len(reader.read) - blocks
            assert sorted(reader.seen) == list(range(1, blocks + 1))
            assert reader.read == sorted(reader.read)
            assert again <= writer.told_count


@pytest.mark.parametrize("paced", [False, True])
@pytest.mark.parametrize("lost", [False, True])
def test_blocks_over_eight_ctcs_come_once_and_in_order_or_their_writer_is_told(
    lost: bool, paced: bool
) -> None:
    kind = FibreKind(EXPRESS4 if paced else None)
    check(asyncio.run(exchange(8, 40, kind, 0.02 if lost else None)), 40)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("ctcs", [1, 8])
def test_a_hundred_thousand_blocks_come_once_and_in_order_or_their_writer_is_told(
    ctcs: int,
) -> None:
    blocks = 50_000 // ctcs
    check(asyncio.run(exchange(ctcs, blocks, FibreKind(), 0.5)), blocks)
