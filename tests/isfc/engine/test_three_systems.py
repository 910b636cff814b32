"""Three systems in virtual time: ATLANTA - BOSTON - CHICAGO, on one chpid at BOSTON."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.link.events import Delivered, DigestSink, LinkEvent, Offer
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.scan import LinkDevice
from isfc.link.state import LinkState
from isfc.system.link_end import CtcDefinition, LinkEndDefinition
from isfc.system.system import System, VaryChpid

ATLANTA, BOSTON, CHICAGO = map(NodeName, ("ATLANTA", "BOSTON", "CHICAGO"))
MS = 1_000_000
LENGTH = 100_000
SHARED = 0x50
"""The chpid at BOSTON that both links are on."""
CHPIDS = {
    (ATLANTA, BOSTON): 0x40, (BOSTON, ATLANTA): SHARED,
    (BOSTON, CHICAGO): SHARED, (CHICAGO, BOSTON): 0x60,
}  # fmt: skip
RDEVS = {
    (ATLANTA, BOSTON): 0x6000, (BOSTON, ATLANTA): 0x7000,
    (BOSTON, CHICAGO): 0x7100, (CHICAGO, BOSTON): 0x8000,
}  # fmt: skip


def end(name: NodeName, partner: NodeName, feature: str = "FICON Express4") -> LinkEndDefinition:
    here, there = RDEVS[name, partner], RDEVS[partner, name]
    return LinkEndDefinition(
        name,
        partner,
        tuple(
            CtcDefinition(
                LinkDevice(Rdev(here + n), Rdev(there + n)),
                ChpidId(CHPIDS[name, partner]),
                find_profile(feature),
            )
            for n in range(4)
        ),
    )


class Stream:
    """Keeps so many messages under way to the partner, and counts what comes from there."""

    def __init__(self, window: int = 0) -> None:
        self.arrived = 0
        self._window = window

    def start(self, now_ns: int) -> Iterable[Offer]:
        if self._window:
            yield now_ns, [Message(n, LENGTH) for n in range(self._window)]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        if isinstance(event, Delivered):
            self.arrived += len(event.messages)
            yield now_ns, [Message(m.conversation, LENGTH if m.length == 1 else 1)
                           for m in event.messages]  # fmt: skip


class Three:
    """The systems, and a stream from BOSTON to each of the others."""

    def __init__(self, to_atlanta: int = 20, to_chicago: int = 20) -> None:
        self.trace = DigestSink()
        self.systems = [
            System([end(ATLANTA, BOSTON)], self.trace),
            System([end(BOSTON, ATLANTA), end(BOSTON, CHICAGO)], self.trace),
            System([end(CHICAGO, BOSTON)], self.trace),
        ]
        self.streams = [Stream(), Stream(to_atlanta), Stream(to_chicago), Stream()]
        self.engine = VirtualEngine(self.systems, self.streams)

    @property
    def states(self) -> list[LinkState]:
        return [end.link.state for system in self.systems for end in system.ends]


def test_every_link_comes_up_and_carries_only_its_own() -> None:
    three = Three(to_chicago=0)
    three.engine.run(30 * MS)
    assert three.states == [LinkState.UP] * 4
    to_atlanta, back, from_chicago, to_chicago = (stream.arrived for stream in three.streams)
    assert min(to_atlanta, back) > 50
    assert (from_chicago, to_chicago) == (0, 0)


def test_links_on_one_chpid_share_what_it_can_carry() -> None:
    alone, shared = Three(to_chicago=0), Three()
    for three in (alone, shared):
        three.engine.run(200 * MS)
    whole = alone.streams[0].arrived
    halves = [shared.streams[index].arrived for index in (0, 3)]
    assert 0.9 < sum(halves) / whole < 1.15
    assert halves[0] == pytest.approx(halves[1], rel=0.1)


def test_chpid_that_is_varied_off_takes_both_links_down() -> None:
    three = Three()
    three.engine.run(5 * MS)
    for online, state in ((False, LinkState.DOWN), (True, LinkState.UP)):
        three.systems[1].apply(VaryChpid(ChpidId(SHARED), online=online), three.engine.now_ns)
        three.engine.drain()
        three.engine.run(three.engine.now_ns + 5 * MS)
        assert three.states == [state] * 4


def test_cable_of_one_link_is_cut_by_its_number_at_a_named_system() -> None:
    three = Three()
    for n in range(4):
        three.engine.unplug(Rdev(0x7100 + n), BOSTON)
    three.engine.run(5 * MS)
    assert three.states == [LinkState.UP, LinkState.UP, LinkState.DOWN, LinkState.DOWN]
    with pytest.raises(ConfigurationError, match="7100 is no CTC of ATLANTA"):
        three.engine.plug(Rdev(0x7100))


def test_same_run_happens_again() -> None:
    digests = set()
    for _ in range(2):
        three = Three()
        three.engine.run(20 * MS)
        digests.add(three.trace.hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        ([], "^link ends of no system, or of several; expected one system$"),
        ([end(ATLANTA, BOSTON), end(BOSTON, CHICAGO)], "or of several"),
        ([end(BOSTON, ATLANTA), end(BOSTON, ATLANTA)], "^BOSTON has two links to one partner"),
        ([end(BOSTON, ATLANTA), end(BOSTON, CHICAGO, "FICON Express2")], "chpid 50 has two kinds"),
        (
            [end(BOSTON, ATLANTA), replace(end(BOSTON, ATLANTA), partner=CHICAGO)],
            "device 7000 is defined twice",
        ),
    ],
)
def test_ends_that_make_no_system_are_refused(ends: list[LinkEndDefinition], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        System(ends)
