"""The heart both engines share: offers, and what is told whom."""

from random import Random

from ctc.address import Rdev
from ctc.frame import Departure, Signal, StatusFrame
from ctc.queues import NEVER_NS
from isfc.engine.pump import Offers, Outlet, pump
from isfc.link.events import DeviceChanged, LinkDown, LinkEvent, LinkUp, Program
from isfc.link.message import Message
from isfc.system.system import Arrive, Connect, System
from isfc.testing.pair import Setup
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.workload import find_workload

RDEV = Rdev(0x6000)


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
    return System([Setup(ctc_count=1).definition(0)])


def test_everything_is_drained_and_nothing_twice() -> None:
    system, drained = new_system(), Drained()
    drained.pump(system)
    assert (drained.carried, drained.events) == ([], [])
    system.apply(Connect(RDEV), 5)
    system.apply(Arrive(RDEV, StatusFrame(Signal.READY, 0)), 7)
    for _ in range(2):
        drained.pump(system)
        assert [(each.at_ns, each.rdev) for each in drained.carried] == [(5, RDEV), (7, RDEV)]
        assert [type(event) for event in drained.events] == [DeviceChanged, LinkUp]


def messages(*lengths: int) -> list[Message]:
    return [Message(0, length) for length in lengths]


def taken(found: object) -> list[int]:
    assert isinstance(found, list)
    return [message.length for message in found]


def test_offers_are_taken_one_by_one_in_the_order_of_time() -> None:
    offers = Offers()
    offers.add(20, messages(2))
    offers.add(10, messages(1, 1))
    assert offers.due_ns == 10
    assert taken(offers.take(100)) == [1, 1]
    assert offers.due_ns == 20
    assert taken(offers.take(100)) == [2]
    assert offers.due_ns == NEVER_NS


def test_all_that_is_due_earlier_is_taken_together() -> None:
    offers = Offers()
    for at_ns in (10, 20, 30):
        offers.add(at_ns, messages(at_ns))
    assert taken(offers.take_before(30, 1_000)) == [10, 20]
    assert offers.due_ns == 30


def test_what_has_no_room_waits_in_its_order_until_it_is_resumed() -> None:
    offers = Offers()
    offers.add(10, messages(5, 5, 1))
    offers.add(11, messages(2))
    assert taken(offers.take(0)) == []  # without any room
    offers.resume()
    assert taken(offers.take(7)) == [5]
    assert offers.due_ns == NEVER_NS
    offers.add(12, messages(3))
    assert offers.due_ns == NEVER_NS
    offers.resume()
    assert offers.due_ns == 10
    assert taken(offers.take_before(12, 7)) == [5, 1]
    offers.resume()
    assert taken(offers.take_before(100, 7)) == [2, 3]
    assert offers.due_ns == NEVER_NS


def test_the_guests_of_both_sides_are_programs() -> None:
    workload = find_workload("HS")
    programs: list[Program] = [
        Clients(workload, 1, GuestCosts(), Random(1)),
        Servers(workload, 1, GuestCosts()),
    ]
    assert [len(list(program.start(0))) for program in programs] == [workload.window, 0]
    assert not any(list(program.receive(LinkDown(), 0)) for program in programs)
