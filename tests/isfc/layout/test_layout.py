"""A layout as each of its nodes sees it."""

from dataclasses import replace

import pytest
from msgspec import structs

from ctc.address import ChpidId, Rdev
from ctc.profiles import find_profile
from isfc.layout.definition import define_link_end
from isfc.layout.layout import CtcPair, FarPath, Fibre, Isl, Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice
from isfc.system.system import System

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
