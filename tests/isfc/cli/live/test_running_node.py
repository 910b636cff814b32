"""One live node: its program, and what it makes of being late or severed."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from isfc.cli.live.measured import Measured
from isfc.cli.live.node import DroppingProgram, LiveNode
from isfc.cli.live.options import LiveOptions, Pace
from isfc.layout.catalogue import load_layout
from isfc.link.events import LinkUp
from isfc.live.endpoint import UnixEndpoint
from isfc.live.session import Opening
from isfc.programs.verification import VerificationError, Verifying

PACED = LiveOptions(Pace.MODELLED, 1, True, "HL", 20, seconds=0.3, warmup=0.05)


def nodes(folder: Path, options: LiveOptions) -> list[LiveNode]:
    layout = load_layout("published-4")
    endpoint = UnixEndpoint(str(folder / "link"))
    opening = Opening(dilation=options.factor, verify=options.verify)
    first, second = layout.nodes
    ways = {first: replace(opening, listen=endpoint)}
    ways[second] = replace(opening, connect={first: endpoint})
    return [LiveNode((layout,), name, options, way, run_dir=folder) for name, way in ways.items()]


async def test_a_machine_too_slow_for_the_models_pace_fails_where_it_is_strict(
    tmp_path: Path,
) -> None:
    measured: list[Measured] = []
    codes = await asyncio.gather(
        *(node.serve(asyncio.Event(), measured) for node in nodes(tmp_path, PACED))
    )
    assert codes == [1, 1]  # dilation 1: no Python keeps up with microseconds
    assert all(each.lag_percent > 1 for each in measured)


async def test_what_does_not_verify_is_raised_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Verifying) -> None:
        raise VerificationError(f"changed after {self.verified_count}")

    monkeypatch.setattr(Verifying, "expect_intact", fail)

    (node, _) = nodes(tmp_path, LiveOptions(workload="HS", pairs=1, verify=True))
    stop = asyncio.Event()
    stop.set()
    with pytest.raises(VerificationError, match="changed after 0"):
        await node.serve(stop, [])


def test_a_node_without_a_workload_drops_what_arrives() -> None:
    assert list(DroppingProgram().start(0)) == list(DroppingProgram().receive(LinkUp(), 0)) == []
