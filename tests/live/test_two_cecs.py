"""The shipped cluster, four systems in two CECs, live: as processes, and opened by one program."""

import re
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Final

import pytest

from isfc.layout.catalogue import given_collection
from isfc.live.session import OpenNode, open_node
from tests.live.nodes import echo, expect_echo
from tests.live.processes import isfc

LAYOUT: Final = "two-cecs"
NAMES: Final = ("ALPHA", "BETA", "DELTA", "GAMMA")
WITHIN_A_CEC: Final = {("ALPHA", "BETA"), ("DELTA", "GAMMA")}
LENGTHS: Final = (1, 300, 60_000, 200_000)
"""Of the data that each system asks each partner to send back, in bytes."""


def test_links_of_both_kinds_are_there() -> None:
    collection = given_collection(LAYOUT)
    assert sorted(collection.systems) == [*NAMES]
    links = {link.nodes for link in collection.links}
    inside = {(a, b) for a, b in links if collection.cec_of(a) == collection.cec_of(b)}
    assert inside == WITHIN_A_CEC
    assert len(links - inside) == 4


@pytest.mark.exhaustive
def test_four_processes_verify_what_goes_over_all_six_links_and_end_cleanly(tmp_path: Path) -> None:
    traffic = "--workload HL --pairs 2 --seconds 0.5 --warmup 0.2 --verify --json".split()
    with isfc(tmp_path, "up", LAYOUT, *traffic) as up:
        assert up.exit_code() == 0, up.err
        results = up.record()["results"]
    ends = {(result["node"], result["partner"]) for result in results}
    assert ends == {(name, other) for name in NAMES for other in NAMES if other != name}
    for result in results:
        assert result["mb_per_s_out"] > 0, result
        assert result["mb_per_s_in"] > 0, result
    verified = re.findall(r"--verify: (\w+): (\d+) messages, all as they were sent\n", up.err)
    assert sorted(name for name, _ in verified) == [*NAMES]
    assert all(int(count) > 0 for _, count in verified)
    assert not list((tmp_path / "isfc").glob("*")), "something of it is left"


async def test_each_two_systems_send_back_to_each_other_what_they_were_sent(tmp_path: Path) -> None:
    nodes: list[OpenNode] = []
    async with AsyncExitStack() as stack:
        for place, name in enumerate(NAMES):
            opened = open_node(
                LAYOUT,
                name,
                listen=f"unix:{tmp_path / name}" if name != NAMES[-1] else None,
                connect={other: f"unix:{tmp_path / other}" for other in NAMES[:place]},
                verify=True,
            )
            nodes.append(await stack.enter_async_context(opened))
            nodes[-1].serve("ECHO", echo)
        for node in nodes:
            assert {*node.partners} == {*NAMES} - {node.name}
            for partner in node.partners:
                random = Random(f"{node.name} {partner}")
                async with node.connect("ECHO", partner=partner) as conversation:
                    for length in LENGTHS:
                        await expect_echo(conversation, random.randbytes(length))
    for node in nodes:
        for exchange in node.exchanges.values():
            assert exchange.verifying is not None
            exchange.verifying.expect_intact()
            assert exchange.verifying.verified_count > len(LENGTHS)
