"""How a link end uses its CTCs: those on which the partner never writes, or the only one there is.

With several CTCs each end has some to itself, and what it sends and what it receives get in each
other's way by the locks alone. A single CTC both ends write on: whoever finds it free writes before
anything else, or APPC/VM, which always had to receive first, could be kept from it for ever; it is
given to the partner as soon as that asks, and is free only once what was written is released.
"""

from mypy_extensions import i64

from isfc.link.link_ctc import LinkCtc
from isfc.link.lock import BuildPackage, LinkEndWork, LinkLock, ReleaseOnOneCtc, ReleasePackage
from isfc.link.package import Package, PackageLimit
from isfc.link.parameters import LinkCosts, LinkParameters
from isfc.link.schedule import WriteScheduler


class SeveralCtcs:
    """Each end has CTCs on which the other does not write."""

    @property
    def takes_turns(self) -> bool:
        """Whether the ends write by turns on a CTC on which they have collided."""
        return False

    def limits(self, parameters: LinkParameters) -> tuple[PackageLimit, PackageLimit]:
        """Those of packages that begin with ISFC Transport, and with APPC/VM."""
        return parameters.limits(single_ctc=False)

    def give_locks(self, work: LinkEndWork, now_ns: i64) -> None:
        """Let what waits for the link locks have them, in the right order."""
        work.begin_receive(now_ns)
        work.begin_send(now_ns)

    def attend(self, ctc: LinkCtc, scheduler: WriteScheduler) -> None:
        """The partner writes on a CTC: it can be written on until that is sensed."""

    def build_ns(self, build: BuildPackage, redriven: bool, costs: LinkCosts) -> int:
        """How long the send lock is held for a package: it has been built if it is sent again."""
        return 1 if redriven else build.hold_ns(costs)

    def gives_way(self, ctc: LinkCtc) -> bool:
        """Whether a package that is built is not written, since the partner writes on its CTC."""
        return False

    def release(self, ctc: LinkCtc, package: Package, rx_lock: LinkLock) -> None:
        """Our write is over: before anything is received its CTC is released."""
        rx_lock.want_first(ReleasePackage(ctc.rdev, package))


class OneCtc(SeveralCtcs):
    """Both ends write on the only CTC."""

    @property
    def takes_turns(self) -> bool:
        """Whether the ends write by turns on a CTC on which they have collided."""
        return True

    def limits(self, parameters: LinkParameters) -> tuple[PackageLimit, PackageLimit]:
        """Those of packages that begin with ISFC Transport, and with APPC/VM."""
        return parameters.limits(single_ctc=True)

    def give_locks(self, work: LinkEndWork, now_ns: i64) -> None:
        """Write first, if the CTC is free."""
        work.begin_send(now_ns)
        work.begin_receive(now_ns)

    def attend(self, ctc: LinkCtc, scheduler: WriteScheduler) -> None:
        """The partner writes on the CTC: nothing is built for it any more."""
        scheduler.occupy(ctc.rdev)

    def build_ns(self, build: BuildPackage, redriven: bool, costs: LinkCosts) -> int:
        """How long the send lock is held for a package: it is built again if it is sent again."""
        return build.hold_ns(costs)

    def gives_way(self, ctc: LinkCtc) -> bool:
        """Whether the partner's write goes before a package that is built."""
        return ctc.attended

    def release(self, ctc: LinkCtc, package: Package, rx_lock: LinkLock) -> None:
        """Our write is over: its CTC is released once what came before is received."""
        rx_lock.want(ReleaseOnOneCtc(ctc.rdev, package))
