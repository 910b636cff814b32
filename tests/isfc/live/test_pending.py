"""Crowds of ungreeted, and two partners of one name: the one that fits stays, or gets in."""

import asyncio
from pathlib import Path

import pytest

from isfc.live.endpoint import UnixEndpoint
from isfc.live.link_port import RETRY_S_MIN
from isfc.live.pending import UNGREETED_MAX
from isfc.testing.pair import Setup
from tests.live.pair import LiveSide, pair_up
from tests.waiting import wait_until


async def test_a_crowd_of_strangers_is_kept_out_and_the_link_stays_up(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
        assert isinstance(pair.endpoint, UnixEndpoint)
        crowd = [
            await asyncio.open_unix_connection(pair.endpoint.path)
            for _ in range(UNGREETED_MAX + 10)
        ]
        await wait_until(lambda: pair.first.engine.counters.refused_count == 10)
        assert len(pair.first.attachments.node_port.ungreeted) == UNGREETED_MAX
        pair.second.send(b"still there")
        await wait_until(lambda: pair.first.received() == [b"still there"])
        for _, writer in crowd:
            writer.close()
        await wait_until(lambda: not pair.first.attachments.node_port.ungreeted)


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

    crowd.clear()
    setup, path = Setup(), str(tmp_path / "link")
    first, second = (LiveSide(setup.definition(here), here + 1) for here in (0, 1))
    await first.attachments.listen(UnixEndpoint(path))
    coming = asyncio.create_task(keep_coming(path))
    await wait_until(lambda: len(first.attachments.node_port.ungreeted) == UNGREETED_MAX)
    second.attachments.connect(UnixEndpoint(path))
    await wait_until(lambda: first.up and second.up)
    coming.cancel()
    await asyncio.gather(coming, return_exceptions=True)
    for writer in crowd:
        writer.close()
    for side in (first, second):
        await side.close()


@pytest.mark.parametrize("listens", [0, 1])
async def test_of_two_partners_of_one_name_the_one_that_is_up_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listens: int
) -> None:
    delays_s: list[float] = []
    sleep = asyncio.sleep

    async def note(delay_s: float) -> None:
        if delay_s >= RETRY_S_MIN / 2:
            delays_s.append(delay_s)
        await sleep(delay_s)

    delays_s.clear()
    setup, endpoint = Setup(), UnixEndpoint(str(tmp_path / "link"))
    here, there = (LiveSide(setup.definition(i), i + 1) for i in (listens, 1 - listens))
    await here.attachments.listen(endpoint)
    there.attachments.connect(endpoint)
    await wait_until(lambda: here.up and there.up)
    rival = LiveSide(setup.definition(1 - listens), 3)
    monkeypatch.setattr(asyncio, "sleep", note)
    rival.attachments.connect(endpoint)
    name, attempts = rival.engine.definition.name, 4 * setup.ctc_count
    await wait_until(lambda: len(rival.refusals(by_partner=True)) >= attempts)
    assert max(delays_s) >= 2 * RETRY_S_MIN  # the third pause of a CTC, if not a later one
    assert set(rival.refusals(by_partner=True)) == {f"another {name} is connected already"}
    here.send(b"still there")
    await wait_until(lambda: there.received() == [b"still there"])
    for side in (here, there, rival):
        assert side.engine.counters.severed_count == 0
    monkeypatch.undo()
    await there.close()
    await wait_until(lambda: here.up and rival.up)  # its turn
    for side in (here, rival):
        await side.close()


async def test_two_partners_that_come_at_once_do_not_push_each_other_out(tmp_path: Path) -> None:
    setup, endpoint = Setup(), UnixEndpoint(str(tmp_path / "link"))
    first = LiveSide(setup.definition(0), 1)
    await first.attachments.listen(endpoint)
    rivals = [LiveSide(setup.definition(1), number) for number in (2, 3)]
    for rival in rivals:
        rival.attachments.connect(endpoint)
    await wait_until(lambda: first.up and any(rival.up for rival in rivals))
    await asyncio.sleep(0.3)
    assert first.up
    assert [rival.up for rival in rivals].count(True) == 1
    assert first.engine.counters.severed_count <= 1
    for side in (first, *rivals):
        await side.close()
