"""HCPBDSGL: the lock under which APPC/VM's messages are copied, one for all links of a system.

CP's control blocks name it (SDBBK, CTCBK: "serialised by the ISFC global lock"); that it makes the
links of a system wait for each other is inferred from that.
"""

from mypy_extensions import i64

from ctc.agenda import NEVER_NS


class SystemLock:
    """Held by one link end at a time, for a known time; those that wait have it in their order."""

    def __init__(self) -> None:
        self._until_ns: i64 = 0
        self._waiting: list[object] = []

    def offers(self, end: object, now_ns: i64) -> bool:
        """Whether a link end may take it now. If not, it waits for its turn, until it leaves."""
        waiting = self._waiting
        if self._until_ns <= now_ns and (not waiting or waiting[0] is end):
            return True
        if end not in waiting:
            waiting.append(end)
        return False

    def take(self, end: object, until_ns: i64) -> None:
        """Let a link end that was offered it hold it."""
        self.leave(end)
        self._until_ns = until_ns

    def leave(self, end: object) -> None:
        """A link end wants it no more, if it did."""
        if end in self._waiting:
            self._waiting.remove(end)

    def due_ns(self, end: object) -> i64:
        """When a link end that waits is to ask again, in ns; `NEVER_NS` if not yet."""
        if self._waiting and self._waiting[0] is end:
            return self._until_ns
        return NEVER_NS
