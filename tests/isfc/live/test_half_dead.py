"""Connections that are there and carry nothing, and links that have no partner."""

import asyncio
from pathlib import Path

import pytest

from ctc.frame import CommandFrame
from ctc.subchannel import Command
from isfc.engine.wire import encode
from isfc.link.events import Severed
from isfc.link.message import Message
from isfc.link.parameters import LinkParameters
from isfc.live.connection import Connection, Detached
from isfc.live.engine import LiveEngine
from isfc.live.pace import Clock
from isfc.testing.pair import MS, Setup
from tests.live.pair import Guest, LivePair, LiveSide, pair_up
from tests.resealed import prefix
from tests.waiting import wait_until

IMPATIENT = Setup(parameters=LinkParameters(mih_ns=100 * MS))


def connection_of(side: LiveSide) -> Connection:
    """The connection of the CTC that this side writes on first."""
    rdev = side.engine.end.link.scheduler.order[0]
    return side.engine._connections[rdev]  # noqa: SLF001  # nobody else may touch it


def drop(data: bytes | memoryview) -> None:
    """What comes is lost."""


def spoil(pair: LivePair, fault: str) -> None:
    """Make one of the connections half dead."""
    connection = connection_of(pair.first)
    if fault == "nothing leaves":
        connection.write = lambda *_: None  # type: ignore[method-assign]  # it fails
    elif fault == "nothing comes":
        connection.deliver_to(drop)
    else:
        connection.write(prefix(2**20))  # a frame that does not come


@pytest.mark.parametrize("fault", ["nothing leaves", "nothing comes", "a frame breaks off"])
async def test_a_half_dead_ctc_is_given_up_and_comes_back(tmp_path: Path, fault: str) -> None:
    async with pair_up(tmp_path, IMPATIENT) as pair:
        spoil(pair, fault)
        wanted = [number.to_bytes(4, "big") for number in range(50)]
        for data in wanted:
            pair.first.send(data)
        told = pair.first.told
        await wait_until(lambda: pair.second.received() == wanted)
        await wait_until(lambda: any(isinstance(event, Detached) for event in told))
        await pair.come_up()
        for side in pair.sides:
            assert side.engine.counters.severed_count == 0


@pytest.mark.parametrize("index", range(0, 49, 7))
async def test_a_bit_that_is_changed_in_a_header_costs_a_connection_and_nothing_else(
    tmp_path: Path, index: int
) -> None:
    async with pair_up(tmp_path, IMPATIENT) as pair:
        wanted = [bytes((number,)) * 100 for number in range(40)]
        for number, data in enumerate(wanted):
            if number == 5:
                flip_in_next(connection_of(pair.first), index)
            pair.first.send(data)
            await asyncio.sleep(0)
        await wait_until(lambda: pair.second.received() == wanted)
        await pair.come_up()
        reasons = [event.reason for event in pair.second.told if isinstance(event, Detached)]
        # a machine that stands still for long costs a connection too, and tells another reason
        assert sum("damaged" in reason for reason in reasons) == 1


def flip_in_next(connection: Connection, index: int) -> None:
    """Change a bit of the next data that are written: they come with their command."""
    write = connection.write

    def flip(*pieces: bytes | memoryview) -> None:
        data = bytearray(b"".join(pieces))
        command_length = len(encode(CommandFrame(Command.WRITE, 1)))
        if len(data) > command_length:
            data[command_length + index] ^= 0x04
            connection.write = write  # type: ignore[method-assign]  # as it was
        write(bytes(data))

    connection.write = flip  # type: ignore[method-assign]  # it spoils one


async def test_a_link_without_a_partner_has_nothing_to_sever() -> None:
    guest = Guest()
    engine = LiveEngine(Setup().definition(0), guest, Clock(), reconnect_s=0.02)
    await asyncio.sleep(0.2)
    assert engine.counters.severed_count == 0
    assert guest.events == []
    engine.send([Message(1, 4, data=b"kept")])  # for a partner who may still come
    await asyncio.sleep(0.1)
    assert engine.counters.severed_count == 0
    assert guest.count(Severed) == 0
    engine.close()
    await engine.wait_closed()
