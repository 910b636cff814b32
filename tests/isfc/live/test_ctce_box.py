"""A CTC between two Hercules of our own over loopback, in either form and in both."""

import asyncio
import socket
from collections import deque
from itertools import pairwise, product
from random import Random
from typing import Final, Self

import pytest

from ctc.address import Rdev
from ctc.features import EXPRESS4
from ctc.order import RESET, FibreKind, Order, command_of
from ctc.state import State
from ctc.subchannel import Command
from isfc.live import ctce_port as ctce
from isfc.live.ctce.exchange import (
    Delayed,
    ExchangeDefinition,
    ExchangeEvent,
    Noted,
    Pulled,
    Restored,
    Stalled,
)
from isfc.live.ctce.join import CtcEnd, HostPort
from isfc.live.ctce.wire import (
    CURRENT,
    GREETING_LENGTH,
    OLDER,
    Greeting,
    Speaker,
    WireForm,
    decode_greeting,
    encode_order,
)
from isfc.live.ctce_box import CtceBox
from tests.isfc.live.ctce.partner import Partner
from tests.isfc.live.ctce.ports import free_ports
from tests.waiting import wait_until

NO_OP = Order(Command.NO_OP, State.AVAILABLE)
LOST = Order(RESET, State.NOT_READY)
FORMS = (CURRENT, OLDER)


class Joined:
    """A box with one CTC, and what it has told of it."""

    def __init__(self) -> None:
        ports = free_ports(4)
        self.ends = tuple(
            CtcEnd(system, Rdev(0x500), HostPort("127.0.0.1", theirs), HostPort("127.0.0.1", ours))
            for system, theirs, ours in zip("AB", ports[:2], ports[2:], strict=True)
        )
        self.texts: list[str] = []
        self.box = CtceBox([(self.ends[0], self.ends[1])])
        self.box.exchange.observers.append(self._note)
        self.adapter = self.box.exchange.adapters[0]
        self.ports = self.box.ports[0]
        self._made: list[Partner] = []

    async def __aenter__(self) -> Self:
        await self.box.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for partner in self._made:
            await partner.close()
        await self.box.close()

    def partner(self, end: CtcEnd, form: WireForm = CURRENT) -> Partner:
        """A Hercules, which fails in the end."""
        self._made.append(Partner(end, form))
        return self._made[-1]

    def partners(self, *forms: WireForm) -> list[Partner]:
        """A Hercules for each end."""
        return [self.partner(end, form) for end, form in zip(self.ends, forms, strict=True)]

    async def both(self, *forms: WireForm) -> list[Partner]:
        """Both Hercules, each of which has heard that the other is ready."""
        partners = self.partners(*forms)
        for partner in partners:
            await partner.start()
        assert [await partner.hear() for partner in partners] == [NO_OP, NO_OP]
        return partners

    def _note(self, seen: ExchangeEvent) -> None:
        if isinstance(seen, Noted):
            self.texts.append(f"{self.ends[seen.at.end]}: {seen.text}")


@pytest.fixture
def joined() -> Joined:
    return Joined()


def written(data: bytes, state: State = State.WRITE) -> Order:
    """A WRITE of these bytes."""
    return Order(Command.WRITE, state, len(data), data)


@pytest.mark.parametrize(
    "forms", list(product(FORMS, FORMS)), ids=lambda pair: "-".join(form.name for form in pair)
)
async def test_data_go_both_ways_between_any_two_forms(
    joined: Joined, forms: tuple[WireForm, WireForm]
) -> None:
    """A WRITE is over when the mate's READ has come, and not before."""
    first, second = await joined.both(*forms)
    for one, other, length in ((first, second, 64), (second, first, 61_000)):
        one.say(written(bytes(length)))
        assert await other.hear() == written(bytes(length))
        read = Order(Command.READ, State.AVAILABLE, length)
        other.say(read)
        assert await one.hear() == read


@pytest.mark.parametrize("piece", [1, 6_000])
async def test_records_that_come_in_pieces_or_several_together_are_heard_the_same(
    joined: Joined, piece: int
) -> None:
    first, second = await joined.both(CURRENT, CURRENT)
    said = [written(b"1234"), LOST, written(bytes(5_000))]
    sender = Speaker(joined.ends[0].rdev)
    data = b"".join(encode_order(CURRENT, order, 1, sender) for order in said)
    cuts = [*range(0, 60, piece), len(data)]
    for begin, end in pairwise(cuts):
        first.say_bytes(data[begin:end])
        await asyncio.sleep(0)
    assert [await second.hear() for _ in said] == said


async def test_an_end_that_fails_and_comes_back_is_told_what_waits(joined: Joined) -> None:
    """Hercules 4 hears of a reset and ends its command; 3.13 waits on, and is not forgotten."""
    first, second = await joined.both(OLDER, CURRENT)
    first.say(written(b"1234"))
    assert await second.hear() == written(b"1234")
    await second.close()
    assert await first.hear() == LOST
    (_, second) = joined.partners(OLDER, CURRENT)
    await second.start()
    assert await first.hear() == NO_OP
    assert [await second.hear(), await second.hear()] == [NO_OP, written(b"1234")]
    second.say(written(b"5", State.WRITE))  # crosses: the older end has to hear of nothing
    await wait_until(lambda: joined.adapter.collision_count == 1)
    await first.close()
    assert await second.hear() == LOST


async def test_a_ctc_that_is_lost_carries_nothing_and_is_told_of_what_waits_when_it_is_back(
    joined: Joined,
) -> None:
    """Both hear of a reset. What the one begins meanwhile reaches the other once it is restored."""
    first, second = await joined.both(CURRENT, CURRENT)
    joined.box.apply(Pulled((0,), "director:1"))
    assert [await first.hear(), await second.hear()] == [LOST, LOST]
    joined.box.apply(Pulled((0,), "40"))
    first.say(written(b"1234"))
    await wait_until(lambda: joined.adapter.ends[0].pending)
    joined.box.apply(Restored("40"))
    joined.box.apply(Restored("director:1"))
    assert await first.hear() == NO_OP
    assert [await second.hear(), await second.hear()] == [NO_OP, written(b"1234")]


async def test_what_is_said_takes_the_time_of_its_fibre_and_waits_while_that_is_stalled(
    joined: Joined,
) -> None:
    """A delay is a bound from below; other waiting is as long as the machine takes."""
    first, second = await joined.both(CURRENT, OLDER)
    joined.box.apply(Delayed(50_000_000))
    begin = asyncio.get_running_loop().time()
    first.say(written(b"1"))
    assert await second.hear() == written(b"1")
    assert asyncio.get_running_loop().time() - begin > 0.049
    joined.box.apply(Stalled(True))
    second.say(Order(Command.READ, State.AVAILABLE, 1))
    await wait_until(lambda: joined.adapter.ends[0].pending is None)
    assert first.unheard == 0
    joined.box.apply(Stalled(False))
    assert (await first.hear()).code == Command.READ


async def test_more_than_the_other_can_take_is_not_carried(joined: Joined) -> None:
    """Of Hercules 4 to 3.13, before the latter is there and after: the writer hears of a reset."""
    first, second = joined.partners(CURRENT, OLDER)
    await first.start()
    first.say(written(bytes(61_581)))
    await wait_until(lambda: joined.adapter.ends[0].pending)
    await second.start()
    assert [await first.hear() for _ in "123"] == [LOST, NO_OP, NO_OP]
    assert await second.hear() == NO_OP
    first.say(written(bytes(61_581)))
    assert [await first.hear(), await first.hear()] == [LOST, NO_OP]
    first.say(written(bytes(61_580)))
    assert await second.hear() == written(bytes(61_580))
    first.say(written(b"1", State.AVAILABLE))  # as if there had been a READ
    assert [await first.hear(), await first.hear()] == [NO_OP, LOST][::-1]
    await second.hear()
    assert (
        "A 0500: a WRITE of 1 bytes answered nothing and is lost; a reset says so" in joined.texts
    )
    refused = "A 0500: a WRITE of 61581 bytes is not carried: its mate takes at most 61580"
    assert joined.texts.count(refused) == 2


async def test_who_is_not_the_partner_is_refused_and_told_why_in_the_log(joined: Joined) -> None:
    """A browser, another device, a wrong port of origin; the real one is let in after that."""
    (end, _) = joined.ends
    browser = socket.create_connection(end.ours, timeout=10)
    browser.sendall(b"GET ")
    stranger = Partner(end._replace(rdev=Rdev(0x600)), CURRENT)
    await stranger.connect(ssid=3)
    browser.sendall(b"/ HTTP/1.1\r\n")
    older = socket.create_connection((end.ours.host, end.ours.port + 1), timeout=10)
    third = Partner(end._replace(rdev=Rdev(0x601)), OLDER)
    (await third.connect()).write(encode_order(OLDER, NO_OP, 1, Speaker(0x601)))
    await wait_until(lambda: joined.ports[0].refused_count == 4)
    other = f"'0600 CTCE {end.at.port} 127.0.0.1 {end.ours.port}' in SSID 3"
    reasons = "\n".join(sorted(text.split(": ", 2)[2] for text in joined.texts))
    assert reasons.splitlines() == [
        f"expected A 0500, which comes from port {end.at.port}",
        f"it has {other}; expected '{end.statement}'",
        f"it has {other.replace('0600', '0601')[:-10]}; expected '{end.statement}'",
        "no CTCE greeting: it begins with 4745 (at byte 0)",
    ]
    browser.close()
    older.close()
    await stranger.close()
    await third.close()
    partner = joined.partner(end)
    await partner.start()
    partner.say_bytes(b"\x01\x09" + bytes(14))
    await wait_until(lambda: "A 0500: gone: connection lost" in joined.texts)
    assert any("state 9: expected 0 to 5" in text for text in joined.texts)


async def test_an_address_that_is_not_this_one_is_told_and_a_port_that_says_nothing_is_cut(
    joined: Joined,
) -> None:
    """A statement that names another address than it reaches; who does not say who it is."""
    joined.ports[0].greeting_s = 0.05
    end = joined.ends[0]
    partner = joined.partner(end)
    await partner.connect(address="127.0.0.9")
    silent = socket.create_connection(end.ours, timeout=10)
    await wait_until(lambda: joined.ports[0].refused_count)
    assert joined.texts[0] == (
        f"A 0500: it has '0500 CTCE {end.at.port} 127.0.0.9 {end.ours.port}', and has reached "
        "127.0.0.1: expected one address"
    )
    assert joined.texts[1].endswith("it does not say who it is")
    silent.close()


async def test_more_than_an_end_may_say_before_it_can_be_told_anything_drops_it(
    joined: Joined,
) -> None:
    """Its Hercules has connected, and nothing listens there yet: seventeen orders are too many."""
    end = joined.ends[0]
    for count in (ctce.EARLY_MAX, ctce.EARLY_MAX + 1):
        partner = joined.partner(end)
        out = await partner.connect()
        await wait_until(lambda: joined.ports[0].inward)
        out.write(encode_order(CURRENT, NO_OP, 1, Speaker(end.rdev)) * count)
        if count > ctce.EARLY_MAX:
            await wait_until(lambda: joined.ports[0].inward is None)
        await partner.close()


async def test_only_the_form_that_a_configuration_names_is_let_in(joined: Joined) -> None:
    ends = [end._replace(wire=OLDER.name) for end in joined.ends]
    ports = iter(free_ports(2))
    ends = [end._replace(ours=HostPort("127.0.0.1", next(ports))) for end in ends]
    box = CtceBox([(ends[0], ends[1])])
    await box.start()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(ends[0].ours, timeout=10)
    partner = joined.partner(ends[0], OLDER)
    await partner.start()
    await wait_until(lambda: box.ports[0][0].attached_count)
    await partner.close()
    await box.close()


async def test_devices_that_share_a_port_of_hercules_4_are_told_apart() -> None:
    """It by our port and the device that it wants there; we by the device in its greeting."""
    shared, absent, *ours = (HostPort("127.0.0.1", port) for port in free_ports(6))
    ctcs = [
        (
            CtcEnd("A", rdev, shared, ours[index], Rdev(rdev + 1), CURRENT.name),
            CtcEnd("B", rdev, absent, ours[index + 2], wire=CURRENT.name),
        )
        for index, rdev in enumerate((Rdev(0xE40), Rdev(0xE42)))
    ]
    heard: list[Greeting] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(decode_greeting(await reader.readexactly(GREETING_LENGTH)))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, *shared)
    box = CtceBox(ctcs)
    await box.start()
    partners = [Partner(end, CURRENT) for end, _ in ctcs]
    for partner in partners:
        await partner.connect()
    attached = box.exchange.adapters
    await wait_until(lambda: len(heard) == 2 and all(each.ends[0].attached for each in attached))
    wanted = {(end.ours.port, end.named) for end, _ in ctcs}
    assert {(each.port, each.sender.rdev) for each in heard} == wanted
    await box.close()
    for partner in partners:
        await partner.close()
    server.close()


async def test_a_reset_ends_what_both_have_outstanding_and_both_go_on(joined: Joined) -> None:
    """Who resets is told that its mate has nothing outstanding any more."""
    first, second = await joined.both(CURRENT, CURRENT)
    first.say(written(b"1234"))
    assert await second.hear() == written(b"1234")
    second.say(LOST)
    assert [await first.hear(), await second.hear()] == [LOST, NO_OP]
    first.say(written(b"5678"))
    assert await second.hear() == written(b"5678")


async def test_an_end_that_reads_nothing_is_dropped(joined: Joined) -> None:
    """What it leaves unread is bounded; the mate hears that it is gone."""
    for port in joined.ports:
        port.unread_max = -1
    first, second = joined.partners(CURRENT, CURRENT)
    await first.start()
    await second.start()
    await wait_until(lambda: any("leaves 0 bytes unread" in text for text in joined.texts))


async def test_a_port_in_use_is_named(joined: Joined) -> None:
    """And nothing is left open."""
    held = socket.create_server((joined.ends[0].ours.host, free_ports(1)[0]))
    port = held.getsockname()[1]
    end = joined.ends[0]._replace(ours=HostPort("127.0.0.1", port))
    again = CtceBox([(end, joined.ends[1])])
    with pytest.raises(OSError, match="in use"):
        await again.start()
    held.close()


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
            CtcEnd(
                name,
                Rdev(rdev),
                HostPort("127.0.0.1", next(ports)),
                HostPort("127.0.0.1", own),
                mate,
            )
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
