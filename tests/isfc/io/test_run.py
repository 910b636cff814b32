"""Runs of whole configurations."""

import pytest

from isfc.io.configuration_file import parse_io_configuration
from isfc.io.run import IoRun, run_configuration

CONFIG = """
[channel.42]
feature = "FICON Express16SA"
[channel.43]
feature = "FICON Express16SA"
[channel.E0]
feature = "zHyperLink Express"
[system.ATLANTA]
saps = 4
[[io]]
name = "oltp"
channels = ["42", "43"]
rate = 20000
[[io]]
name = "mixed"
workload = "sequential-128k"
channels = ["43"]
rate = 2000
[[io]]
name = "index"
protocol = "synchronous"
channels = ["E0", "42"]
rate = 100000
"""


@pytest.fixture(scope="module")
def run() -> IoRun:
    return run_configuration(parse_io_configuration(CONFIG.encode(), "io.toml"), seconds=0.2)


def test_what_workloads_get_is_what_their_channels_carry(run: IoRun) -> None:
    assert sum(each.io_per_s for each in run.workloads) == pytest.approx(
        sum(each.io_per_s for each in run.channels)
    )
    by_workload = sum(each.mb_per_s for each in run.workloads)
    by_channel = sum(each.traffic.mb_per_s for each in run.channels)
    assert by_workload == pytest.approx(by_channel)


def test_a_rate_is_kept_and_shared_evenly(run: IoRun) -> None:
    oltp = run.workloads[0]
    assert oltp.io_per_s == pytest.approx(20_000, rel=0.03)
    shares = [channel.loads[0].io_per_s for channel in run.channels]
    assert shares[0] == pytest.approx(shares[1], rel=0.06)


def test_parts_of_a_response_add_up_and_percentiles_rise(run: IoRun) -> None:
    for each in run.workloads:
        assert each.pend_us + each.disc_us + each.conn_us == pytest.approx(each.response_us)
        assert 0 < each.response_p50_us < each.response_p99_us


def test_frames_are_those_of_the_mix(run: IoRun) -> None:
    only_reads, mixed = run.channels
    assert only_reads.frame_bytes(reads=True) == pytest.approx(1083)
    assert only_reads.frame_bytes(reads=False) == pytest.approx(98)
    assert 1083 < mixed.frame_bytes(reads=True) < 2023


def test_what_a_zhyperlink_turns_away_goes_over_its_channel(run: IoRun) -> None:
    (index,) = run.synchronous
    turned_away = run.workloads[-1]
    assert turned_away.name == "index (async)"
    assert turned_away.io_per_s == pytest.approx(1_000 * (100 - index.success_percent), rel=0.05)


def test_saps_start_what_channels_carry(run: IoRun) -> None:
    (atlanta,) = run.saps
    assert atlanta.io_per_s == pytest.approx(sum(each.io_per_s for each in run.channels))
    assert atlanta.busy_percent is not None
    assert 0 < atlanta.busy_percent < 10
