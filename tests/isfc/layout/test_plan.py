"""Plans: write orders, the published capacity estimates, and when which advice is given."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from ctc.profiles import FEATURES, find_profile
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.plan import Plan, Severity, make_plan, rule_of_thumb_mb_per_s
from isfc.link.name import NodeName

SLOW, FAST = 2.0, 4.0


def layout_of(*groups: tuple[float, int]) -> Layout:
    """A link whose device list has, for each (Gb/s, CTCs), a fibre of its own."""
    fibres = tuple(
        Fibre(str(index), find_profile("FICON Express8", gbps), (ChpidId(index), ChpidId(index)))
        for index, (gbps, _) in enumerate(groups)
    )
    ctcs = tuple(
        CtcPair(fibre, (Rdev(0x6000 + 16 * index + unit), Rdev(0x7000 + 16 * index + unit)))
        for index, (fibre, (_, count)) in enumerate(zip(fibres, groups, strict=True))
        for unit in range(count)
    )
    return Layout((NodeName("ATLANTA"), NodeName("BOSTON")), fibres, ctcs)


def plan_of(*groups: tuple[float, int]) -> Plan:
    return make_plan(layout_of(*groups))


def advice_of(*groups: tuple[float, int]) -> list[str]:
    return [advice.id for advice in plan_of(*groups).advice]


def text_of(plan: Plan, advice_id: str) -> str:
    (text,) = (advice.text for advice in plan.advice if advice.id == advice_id)
    return text


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


@pytest.mark.parametrize(
    "groups",
    [
        [(SLOW, 4)],
        [(SLOW, 4), (SLOW, 4)],
        [(SLOW, 3)] * 4,
        [(SLOW, 2), (SLOW, 4), (SLOW, 2)],
    ],
)
def test_good_layout_needs_no_advice(groups: list[tuple[float, int]]) -> None:
    assert advice_of(*groups) == []


def test_single_ctc_is_advised_against() -> None:
    assert advice_of((SLOW, 1)) == ["single-ctc"]
    assert advice_of((SLOW, 2)) == []


def test_more_than_four_ctcs_on_a_chpid_are_advised_against() -> None:
    assert advice_of((SLOW, 4), (SLOW, 4)) == []
    plan = plan_of((SLOW, 5), (SLOW, 5))
    assert [advice.id for advice in plan.advice] == ["chpid-crowded"] * 2
    assert plan.advice[1].text.startswith("Chpid 01 at ATLANTA (01 at BOSTON) carries 5 CTCs.")


def test_rule_of_thumb_is_doubted_beyond_8_gb() -> None:
    assert advice_of((8, 4)) == []
    assert advice_of((16, 4)) == ["beyond-the-rule"]


@pytest.mark.parametrize(
    "groups",
    [
        [(FAST, 4), (SLOW, 4), (FAST, 4)],
        [(FAST, 4), (SLOW, 4), (SLOW, 4), (FAST, 4)],
        [(SLOW, 4), (FAST, 4), (SLOW, 4)],
        [(SLOW, 4), (SLOW, 2), (FAST, 4), (SLOW, 2), (SLOW, 4)],
    ],
)
def test_mixed_speeds_in_a_symmetric_order_are_only_remarked(
    groups: list[tuple[float, int]],
) -> None:
    assert advice_of(*groups) == ["speeds-mixed"]


@pytest.mark.parametrize(
    "groups",
    [
        [(SLOW, 4), (FAST, 4)],
        [(FAST, 4), (SLOW, 4)],
        [(SLOW, 4), (SLOW, 4), (FAST, 4)],
        [(FAST, 4), (FAST, 4), (SLOW, 4)],
        [(SLOW, 4), (FAST, 4), (SLOW, 4), (FAST, 4)],
    ],
)
def test_mixed_speeds_in_another_order_are_advised_against(
    groups: list[tuple[float, int]],
) -> None:
    advice = {item.id: item.severity for item in plan_of(*groups).advice}
    assert advice["speeds-mixed"] is Severity.INFO
    assert advice["speeds-asymmetric"] is Severity.WARNING


def test_several_fast_chpids_belong_to_the_ends() -> None:
    assert advice_of((SLOW, 4), (FAST, 4), (FAST, 4), (SLOW, 4)) == [
        "speeds-mixed",
        "speeds-slow-first",
    ]


def test_remedy_for_the_order_depends_on_the_number_of_fast_chpids() -> None:
    one = text_of(plan_of((SLOW, 4), (SLOW, 4), (FAST, 4)), "speeds-asymmetric")
    assert "ATLANTA meets chpids of 2, 2 and 4 Gb/s, BOSTON of 4, 2 and 2, in that order" in one
    assert one.endswith("Put the fast chpid in the middle of the device list.")
    two = text_of(plan_of((SLOW, 4), (FAST, 4), (FAST, 4)), "speeds-asymmetric")
    assert "both ends of the device list and the slow ones in the middle." in two


def test_direction_with_fewer_chpids_is_named() -> None:
    plan = plan_of((SLOW, 4), (SLOW, 4), (SLOW, 2))
    assert [advice.id for advice in plan.advice] == ["directions-unequal"]
    assert plan.advice[0].text.startswith(
        "ATLANTA can write on 2 of 3 chpids (350 MB/s), BOSTON on 3 (350 MB/s), "
        "because ATLANTA never writes on its 6020 and 6021."
    )


def test_direction_with_slower_chpids_is_named() -> None:
    text = text_of(plan_of((FAST, 4), (SLOW, 4)), "directions-unequal")
    assert text.startswith(
        "BOSTON can write on 2 of 2 chpids (437 MB/s), ATLANTA on 2 (481 MB/s), "
        "because BOSTON never writes on its 7000."
    )


def test_directions_that_each_miss_one_chpid_are_equal() -> None:
    plan = plan_of((SLOW, 1), (SLOW, 4), (SLOW, 1))
    assert [len(way.chpids) for way in plan.directions] == [2, 2]
    assert plan.advice == ()


@pytest.mark.parametrize("layout", ["published-12", "published-16"])
def test_advice_is_in_sentences(layout: str) -> None:
    for advice in make_plan(load_layout(layout)).advice:
        assert advice.text[0].isupper()
        assert advice.text.endswith(".")
        assert "  " not in advice.text
