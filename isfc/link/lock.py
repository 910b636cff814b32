"""The link lock: who does the work of one end of a link, and in which order."""

from typing import final

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from isfc.link.package import Package


@final
class Send:
    """Build what waits into a package and write it; ``package`` is known once begun."""

    __slots__ = ("package", "rdev")

    def __init__(self, rdev: Rdev, package: Package) -> None:
        self.rdev = rdev
        self.package = package


@final
class Receive:
    """Take in a package that was read."""

    __slots__ = ("package",)

    def __init__(self, package: Package) -> None:
        self.package = package


@final
class Answer:
    """Answer the partner's attention on ``rdev``: sense, then read."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev


@final
class Release:
    """Let go of a package that has been written on the lone CTC, ``rdev``, and then of that."""

    __slots__ = ("package", "rdev")

    def __init__(self, rdev: Rdev, package: Package) -> None:
        self.rdev = rdev
        self.package = package


Arrived = Receive | Answer | Release
"""Work that an interrupt brings."""

Work = Send | Arrived


class LinkLock:
    """The one serialised resource of a link's end: building packages, taking them in, letting go.

    One holder at a time, never interrupted. What interrupts bring goes first, in its order: a
    send is begun only when nothing of that waits, and then with whatever is there to be sent.
    That is why replies travel in large packages under load.
    """

    def __init__(self) -> None:
        self._arrived: list[Arrived] = []
        self._work: Work | None = None
        self.due_ns = NEVER_NS
        """When the holder is done, in ns; `NEVER_NS` when the lock is free."""

    @property
    def free(self) -> bool:
        """Whether nobody holds the lock."""
        return self._work is None

    def want(self, work: Arrived) -> None:
        """Queue work that an interrupt has brought."""
        self._arrived.append(work)

    def poll_arrived(self) -> Arrived | None:
        """The next work of that kind."""
        return self._arrived.pop(0) if self._arrived else None

    def hold(self, work: Work, hold_ns: int, now_ns: int) -> None:
        """Take the free lock for ``hold_ns``."""
        assert self._work is None, "the link lock has one holder"
        self._work = work
        self.due_ns = now_ns + hold_ns

    def poll_released(self, now_ns: int) -> Work | None:
        """The work that is done by ``now_ns``; the lock is free then."""
        if self.due_ns > now_ns:
            return None
        work = self._work
        self._work = None
        self.due_ns = NEVER_NS
        return work
