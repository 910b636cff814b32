"""A layout as each of its nodes sees it."""

from ctc.address import ChpidId, Rdev
from ctc.profiles import find_profile
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.schedule import LinkDevice

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
