"""The operator of a live node: commands over its control socket, and what is announced."""

import asyncio
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from isfc.errors import RemoteProtocolError
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from isfc.live.connection import LiveCounters
from isfc.live.engine import LiveEngine
from isfc.live.operator import LiveSnapshot, look, open_control, read_snapshot, snapshot_record
from isfc.live.pace import Lag
from isfc.testing.pair import Pair, Setup
from tests.isfc.live.asking import ask
from tests.isfc.live.snapshots import sight
from tests.live.pair import LivePair, LiveSide
from tests.waiting import wait_until


class Operated:
    """A live pair, both of whose nodes have their control sockets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def __aenter__(self) -> "Operated":
        self.pair = LivePair(self.folder, Setup(ctc_count=2))
        await self.pair.__aenter__()
        self.servers = [await open_control([side.engine], self.folder) for side in self.pair.sides]
        await self.pair.come_up()
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self.servers:
            await server.close()
        await self.pair.__aexit__()

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.control"

    async def give(self, command: str, name: str = "ATLANTA") -> tuple[Any, Any]:
        """Return code and lines of a command's response."""
        reply = await ask(self.path(name), "cp", command)
        return reply["return_code"], reply["lines"]

    async def heard(self, name: str, command: str, count: int) -> list[str]:
        """So many announcements that a console of ``name`` is told because of a command."""
        reader, writer = await asyncio.open_unix_connection(str(self.path(name)))
        writer.write(b'{"listen": true}\n')
        assert await reader.readline() == b'{"reply": {}}\n'
        await self.give(command)
        found = [json.loads(await reader.readline())["announcement"] for _ in range(count)]
        writer.close()
        return found


@pytest.fixture
def operated(tmp_path: Path) -> Operated:
    return Operated(tmp_path)


def states(side: LiveSide) -> list[DeviceState]:
    return [ctc.state for ctc in side.engine.end.link.ctcs.values()]


async def test_query_islink_shows_the_live_link_from_both_sides(operated: Operated) -> None:
    operated.pair.first.send(b"x" * 100)
    length = Package(0, [Message(0, 100)], 100).length
    await wait_until(lambda: operated.pair.first.guest.sent_count == 1)
    assert await operated.give("q islink 6000") == (
        0,
        [
            "Node BOSTON",
            "Link device: 6000                        Type: FCTC",
            f"Node:        BOSTON                      Bytes Sent: {length}",
            "State:       Up                          Bytes Received: 0",
            "Status:      Idle                        Remote link device: 7000",
        ],
    )
    _, lines = await operated.give("q islink 7000", "BOSTON")
    assert lines[2:4] == [
        "Node:        ATLANTA                     Bytes Sent: 0",
        f"State:       Up                          Bytes Received: {length}",
    ]


async def test_commands_act_on_the_link_and_the_partner_sees_it(operated: Operated) -> None:
    first, second = operated.pair.sides
    assert await operated.give("deact islink 6001") == (0, ["Link 6001 deactivated."])
    await wait_until(lambda: states(second)[1] is DeviceState.DOWN)
    first.send(*[b"x" * 1_000] * 50)
    await wait_until(lambda: len(second.received()) == 50)
    assert await operated.give("act islink 6001") == (0, ["Link 6001 activated."])
    await operated.pair.come_up()
    assert (await operated.give("vary off chpid 40"))[0] == 0
    await wait_until(lambda: second.engine.end.link.state is LinkState.DOWN)
    assert (await operated.give("vary on chpid 40"))[0] == 0
    await operated.pair.come_up()
    assert await operated.give("foo") == (1, ["HCPCMD001E Unknown CP command: FOO"])


async def test_consoles_are_told_what_happens_and_what_commands_did(operated: Operated) -> None:
    assert {*await operated.heard("ATLANTA", "deact islink 6001", 2)} == {
        "HCP2703I Link 6001 went down",
        "HCP2707I Link 6001 deactivated by user OPERATOR",
    }
    await operated.give("act islink 6001")
    await operated.pair.come_up()
    *links, node = await operated.heard("BOSTON", "deact islink all", 3)
    assert sorted(links) == [f"HCP2703I Link {rdev} went down" for rdev in (7000, 7001)]
    assert node == "HCP2705I Node ATLANTA deleted from collection"


async def test_snapshot_and_names_are_to_be_had(operated: Operated) -> None:
    reply: dict[str, Any] = await ask(operated.path("BOSTON"), "snapshot")
    snapshot = read_snapshot(reply["links"][0])
    assert (snapshot.node.name, snapshot.node.state) == ("BOSTON", LinkState.UP)
    assert [device.rdev for device in snapshot.node.devices] == [0x7000, 0x7001]
    assert await ask(operated.path("BOSTON"), "node") == {
        "name": "BOSTON", "partners": ["ATLANTA"], "rdevs": ["7000", "7001"]
    }  # fmt: skip


async def test_requests_that_make_no_sense_are_refused(operated: Operated) -> None:
    for kind, operand, reason in (
        ("cp", 7, "cp: expected a command, a text"),
        ("fly", True, "fly: expected cp, snapshot, node or listen"),
    ):
        with pytest.raises(RemoteProtocolError, match=reason):
            await ask(operated.path("ATLANTA"), kind, operand)


async def test_what_was_varied_off_stays_so_when_the_link_restarts(operated: Operated) -> None:
    await operated.give("vary off 6000")
    operated.pair.first.engine.sever("a test")
    await wait_until(lambda: states(operated.pair.first)[1] is DeviceState.IDLE)
    assert states(operated.pair.first)[0] is DeviceState.DOWN
    _, lines = await operated.give("q islink 6000")
    assert lines[4].startswith("Status:      Offline ")


def seen(*, paced: bool = True) -> LiveSnapshot:
    """A look at a node of a pair, as if its engine were live."""
    pair = Pair()
    pair.send(pair.first, *[500_000] * 3)
    pair.send(pair.second, *[500_000] * 3)
    pair.run(20_000_000)
    lag = Lag()
    lag.note(0, 5, 8)
    engine = SimpleNamespace(
        end=pair.first.end,
        now_ns=lambda: pair.engine.now_ns,
        counters=LiveCounters(4, 3, 2, 1),
        lag=lag,
    )
    return look(cast(LiveEngine, engine), paced=paced)


def test_a_look_has_what_node_and_engine_count() -> None:
    snapshot = seen()
    assert snapshot.node.name == "ATLANTA"
    assert snapshot.node.write_package_count > 0
    assert (snapshot.attached_count, snapshot.detached_count) == (4, 3)
    assert (snapshot.refused_count, snapshot.severed_count) == (2, 1)
    assert (snapshot.late_ns, snapshot.late_ns_max, snapshot.waited_ns) == (3, 3, 8)


def test_where_the_models_times_are_ignored_nothing_is_late_and_the_process_s_time_counts() -> None:
    before_ns = time.process_time_ns()
    snapshot = seen(paced=False)
    assert (snapshot.late_ns, snapshot.late_ns_max, snapshot.waited_ns) == (0, 0, 0)
    assert before_ns < snapshot.node.cpu_ns <= time.process_time_ns()
    assert seen().node.cpu_ns != snapshot.node.cpu_ns


def test_what_another_process_reads_is_what_was_seen() -> None:
    for snapshot in (seen(), sight()):
        text = json.dumps(snapshot_record(snapshot), allow_nan=False)
        assert read_snapshot(json.loads(text)) == snapshot
