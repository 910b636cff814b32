"""A system's channel subsystem: its chpids, and which of its chpids and devices are online."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from mypy_extensions import i64

from ctc.address import ChpidId, Rdev, Record, format_chpid, format_rdev
from ctc.channel import NOTHING, ChannelUse
from ctc.chpid import Chpid
from ctc.device import Ctc
from ctc.fabric import DeadlinesChanged, Fabric, FabricRoute
from ctc.features import ChpidProfile
from ctc.queues import NEVER_NS
from isfc.errors import ConfigurationError, LocalProtocolError
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


@final
class ChannelSubsystem:
    """The chpids of one system, which all of its link ends share, and what is varied off.

    In a ``fabric`` a chpid has an end for each of its paths; without one, it is one end.
    """

    def __init__(self, definitions: Iterable[CtcDefinition], fabric: Fabric | None = None) -> None:
        self.fabric = fabric
        self.deadlines = DeadlinesChanged()
        """Says when the fabric has changed the pace of a path that begins here."""
        self.chpids: dict[ChpidId, list[Chpid[Ctc]]] = {}
        """The ends of each chpid."""
        self.end_of: dict[Rdev, Chpid[Ctc]] = {}
        """The chpid's end that each CTC is on."""
        self.chpid_of: dict[Rdev, ChpidId] = {}
        """The chpid of each CTC."""
        self.offline_rdevs: set[Rdev] = set()
        self.offline_chpids: set[ChpidId] = set()
        profiles: dict[ChpidId, ChpidProfile] = {}
        disks: dict[ChpidId, ChannelUse] = {}
        fastest: dict[tuple[ChpidId, FabricRoute | None], ChpidProfile] = {}
        ctcs = list(definitions)
        for ctc in ctcs:
            rdev = ctc.device.rdev
            if rdev in self.chpid_of:
                raise ConfigurationError(
                    f"device {format_rdev(rdev)} is defined twice; expected it in one link"
                )
            known = profiles.setdefault(ctc.chpid, ctc.profile)
            if (known.feature, known.link_gbps) != (ctc.profile.feature, ctc.profile.link_gbps):
                raise ConfigurationError(
                    f"chpid {format_chpid(ctc.chpid)} has two kinds of feature or speed; "
                    "expected one for all links"
                )
            end = ctc.chpid, None if fabric is None else ctc.route
            if ctc.profile.line_ns_per_byte < fastest.setdefault(end, ctc.profile).line_ns_per_byte:
                fastest[end] = ctc.profile
            self.chpid_of[rdev] = ctc.chpid
            disks[ctc.chpid] = disks.get(ctc.chpid, NOTHING).joined(ctc.disks)
        ends: dict[tuple[ChpidId, FabricRoute | None], Chpid[Ctc]] = {}
        for ctc in ctcs:
            chpid, route = ctc.chpid, None if fabric is None else ctc.route
            if (chpid, route) not in ends:
                profile = fastest[chpid, route]
                ends[chpid, route] = self._make_end(chpid, profile, disks[chpid], route)
                self.chpids.setdefault(chpid, []).append(ends[chpid, route])
            self.end_of[ctc.device.rdev] = ends[chpid, route]
        self._each = list(ends.values())

    def _make_end(
        self,
        chpid: ChpidId,
        profile: ChpidProfile,
        disks: ChannelUse,
        route: FabricRoute | None,
    ) -> Chpid[Ctc]:
        """``profile`` is that of its fastest fibre: one end for all of them goes by it."""
        fabric = self.fabric
        if fabric is None or route is None:
            return Chpid(chpid, profile, disks)
        end: Chpid[Ctc] = Chpid(chpid, profile, disks, fabric.queue(route.here))
        end.join(fabric, fabric.path(route), self.deadlines)
        return end

    @property
    def due_ns(self) -> i64:
        """When the next I/O ends on any chpid, in ns; `NEVER_NS` when all are idle."""
        earliest_ns: i64 = NEVER_NS
        for chpid in self._each:
            due_ns = chpid.due_ns
            if due_ns < earliest_ns:
                earliest_ns = due_ns
        return earliest_ns

    def handle_deadline(self, now_ns: i64) -> None:
        """End what is over on any chpid by ``now_ns``: the CTCs' link ends have the interrupts."""
        for chpid in self._each:
            if chpid.due_ns <= now_ns:
                while (ctc := chpid.poll_ended(now_ns)) is not None:
                    ctc.end(now_ns)
                while (ctc := chpid.poll_completed(now_ns)) is not None:
                    ctc.complete(now_ns)

    def is_online(self, rdev: Rdev) -> bool:
        """Whether neither the device nor its chpid is varied off."""
        return rdev not in self.offline_rdevs and self.chpid_of[rdev] not in self.offline_chpids

    def vary_rdev(self, rdev: Rdev, *, online: bool) -> None:
        """Note that one device is varied on or off."""
        if rdev not in self.chpid_of:
            raise LocalProtocolError(f"{rdev:04X} is not a device of this system")
        (self.offline_rdevs.discard if online else self.offline_rdevs.add)(rdev)

    def vary_chpid(self, chpid: ChpidId, *, online: bool) -> None:
        """Note that one chpid, and so the path of every device on it, is varied on or off."""
        if chpid not in self.chpids:
            raise LocalProtocolError(f"{chpid:02X} is not a chpid of this system")
        (self.offline_chpids.discard if online else self.offline_chpids.add)(chpid)

    def rdevs_on(self, chpid: ChpidId) -> list[Rdev]:
        """The devices on one chpid."""
        return [rdev for rdev, own in self.chpid_of.items() if own == chpid]
