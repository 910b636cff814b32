"""What is explored: systems that are small enough to visit all of their states.

``make explore`` visits pairs as large as an hour of a processor allows, then three systems with a
link of one CTC between each two.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from itertools import combinations, product
from typing import Final

from msgspec import Struct, structs

from ctc.address import ChpidId, Rdev
from ctc.device import Arbitration
from ctc.features import find_profile
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice
from isfc.system.link_end import CtcDefinition, LinkEndDefinition
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, SECOND_WINS, unusual


class OneFault(Enum):
    """What may go wrong once, at any moment."""

    NONE = "none"
    CTC_LOST = "a CTC is lost, and restored at any moment after that"
    FRAME_LOST = "a frame is lost"
    FRAME_DOUBLED = "a frame arrives twice"
    RESTARTED = "a device is deactivated at one end, and activated at any moment after that"


Link = tuple[int, int]
"""The numbers of two systems."""


class SmallWorld(Struct, frozen=True):
    """Systems, two if nothing is said, with links of so many CTCs, and so many messages each way.

    A system may send its next message at any moment, or, ``at_once``, all are sent before anything
    else happens. Message n of a link has n bytes, and each has a package of its own. Without
    ``links`` there is one between each two systems; a ``fault`` happens to two systems only. All
    CTCs of a system are on one chpid.
    """

    ctc_count: int = 1
    messages: tuple[int, int] = (1, 1)
    fault: OneFault = OneFault.NONE
    arbitrations: tuple[Arbitration, Arbitration] = BOTH_FAIL
    traffic: Traffic = Traffic.TRANSPORT
    at_once: bool = False
    system_count: int = 2
    links: tuple[Link, ...] = ()

    def __repr__(self) -> str:
        """Show what tells it from others."""
        return unusual(self)

    @property
    def joined(self) -> tuple[Link, ...]:
        """Its links, the lesser system of each first."""
        return self.links or tuple(combinations(range(self.system_count), 2))

    def links_of(self, here: int) -> list[Link]:
        """The links of a system, in the order of its link ends."""
        return [link for link in self.joined if here in link]

    def definitions(self, here: int) -> list[LinkEndDefinition]:
        """All link ends of a system; every step takes its own short time: timers run out singly."""
        return [self._definition(link, link.index(here)) for link in self.links_of(here)]

    def _definition(self, link: Link, end: int) -> LinkEndDefinition:
        here, there = link[end], link[1 - end]
        ctcs = [
            CtcDefinition(
                LinkDevice(_rdev(here, there, index), _rdev(there, here, index)),
                ChpidId(0x40 + here),
                _PROFILE,
            )
            for index in range(self.ctc_count)
        ]
        names = NodeName(f"S{here}"), NodeName(f"S{there}")
        return LinkEndDefinition(*names, tuple(ctcs), _PARAMETERS, self.arbitrations[end])


def _rdev(here: int, there: int, index: int) -> Rdev:
    return Rdev(0x6000 + 0x1000 * here + 0x100 * there + index)


_PARAMETERS: Final = replace(
    LinkParameters(),
    build_package_ns=700,
    receive_ns_per_byte=1.0,
    recent_share=1.0,
    release_ns_per_byte=2.0,
    single_ctc_release_ns_per_byte=1.5,
    dispatch_ns=40,
    recovery_ns=5_000,
    package_limit=PackageLimit(1),
    single_ctc_length=1,
    single_ctc_appc_length=1,
    open_backlog_length=1,
    open_backlog_count=1,
    open_length_exponent=0.0,
    open_count_exponent=0.0,
    open_message_length=1,
    share_length=0,
    appc_ns_per_byte_built=0.0,
    appc_ns_per_byte_taken=1.0,
)
_PROFILE: Final = structs.replace(
    find_profile("FICON Express2"),
    line_ns_per_byte=0.1,
    processor_ns_per_byte=0.0,
    processor_bits_per_ccw=0.0,
    latency_ns_per_ccw=0.0,
    io_ns=0,
    turn_ns=0,
    interrupt_ns=300,
    write_interrupt_ns=260,
    roll_off=0.0,
)

CTC_COUNTS: Final = (1, 2, 3)
FAULTS: Final[tuple[OneFault, ...]] = tuple(
    fault for fault in OneFault if fault is not OneFault.NONE
)
MESSAGES: Final = {1: (4, 4), 2: (4, 4), 3: (2, 2)}
"""How many messages each way are feasible, by the number of CTCs."""
FAULT_MESSAGES: Final = (1, 1)
"""How many messages each way are feasible with a fault."""
AT_ONCE_MESSAGES: Final = ((4, 1), (3, 2), (3, 3), (4, 4))
"""How many messages each way are feasible on most CTCs if all are sent at the start."""
AT_ONCE_FAULT_MESSAGES: Final = {
    OneFault.FRAME_LOST: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (2, (4, 4)), (3, (2, 2))),
    OneFault.FRAME_DOUBLED: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (2, (4, 4)), (3, (2, 2))),
    OneFault.CTC_LOST: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (3, (2, 1)), (3, (2, 2))),
    OneFault.RESTARTED: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (3, (2, 2))),
}
"""The same with a fault, and the number of CTCs."""


def worlds(*, quick: bool) -> Iterator[SmallWorld]:
    """All that are visited, or only those of a few seconds."""
    yield from quick_worlds()
    if quick:
        yield next(clusters())
    else:
        yield from long_worlds()
        yield from clusters()


def quick_worlds() -> Iterator[SmallWorld]:
    """Worlds of some thousand states each."""
    for rules in (FIRST_WINS, SECOND_WINS):
        yield SmallWorld(1, (1, 1), arbitrations=rules)
        yield SmallWorld(1, (1, 1), OneFault.FRAME_LOST, rules, at_once=True)
    yield SmallWorld(1, (2, 1))
    yield SmallWorld(1, (1, 2), traffic=Traffic.LEGACY)
    yield SmallWorld(1, (0, 4), at_once=True)
    for fault in (OneFault.FRAME_LOST, OneFault.FRAME_DOUBLED):
        yield SmallWorld(1, (1, 1), fault)
    for fault in (OneFault.CTC_LOST, OneFault.RESTARTED):
        yield SmallWorld(1, (1, 1), fault, at_once=True)
    for ctc_count in (2, 3):
        yield SmallWorld(ctc_count, (1, 1))
        yield SmallWorld(ctc_count, (1, 1), OneFault.FRAME_LOST, at_once=True)


def long_worlds() -> Iterator[SmallWorld]:
    """Pairs of 1 to 3 CTCs with up to `MESSAGES` each way; with a fault, up to `FAULT_MESSAGES`.

    If all are sent at the start, there may be more of them, for there are fewer orders.
    That nothing sticks has to be seen in each: in a larger one, a later message could free it.
    """
    for ctc_count in CTC_COUNTS:
        for messages in _up_to(MESSAGES[ctc_count]):
            yield SmallWorld(ctc_count, messages)
        for fault in FAULTS:
            for messages in _up_to(FAULT_MESSAGES):
                yield SmallWorld(ctc_count, messages, fault)
    for rules in (FIRST_WINS, SECOND_WINS):
        yield SmallWorld(1, (4, 4), arbitrations=rules)
    yield SmallWorld(1, (4, 4), traffic=Traffic.LEGACY)
    for fault, feasible in AT_ONCE_FAULT_MESSAGES.items():
        for ctc_count, messages in feasible:
            yield SmallWorld(ctc_count, messages, fault, at_once=True)
    for messages in AT_ONCE_MESSAGES:
        yield SmallWorld(max(CTC_COUNTS), messages, at_once=True)


def clusters() -> Iterator[SmallWorld]:
    """Three systems: a message each way over each link, which makes 11 million states."""
    yield SmallWorld(1, (1, 0), system_count=3)
    yield SmallWorld(1, (1, 1), at_once=True, system_count=3, links=((0, 1), (1, 2)))
    yield SmallWorld(1, (1, 1), at_once=True, system_count=3)
    copying = SmallWorld(1, (1, 1), traffic=Traffic.LEGACY, at_once=True)
    yield structs.replace(copying, system_count=3, links=((0, 1), (1, 2)))


def _up_to(most: tuple[int, int]) -> list[tuple[int, int]]:
    """So many messages each way, or fewer, but some."""
    first, second = most
    return [both for both in product(range(first + 1), range(second + 1)) if any(both)]
