"""The link locks: who does the work of one end of a link, and in which order.

A piece of work knows how long it holds the lock (`LockWork.hold_ns`) and what is then to be done
(`LockWork.finish`, on whoever does the work: a `LinkEndWork`).

`SystemLock` is HCPBDSGL, under which APPC/VM's messages are copied, one for all links of a system.
CP's control blocks name it (SDBBK, CTCBK: "serialised by the ISFC global lock"); that it makes the
links of a system wait for each other is inferred from that.
"""

from typing import final

from mypy_extensions import i64, mypyc_attr

from ctc.address import Rdev
from ctc.queues import NEVER_NS, Fifo
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts


class LinkEndWork:
    """One end of a link, as far as its work goes: what begins, and what is done after the lock."""

    def begin_receive(self, now_ns: i64) -> None:
        """Give the receive lock, if it is free, to its next work."""
        raise NotImplementedError

    def begin_send(self, now_ns: i64) -> None:
        """Begin to build a package, if there is a CTC for it, and the send lock is free."""
        raise NotImplementedError

    def write(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """``package`` is built: write it on ``rdev``."""
        raise NotImplementedError

    def deliver(self, rdev: Rdev, package: Package) -> None:
        """Hand over what a package that was read on ``rdev`` has made whole."""
        raise NotImplementedError

    def start_next(self, rdev: Rdev, now_ns: i64) -> None:
        """Start what follows an interrupt of ``rdev``: SENSE, or READ after that."""
        raise NotImplementedError

    def release(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """Our write of ``package`` is over: its CTC is free, unless things went on there."""
        raise NotImplementedError


@mypyc_attr(acyclic=True)
class LockWork:
    """What the lock is held for."""

    __slots__ = ()

    @property
    def copies(self) -> bool:
        """Whether it copies APPC/VM's messages, which is done one package at a time."""
        return False

    def hold_ns(self, costs: LinkCosts) -> int:
        """How long it is held, in ns."""
        raise NotImplementedError

    def finish(self, work: LinkEndWork, now_ns: i64) -> None:
        """Do what was to be done."""
        raise NotImplementedError


@mypyc_attr(acyclic=True)
class PackageWork(LockWork):
    """What it is held for, of a package on one CTC."""

    __slots__ = ("package", "rdev")

    def __init__(self, rdev: Rdev, package: Package) -> None:
        self.rdev = rdev
        self.package = package


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class BuildPackage(PackageWork):
    """Build what waits into a package and write it."""

    __slots__ = ()

    @property
    def copies(self) -> bool:
        """Whether there is anything of APPC/VM in it."""
        return self.package.appc_count > 0

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to build it."""
        return costs.build_ns(self.package)

    def finish(self, work: LinkEndWork, now_ns: i64) -> None:
        """Write it."""
        work.write(self.rdev, self.package, now_ns)


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class ReceivePackage(PackageWork):
    """Receive a package that was read on ``rdev``."""

    __slots__ = ()

    @property
    def copies(self) -> bool:
        """Whether there is anything of APPC/VM in it."""
        return self.package.appc_count > 0

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to take it apart."""
        return costs.receive_ns(self.package)

    def finish(self, work: LinkEndWork, now_ns: i64) -> None:
        """Hand its messages over."""
        work.deliver(self.rdev, self.package)


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class StartNext(LockWork):
    """Start the I/O that follows an interrupt of ``rdev``: SENSE after attention, then READ."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to start it."""
        return costs.dispatch_ns

    def finish(self, work: LinkEndWork, now_ns: i64) -> None:
        """Start it."""
        work.start_next(self.rdev, now_ns)


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class ReleasePackage(PackageWork):
    """Take up the end of a write on ``rdev``, a link's ``single`` CTC or one of several.

    The package is released, and the CTC.
    """

    __slots__ = ("single",)

    def __init__(self, rdev: Rdev, package: Package, single: bool) -> None:
        super().__init__(rdev, package)
        self.single = single

    def hold_ns(self, costs: LinkCosts) -> int:
        """The time to release it."""
        package = self.package
        return costs.single_ctc_release_ns(package) if self.single else costs.release_ns(package)

    def finish(self, work: LinkEndWork, now_ns: i64) -> None:
        """Release the CTC."""
        work.release(self.rdev, self.package, now_ns)


class LinkLock:
    """A serialised resource of a link's end: one holder at a time, never interrupted.

    An end has two, by CP's names LNKTX_LOCK and LNKRX_LOCK. The one is held to build packages; the
    other for all that interrupts bring: first to start what follows them, SENSE COMMAND BYTE or
    READ, and to release what was written; then to receive what was read, and to release what was
    written on a link's only CTC; each in the order of the interrupts.
    """

    def __init__(self) -> None:
        self._following: Fifo[LockWork] = Fifo()
        self._arrived: Fifo[LockWork] = Fifo()
        self._work: LockWork | None = None
        self.copies = False
        """Whether the holder copies APPC/VM's messages."""
        self.due_ns: i64 = NEVER_NS
        """When the holder is done, in ns; `NEVER_NS` when the lock is free."""
        self._held_ns: i64 = 0

    @property
    def free(self) -> bool:
        """Whether nobody holds the lock."""
        return self._work is None

    @property
    def waiting_count(self) -> int:
        """How much work that interrupts have brought waits for it."""
        return len(self._following) + len(self._arrived)

    @property
    def next(self) -> LockWork | None:
        """The work that is to hold the lock next, of what interrupts have brought."""
        if self._following:
            return self._following.peek()
        return self._arrived.peek() if self._arrived else None

    def busy_ns(self, now_ns: i64) -> i64:
        """How long it has been held so far, in ns."""
        left_ns: i64 = 0 if self._work is None else self.due_ns - now_ns
        return self._held_ns - left_ns

    def want(self, work: LockWork) -> None:
        """Queue work that an interrupt has brought."""
        self._arrived.add(work)

    def want_first(self, work: LockWork) -> None:
        """Queue work that goes before all that was queued by `want`."""
        self._following.add(work)

    def begin(self, hold_ns: i64, now_ns: i64) -> None:
        """Let the `next` work take the free lock for ``hold_ns``."""
        queue = self._following or self._arrived
        self.hold(queue.pop(), hold_ns, now_ns)

    def hold(self, work: LockWork, hold_ns: i64, now_ns: i64) -> None:
        """Take the free lock for ``hold_ns``."""
        assert self._work is None, "a link lock has one holder"
        self._work = work
        self.copies = work.copies
        self.due_ns = now_ns + hold_ns
        self._held_ns += hold_ns

    def poll_released(self, now_ns: i64) -> LockWork | None:
        """The work that is done by ``now_ns``; the lock is free then."""
        if self.due_ns > now_ns:
            return None
        work = self._work
        self._work = None
        self.copies = False
        self.due_ns = NEVER_NS
        return work


class SystemLock:
    """Held by one link end at a time, for a known time; those that wait have it by turns.

    A system with a single link has one too, which nobody else ever holds.
    """

    def __init__(self) -> None:
        self.until_ns: i64 = 0
        """When the last holder is done, in ns."""
        self.waiting: list[LockClaim] = []


class LockClaim:
    """What one link end has to do with the system lock."""

    def __init__(self, lock: SystemLock) -> None:
        self._lock = lock
        self.waits = False
        """Whether it waits for its turn."""
        self._refused = False
        """Whether it has asked in vain since it last began to ask."""

    def begin(self) -> None:
        """Before a link end looks for work: whether it asks is to be seen."""
        self._refused = False

    def may_copy(self, now_ns: i64) -> bool:
        """Whether no other link end copies, or is to copy first; else this one waits its turn."""
        lock = self._lock
        if lock.until_ns <= now_ns and (not lock.waiting or lock.waiting[0] is self):
            return True
        self._refused = True
        if not self.waits:
            self.waits = True
            lock.waiting.append(self)
        return False

    def take(self, held: LinkLock) -> None:
        """A link lock is held now: if that is to copy, it is the turn of this link end."""
        if held.copies:
            self.leave()
            self._lock.until_ns = held.due_ns

    def end(self) -> None:
        """It has looked for work: if it was not refused, it waits no more."""
        if not self._refused:
            self.leave()

    def leave(self) -> None:
        """Wait no more."""
        if self.waits:
            self.waits = False
            self._lock.waiting.remove(self)

    @property
    def due_ns(self) -> i64:
        """When this link end is to ask again, in ns; `NEVER_NS` if not yet."""
        waiting = self._lock.waiting
        return self._lock.until_ns if waiting and waiting[0] is self else NEVER_NS
