"""What a system is made of: the CTCs of each of its link ends, and the numbers of its software."""

from dataclasses import dataclass, field

from ctc.address import ChpidId
from ctc.channel import NOTHING, ChannelUse
from ctc.device import Arbitration
from ctc.fabric import FabricRoute
from ctc.profiles import ChpidProfile
from ctc.record import Record
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice


@dataclass(frozen=True, slots=True)
class CtcDefinition(Record):
    """One CTC as one system defines it.

    ``disks`` is what else holds up what crosses its fibre, ``way_ns`` how long light takes for the
    length of the fibre, one way. ``route`` is its path in a fabric, None if its fibre
    shares nothing.
    """

    device: LinkDevice
    chpid: ChpidId
    profile: ChpidProfile
    disks: ChannelUse = NOTHING
    way_ns: int = 0
    route: FabricRoute | None = None


@dataclass(frozen=True, slots=True)
class LinkEndDefinition(Record):
    """Everything that makes one end of a logical link what it is.

    ``name`` is that of the system it is an end at, ``partner`` that of the system at the other
    end. A system has at most one link to each partner.
    """

    name: NodeName
    partner: NodeName
    ctcs: tuple[CtcDefinition, ...]
    parameters: LinkParameters = field(default_factory=LinkParameters)
    arbitration: Arbitration = Arbitration.BOTH_FAIL
