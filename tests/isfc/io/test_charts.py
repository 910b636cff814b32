"""Charts go the way that the hardware does, and through the points that were published."""

from dataclasses import replace
from itertools import pairwise

import pytest

from isfc.io.charts import CHARTS, Chart, ChartName, charts_of, memory_over_paths
from isfc.io.configuration import IoChannel
from isfc.io.shared import read_disks
from isfc.layout.layout import FarPath, Isl
from tools import PROJECT


def values(chart: Chart, name: str) -> dict[float, float]:
    (curve,) = (curve for curve in chart.curves if curve.name == name)
    known = zip(chart.xs, curve.values, strict=True)
    return {x: y for x, y in known if y is not None}


@pytest.mark.parametrize("name", CHARTS)
def test_every_curve_has_a_value_for_each_x_or_ends(name: ChartName) -> None:
    chart = CHARTS[name]()
    assert len(set(chart.xs)) == len(chart.xs)
    assert list(chart.xs) == sorted(chart.xs)
    for curve in chart.curves:
        assert len(curve.values) == len(chart.xs)
        known = [value for value in curve.values if value is not None]
        assert known
        assert all(value > 0 for value in known)
    rows = chart.rows()
    assert [row[chart.x_name] for row in rows] == list(chart.xs)
    assert {len(row) for row in rows} == {1 + len(chart.curves)}


def test_response_rises_and_command_mode_ends_long_before_zhpf() -> None:
    chart = CHARTS["response"]()
    ficon, zhpf = values(chart, "FICON"), values(chart, "zHPF")
    for curve in (ficon, zhpf):
        assert all(before <= after for before, after in pairwise(curve.values()))
    assert max(ficon) < 25_840 < 300_000 == max(zhpf)
    assert ficon[18_000] == pytest.approx(200, rel=0.15)  # published: about 0.2 ms


def test_large_blocks_give_more_mb_and_zhpf_several_times_as_many() -> None:
    chart = CHARTS["block"]()
    ficon, zhpf = values(chart, "FICON"), values(chart, "zHPF")
    for curve in (ficon, zhpf):
        assert all(before <= after * 1.001 for before, after in pairwise(curve.values()))
    assert all(zhpf[size] > 3 * ficon[size] for size in chart.xs)


def test_distance_costs_what_credits_do_not_cover() -> None:
    chart = CHARTS["distance"]()
    for curve in chart.curves:
        known = [value for value in curve.values if value is not None]
        assert all(before >= after for before, after in pairwise(known))
    few, many = values(chart, "480 credits"), values(chart, "960 credits")
    assert all(few[km] <= many[km] for km in chart.xs)
    assert many[200] == pytest.approx(2 * few[200], rel=0.01)


def test_devices_without_zhpf_hold_the_others_back() -> None:
    both = values(CHARTS["devices"](), "both")
    assert all(before < after for before, after in pairwise(both.values()))
    assert both[50] == pytest.approx(160_000, rel=0.05)  # published


def test_a_busy_zhyperlink_does_less_of_what_it_is_asked_and_slower() -> None:
    chart = CHARTS["zhyperlink"]()
    success = values(chart, "synchronous %")
    latency = values(chart, "latency us")
    assert all(before > after for before, after in pairwise(success.values()))
    assert all(before < after for before, after in pairwise(latency.values()))


def test_streams_gain_from_packets_and_from_one_another() -> None:
    for name in ("mtu", "streams"):
        for curve in CHARTS[name]().curves:
            known = [value for value in curve.values if value is not None]
            assert all(before <= after for before, after in pairwise(known))


def test_twice_the_memory_takes_twice_as_long_and_twice_the_chpids_half() -> None:
    chart = CHARTS["relocation"]()
    two, four = values(chart, "2 chpids"), values(chart, "4 chpids")
    assert two[32] == pytest.approx(2 * two[16])
    assert two[32] == pytest.approx(2 * four[32])


def test_charts_of_a_configuration_are_those_that_concern_it() -> None:
    every = read_disks(PROJECT / "docs" / "io" / "every-kind.toml")[0]
    few = read_disks(PROJECT / "docs" / "io" / "shared.toml")[0]
    near = {"response", "block", "devices"}
    assert charts_of(few).keys() == near
    assert "Express8S" in charts_of(few)["response"].title
    assert charts_of(every).keys() == near | {"zhyperlink", "mtu", "streams"}
    assert {curve.name for curve in charts_of(every)["mtu"].curves} == {"25 GbE out", "25 GbE in"}
    early = replace(few, channels={"40": IoChannel("40", "FICON Express")})
    assert charts_of(early).keys() == {"response", "block"}
    assert [curve.name for curve in charts_of(early)["block"].curves] == ["FICON"]


def test_the_chart_over_distance_is_of_the_way_that_is_configured() -> None:
    far = read_disks(PROJECT / "docs" / "io" / "two-channels.toml")[0]
    assert charts_of(far).keys() == {"response", "block", "devices", "distance"}
    path = FarPath("far", 40, Isl(1, 8, 300))
    slow = replace(far, channels={"50": IoChannel("50", "FICON Express8S", path=path)})
    chart = charts_of(slow)["distance"]
    assert "Express8S, over one 8 Gb/s" in chart.title
    own = values(chart, "300 credits")
    assert max(own.values()) < 850  # 8 Gb/s carry no more
    assert values(chart, "240 credits")[100] < own[100] < values(chart, "480 credits")[100]


def test_a_guest_moves_over_the_links_that_are_named() -> None:
    chart = memory_over_paths({"from ATLANTA": 512.0})
    assert [curve.name for curve in chart.curves] == ["from ATLANTA", "OSA 10 GbE", "OSA 25 GbE"]
    assert values(chart, "from ATLANTA")[4] == 8.0
