"""The packages that one end of a link was told are written or read, as its interrupts say."""

from typing import Final

from ctc.address import Rdev
from ctc.subchannel import Command, Ended, Interrupt, UnitStatus
from isfc.link.package import Package


class PackageBook:
    """A `isfc.link.trace.Watch` that notes the number and the bytes of every package.

    Bytes are those of the package, headers too, as the link's counters count them.
    """

    def __init__(self) -> None:
        self.written: Final[dict[int, int]] = {}
        """The bytes of each package whose write has ended well, by the package's number."""
        self.read: Final[dict[int, int]] = {}
        """The bytes of each package that was read, by its number."""
        self.written_length = 0
        """Bytes of all writes that have ended well."""
        self.read_length = 0
        """Bytes of all packages read; one that was sent again counts again."""
        self._last_written: dict[Rdev, int] = {}

    def __call__(self, now_ns: int, node: str, interrupt: Interrupt) -> None:
        """Note the package of an I/O that has ended well."""
        if not isinstance(interrupt, Ended) or interrupt.status is not UnitStatus.ENDED:
            return
        package = interrupt.load
        if not isinstance(package, Package):
            return
        if interrupt.command is Command.READ:
            self.read[package.number] = package.length
            self.read_length += package.length
        else:
            assert package.number not in self.written, f"{package} was written well twice"
            self.written[package.number] = package.length
            self.written_length += package.length
            self._last_written[interrupt.rdev] = package.number

    def unread_length(self, partner: "PackageBook") -> int:
        """Bytes written that the partner has not been told of yet.

        The writer's interrupt may come before the reader's, so that each CTC's latest package may
        be one of them; no other may, and none has another length at the other end.
        """
        unread = dict(self.written.items() - partner.read.items())
        latest = set(self._last_written.values())
        assert unread.keys() <= latest, (
            f"packages {sorted(unread.keys() - latest)} were written, and not read as such"
        )
        return sum(unread.values())
