"""What live links measure, and what a live run shows of it."""

import dataclasses
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console, RenderableType

from isfc.cli.live.measured import Measured, live_page, live_run, rates
from isfc.cli.live.options import LiveOptions, Pace
from isfc.layout.catalogue import load_layout
from isfc.link.state import DeviceState, LinkState
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from tests.isfc.live.snapshots import sight


def shown(page: RenderableType) -> str:
    console = Console(file=StringIO(), width=80)
    console.print(page)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def experiment() -> tuple[LiveOptions, Experiment]:
    options = LiveOptions(Pace.MODELLED, 50, workload="HS", pairs=2, seconds=0.01, warmup=0)
    found = options.experiment(load_layout("published-1"))
    assert found is not None
    return options, found


def test_each_system_has_its_page_with_its_lag() -> None:
    options, what = experiment()
    client, server = (run(what).link().at(side).whole.result for side in what.layout.nodes)
    measured = [Measured(client, 0.5), Measured(server, 2.0)]
    text = shown(live_page(live_run(options, [what.layout], measured)))
    assert text.index("seen from CLIENT") < text.index("0.50 %") < text.index("seen from SERVER")
    assert "0.01 s of model time, each taking 50 s after 0 s of warm-up" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_record_has_for_each_system_what_isfc_run_prints() -> None:
    options, what = experiment()
    measured = [Measured(run(what).link().at(side).whole.result, 0.5) for side in what.layout.nodes]
    record = live_run(options, [what.layout], measured)
    assert record.lag_percent == {"CLIENT": 0.5, "SERVER": 0.5}
    assert (record.pace, record.dilation) == ("modelled", 50)
    assert [result.node for result in record.results] == ["CLIENT", "SERVER"]
    unpaced = replace(options, pace=Pace.NONE, dilation=None)
    assert live_run(unpaced, [what.layout], measured).dilation is None


def test_rates_are_of_what_happened_in_between() -> None:
    end = rates(sight(seconds=10, scale=1), sight(seconds=12, scale=5))  # 4 times, in 2 s
    node = end.seen.node
    assert (node.name, node.partner, node.state) == ("ATLANTA", "BOSTON", LinkState.UP)
    assert (end.link.mb_per_s_out, end.link.mb_per_s_in) == (6.0, 2.0)
    assert (end.link.packages_per_s_out, end.link.packages_per_s_in) == (8.0, 4.0)
    assert end.link.messages_per_s == 76.0
    assert end.link.collisions_per_s == 4.0
    assert end.link.tx_pend_count == 5
    assert end.late_percent == pytest.approx(2.0)
    seen = end.seen
    assert (seen.refused_count, seen.detached_count, seen.severed_count) == (3, 0, 0)
    writer, reader = end.ctcs
    assert (writer.device.rdev, writer.device.partner_rdev, writer.turn) == (0x6000, 0x7000, 1)
    assert (writer.mb_per_s, writer.packages_per_s, writer.collisions_per_s) == (6.0, 8.0, 4.0)
    assert writer.device.state is DeviceState.WRITING
    assert (reader.device.rdev, reader.turn, reader.mb_per_s, reader.packages_per_s) == (
        0x6001,
        None,
        0,
        0,
    )


def test_first_look_shows_what_happened_since_the_node_began() -> None:
    end = rates(None, sight(seconds=2, scale=4))
    assert (end.link.mb_per_s_out, end.ctcs[0].packages_per_s) == (6.0, 8.0)
    assert end.late_percent == pytest.approx(2.0)


def test_a_node_that_was_replaced_counts_from_zero() -> None:
    before = sight(seconds=10, scale=100)
    after = sight(seconds=12, scale=4, severed_count=1)
    end = rates(before, replace(after, late_ns=before.late_ns, waited_ns=before.waited_ns))
    assert (end.link.mb_per_s_out, end.ctcs[0].packages_per_s) == (6.0, 8.0)
    assert end.late_percent == 0  # the engine is the same: only the node is new


def test_a_process_that_was_restarted_counts_from_its_own_beginning() -> None:
    end = rates(sight(seconds=10, scale=100), sight(seconds=2, scale=4))
    assert (end.link.mb_per_s_out, end.ctcs[0].collisions_per_s) == (6.0, 4.0)


def test_a_look_at_the_very_beginning_is_no_error() -> None:
    after = sight(scale=0)
    end = rates(None, replace(after, node=dataclasses.replace(after.node, now_ns=0)))
    assert (end.link.mb_per_s, end.late_percent) == (0, 0)
