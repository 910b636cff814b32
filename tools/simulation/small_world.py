"""What is explored: systems that are small enough to visit all of their states."""

from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations
from typing import Final

from msgspec import structs

from ctc.address import ChpidId, Rdev
from ctc.device import Arbitration
from ctc.profiles import find_profile
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice
from isfc.system.channels import CtcDefinition
from isfc.system.link_end import LinkEndDefinition
from isfc.testing.pair import BOTH_FAIL, unusual


class OneFault(Enum):
    """What may go wrong once, at any moment."""

    NONE = "none"
    CTC_LOST = "a CTC is lost, and restored at any moment after that"
    FRAME_LOST = "a frame is lost"
    FRAME_DOUBLED = "a frame arrives twice"
    RESTARTED = "a device is deactivated at one end, and activated at any moment after that"


Link = tuple[int, int]
"""The numbers of two systems."""


@dataclass(frozen=True, slots=True, repr=False)
class SmallWorld:
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
