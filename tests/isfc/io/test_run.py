"""Runs of whole configurations."""

import pytest

from isfc.answers.io_run import IoActivity, io_activity
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.run import run_channels

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
def run() -> IoActivity:
    return io_activity(parse_io_configuration(CONFIG.encode(), "io.toml"), seconds=0.2)


def test_what_workloads_get_is_what_their_channels_carry(run: IoActivity) -> None:
    assert sum(each.io_per_s for each in run.workloads) == pytest.approx(
        sum(each.io_per_s for each in run.channels)
    )
    by_workload = sum(each.mb_per_s for each in run.workloads)
    by_channel = sum(each.mb_per_s_read + each.mb_per_s_write for each in run.channels)
    assert by_workload == pytest.approx(by_channel)


def test_a_rate_is_kept_and_shared_evenly(run: IoActivity) -> None:
    oltp = run.workloads[0]
    assert oltp.io_per_s == pytest.approx(20_000, rel=0.03)
    configuration = parse_io_configuration(CONFIG.encode(), "io.toml")
    channels = run_channels(configuration, configuration.workloads[:1], 0.2, 0.1, 1)
    shares = [channel.loads[0].io_per_s for channel in channels]
    assert shares[0] == pytest.approx(shares[1], rel=0.06)


def test_parts_of_a_response_add_up_and_percentiles_rise(run: IoActivity) -> None:
    for each in run.workloads:
        assert each.pend_us + each.disc_us + each.conn_us == pytest.approx(each.response_us)
        assert 0 < each.response_p50_us < each.response_p99_us


def test_frames_are_those_of_the_mix(run: IoActivity) -> None:
    only_reads, mixed = run.channels
    assert only_reads.frame_bytes_read == pytest.approx(1083)
    assert only_reads.frame_bytes_write == pytest.approx(98)
    assert 1083 < mixed.frame_bytes_read < 2023


def test_what_a_zhyperlink_turns_away_goes_over_its_channel(run: IoActivity) -> None:
    (index,) = run.synchronous
    turned_away = run.workloads[-1]
    assert turned_away.name == "index (async)"
    assert turned_away.io_per_s == pytest.approx(1e5 - 1e3 * (index.success_percent or 0), rel=0.05)


def test_saps_start_what_channels_carry(run: IoActivity) -> None:
    (atlanta,) = run.saps
    assert atlanta.io_per_s == pytest.approx(sum(each.io_per_s for each in run.channels))
    assert 0 < (atlanta.busy_percent or 0) < 10
