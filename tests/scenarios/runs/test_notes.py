"""What lies outside of IBM's measurements, and what the model says there."""

from dataclasses import replace

import pytest
from msgspec import structs

from ctc.features import find_profile
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from scenarios.published.catalogue import load_table
from scenarios.published.replay import make_experiment
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import (
    FIBRES_MAX,
    MB_PER_S_MAX,
    MEASURED_FEATURES,
    ONE_WAY_MB_PER_S_MAX,
    WRITERS_MAX,
    beyond_measured,
    beyond_measured_run,
)
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.workload import Workload, find_workload, free_workload
from tests.layouts import layout_of as layout_of_express8

PUBLISHED = [load_table(name) for name in ("transport", "appc_regression", "appc_scaling")]


def layout_of(*groups: tuple[float, int], express: int = 4) -> Layout:
    """A link on Express4, or another: for each (Gb/s, CTCs) a fibre of its own."""
    layout = layout_of_express8(*groups)
    profile = find_profile(f"FICON Express{express}", express)
    fibres = {fibre: structs.replace(fibre, profile=profile) for fibre in layout.fibres}
    ctcs = tuple(structs.replace(ctc, fibre=fibres[ctc.fibre]) for ctc in layout.ctcs)
    return replace(layout, fibres=tuple(fibres.values()), ctcs=ctcs)


ONE_CTC_EACH = layout_of(*[(4, 1)] * 16)
LINE_MB_PER_S = 413.0
"""Of Express4 at 4 Gb/s, by its speed."""


def test_no_published_run_is_beyond_what_was_measured() -> None:
    for table in PUBLISHED:
        for row in table.rows:
            one = make_experiment(table, row)
            rate = row.number("mb_per_s") if "mb_per_s" in table.measures else 0.0
            assert beyond_measured_run(one.layout, one.workload, one.pairs, rate) == []


def test_limits_are_those_of_the_published_runs() -> None:
    largest = load_layout("published-16")
    assert {fibre.profile.feature for fibre in largest.fibres} == MEASURED_FEATURES
    assert len(largest.fibres) == FIBRES_MAX
    assert max(row.number("mb_per_s") for row in PUBLISHED[0].rows) == MB_PER_S_MAX
    (run,) = (one for one in load_table("link_activity").rows if one.key.endswith("04:53:43"))
    message, reply = (
        run.number(f"{way}_mb_per_s")
        / (run.number(f"{way}_pkgs_per_s") * run.number(f"{way}_msgs_per_pkg"))
        for way in ("write", "read")
    )
    one_way = MB_PER_S_MAX * message / (message + reply)
    assert pytest.approx(one_way, rel=0.001) == ONE_WAY_MB_PER_S_MAX


@pytest.mark.parametrize(
    ("layout", "told"),
    [
        (layout_of_express8((8, 4)), ["CTCs on FICON Express8"]),
        (layout_of((4, 16)), [f"one system writing on more than {WRITERS_MAX} CTCs of one chpid"]),
        (ONE_CTC_EACH, ["more than 4 fibres"]),
    ],
)
def test_layout_beyond_it_is_told(layout: Layout, told: list[str]) -> None:
    assert beyond_measured(layout) == told


def test_fibre_with_a_length_is_told() -> None:
    layout = load_layout("published-4")
    long = structs.replace(layout.fibres[0], km=10.0)
    ctcs = tuple(structs.replace(ctc, fibre=long) for ctc in layout.ctcs)
    assert beyond_measured(replace(layout, fibres=(long,), ctcs=ctcs)) == ["fibres with a length"]


@pytest.mark.parametrize(
    ("workload", "pairs", "rate", "told"),
    [
        (find_workload("HL"), 101, 0.0, "more than 100 pairs"),
        (find_workload("HL"), 100, 1100.0, "more than 1,031 MB/s both ways"),
        (
            free_workload("256:256:0", 2048),
            1,
            0.0,
            "messages of 256 bytes (measured: 512 to 122,880)",
        ),
        (
            free_workload("512:512:0", 65536),
            1,
            0.0,
            "replies of 65,536 bytes (measured: 2,048 to 32,768)",
        ),
        (free_workload("512:512:0", 2048, 8), 1, 0.0, "a window of 8 (measured: 2)"),
        (
            find_workload("CDU:2000000"),
            1,
            0.0,
            "replies of 2,000,000 bytes (measured: 1 to 1,000,000)",
        ),
    ],
)
def test_load_beyond_it_is_told(workload: Workload, pairs: int, rate: float, told: str) -> None:
    assert beyond_measured_run(load_layout("published-16"), workload, pairs, rate) == [told]


@pytest.mark.at_length
@pytest.mark.slow
def test_more_writers_on_one_chpid_carry_no_more_and_little_less() -> None:
    """As docs/extrapolation.md says: the chpid is full with four CTCs; what grows is PEND."""
    few, many = (go(layout_of((4, count))) for count in (4, 16))
    assert many.mb_per_s == pytest.approx(few.mb_per_s, rel=0.15)
    assert pend_ms(many) > 3 * pend_ms(few)


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 4, 8, 12])
@pytest.mark.parametrize(("gbps", "ceiling"), [(2, 197.0), (4, 353.0)])
def test_writers_of_one_system_carry_no_more_than_ibms_on_one_chpid(
    gbps: int, ceiling: float, count: int
) -> None:
    """MB/s (2^20) at most on a chpid of Express2 or Express4; the model is 2 % above it once."""
    layout = layout_of((gbps, count), express=gbps)
    for pairs in (2, 10, 100):
        experiment = Experiment.of(layout, find_workload("HL"), pairs, 0.5, 0.2)
        assert run(experiment).result.mb_per_s_out < 1.03 * ceiling, pairs


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 10, 16])
def test_a_write_waits_less_than_a_turn_of_every_ctc_on_its_chpid(count: int) -> None:
    layout = layout_of((4, count))
    turns_ms = count * layout.fibres[0].profile.turn_ns / 1e6
    waits = [device.pend_ms for device in go(layout).devices if device.pend_ms]
    assert len(waits) >= count
    assert max(waits) < turns_ms


@pytest.mark.at_length
@pytest.mark.slow
def test_sixteen_fibres_of_one_ctc_each_carry_more_than_anything_measured() -> None:
    assert MB_PER_S_MAX < go(ONE_CTC_EACH).mb_per_s < 16 * LINE_MB_PER_S


def go(layout: Layout) -> Result:
    return run(Experiment.of(layout, find_workload("HL"), 100, 0.5, 0.2)).result


def pend_ms(result: Result) -> float:
    return max(device.pend_ms or 0.0 for device in result.devices)
