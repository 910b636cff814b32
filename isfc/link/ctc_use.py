"""How a link end uses its CTCs: those on which the partner never writes, or the only one there is.

With several CTCs each end has some to itself, and what it sends and what it receives get in each
other's way by the locks alone. A single CTC both ends write on: whoever finds it free writes before
anything else, or APPC/VM, which always had to receive first, could be kept from it for ever; it is
given to the partner as soon as that asks, and is free only once what was written is released.
"""

from typing import final

from mypy_extensions import i64

from isfc.link.link_ctc import LinkCtc
from isfc.link.lock import BuildPackage, LinkEndWork, LinkLock, ReleasePackage
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts
from isfc.link.schedule import WriteScheduler


@final
class CtcUse:
    """The use of several CTCs, or of a ``single`` one.

    On a single CTC the ends write by turns where they have collided.
    """

    def __init__(self, *, single: bool) -> None:
        self.single = single

    def give_locks(self, work: LinkEndWork, now_ns: i64) -> None:
        """Let what waits for the link locks have them; on a single CTC, write first."""
        if self.single:
            work.begin_send(now_ns)
            work.begin_receive(now_ns)
        else:
            work.begin_receive(now_ns)
            work.begin_send(now_ns)

    def attend(self, ctc: LinkCtc, scheduler: WriteScheduler) -> None:
        """The partner writes on a CTC: if it is the only one, nothing is built for it any more.

        Of several it can be written on until that is sensed.
        """
        if self.single:
            scheduler.occupy(ctc.rdev)

    def build_ns(self, build: BuildPackage, redriven: bool, costs: LinkCosts) -> int:
        """How long the send lock is held for a package; one of several CTCs' is built only once."""
        return 1 if redriven and not self.single else build.hold_ns(costs)

    def gives_way(self, ctc: LinkCtc) -> bool:
        """Whether a package that is built is not written, since the partner writes on its CTC."""
        return self.single and ctc.attended

    def release(self, ctc: LinkCtc, package: Package, rx_lock: LinkLock) -> None:
        """Our write is over: its CTC is released, a single one when what came is received."""
        work = ReleasePackage(ctc.rdev, package, self.single)
        if self.single:
            rx_lock.want(work)
        else:
            rx_lock.want_first(work)
