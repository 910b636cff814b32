"""The link lock: who does the work of one end of a link, and in which order.

A piece of work knows how long it holds the lock (`Work.hold_ns`) and what is then to be done
(`Work.finish`, on whoever does the work: a `Worker`).
"""

from typing import final

from mypy_extensions import i64, mypyc_attr

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from isfc.link.costs import LinkCosts
from isfc.link.package import Package


class Worker:
    """One end of a link, as far as its work goes: what is done once the lock was held."""

    def write(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """``package`` is built: write it on ``rdev``."""
        raise NotImplementedError

    def deliver(self, package: Package) -> None:
        """Hand over what a package that was read has made whole."""
        raise NotImplementedError

    def answer(self, rdev: Rdev) -> None:
        """Answer the partner's attention: sense, then read."""
        raise NotImplementedError

    def release(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """Our write of ``package`` is over: its CTC is free, unless things went on there."""
        raise NotImplementedError


@mypyc_attr(acyclic=True)
class Work:
    """What the lock is held for."""

    __slots__ = ()

    def hold_ns(self, costs: LinkCosts) -> int:
        """How long it is held, in ns."""
        raise NotImplementedError

    def finish(self, worker: Worker, now_ns: i64) -> None:
        """Do what was to be done."""
        raise NotImplementedError


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Send(Work):
    """Build what waits into a package and write it."""

    __slots__ = ("package", "rdev")

    def __init__(self, rdev: Rdev, package: Package) -> None:
        self.rdev = rdev
        self.package = package

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to build it."""
        return costs.build_ns(self.package)

    def finish(self, worker: Worker, now_ns: i64) -> None:
        """Write it."""
        worker.write(self.rdev, self.package, now_ns)


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Receive(Work):
    """Receive a package that was read."""

    __slots__ = ("package",)

    def __init__(self, package: Package) -> None:
        self.package = package

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to take it apart."""
        return costs.receive_ns(self.package)

    def finish(self, worker: Worker, now_ns: i64) -> None:
        """Hand its messages over."""
        worker.deliver(self.package)


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Answer(Work):
    """Answer the partner's attention on ``rdev``."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time of the interrupt, and to start an I/O."""
        return costs.attention_ns

    def finish(self, worker: Worker, now_ns: i64) -> None:
        """Start it."""
        worker.answer(self.rdev)


@final
@mypyc_attr(acyclic=True)
class Release(Work):
    """Release a package that has been written on a link's only CTC, and then that."""

    __slots__ = ("package", "rdev")

    def __init__(self, rdev: Rdev, package: Package) -> None:
        self.rdev = rdev
        self.package = package

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to release its bytes."""
        return costs.single_ctc_release_ns(self.package)

    def finish(self, worker: Worker, now_ns: i64) -> None:
        """Release the CTC."""
        worker.release(self.rdev, self.package, now_ns)


class LinkLock:
    """The one serialised resource of a link's end: building, receiving and releasing packages.

    One holder at a time, never interrupted. What interrupts bring goes first, in its order: a
    send is begun only when nothing of that waits, and then with whatever is there to be sent.
    That is why replies travel in large packages under load.
    """

    def __init__(self) -> None:
        self._arrived: list[Work] = []
        self._begun_count: i64 = 0
        """How many of `_arrived` have been begun: they are dropped together."""
        self._work: Work | None = None
        self.due_ns: i64 = NEVER_NS
        """When the holder is done, in ns; `NEVER_NS` when the lock is free."""

    @property
    def free(self) -> bool:
        """Whether nobody holds the lock."""
        return self._work is None

    def want(self, work: Work) -> None:
        """Queue work that an interrupt has brought."""
        self._arrived.append(work)

    def poll_arrived(self) -> Work | None:
        """The next work of that kind."""
        arrived = self._arrived
        if self._begun_count == len(arrived):
            return None
        work = arrived[self._begun_count]
        self._begun_count += 1
        if self._begun_count == len(arrived):
            arrived.clear()
            self._begun_count = 0
        return work

    def hold(self, work: Work, hold_ns: i64, now_ns: i64) -> None:
        """Take the free lock for ``hold_ns``."""
        assert self._work is None, "the link lock has one holder"
        self._work = work
        self.due_ns = now_ns + hold_ns

    def poll_released(self, now_ns: i64) -> Work | None:
        """The work that is done by ``now_ns``; the lock is free then."""
        if self.due_ns > now_ns:
            return None
        work = self._work
        self._work = None
        self.due_ns = NEVER_NS
        return work
