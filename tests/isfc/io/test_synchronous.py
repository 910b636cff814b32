"""What zHyperLinks turn away is all that they did not do, and goes where the workload says."""

import pytest

from isfc.answers.io_run import io_activity
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.plan import make_io_plan
from isfc.io.zhyperlink import SynchronousOutcome, synchronous_loads, turned_away

CONFIGURATION = """
[channel.42]
feature = "FICON Express16SA"
[channel.Z1]
feature = "zHyperLink Express"
[[io]]
name = "lookup"
channels = ["Z1", "42"]
protocol = "synchronous"
rate = 100000
cache_hit_percent = 90
[[io]]
name = "spin"
channels = ["Z1"]
protocol = "synchronous"
"""


def test_what_is_turned_away_is_what_did_not_succeed() -> None:
    configuration = parse_io_configuration(CONFIGURATION.encode(), "x")
    lookup, spin = synchronous_loads(configuration)
    assert lookup.outcome is not None
    assert [link.chpid for link in lookup.links] == ["Z1"]
    left = turned_away(lookup, configuration)
    assert left is not None
    assert left.rate_per_s is not None
    assert left.channels == ("42",)
    assert left.rate_per_s == pytest.approx(100_000 * (1 - lookup.outcome.success))
    busy = 100_000 * lookup.outcome.link_busy
    misses = 100_000 * lookup.outcome.cache_miss + 0.1 * busy
    assert left.rate_per_s * (1 - left.cache_hit_percent / 100) == pytest.approx(misses)
    assert spin.outcome is None
    assert turned_away(spin, configuration) is None


def outcomes(text: str) -> list[SynchronousOutcome]:
    found = synchronous_loads(parse_io_configuration(text.encode(), "x"))
    return [each.outcome for each in found if each.outcome]


def test_workloads_on_one_link_find_it_as_busy_as_both_make_it() -> None:
    # each was estimated as if the other were not there
    (whole,) = outcomes(CONFIGURATION)
    half = CONFIGURATION.replace("100000", "50000").replace('"spin"', '"spin"\nrate = 50000')
    first, second = outcomes(half.replace("cache_hit_percent = 90\n", ""))
    assert first.link_busy == pytest.approx(whole.link_busy)
    assert second.link_busy == pytest.approx(whole.link_busy)
    assert first.latency_ns == pytest.approx(whole.latency_ns)


def test_a_second_link_takes_half_of_what_names_both() -> None:
    two = CONFIGURATION.replace("[[io]]", '[channel.Z2]\nfeature = "zHyperLink Express"\n[[io]]', 1)
    (one,), (shared,) = outcomes(CONFIGURATION), outcomes(two.replace('["Z1", ', '["Z1", "Z2", '))
    assert shared.link_busy < one.link_busy / 4


def test_what_is_too_long_for_a_link_all_goes_over_a_channel() -> None:
    # 8192 bytes were said to succeed within 19 us
    configuration = parse_io_configuration(
        CONFIGURATION.replace("rate", "block = 8192\nrate").encode(), "x"
    )
    lookup, _ = synchronous_loads(configuration)
    assert lookup.outcome is not None
    assert (lookup.outcome.success, lookup.outcome.rejected) == (0, 1)
    left = turned_away(lookup, configuration)
    assert left is not None
    assert left.rate_per_s == 100_000
    assert left.cache_hit_percent == pytest.approx(90)


def test_what_the_control_unit_rejects_goes_over_a_channel_and_is_counted() -> None:
    text = CONFIGURATION.replace("rate", "rejected_percent = 2\nrate")
    (plain,), (rejecting,) = outcomes(CONFIGURATION), outcomes(text)
    assert plain.rejected == 0
    assert rejecting.rejected == pytest.approx(0.02 * (1 - rejecting.link_busy))
    assert rejecting.link_busy == plain.link_busy
    assert rejecting.success == pytest.approx(0.98 * plain.success)
    configuration = parse_io_configuration(text.encode(), "x")
    lookup, _ = synchronous_loads(configuration)
    left = turned_away(lookup, configuration)
    assert left is not None
    assert left.rate_per_s == pytest.approx(100_000 * (1 - rejecting.success))
    # one I/O in ten misses the cache, however many of them are rejected
    missed = 100_000 * (1 - rejecting.success) * (1 - left.cache_hit_percent / 100)
    tried = 1 - rejecting.link_busy - rejecting.rejected
    assert missed == pytest.approx(10_000 * (tried + rejecting.link_busy + rejecting.rejected))
    run = io_activity(configuration, seconds=0.05)
    assert run.synchronous[0].rejected_percent == 100 * rejecting.rejected
    assert run.workloads[0].io_per_s == pytest.approx(left.rate_per_s, rel=0.1)


def test_the_busy_report_comes_out_of_a_configuration() -> None:
    # LCU 0071: 150,000 reads a second, .21 % rejected, 20.31 % busy, 79.47 % success
    text = CONFIGURATION.replace("cache_hit_percent = 90", "rejected_percent = 0.2635")
    (found,) = outcomes(text.replace("100000", "150000"))
    assert 100 * found.rejected == pytest.approx(0.21, abs=0.005)
    assert 100 * found.success == pytest.approx(79.47, abs=1)


def test_a_plan_puts_it_on_the_channel() -> None:
    plan = make_io_plan(parse_io_configuration(CONFIGURATION.encode(), "x"))
    (channel,) = plan.channels
    assert [each.demand.workload.name for each in channel.demands] == ["lookup (async)"]
    lookup, _ = plan.synchronous
    assert lookup.outcome is not None
    assert channel.io_per_s == pytest.approx(100_000 * (1 - lookup.outcome.success), rel=1e-3)
