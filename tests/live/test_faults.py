"""Faults under real traffic: nothing lost, nothing doubled, nothing left behind."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from ctc.address import Rdev
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.engine.wire import encode
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.live.admission import Accept, encode_greeting, greeting_length
from isfc.live.connection import Detached
from isfc.live.endpoint import UnixEndpoint
from isfc.programs.verification import Verifying
from isfc.testing.pair import Setup
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.workload import find_workload
from tests.isfc.live.test_connection import FakeTransport, feed
from tests.live.pair import LivePair, LiveSide, pair_up, side_of
from tests.waiting import wait_until

FREE = GuestCosts(0, 0, 0, 0)


def verified_guests(name: str, pairs: int) -> list[Verifying]:
    """A workload's guests on both sides, every message with its checksum."""
    workload = find_workload(name)
    return [
        Verifying(Clients(workload, pairs, FREE, Random(1))),
        Verifying(Servers(workload, pairs, FREE)),
    ]


async def more_traffic(guests: list[Verifying], count: int) -> None:
    """Wait until so many more messages have arrived on both sides."""
    goals = [guest.verified_count + count for guest in guests]
    await wait_until(
        lambda: all(g.verified_count >= goal for g, goal in zip(guests, goals, strict=True))
    )


def open_socket_count() -> int:
    """Sockets of this process; a loop's own pipes and queues may come and go."""
    count = 0
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            count += str(fd.readlink()).startswith("socket:")
    return count


@pytest.fixture(autouse=True)
def no_socket_is_left_open() -> Iterator[None]:
    before = open_socket_count()
    yield
    assert open_socket_count() <= before


Pull = Callable[[LivePair, list[Verifying]], Awaitable[None]]
"""Lets CTCs be severed under traffic."""

PULLED = "the cable was pulled"


async def each_of(pair: LivePair, guests: list[Verifying], here: int) -> None:
    engine = pair.sides[here].engine
    for rdev in list(engine.end.ctcs):
        await more_traffic(guests, 30)
        engine.detach(rdev, PULLED)


async def all_but_one(pair: LivePair, guests: list[Verifying]) -> None:
    engine = pair.first.engine
    for kept in list(engine.end.ctcs):
        await more_traffic(guests, 30)
        for rdev in list(engine.end.ctcs):
            if rdev != kept:
                engine.detach(rdev, PULLED)


async def any_at_both_ends(pair: LivePair, _guests: list[Verifying]) -> None:
    random = Random(11)
    for _ in range(150):
        engine = random.choice(pair.sides).engine
        engine.detach(random.choice(list(engine.end.ctcs)), PULLED)
        await asyncio.sleep(random.random() * 0.01)


EIGHT, FOUR = Setup(ctc_count=8), Setup(ctc_count=4, fibre_count=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workload", "setup", "pull"),
    [
        ("HL", EIGHT, partial(each_of, here=0)),
        ("HL", EIGHT, partial(each_of, here=1)),
        ("HL", EIGHT, all_but_one),
        ("HY", FOUR, any_at_both_ends),
    ],
    ids=["each", "each of the partner's", "all but one", "any at both ends"],
)
async def test_ctcs_that_are_severed_under_traffic_lose_nothing(
    tmp_path: Path, workload: str, setup: Setup, pull: Pull
) -> None:
    guests = verified_guests(workload, 20)
    async with pair_up(tmp_path, setup, options=[{"program": g} for g in guests]) as pair:
        await pull(pair, guests)
        await pair.come_up()
        await more_traffic(guests, 30)
        for guest, side in zip(guests, pair.sides, strict=True):
            guest.expect_intact()
            assert pull is any_at_both_ends or side.engine.counters.severed_count == 0


def random_frame(random: Random) -> Frame:
    """A well-formed frame that says anything."""
    serial = random.choice([0, 1, 2, 3, random.getrandbits(63)])
    kind = random.randrange(3)
    if kind == 0:
        return CommandFrame(random.choice(list(Command)), serial, random.getrandbits(32), 1)
    if kind == 1:
        return StatusFrame(random.choice(list(Signal)), serial)
    messages = []
    for _ in range(random.randrange(1, 4)):
        data = random.randbytes(random.randrange(50))
        message = Message(random.getrandbits(8), len(data), data=data)
        message.serial, message.more = random.getrandbits(3), random.random() < 0.2
        messages.append(message)
    package = Package(random.getrandbits(4), messages, sum(m.length for m in messages))
    return DataFrame(package, serial)


def mutated(data: bytes, random: Random) -> bytes:
    """The bytes with a few changed, added or left out."""
    changed = bytearray(data)
    for _ in range(random.randrange(3)):
        place = random.randrange(len(changed))
        what = random.randrange(3)
        if what == 0:
            changed[place] = random.getrandbits(8)
        elif what == 1:
            changed.insert(place, random.getrandbits(8))
        elif len(changed) > 1:
            del changed[place]
    return bytes(changed)


def visit(side: LiveSide, speak: Callable[[FakeTransport], Iterator[bytes]]) -> int:
    """Let somebody come to the listener and say things until it is sent away; how many."""
    connection, transport = side.attachments.node_port._make()[1], FakeTransport()
    connection.connection_made(transport)
    count = 0
    for data in speak(transport):
        count += 1
        feed(connection, data, [len(data)])
        if transport.ended:
            break
    connection.connection_lost(None)
    return count


@pytest.mark.parametrize("frames", [5_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
async def test_bad_frames_at_the_listener_break_nothing(tmp_path: Path, frames: int) -> None:
    random = Random(13)
    first, second = side_of(0), side_of(1)
    hellos = [
        replace(second.attachments.hello(c.device.rdev), incarnation=1)  # which it is not
        for c in second.engine.definition.ctcs
    ]

    def strange(_: FakeTransport) -> Iterator[bytes]:
        """Greetings that are none, or only nearly."""
        while True:
            yield random.choice(
                [
                    random.randbytes(random.randrange(1, 100)),
                    mutated(encode_greeting(random.choice(hellos)), random),
                ]
            )

    def false(transport: FakeTransport) -> Iterator[bytes]:
        """A good greeting, and then frames that make no sense, or are none."""
        yield encode_greeting(random.choice(hellos))
        assert greeting_length(bytes(transport.sent)) == len(transport.sent)
        yield encode_greeting(Accept())
        for _ in range(random.randrange(200)):
            data = encode(random_frame(random))
            yield data if random.random() < 0.95 else mutated(data, random)

    count = 0
    while count < frames:
        count += visit(first, random.choice([strange, false]))
    assert first.engine.counters.refused_count > frames // 100
    assert not first.attachments.node_port.ungreeted
    endpoint = await first.attachments.listen(UnixEndpoint(str(tmp_path / "link")))
    second.attachments.connect(endpoint)
    await wait_until(lambda: first.up and second.up)
    before = len(first.received())
    second.send(b"after all that", conversation=77)
    await wait_until(lambda: first.received()[before:] == [b"after all that"])
    for side in (first, second):
        await side.close()


async def test_a_partner_that_greets_and_never_reads_costs_its_ctc_and_no_memory(
    tmp_path: Path,
) -> None:
    setup = Setup(ctc_count=1)
    first, second = (LiveSide(setup.definition(here), here) for here in (0, 1))
    endpoint = UnixEndpoint(str(tmp_path / "link"))
    await first.attachments.listen(endpoint)
    reader, writer = await asyncio.open_unix_connection(endpoint.path, limit=1_000)
    rdev = second.engine.definition.ctcs[0].device.rdev
    writer.write(encode_greeting(second.attachments.hello(rdev)))
    await reader.read(100)
    writer.write(encode_greeting(Accept()) + encode(StatusFrame(Signal.READY, 0)))
    await wait_until(lambda: first.up)
    first.send(*[bytes(60_000)] * 300)
    detached: list[str] = []
    for serial in itertools.count(1):  # every READ of ours asks for another package
        frames = (
            CommandFrame(Command.READ, serial),
            StatusFrame(Signal.RESET, serial),
            StatusFrame(Signal.READY, serial),
        )
        writer.write(b"".join(encode(frame) for frame in frames))
        await asyncio.sleep(0.001)
        detached = [e.reason for e in first.told if isinstance(e, Detached)]
        if detached:
            break
    assert detached == ["the partner does not read"]
    writer.close()
    second.attachments.connect(endpoint)
    await wait_until(lambda: first.up and second.up)
    for side in (first, second):
        await side.close()


def test_the_rdevs_of_the_pair_differ_at_the_two_ends() -> None:
    """What the tests above rest on: a mix-up of numbers would show."""
    rdevs = [{c.device.rdev for c in Setup().definition(here).ctcs} for here in (0, 1)]
    assert not rdevs[0] & rdevs[1]
    assert rdevs[0] == {Rdev(0x6000 + i) for i in range(4)}
