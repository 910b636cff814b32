"""Strangers may greet so often; partners, and this user's own processes, as often as they like."""

import asyncio
import socket
import sys
from contextlib import ExitStack

import pytest

from isfc.live.endpoint import TcpEndpoint
from isfc.live.link_port import ADDRESSES, ADDRESSES_MAX, GREETINGS, GREETINGS_PER_S, Admission
from isfc.testing.pair import Setup
from tests.isfc.live.test_pending import refusals
from tests.live.pair import LiveSide, Run
from tests.waiting import wait_until


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
def test_strangers_beyond_it_are_closed_and_counted_while_the_partner_is_there(
    run_live: Run,
) -> None:
    beyond = 40

    async def main() -> None:
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
                lambda: (
                    refusals(first).count("too many connections from that address") >= beyond // 2
                )
            )
            assert first.engine.counters.refused_count == len(refusals(first))
            second.send(b"still there")
            await wait_until(lambda: first.received() == [b"still there"])
        for side in (first, second):
            await side.close()

    run_live(main())
