"""What an operator does during a run in virtual time, what is heard of the link, and lost trunks.

Times of a run are as people write them: ``5ms``, ``800us``, ``1.5s``. Inter-switch links are lost
one by one while links run over them.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, final

from isfc.engine.pump import Listener
from isfc.engine.virtual import VirtualEngine
from isfc.layout.loss import OneOfSeveral
from isfc.link.events import LinkEvent
from isfc.link.name import NodeName
from isfc.system.system import System


@dataclass(frozen=True, slots=True)
class Intervention:
    """Something done to one system, ``at_ns`` after the run began: behind all else of that time.

    Acts of the same time are done in their order.
    """

    at_ns: int
    node: NodeName
    do: Callable[[System, int], None]


@dataclass(frozen=True, slots=True)
class Operation:
    """All that is done in one run, and who hears what comes of it."""

    acts: Sequence[Intervention]
    hear: Listener[LinkEvent]


class OperatedRun:
    """An engine that runs on, and is interrupted where something is to be done."""

    def __init__(
        self, engine: VirtualEngine, systems: Sequence[System], operation: Operation | None
    ) -> None:
        self.engine = engine
        self._systems = {system.name: system for system in systems}
        acts = operation.acts if operation else ()
        self._acts = deque(sorted(acts, key=lambda act: act.at_ns))

    def run(self, until_ns: int) -> None:
        """Let everything happen, and everything be done, up to and including ``until_ns``."""
        while self._acts and self._acts[0].at_ns <= until_ns:
            act = self._acts.popleft()
            self.engine.run(act.at_ns)
            act.do(self._systems[act.node], act.at_ns)
            self.engine.drain()
        self.engine.run(until_ns)


_TIME: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(us|ms|s)")
_UNITS_NS: Final = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def read_time_ns(text: str) -> int | None:
    """The nanoseconds of a time such as ``5ms``; None if ``text`` is none."""
    found = _TIME.fullmatch(text)
    return None if found is None else round(Decimal(found[1]) * _UNITS_NS[found[2]])


@final
class Trunks:
    """Which inter-switch links are gone, by path; the others carry what they can."""

    def __init__(self, engine: VirtualEngine) -> None:
        self._engine = engine
        self._gone: Counter[str] = Counter()

    def change(self, isl: OneOfSeveral, lost: int) -> bool:
        """One more is lost (1) or there again (-1); whether any is left.

        The last one takes its CTCs along, which is not done here.
        """
        self._gone[isl.path] += lost
        gone = self._gone[isl.path]
        if gone >= isl.count:
            return False
        for trunk, ns_per_byte in isl.without(gone):
            self._engine.set_trunk(trunk, ns_per_byte)
        return True
