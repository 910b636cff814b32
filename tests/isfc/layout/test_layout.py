"""A layout as each of its nodes sees it."""

from collections import Counter
from dataclasses import replace

import pytest
from msgspec import structs

from ctc.address import ChpidId, Rdev, parse_chpid, parse_rdevs
from ctc.features import FEATURES, find_profile
from isfc.layout.build import (
    ASSUMED_FEATURE,
    CtcChoice,
    SaidFibre,
    assumed_on,
    build_layout,
    is_assumed,
)
from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.layout.file import parse_collection
from isfc.layout.layout import CHANNELS_MAX, CtcPair, FarPath, Fibre, Isl, Layout, widened
from isfc.layout.processors import Processors
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX, LinkDevice
from isfc.system.system import System
from tests.layouts import mesh
from tests.refusals import refused
from tests.shipped import ONE_LINK

ATLANTA, BOSTON = NodeName("ATLANTA"), NodeName("BOSTON")
FIBRE = Fibre("1", find_profile("FICON Express2"), (ChpidId(0x40), ChpidId(0x50)))
LAYOUT = Layout(
    nodes=(ATLANTA, BOSTON),
    fibres=(FIBRE,),
    ctcs=(
        CtcPair(FIBRE, (Rdev(0x6001), Rdev(0x7000))),
        CtcPair(FIBRE, (Rdev(0x6000), Rdev(0x7001))),
    ),
)


def test_each_node_sees_its_own_device_numbers_first() -> None:
    assert LAYOUT.devices(ATLANTA) == (
        LinkDevice(Rdev(0x6001), Rdev(0x7000)),
        LinkDevice(Rdev(0x6000), Rdev(0x7001)),
    )
    assert LAYOUT.devices(BOSTON) == (
        LinkDevice(Rdev(0x7000), Rdev(0x6001)),
        LinkDevice(Rdev(0x7001), Rdev(0x6000)),
    )


def test_device_list_goes_by_the_first_nodes_numbers() -> None:
    assert [ctc.rdevs for ctc in LAYOUT.device_list()] == [(0x6000, 0x7001), (0x6001, 0x7000)]


@pytest.mark.parametrize(("gbps", "km", "mb_per_s"), [(16, 60, 292), (16, 30, 581), (32, 100, 176)])
def test_a_line_is_as_slow_as_the_credits_of_its_ports(
    gbps: float, km: float, mb_per_s: float
) -> None:
    """As `isfc check` says of them: derived, 90 credits of 2,048 bytes in each round trip."""
    fibre = structs.replace(FIBRE, profile=find_profile("FICON Express32S", gbps), km=km)
    assert 1e9 / fibre.line_profile.line_ns_per_byte / 2**20 == pytest.approx(mb_per_s, abs=0.5)
    assert fibre.line_share < 1


@pytest.mark.parametrize(
    ("gbps", "km", "path"),
    [(16, 0, None), (16, 10, None), (2, 60, None), (16, 60, FarPath("far", 60, Isl(1, 16, 90)))],
)
def test_a_line_is_its_own_where_credits_fill_it_or_are_those_of_directors(
    gbps: float, km: float, path: FarPath | None
) -> None:
    fibre = structs.replace(FIBRE, profile=find_profile("FICON Express32S", gbps), km=km, path=path)
    assert fibre.line_profile is fibre.profile
    assert fibre.line_share == 1


def test_fibres_of_two_lengths_may_leave_from_one_chpid() -> None:
    near = structs.replace(FIBRE, profile=find_profile("FICON Express32S"))
    far = structs.replace(near, name="2", km=60)
    first, second = LAYOUT.ctcs
    layout = replace(
        LAYOUT,
        fibres=(near, far),
        ctcs=(structs.replace(first, fibre=far), structs.replace(second, fibre=near)),
    )
    system = System([define_link_end(layout, ATLANTA, LinkParameters())])
    assert len(system.channels.chpids[ChpidId(0x40)]) == 1


NODES = NodeName("BOSTON"), NodeName("ATLANTA")


def connections(chpids: str, here: str, there: str) -> list[CtcChoice]:
    first, _, second = chpids.partition("-")
    pair = parse_chpid(first), parse_chpid(second)
    rdevs = zip(parse_rdevs(here), parse_rdevs(there), strict=True)
    return [CtcChoice(pair, (a, b)) for a, b in rdevs]


def build(*ctcs: CtcChoice) -> Layout:
    return build_layout(NODES, ctcs, lambda _: None)


def test_the_lesser_node_is_first_and_its_device_numbers_decide_the_order() -> None:
    layout = build(
        *connections("50-40", "7000-7001", "6020-6021"), *connections("51-41", "7020", "6000")
    )
    assert layout.nodes == ("ATLANTA", "BOSTON")
    assert [ctc.rdevs[0] for ctc in layout.ctcs] == [0x6000, 0x6020, 0x6021]
    assert [(fibre.name, fibre.chpids) for fibre in layout.fibres] == [
        ("1", (0x41, 0x51)),
        ("2", (0x40, 0x50)),
    ]
    assert layout.fibres[0].profile is ASSUMED_FEATURE


@pytest.mark.parametrize(
    ("machines", "feature"),
    [
        ((None, None), "FICON Express8S"),
        (("z16 A01", None), "FICON Express32S"),
        (("z15 T01", "z16 A01"), "FICON Express16SA"),  # which the z16 has carried forward
        (("z15 T02", "z15 T02"), "FICON Express16SA"),
        (("z10 EC", "z16 A01"), "FICON Express8S"),  # nothing that both can have
    ],
)
def test_the_latest_feature_is_assumed_that_machines_can_have(
    machines: tuple[str | None, str | None], feature: str
) -> None:
    assumed = assumed_on(Processors(each) if each else None for each in machines)
    assert assumed == FEATURES[feature]
    assert is_assumed(assumed)
    assert not is_assumed(FEATURES[feature])


def test_features_are_asked_for_by_chpid() -> None:
    express2 = FEATURES["FICON Express2"]
    layout = build_layout(
        NODES,
        [*connections("50-40", "7000", "6000"), *connections("51-41", "7001", "6001")],
        lambda chpids: SaidFibre(express2) if chpids[NODES[0]] == 0x51 else None,
    )
    assert [fibre.profile for fibre in layout.fibres] == [ASSUMED_FEATURE, express2]


@pytest.mark.parametrize(
    ("ctcs", "message"),
    [
        ([], "no CTC joins ATLANTA and BOSTON; expected at least one"),
        (connections("50-40", "7000-7010", "6000-6010"), "17 CTCs join ATLANTA and BOSTON; expect"),
    ],
)
def test_what_is_no_logical_link_is_refused(ctcs: list[CtcChoice], message: str) -> None:
    refused(lambda: build(*ctcs), message)


def test_a_chpid_may_lead_to_several_through_a_director() -> None:
    ctcs = [*connections("50-40", "7000", "6000"), *connections("50-41", "7001", "6001")]
    layout = build(*ctcs)
    assert [fibre.chpids for fibre in layout.fibres] == [(0x40, 0x50), (0x41, 0x50)]


def test_a_layout_has_its_own_channels() -> None:
    layout = load_layout("published-12")
    assert widened(layout, 3).ctcs == layout.device_list()
    fewer = widened(layout, 2)
    assert fewer.fibres == layout.fibres[:2]
    assert fewer.ctcs == layout.device_list()[:8]


@pytest.mark.parametrize("name", ONE_LINK)
def test_channels_and_devices_are_each_there_once(name: str) -> None:
    for count in range(1, CHANNELS_MAX + 1):
        found = widened(load_layout(name), count)
        assert len(found.fibres) == count
        assert {ctc.fibre for ctc in found.ctcs} == {*found.fibres}
        assert len(found.ctcs) <= CTCS_MAX
        for end in (0, 1):
            assert len({ctc.rdevs[end] for ctc in found.ctcs}) == len(found.ctcs)
            assert len({fibre.chpids[end] for fibre in found.fibres}) == count


def test_a_new_channel_is_like_the_fullest_and_takes_nothing_from_others_while_there_is_room() -> (
    None
):
    layout = load_layout("published-12")
    first, second, third = layout.fibres
    uneven = layout.with_ctcs(
        tuple(
            ctc
            for ctc in layout.device_list()
            if ctc.fibre == first or ctc in (layout.device_list()[4], layout.device_list()[8])
        )
    )
    held = Counter(ctc.fibre.name for ctc in widened(uneven, 4).ctcs)
    assert held == {first.name: 4, second.name: 1, third.name: 1, f"{first.name}+3": 4}
    assert {*Counter(ctc.fibre for ctc in widened(uneven, 6).ctcs).values()} == {2, 1}


def test_new_channel_shares_nothing() -> None:
    layout = parse_collection(mesh(3, shared=True)).links[0]
    assert layout.fibres[-1].channels
    assert widened(layout, len(layout.fibres) + 1).fibres[-1].channels == ()
