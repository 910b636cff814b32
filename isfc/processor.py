"""The link lock: who does the work of one end of a link, and in which order."""

from collections import deque
from typing import final

from ctc.address import Rdev
from isfc.package import Package


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


Work = Send | Receive | Answer


class LinkLock:
    """The one serialised resource of a link's end: building and taking in packages.

    One holder at a time, never interrupted. Receiving goes first: a send is begun only when
    nothing received waits, and then with whatever is there to be sent. That is why replies
    travel in large packages under load. Who answers an attention keeps the lock until the read
    has been started.
    """

    def __init__(self) -> None:
        self._received: deque[Receive | Answer] = deque()
        self._work: Work | None = None
        self._release_ns: int | None = None
        self._kept_for: Rdev | None = None

    @property
    def free(self) -> bool:
        """Whether nobody holds the lock."""
        return self._work is None

    def want(self, work: Receive | Answer) -> None:
        """Queue work for what the partner sends."""
        self._received.append(work)

    def poll_received(self) -> Receive | Answer | None:
        """The next work for what the partner sends."""
        if not self._received:
            return None
        return self._received.popleft()

    def hold(self, work: Work, hold_ns: int, now_ns: int) -> None:
        """Take the free lock for ``hold_ns``."""
        assert self._work is None, "the link lock has one holder"
        self._work = work
        self._release_ns = now_ns + hold_ns

    def next_deadline(self) -> int | None:
        """When the holder is done, in ns; None when the lock is free."""
        return self._release_ns

    def poll_released(self, now_ns: int) -> Work | None:
        """The work that is done by ``now_ns``; the lock is free then."""
        if self._release_ns is None or self._release_ns > now_ns:
            return None
        work = self._work
        self._work = None
        self._release_ns = None
        return work

    def keep(self, answer: Answer) -> None:
        """Hold the lock for an answer until `release`."""
        self._work = answer
        self._kept_for = answer.rdev

    def release(self, rdev: Rdev) -> None:
        """The answer on ``rdev`` is over; no harm if the lock is not kept for it."""
        if self._kept_for == rdev:
            self._kept_for = None
            self._work = None
