"""Who is let in: the partner, and nobody else."""

import asyncio
import socket
import stat
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.link.events import Severed
from isfc.live.admission import ADDRESSES, ADDRESSES_MAX, GREETINGS, GREETINGS_PER_S, Admission
from isfc.live.connection import Detached
from isfc.live.endpoint import TcpEndpoint, UnixEndpoint, parse_endpoint
from isfc.live.frames import FAREWELL_REASON
from isfc.live.handshake import Accept, Hello, Refusal, decode_greeting, encode_greeting
from isfc.live.link_port import LinkPort, NodePort
from isfc.testing.pair import Setup
from tests.live.pair import LivePair, LiveSide, pair_up
from tests.waiting import wait_until

Stranger = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def visit(pair: LivePair, pending: Stranger) -> None:
    """Let a pending come to the first node while the link is up; it must stay up."""
    await pair.come_up()
    assert isinstance(pair.endpoint, UnixEndpoint)
    reader, writer = await asyncio.open_unix_connection(pair.endpoint.path)
    await pending(reader, writer)
    writer.close()
    await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)
    pair.second.send(b"still there")
    await wait_until(lambda: pair.first.received() == [b"still there"])


async def read_refusal(reader: asyncio.StreamReader) -> str:
    greeting = decode_greeting(await reader.read(1_000))
    assert isinstance(greeting, Refusal)
    return greeting.reason


def hello_of(side: LiveSide, **changes: Any) -> Hello:
    """What ``side`` would say on its first CTC, but for ``changes``."""
    rdev = side.engine.definition.ctcs[0].device.rdev
    return replace(side.attachments.hello(rdev), **changes)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "no greeting (at byte 2)"),
        (b"\xff\xffISFC\x01\x01", "a greeting of 65537 bytes (at byte 0)"),
        (encode_greeting(Accept()), "an accept out of turn"),
        (b"\0", "the partner closed the connection"),
        (b"", "the partner closed the connection"),
    ],
)
async def test_a_stranger_costs_one_refused_connection(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    async def pending(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    async with LivePair(tmp_path) as pair:
        await visit(pair, pending)
        await wait_until(lambda: pair.first.refusals() == [reason])
        assert pair.first.engine.counters.refused_count == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"node": "CHICAGO"}, "node CHICAGO is not BOSTON, the partner of ATLANTA"),
        ({"partner": "CHICAGO"}, "BOSTON wants CHICAGO, and this is ATLANTA"),
        ({"rdev": Rdev(0x9999)}, "no CTC of ATLANTA goes to 9999"),
        ({"digest": bytes(32)}, "BOSTON and ATLANTA have different layouts"),
        ({"dilation": 7}, "BOSTON goes at pace modelled with dilation 7, and ATLANTA at none"),
    ],
)
async def test_a_partner_that_does_not_fit_is_told_why(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    async with LivePair(tmp_path) as pair:
        hello = hello_of(pair.second, **changes)

        async def pending(r: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(encode_greeting(hello))
            assert await read_refusal(r) == reason

        await visit(pair, pending)
        await wait_until(lambda: pair.first.refusals() == [reason])


async def test_one_of_another_version_is_told_so(tmp_path: Path) -> None:
    async with LivePair(tmp_path) as pair:
        data = bytearray(encode_greeting(hello_of(pair.second)))
        data[6] += 1

        async def pending(r: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(data)
            assert "the partner speaks version" in await read_refusal(r)

        await visit(pair, pending)


async def test_one_ctc_that_does_not_fit_leaves_the_others_alone(tmp_path: Path) -> None:
    setup = Setup()
    first, second = (LiveSide(setup.definition(here), here + 1) for here in (0, 1))
    mistaken = LiveSide(_crossed(setup), 3)
    endpoint = await first.attachments.listen(UnixEndpoint(str(tmp_path / "link")))
    mistaken.attachments.connect(endpoint)
    # the digest differs as well: two ends that do not agree do not talk
    await wait_until(lambda: len(mistaken.refusals(by_partner=True)) >= 4)
    assert set(mistaken.refusals(by_partner=True)) == set(first.refusals())
    second.attachments.connect(endpoint)
    await wait_until(lambda: first.up and second.up)
    for side in (first, second, mistaken):
        await side.close()


def _crossed(setup: Setup) -> Any:
    """The second node with two CTCs joined to each other's mates."""
    definition = setup.definition(1)
    one, two, *others = definition.ctcs
    crossed = (
        replace(one, device=structs.replace(one.device, partner_rdev=two.device.partner_rdev)),
        replace(two, device=structs.replace(two.device, partner_rdev=one.device.partner_rdev)),
    )
    return replace(definition, ctcs=(*crossed, *others))


async def test_who_does_not_greet_in_time_is_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 0.2)

    async with LivePair(tmp_path) as pair:

        async def pending(r: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
            assert await read_refusal(r) == "no greeting within 0.2 s"

        await visit(pair, pending)


def all_have(sides: list[LiveSide], word: bytes) -> bool:
    return all(word in side.received() for side in sides)


def has_been_severed(side: LiveSide, count: int) -> bool:
    return side.guest.count(Severed) == count


@pytest.mark.parametrize("restarted", [0, 1])
async def test_a_restarted_node_comes_back_into_the_link_by_itself(
    tmp_path: Path, restarted: int
) -> None:
    setup, endpoint = Setup(), UnixEndpoint(str(tmp_path / "link"))
    sides = [LiveSide(setup.definition(here), here + 1) for here in (0, 1)]

    async def begin(here: int) -> None:
        if here == 0:
            await sides[0].attachments.listen(endpoint)
        else:
            sides[1].attachments.connect(endpoint)

    for here in (0, 1):
        await begin(here)
    survivor = sides[1 - restarted]
    for life in range(1, 4):
        word = bytes([life])
        await wait_until(lambda: all(side.up for side in sides))
        for side in sides:
            side.send(word)
        await wait_until(partial(all_have, sides, word))
        survivor.send(*[bytes(50_000)] * 50)
        await sides[restarted].close()
        sides[restarted] = LiveSide(setup.definition(restarted), 10 + life)
        await begin(restarted)
        await wait_until(partial(has_been_severed, survivor, life))
    await wait_until(lambda: all(side.up for side in sides))
    for side in sides:
        await side.close()


async def test_only_this_user_can_reach_the_socket_and_it_goes_with_the_node(
    tmp_path: Path,
) -> None:
    async with LivePair(tmp_path):
        assert stat.S_IMODE((tmp_path / "link").stat().st_mode) == 0o600
    assert not (tmp_path / "link").exists()


async def test_a_socket_left_by_a_dead_node_is_replaced_and_a_live_one_is_not(
    tmp_path: Path,
) -> None:
    async with LivePair(tmp_path) as pair:
        with pytest.raises(ConfigurationError, match="somebody listens there already"):
            await pair.second.attachments.listen(pair.endpoint)
    async with pair_up(tmp_path):
        pass


@pytest.mark.parametrize("address", ["0.0.0.0:0", "192.0.2.1:7000"])
async def test_without_tls_only_this_machine_is_let_in_unless_told_otherwise(address: str) -> None:
    side = LiveSide(Setup().definition(0), 1)
    with pytest.raises(ConfigurationError, match="--cert, --key and --ca"):
        await side.attachments.listen(parse_endpoint(address))
    with pytest.raises(ConfigurationError, match="--insecure"):
        side.attachments.connect(parse_endpoint(address))
    if address.startswith("0"):
        endpoint = await side.attachments.listen(parse_endpoint(address), insecure=True)
        assert isinstance(endpoint, TcpEndpoint)
        assert endpoint.port > 0
    await side.close()


async def test_tcp_on_loopback_carries_messages(tmp_path: Path) -> None:
    async with pair_up(tmp_path, endpoint=TcpEndpoint("127.0.0.1", 0)) as pair:
        pair.first.send(bytes(2_000_000))
        await wait_until(lambda: pair.second.received() == [bytes(2_000_000)])


async def test_a_partner_that_cannot_be_reached_is_told_of_once_that_has_lasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 0.2)

    side = LiveSide(Setup().definition(1), 1)
    side.attachments.connect(UnixEndpoint(str(tmp_path / "nobody")))
    await wait_until(lambda: bool(side.refusals(by_partner=True)))
    await asyncio.sleep(0.5)
    assert side.refusals(by_partner=True) == ["No such file or directory"]
    await side.close()


async def test_the_same_random_numbers_give_the_same_incarnation() -> None:
    side = LiveSide(Setup().definition(0), 5)
    again = LinkPort(side.engine, NodePort(Random(5)))
    assert again.incarnation == side.attachments.incarnation
    first = again.incarnation
    side.engine.sever("a new life")
    assert again.incarnation != first
    await side.close()


async def test_end_in_good_order_is_told_as_such(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
        await pair.second.attachments.close()
        await wait_until(lambda: pair.first.engine.counters.detached_count == 4)
        reasons = {event.reason for event in pair.first.told if isinstance(event, Detached)}
        assert reasons == {FAREWELL_REASON}


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def admitted(admission: Admission, address: str, count: int = 100_000) -> int:
    """Of so many that come together from one address."""
    return sum(admission.admits(address) for _ in range(count))


@pytest.mark.parametrize("links", [1, 3])
def test_address_has_its_greetings_for_each_link_and_then_so_many_a_second(links: int) -> None:
    admission = Admission(links, clock := Clock())
    assert admitted(admission, "a") == links * GREETINGS
    clock.now_s += 2.0
    assert admitted(admission, "a") == 2 * GREETINGS_PER_S
    clock.now_s += 1e6
    assert admitted(admission, "a") == links * GREETINGS


def test_one_address_takes_nothing_from_another_and_all_together_have_a_limit() -> None:
    admission = Admission(1, Clock())
    assert [admitted(admission, f"{n}", 1000) for n in range(ADDRESSES + 2)] == [
        *[GREETINGS] * ADDRESSES,
        0,
        0,
    ]


def test_partner_has_no_limit_and_is_forgotten_only_for_so_many_others() -> None:
    admission = Admission(1, Clock())
    admission.know("partner")
    assert admitted(admission, "partner") == 100_000
    for number in range(ADDRESSES_MAX - 1):
        admission.know(f"{number}")
    assert admitted(admission, "partner", 1000) == 1000
    for number in range(ADDRESSES_MAX):
        admission.know(f"{number}")
    assert admitted(admission, "partner", 1000) == GREETINGS


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
async def test_strangers_beyond_it_are_closed_and_counted_while_the_partner_is_there() -> None:
    beyond = 40

    setup = Setup()
    first, second = (LiveSide(setup.definition(here), here + 1) for here in (0, 1))
    place = await first.attachments.listen(TcpEndpoint("127.0.0.1", 0), insecure=True)
    assert isinstance(place, TcpEndpoint)
    second.attachments.connect(place, insecure=True)
    await wait_until(lambda: first.up and second.up)
    with ExitStack() as stack:
        for _ in range(int(GREETINGS) + beyond):
            stranger = stack.enter_context(socket.socket())
            stranger.bind(("127.0.0.2", 0))
            stranger.setblocking(False)
            await asyncio.get_running_loop().sock_connect(stranger, (place.host, place.port))
        await wait_until(
            lambda: first.refusals().count("too many connections from that address") >= beyond // 2
        )
        assert first.engine.counters.refused_count == len(first.refusals())
        second.send(b"still there")
        await wait_until(lambda: first.received() == [b"still there"])
    for side in (first, second):
        await side.close()
