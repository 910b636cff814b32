"""The operator of a live node: commands over its control socket, and what is announced."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from isfc.live.control import ControlClient
from isfc.live.operator import open_control, read_snapshot
from isfc.testing.pair import Setup
from tests.isfc.live.asking import ask
from tests.live.pair import LivePair, LiveSide
from tests.waiting import wait_until


class Operated:
    """A live pair, both of whose nodes have their control sockets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pair = LivePair(folder, Setup(ctc_count=2))

    async def __aenter__(self) -> "Operated":
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


def states(side: LiveSide) -> list[DeviceState]:
    return [ctc.state for ctc in side.engine.end.link.ctcs.values()]


async def test_query_islink_shows_the_live_link_from_both_sides(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        operated.pair.first.send(b"x" * 100)
        length = Package(0, [Message(0, 100)], 100).length
        await wait_until(lambda: operated.pair.first.guest.sent_count == 1)
        code, lines = await operated.give("q islink 6000")
        assert code == 0
        assert lines == [
            "Node BOSTON",
            "Link device: 6000                        Type: FCTC",
            f"Node:        BOSTON                      Bytes Sent: {length}",
            "State:       Up                          Bytes Received: 0",
            "Status:      Idle                        Remote link device: 7000",
        ]
        _, lines = await operated.give("q islink 7000", "BOSTON")
        assert lines[2:4] == [
            "Node:        ATLANTA                     Bytes Sent: 0",
            f"State:       Up                          Bytes Received: {length}",
        ]


async def test_commands_act_on_the_link_and_the_partner_sees_it(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
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


async def test_consoles_are_told_what_happens_at_their_end(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        reader, writer = await open_listener(operated.path("BOSTON"))
        await operated.give("deact islink all")
        heard = [await reader.readline() for _ in range(3)]
        assert sorted(heard[:2]) == [
            b'{"announcement": "HCP2703I Link 7000 went down"}\n',
            b'{"announcement": "HCP2703I Link 7001 went down"}\n',
        ]
        assert heard[2] == b'{"announcement": "HCP2705I Node ATLANTA deleted from collection"}\n'
        writer.close()


async def test_console_of_the_operator_is_told_what_commands_did(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        reader, writer = await open_listener(operated.path("ATLANTA"))
        await operated.give("deact islink 6001")
        heard = {await reader.readline() for _ in range(2)}
        assert heard == {
            b'{"announcement": "HCP2703I Link 6001 went down"}\n',
            b'{"announcement": "HCP2707I Link 6001 deactivated by user OPERATOR"}\n',
        }
        writer.close()


async def open_listener(path: Path) -> Any:

    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(b'{"listen": true}\n')
    assert await reader.readline() == b'{"reply": {}}\n'
    return reader, writer


async def test_snapshot_and_names_are_to_be_had(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        reply: dict[str, Any] = await ask(operated.path("BOSTON"), "snapshot")
        snapshot = read_snapshot(reply["links"][0])
        assert (snapshot.node.name, snapshot.node.state) == ("BOSTON", LinkState.UP)
        assert [device.rdev for device in snapshot.node.devices] == [0x7000, 0x7001]
        assert await ask(operated.path("BOSTON"), "node") == {
            "name": "BOSTON", "partners": ["ATLANTA"], "rdevs": ["7000", "7001"]
        }  # fmt: skip


async def test_requests_that_make_no_sense_are_refused(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        for kind, operand, reason in (
            ("cp", 7, "cp: expected a command, a text"),
            ("fly", True, "fly: expected cp, snapshot, node or listen"),
        ):
            with pytest.raises(RemoteProtocolError, match=reason):
                await ask(operated.path("ATLANTA"), kind, operand)


async def test_one_name_has_one_control_in_a_directory(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        with pytest.raises(ConfigurationError, match=r"ATLANTA\.control: a node of that"):
            await open_control([operated.pair.first.engine], tmp_path)

    assert os.listdir(tmp_path) == []  # noqa: PTH208  # the names are what matters


async def test_what_was_varied_off_stays_so_when_the_link_restarts(
    tmp_path: Path,
) -> None:
    async with Operated(tmp_path) as operated:
        await operated.give("vary off 6000")
        operated.pair.first.engine.sever("a test")
        await wait_until(lambda: states(operated.pair.first)[1] is DeviceState.IDLE)
        assert states(operated.pair.first)[0] is DeviceState.DOWN
        _, lines = await operated.give("q islink 6000")
        assert lines[4].startswith("Status:      Offline ")


async def test_blocking_client_serves_too(
    tmp_path: Path,
) -> None:

    def query() -> Any:
        with ControlClient(operated.path("ATLANTA")) as client:
            return client.ask("cp", "q chpid 40")

    async with Operated(tmp_path) as operated:
        reply = await asyncio.to_thread(query)
        assert reply["lines"] == ["Path 40 online to devices 6000 6001"]
