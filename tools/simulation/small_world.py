"""What is explored: a pair of systems that is small enough to visit all of its states."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from ctc.device import Arbitration
from ctc.profiles import find_profile
from isfc.link.message import Traffic
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.system.definition import LinkEndDefinition
from isfc.testing.pair import BOTH_FAIL, Setup


class OneFault(Enum):
    """What may go wrong once, at any moment."""

    NONE = "none"
    CTC_LOST = "a CTC is lost, and restored at any moment after that"
    FRAME_LOST = "a frame is lost"
    FRAME_DOUBLED = "a frame arrives twice"
    RESTARTED = "a device is deactivated at one end, and activated at any moment after that"


@dataclass(frozen=True, slots=True)
class SmallWorld:
    """A pair of so many CTCs, each side with so many messages to send.

    A side may send its next message at any moment, or, ``at_once``, each side has sent all of them
    before anything else happens. Message n has n bytes, and each has a package of its own.
    """

    ctc_count: int = 1
    messages: tuple[int, int] = (1, 1)
    fault: OneFault = OneFault.NONE
    arbitrations: tuple[Arbitration, Arbitration] = BOTH_FAIL
    traffic: Traffic = Traffic.TRANSPORT
    at_once: bool = False

    def definition(self, here: int) -> LinkEndDefinition:
        """One end, whose every step takes its own short time: timers run out one by one."""
        setup = Setup(self.ctc_count, arbitrations=self.arbitrations, parameters=_PARAMETERS)
        definition = setup.definition(here)
        ctcs = tuple(replace(ctc, profile=_PROFILE) for ctc in definition.ctcs)
        return replace(definition, ctcs=ctcs)


_PARAMETERS: Final = replace(
    LinkParameters(),
    build_package_ns=700,
    receive_ns_per_byte=1.0,
    single_ctc_release_ns_per_byte=1.5,
    dispatch_ns=40,
    recovery_ns=5_000,
    package_limit=PackageLimit(1),
    single_ctc_length=1,
    single_ctc_appc_length=1,
    open_backlog_length=1,
    open_backlog_count=1,
    appc_ns_per_byte_built=0.0,
    appc_ns_per_byte_taken=1.0,
)
_PROFILE: Final = replace(
    find_profile("FICON Express2"),
    line_ns_per_byte=0.1,
    processor_ns_per_byte=0.0,
    processor_bits_per_ccw=0.0,
    latency_ns_per_ccw=0.0,
    io_ns=0,
    turn_ns=0,
    interrupt_ns=300,
)
