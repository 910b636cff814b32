"""What one test costs, and what several of them cost together."""

import resource
import sys
from collections import Counter
from collections.abc import Iterable
from functools import wraps
from multiprocessing import util
from typing import Any, Final, NamedTuple

from isfc.engine.virtual import VirtualEngine

STARTS: Final = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})
"""Audit events of Python that start a process; multiprocessing has none."""
COUNTED: Final[Counter[str]] = Counter()
"""``processes`` that this one has started; ``virtual_ns`` that it has run, and their ``events``."""


class Cost(NamedTuple):
    """Processor time of the process and of what it waited for, and what it did, counted."""

    processor_ns: int = 0
    processes: int = 0
    virtual_ns: int = 0
    events: int = 0

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(*(mine - its for mine, its in zip(self, other, strict=True)))


def total(costs: Iterable[Cost]) -> Cost:
    """All together."""
    return Cost(*map(sum, zip(*costs, strict=True)))


def so_far() -> Cost:
    """What this process has cost since it began."""
    from tests.isfc_process import USED  # it keeps the environment, which is settled by now

    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    return Cost(
        round(seconds * 1e9) + USED["ms"] * 1_000_000, *(COUNTED[each] for each in Cost._fields[1:])
    )


def count() -> None:
    """Begin to count, in this process and in those that are forked from it."""
    sys.addaudithook(_note)
    spawn: Any = util.spawnv_passfds
    run: Any = VirtualEngine.run

    @wraps(spawn)
    def counted_spawn(*arguments: Any) -> Any:
        COUNTED["processes"] += 1
        return spawn(*arguments)

    def counted_run(self: VirtualEngine, until_ns: int) -> None:
        begin_ns, begin_count = self.now_ns, self.event_count
        try:
            run(self, until_ns)
        finally:
            COUNTED["virtual_ns"] += self.now_ns - begin_ns
            COUNTED["events"] += self.event_count - begin_count

    util.spawnv_passfds = counted_spawn  # type: ignore[assignment]
    VirtualEngine.run = counted_run  # type: ignore[method-assign]


def _note(event: str, _arguments: tuple[Any, ...]) -> None:
    if event in STARTS:
        COUNTED["processes"] += 1
