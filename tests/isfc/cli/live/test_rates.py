"""Rates between two looks, on figures made by hand."""

from dataclasses import replace

import pytest

from isfc.cli.live.watch_page import rates
from isfc.link.state import DeviceState, LinkState
from tests.isfc.live.snapshots import sight


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
    end = rates(None, replace(after, node=replace(after.node, now_ns=0)))
    assert (end.link.mb_per_s, end.late_percent) == (0, 0)
