"""Charts go the way that the hardware does, and through the points that were published."""

from collections.abc import Callable
from itertools import pairwise
from operator import ge, gt, le, lt

import pytest
from msgspec.structs import replace

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


GOES = [
    # the chart, those of its curves whose names end so, and what a point is beside the next
    ("response", "", le),  # and so in command mode, which ends long before zHPF
    ("block", "", lambda before, after: before <= after * 1.001),
    ("distance", "", ge),
    ("devices", "both", lt),  # those without zHPF hold the others back
    ("zhyperlink", "synchronous %", gt),  # a busy one does less of what it is asked, and slower
    ("zhyperlink", "latency us", lt),
    ("mtu", "", le),
    ("streams", "", le),
]


@pytest.mark.parametrize(("name", "ending", "compared"), GOES)
def test_curves_go_one_way(
    name: ChartName, ending: str, compared: Callable[[float, float], bool]
) -> None:
    curves = [each for each in CHARTS[name]().curves if each.name.endswith(ending)]
    assert curves
    for curve in curves:
        known = [value for value in curve.values if value is not None]
        assert all(compared(before, after) for before, after in pairwise(known)), curve.name


def test_curves_go_through_what_was_published() -> None:
    ficon, zhpf = (values(CHARTS["response"](), name) for name in ("FICON", "zHPF"))
    assert max(ficon) < 25_840 < 300_000 == max(zhpf)
    assert ficon[18_000] == pytest.approx(200, rel=0.15)  # published: about 0.2 ms
    assert values(CHARTS["devices"](), "both")[50] == pytest.approx(160_000, rel=0.05)  # published


def test_zhpf_gives_several_times_as_many_mb_and_twice_the_credits_twice_as_far() -> None:
    chart = CHARTS["block"]()
    assert all(values(chart, "zHPF")[size] > 3 * values(chart, "FICON")[size] for size in chart.xs)
    chart = CHARTS["distance"]()
    few, many = values(chart, "480 credits"), values(chart, "960 credits")
    assert all(few[km] <= many[km] for km in chart.xs)
    assert many[200] == pytest.approx(2 * few[200], rel=0.01)


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
