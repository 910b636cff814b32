"""The heart both engines share."""

from ctc.address import ChpidId, Rdev
from ctc.frame import Departure, Signal, StatusFrame
from ctc.profiles import find_profile
from isfc.engine.pump import Outlet, pump
from isfc.link.events import LinkEvent, LinkUp
from isfc.link.name import NodeName
from isfc.link.scan import LinkDevice
from isfc.system.definition import CtcDefinition, LinkEndDefinition
from isfc.system.inputs import Arrive, Connect
from isfc.system.system import System

RDEV = Rdev(0x6000)
CTC = CtcDefinition(LinkDevice(RDEV, RDEV), ChpidId(0x40), find_profile("FICON Express2"))


class Drained(Outlet):
    """All that a pump has drained."""

    def __init__(self) -> None:
        self.carried: list[Departure] = []
        self.events: list[LinkEvent] = []

    def carry(self, departure: Departure) -> None:
        self.carried.append(departure)

    def deliver(self, event: LinkEvent) -> None:
        self.events.append(event)

    def pump(self, system: System) -> None:
        pump(system.ends[0], self)


def new_system() -> System:
    return System([LinkEndDefinition(NodeName("ATLANTA"), NodeName("BOSTON"), (CTC,))])


def test_quiet_link_end_has_nothing_to_drain() -> None:
    drained = Drained()
    drained.pump(new_system())
    assert (drained.carried, drained.events) == ([], [])


def test_everything_is_drained_and_nothing_twice() -> None:
    system, drained = new_system(), Drained()
    system.apply(Connect(RDEV), 5)
    system.apply(Arrive(RDEV, StatusFrame(Signal.READY, 0)), 7)
    drained.pump(system)
    assert [(each.at_ns, each.rdev) for each in drained.carried] == [(5, RDEV), (7, RDEV)]
    assert isinstance(drained.events[-1], LinkUp)
    count = len(drained.events)
    drained.pump(system)
    assert (len(drained.carried), len(drained.events)) == (2, count)
