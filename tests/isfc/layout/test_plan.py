"""Plans: write orders and the published capacity estimates."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.address import format_chpid, format_rdev
from ctc.features import FEATURES
from isfc.layout.capacity import fibre_uses, rule_of_thumb_mb_per_s, writer_name
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import Plan, make_plan
from tests.layouts import layout_of
from tests.shipped import ONE_LINK

FAST = 4.0


def plan_of(*groups: tuple[float, int]) -> Plan:
    return make_plan(layout_of(*groups))


# capacity_estimates.csv
@pytest.mark.parametrize(
    ("layout", "write_ctcs", "mb_per_s"),
    [
        ("published-1", 1, 20),
        ("published-4", 3, 131),
        ("published-8", 7, 306),
        ("published-10", 8, 350),
        ("published-12", 10, 525),
        ("published-14", 12, 700),
        ("published-16", 14, 875),
    ],
)
def test_capacities_are_the_published_estimates(
    layout: str, write_ctcs: int, mb_per_s: int
) -> None:
    client = make_plan(load_layout(layout)).directions[0]
    assert len(client.write_order) == write_ctcs
    assert client.estimated_mb_per_s == mb_per_s


# chpid_estimates.csv
@pytest.mark.parametrize(
    ("feature", "mb_per_s"),
    [
        ("FICON Express", 87),
        ("FICON Express2", 175),
        ("FICON Express4", 350),
        ("FICON Express8", 700),
    ],
)
def test_chpids_carry_the_published_estimates(feature: str, mb_per_s: int) -> None:
    assert int(rule_of_thumb_mb_per_s(FEATURES[feature].link_gbps, ctc_count=4)) == mb_per_s


@given(st.sampled_from([1, 2, 4, 8]), st.integers(1, 16))
def test_chpid_fills_pro_rata_up_to_four_ctcs(gbps: int, ctc_count: int) -> None:
    share = rule_of_thumb_mb_per_s(gbps, ctc_count) / rule_of_thumb_mb_per_s(gbps, 4)
    assert share == min(ctc_count / 4, 1)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 1))
def test_a_chpid_that_leads_to_several_carries_no_more_than_one(
    counts: list[int], end: int
) -> None:
    # two fibres on one chpid counted as two chpids: 612 MB/s of 350
    layout = layout_of(*((FAST, count) for count in counts))
    one = layout.fibres[0].chpids[end]
    fanned = layout.with_fibres(
        lambda fibre: replace(
            fibre, chpids=(fibre.chpids[0], one) if end else (one, fibre.chpids[1])
        )
    )
    for way, apart in zip(make_plan(fanned).directions, make_plan(layout).directions, strict=True):
        assert way.estimated_mb_per_s == min(350, apart.estimated_mb_per_s)
    assert make_plan(fanned).directions[end].ctcs_by_chpid == {
        one: len(make_plan(fanned).directions[end].write_order)
    }


def test_both_nodes_share_the_rate_of_a_single_ctc() -> None:
    assert [way.estimated_mb_per_s for way in plan_of((FAST, 1)).directions] == [40, 40]


def test_write_orders_are_each_nodes_own_numbers() -> None:
    plan = make_plan(load_layout("atlanta-boston"))
    atlanta, boston = plan.directions
    assert (atlanta.sender, boston.sender) == ("ATLANTA", "BOSTON")
    assert [*map(format_rdev, atlanta.write_order)] == "6000 6001 6002 6003 6020 6021 6022".split()
    assert [*map(format_rdev, boston.write_order)] == "7023 7022 7021 7020 7003 7002 7001".split()
    assert [*map(format_rdev, atlanta.exclusive)] == ["6000"]
    assert [*map(format_rdev, boston.exclusive)] == ["7023"]
    assert plan.stop_short == 1


def test_exclusive_devices_are_in_scan_order() -> None:
    client, server = make_plan(load_layout("published-16")).directions
    assert [*map(format_rdev, client.exclusive)] == ["6000", "6001"]
    assert [*map(format_rdev, server.exclusive)] == ["6063", "6062"]


def test_chpids_are_in_order_of_first_use() -> None:
    client, server = make_plan(load_layout("published-10")).directions
    assert [(format_chpid(use.chpid), use.ctc_count, use.mb_per_s) for use in client.chpids] == [
        ("40", 4, 175),
        ("41", 4, 175),
    ]
    assert [(format_chpid(use.chpid), use.ctc_count, use.mb_per_s) for use in server.chpids] == [
        ("52", 2, 175),
        ("51", 4, 175),
        ("50", 2, 87.5),
    ]
    assert server.estimated_mb_per_s == 437


@given(
    st.lists(st.tuples(st.sampled_from([1.0, 2.0, 4.0, 8.0]), st.integers(1, 4)), min_size=1,
             max_size=4)
)  # fmt: skip
def test_every_write_ctc_is_counted_on_its_chpid(groups: Sequence[tuple[float, int]]) -> None:
    plan = plan_of(*groups)
    for way in plan.directions:
        assert sum(use.ctc_count for use in way.chpids) == len(way.write_order)
        assert len(way.write_order) == len(plan.layout.ctcs) - plan.stop_short
        assert len(way.exclusive) == plan.stop_short


@pytest.mark.parametrize("name", ONE_LINK)
def test_places_are_those_of_the_write_orders(name: str) -> None:
    layout = load_layout(name)
    uses = [use for group in fibre_uses(layout).values() for use in group]
    assert sorted(uses, key=lambda use: use.ctc.rdevs[0]) == uses
    assert {use.ctc for use in uses} == set(layout.ctcs)
    for end, way in enumerate(make_plan(layout).directions):
        for use in uses:
            rdev, place = use.ctc.rdevs[end], use.places[end]
            assert (place is None) == (rdev not in way.write_order)
            assert place is None or way.write_order[place - 1] == rdev
            assert (use.writer == end) == (rdev in way.exclusive)


def test_writers_have_names() -> None:
    layout = load_layout("atlanta-boston")
    uses = (use for group in fibre_uses(layout).values() for use in group)
    names = [writer_name(layout.nodes, use) for use in uses]
    assert names == ["ATLANTA only", *["both"] * 6, "BOSTON only"]
