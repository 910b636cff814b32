"""The rules that an end of a link follows: where it writes, when, and how it fills a package.

They are ISFC's if nothing else is said. For experiments with another one, functions are passed in:
each makes one of the parts that a `isfc.link.logical_link.LogicalLink` is composed of. So a rule of
one's own needs no subclass, and works in the compiled library too.
"""

from collections.abc import Callable, Sequence
from typing import final

from isfc.link.package import Packager
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice, scan_order
from isfc.link.schedule import WriteScheduler

MakeScheduler = Callable[[Sequence[LinkDevice], bool, LinkParameters], WriteScheduler]
"""Makes the scheduler of an end: of its devices, of whether it is the lesser end, and of the
numbers it has."""
MakePackager = Callable[[LinkParameters], Packager]


def make_scheduler(
    devices: Sequence[LinkDevice], lesser: bool, parameters: LinkParameters
) -> WriteScheduler:
    """ISFC's: the ends scan from opposite sides, and stop short of the last CTCs."""
    return WriteScheduler(scan_order(devices, lesser=lesser), parameters.opening_rule)


def make_packager(parameters: LinkParameters) -> Packager:
    """ISFC's: whatever waits, oldest first, up to a limit."""
    return Packager(parameters.package_limit)


@final
class LinkRules:
    """What makes the scheduler and the packager of each link end that has these rules."""

    __slots__ = ("packager", "scheduler")

    def __init__(
        self,
        scheduler: MakeScheduler = make_scheduler,
        packager: MakePackager = make_packager,
    ) -> None:
        self.scheduler = scheduler
        self.packager = packager
