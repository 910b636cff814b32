"""Who is let in: the partner, and nobody else; two partners of one name; crowds of strangers."""

import asyncio
import socket
import stat
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from ctc.address import Rdev
from isfc.engine.wire import VERSION
from isfc.errors import ConfigurationError
from isfc.link.events import Severed
from isfc.live.admission import GREETINGS, Accept, Hello, Refusal, decode_greeting, encode_greeting
from isfc.live.connection import Detached
from isfc.live.endpoint import TcpEndpoint, UnixEndpoint, parse_endpoint
from isfc.live.frames import FAREWELL_REASON
from isfc.live.link_port import RETRY_S_MIN, LinkPort, NodePort
from isfc.live.pending import UNGREETED_MAX
from isfc.testing.pair import Setup
from tests.live.pair import LivePair, LiveSide, ended, pair_up, side_of
from tests.waiting import wait_until

Stranger = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def still_there(receiver: LiveSide, sender: LiveSide) -> None:
    """The link carries on."""
    sender.send(b"still there")
    await wait_until(lambda: receiver.received() == [b"still there"])


async def visit(pair: LivePair, stranger: Stranger) -> None:
    """Let a stranger come to the first node while the link is up; it must stay up."""
    assert isinstance(pair.endpoint, UnixEndpoint)
    reader, writer = await asyncio.open_unix_connection(pair.endpoint.path)
    await stranger(reader, writer)
    writer.close()
    await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)
    await still_there(pair.first, pair.second)


async def read_refusal(reader: asyncio.StreamReader) -> str:
    greeting = decode_greeting(await reader.read(1_000))
    assert isinstance(greeting, Refusal)
    return greeting.reason


def hello_of(side: LiveSide, **changes: Any) -> Hello:
    """What ``side`` would say on its first CTC, but for ``changes``."""
    rdev = side.engine.definition.ctcs[0].device.rdev
    return structs.replace(side.attachments.hello(rdev), **changes)


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
    pair: LivePair, data: bytes, reason: str
) -> None:
    async def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    await visit(pair, say)
    await wait_until(lambda: pair.first.refusals() == [reason])
    assert pair.first.engine.counters.refused_count == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"node": "CHICAGO"}, "node CHICAGO is not BOSTON, the partner of ATLANTA"),
        ({"rdev": Rdev(0x9999)}, "no CTC of ATLANTA goes to 9999"),
        ({}, f"the partner speaks version {VERSION + 1}, and we speak {VERSION} (at byte 2)"),
    ],
)
async def test_a_partner_that_does_not_fit_is_told_why(
    pair: LivePair, changes: dict[str, Any], reason: str
) -> None:
    data = bytearray(encode_greeting(hello_of(pair.second, **changes)))
    data[6] += not changes

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        assert await read_refusal(reader) == reason

    await visit(pair, greet)
    await wait_until(lambda: pair.first.refusals() == [reason])


async def test_who_does_not_greet_in_time_is_sent_away(
    pair: LivePair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 0.2)

    async def wait(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        assert await read_refusal(reader) == "no greeting within 0.2 s"

    await visit(pair, wait)


async def test_one_ctc_that_does_not_fit_leaves_the_others_alone(tmp_path: Path) -> None:
    first, second = side_of(0), side_of(1)
    mistaken = LiveSide(_crossed(Setup()), 3)
    endpoint = await first.attachments.listen(UnixEndpoint(str(tmp_path / "link")))
    mistaken.attachments.connect(endpoint)
    async with ended(first, second, mistaken):
        # the digest differs as well: two ends that do not agree do not talk
        await wait_until(lambda: len(mistaken.refusals(by_partner=True)) >= 4)
        assert set(mistaken.refusals(by_partner=True)) == set(first.refusals())
        second.attachments.connect(endpoint)
        await wait_until(lambda: first.up and second.up)


def _crossed(setup: Setup) -> Any:
    """The second node with two CTCs joined to each other's mates."""
    definition = setup.definition(1)
    one, two, *others = definition.ctcs
    crossed = (
        replace(one, device=structs.replace(one.device, partner_rdev=two.device.partner_rdev)),
        replace(two, device=structs.replace(two.device, partner_rdev=one.device.partner_rdev)),
    )
    return replace(definition, ctcs=(*crossed, *others))


def all_have(sides: list[LiveSide], word: bytes) -> bool:
    return all(word in side.received() for side in sides)


def has_been_severed(side: LiveSide, count: int) -> bool:
    return side.guest.count(Severed) == count


@pytest.mark.parametrize("restarted", [0, 1])
async def test_a_restarted_node_comes_back_into_the_link_by_itself(
    tmp_path: Path, restarted: int
) -> None:
    endpoint = UnixEndpoint(str(tmp_path / "link"))
    sides = [side_of(0), side_of(1)]

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
        sides[restarted] = side_of(restarted, 10 + life)
        await begin(restarted)
        await wait_until(partial(has_been_severed, survivor, life))
    async with ended(*sides):
        await wait_until(lambda: all(side.up for side in sides))


async def test_a_socket_is_its_owners_only_and_goes_with_the_node(tmp_path: Path) -> None:
    """One left by a dead node is replaced, and a live one is not."""
    for _ in range(2):
        async with pair_up(tmp_path) as pair:
            assert stat.S_IMODE((tmp_path / "link").stat().st_mode) == 0o600
            with pytest.raises(ConfigurationError, match="somebody listens there already"):
                await pair.second.attachments.listen(pair.endpoint)
        assert not (tmp_path / "link").exists()
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(tmp_path / "link"))


@pytest.mark.parametrize("address", ["0.0.0.0:0", "192.0.2.1:7000"])
async def test_without_tls_only_this_machine_is_let_in_unless_told_otherwise(address: str) -> None:
    async with ended(side := side_of(0)):
        with pytest.raises(ConfigurationError, match="--cert, --key and --ca"):
            await side.attachments.listen(parse_endpoint(address))
        with pytest.raises(ConfigurationError, match="--insecure"):
            side.attachments.connect(parse_endpoint(address))
        if address.startswith("0"):
            endpoint = await side.attachments.listen(parse_endpoint(address), insecure=True)
            assert isinstance(endpoint, TcpEndpoint)
            assert endpoint.port > 0


async def test_a_partner_that_cannot_be_reached_is_told_of_once_that_has_lasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 0.2)
    async with ended(side := side_of(1)):
        side.attachments.connect(UnixEndpoint(str(tmp_path / "nobody")))
        await wait_until(lambda: bool(side.refusals(by_partner=True)))
        await asyncio.sleep(0.5)
        assert side.refusals(by_partner=True) == ["No such file or directory"]


async def test_the_same_random_numbers_give_the_same_incarnation() -> None:
    async with ended(side := side_of(0, 5)):
        again = LinkPort(side.engine, NodePort(Random(5)))
        assert again.incarnation == side.attachments.incarnation
        first = again.incarnation
        side.engine.sever("a new life")
        assert again.incarnation != first


async def test_end_in_good_order_is_told_as_such(pair: LivePair) -> None:
    await pair.second.attachments.close()
    await wait_until(lambda: pair.first.engine.counters.detached_count == 4)
    reasons = {event.reason for event in pair.first.told if isinstance(event, Detached)}
    assert reasons == {FAREWELL_REASON}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
async def test_strangers_beyond_it_are_closed_and_counted_while_the_partner_is_there() -> None:
    beyond = 40
    first, second = side_of(0), side_of(1)
    place = await first.attachments.listen(TcpEndpoint("127.0.0.1", 0), insecure=True)
    assert isinstance(place, TcpEndpoint)
    second.attachments.connect(place, insecure=True)
    await wait_until(lambda: first.up and second.up)
    async with ended(first, second):
        with ExitStack() as stack:
            for _ in range(int(GREETINGS) + beyond):
                stranger = stack.enter_context(socket.socket())
                stranger.bind(("127.0.0.2", 0))
                stranger.setblocking(False)
                await asyncio.get_running_loop().sock_connect(stranger, (place.host, place.port))
            too_many = "too many connections from that address"
            await wait_until(lambda: first.refusals().count(too_many) >= beyond // 2)
            assert first.engine.counters.refused_count == len(first.refusals())
            await still_there(first, second)


async def test_a_crowd_of_strangers_is_kept_out_and_the_link_stays_up(pair: LivePair) -> None:
    assert isinstance(pair.endpoint, UnixEndpoint)
    path, ungreeted = pair.endpoint.path, pair.first.attachments.node_port.ungreeted
    crowd = [await asyncio.open_unix_connection(path) for _ in range(UNGREETED_MAX + 10)]
    await wait_until(lambda: pair.first.engine.counters.refused_count == 10)
    assert len(ungreeted) == UNGREETED_MAX
    await still_there(pair.first, pair.second)
    for _, writer in crowd:
        writer.close()
    await wait_until(lambda: not ungreeted)


async def test_the_partner_gets_in_although_strangers_have_taken_every_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pending.GREETING_S", 60.0)
    crowd: list[asyncio.StreamWriter] = []

    async def keep_coming(path: str) -> None:
        while True:
            _, writer = await asyncio.open_unix_connection(path)
            crowd.append(writer)
            await asyncio.sleep(0.002)

    endpoint = UnixEndpoint(str(tmp_path / "link"))
    async with ended(first := side_of(0), second := side_of(1)):
        await first.attachments.listen(endpoint)
        coming = asyncio.create_task(keep_coming(endpoint.path))
        ungreeted = first.attachments.node_port.ungreeted
        await wait_until(lambda: len(ungreeted) == UNGREETED_MAX)
        second.attachments.connect(endpoint)
        await wait_until(lambda: first.up and second.up)
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        for writer in crowd:
            writer.close()


@contextmanager
def pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """How long has been waited between attempts to connect, in seconds."""
    delays_s: list[float] = []
    sleep = asyncio.sleep

    async def note(delay_s: float) -> None:
        if delay_s >= RETRY_S_MIN / 2:
            delays_s.append(delay_s)
        await sleep(delay_s)

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "sleep", note)
        yield delays_s


@pytest.mark.parametrize("listens", [0, 1])
async def test_of_two_partners_of_one_name_the_one_that_is_up_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listens: int
) -> None:
    endpoint = UnixEndpoint(str(tmp_path / "link"))
    here, there, rival = side_of(listens), side_of(1 - listens), side_of(1 - listens, 3)
    await here.attachments.listen(endpoint)
    there.attachments.connect(endpoint)
    await wait_until(lambda: here.up and there.up)
    with pauses(monkeypatch) as delays_s:
        rival.attachments.connect(endpoint)
        attempts = 4 * len(rival.engine.definition.ctcs)
        await wait_until(lambda: len(rival.refusals(by_partner=True)) >= attempts)
        assert max(delays_s) >= 2 * RETRY_S_MIN  # the third pause of a CTC, if not a later one
        told = {f"another {rival.engine.definition.name} is connected already"}
        assert set(rival.refusals(by_partner=True)) == told
        await still_there(there, here)
        for side in (here, there, rival):
            assert side.engine.counters.severed_count == 0
    await there.close()
    async with ended(here, rival):
        await wait_until(lambda: here.up and rival.up)  # its turn


async def test_two_partners_that_come_at_once_do_not_push_each_other_out(tmp_path: Path) -> None:
    endpoint = UnixEndpoint(str(tmp_path / "link"))
    first, *rivals = side_of(0), side_of(1, 2), side_of(1, 3)
    await first.attachments.listen(endpoint)
    for rival in rivals:
        rival.attachments.connect(endpoint)
    async with ended(first, *rivals):
        await wait_until(lambda: first.up and any(rival.up for rival in rivals))
        await asyncio.sleep(0.3)
        assert first.up
        assert [rival.up for rival in rivals].count(True) == 1
        assert first.engine.counters.severed_count <= 1
