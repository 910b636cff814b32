"""What a link waits for on its CTCs, and for how long."""

from collections.abc import Iterable

from mypy_extensions import i64

from ctc.agenda import NEVER_NS
from isfc.link.link_ctc import LinkCtc


class Watch:
    """The times by which something has to happen on each CTC.

    Nearly every I/O ends long before its time: `LinkCtc.due_ns` is then only written over or
    cleared, and the earliest of them is looked for once it seems to have come.
    """

    def __init__(self, ctcs: Iterable[LinkCtc]) -> None:
        self._ctcs = tuple(ctcs)
        self.due_ns: i64 = NEVER_NS
        """A time not later than the earliest `LinkCtc.due_ns`, in ns."""

    def begin(self, ctc: LinkCtc, due_ns: i64) -> None:
        """Something has to happen on ``ctc`` by ``due_ns``."""
        ctc.due_ns = due_ns
        if due_ns < self.due_ns:
            self.due_ns = due_ns

    def end(self, ctc: LinkCtc) -> None:
        """Wait for nothing more on ``ctc``."""
        ctc.due_ns = NEVER_NS
        self._find_earliest()

    def poll_due(self, now_ns: i64) -> list[LinkCtc]:
        """The CTCs whose time has come by ``now_ns``; they are not watched any more."""
        due = [ctc for ctc in self._ctcs if ctc.due_ns <= now_ns]
        for ctc in due:
            ctc.due_ns = NEVER_NS
        self._find_earliest()
        return due

    def _find_earliest(self) -> None:
        self.due_ns = min(ctc.due_ns for ctc in self._ctcs)
