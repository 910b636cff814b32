"""What zHyperLinks turn away is all that they did not do, and goes where the workload says."""

import pytest

from isfc.io.configuration_file import parse_io_configuration
from isfc.io.plan import make_io_plan
from isfc.io.synchronous import synchronous_loads, turned_away

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
    misses = 100_000 * lookup.outcome.cache_miss
    assert left.rate_per_s * (1 - left.cache_hit_percent / 100) == pytest.approx(misses)
    assert spin.outcome is None
    assert turned_away(spin, configuration) is None


def test_a_plan_puts_it_on_the_channel() -> None:
    plan = make_io_plan(parse_io_configuration(CONFIGURATION.encode(), "x"))
    (channel,) = plan.channels
    assert [workload.name for workload in channel.workloads] == ["lookup (async)"]
    lookup, _ = plan.synchronous
    assert lookup.outcome is not None
    assert channel.io_per_s == pytest.approx(100_000 * (1 - lookup.outcome.success), rel=1e-3)
