"""HCPBDSGL: the lock under which APPC/VM's messages are copied, one for all links of a system.

CP's control blocks name it (SDBBK, CTCBK: "serialised by the ISFC global lock"); that it makes the
links of a system wait for each other is inferred from that.
"""

from mypy_extensions import i64

from ctc.agenda import NEVER_NS
from isfc.link.lock import LinkLock


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
